//! Prazo's own generators: each makes the kernel do one kind of work, from a seed alone, on every processor that prazo runs on.
//!
//! A generator is this program again: the keeper starts it with a request, and [`child_main`] becomes it. What it does, and in which
//! order, follows from the request's seed, never from a clock or from the machine. How fast it does it is the machine's, or, for a paced
//! one, the clock's. A generator of several workers is one process for each; all of them end with their starter.
//!
//! Adding one adds a file, a kind of [`Work`] and its line in [`run`].

mod archive;
mod blocks;
pub(super) mod card_flood;
mod compile;
mod datagrams;
mod echo;
mod file_tree;
mod inversion;
mod memory;
mod messages;
mod pace;
mod proc_read;
mod processor;
mod request;
mod stream;
mod timers;
pub(super) mod tree;
mod workers;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

pub(super) use blocks::READ_FILE;
pub(super) use card_flood::Packet;
pub(super) use datagrams::PAYLOAD_BYTES;
pub(super) use inversion::{
    PRIORITIES as INVERSION_PRIORITIES, counted as counted_inversions, prepare as prepare_inversions,
};
pub(super) use request::Work;
use request::{ARGUMENT, GeneratorRequest};
use workers::Endless;

/// Becomes a generator if `args` ask for one; it ends with its keeper.
pub(super) fn child_main(args: &[OsString]) -> Option<ExitCode> {
    let (first, rest) = args.split_first()?;
    if first != ARGUMENT {
        return None;
    }
    let request = rest.first().and_then(|text| serde_json::from_str::<GeneratorRequest>(text.to_str()?).ok());
    let outcome =
        request.map_or_else(|| Err(io::Error::other(format!("{ARGUMENT} is for internal use by prazo"))), run);
    Some(match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    })
}

fn run(GeneratorRequest { seed, work }: GeneratorRequest) -> io::Result<()> {
    let endless: Endless = match work {
        Work::Processor { workers } => workers::each(workers, |worker| processor::compute(seed, worker)),
        Work::Messages { groups } => messages::exchange(seed, groups),
        Work::PipeMessages { groups } => workers::each(groups, |group| messages::exchange_over_pipes(seed, group)),
        Work::FutexMessages { groups } => workers::each(groups, |group| messages::exchange_by_futexes(seed, group)),
        Work::Memory { workers, bytes } => workers::each(workers, |worker| memory::use_up(seed, worker, bytes)),
        Work::Timers { workers, rate } => workers::each(workers, |_| timers::expire(rate / f64::from(workers))),
        Work::ReadDatagrams { at } => datagrams::read(at),
        Work::SendDatagrams { to, rate } => datagrams::send(to, rate),
        Work::SendFrames { packet, through, to_card, to, rate } => {
            card_flood::send(packet, &through, &to_card, to, rate)
        }
        Work::Echo { to, rate } => echo::request(to, rate),
        Work::ReadStream { at } => stream::read(at),
        Work::SendStream { to, rate } => stream::send(to, rate),
        Work::WriteBlocks { workers, bytes } => workers::each(workers, |worker| blocks::write(seed, worker, bytes)),
        Work::ReadBlocks { workers } => workers::each(workers, |worker| blocks::read(seed, worker)),
        Work::SearchTree { workers } => workers::each(workers, |worker| file_tree::search(seed, worker)),
        Work::Archive { workers } => workers::each(workers, |worker| archive::pack(seed, worker)),
        Work::Compile { workers } => workers::each(workers, |worker| compile::compile(seed, worker)),
        Work::Invert { groups } => workers::each(groups, |group| inversion::invert(seed, group, groups)),
        Work::CompileUnit { unit, object } => return compile::unit(seed, unit, &object),
        Work::ReadProc => return proc_read::read_once(),
    };
    endless.map(|never| match never {})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_arguments_are_left_to_the_program_and_a_broken_order_starts_nothing() {
        assert!(child_main(&["measure".into()]).is_none());
        assert_eq!(child_main(&[ARGUMENT.into(), "{}".into()]), Some(ExitCode::FAILURE));
        assert_eq!(child_main(&[ARGUMENT.into()]), Some(ExitCode::FAILURE));
    }
}
