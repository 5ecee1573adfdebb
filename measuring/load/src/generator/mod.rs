//! Prazo's own generators: each makes the kernel do one kind of work, from a seed alone, on every processor that prazo runs on.
//!
//! A generator is this program again: the keeper starts it with an order, and [`child_main`] becomes it. What it does, and in which
//! order, follows from the order's seed, never from a clock or from the machine. How fast it does it is the machine's, or, for a paced
//! one, the clock's. A generator of several workers is one process for each; all of them end with their starter.
//!
//! Adding one adds a file, a kind of [`Work`] and its line in [`Work::run`].

mod archive;
mod blocks;
pub(super) mod card_flood;
mod compile;
mod datagrams;
mod echo;
mod file_tree;
mod memory;
mod messages;
mod pace;
mod proc_read;
mod processor;
mod stream;
mod timers;
pub(super) mod tree;
mod workers;

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::process::ExitCode;

use serde::{Deserialize, Serialize};

use super::load_kind::{Lasts, OWN_PROGRAM, Scene, Side, Step};
pub(super) use blocks::READ_FILE;
pub(super) use card_flood::Packet;
use workers::Endless;

/// The hidden first argument that makes the program a generator.
const ARGUMENT: &str = "__prazo-generator";

/// What a generator is told, as its second argument, in JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    seed: u64,
    #[serde(flatten)]
    work: Work,
}

/// What it does. Files are named from the folder where it starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Work {
    /// Computes.
    Processor { workers: u32 },
    /// Sends messages between the processes of each group.
    Messages { groups: u32 },
    /// Maps memory, writes it, checks it and unmaps it.
    Memory { workers: u32, bytes: u64 },
    /// Has timers expire, `rate` times a second altogether.
    Timers { workers: u32, rate: f64 },
    /// Receives datagrams.
    ReadDatagrams { at: SocketAddrV4 },
    /// Sends the smallest datagrams.
    SendDatagrams { to: SocketAddrV4, rate: Option<f64> },
    /// Sends packets through a network card; a real-time thread paces them.
    SendFrames { packet: Packet, through: String, to_card: String, to: SocketAddrV4, rate: f64 },
    /// Sends echo requests and reads the answers.
    Echo { to: Ipv4Addr, rate: Option<f64> },
    /// Receives a TCP stream.
    ReadStream { at: SocketAddrV4 },
    /// Sends one, so many bytes a second.
    SendStream { to: SocketAddrV4, rate: Option<f64> },
    /// Writes files of so many bytes, block after block in a random order, past the page cache.
    WriteBlocks { workers: u32, bytes: u32 },
    /// Reads the prepared file past the page cache.
    ReadBlocks { workers: u32 },
    /// Walks the prepared tree and searches its files for a word.
    SearchTree { workers: u32 },
    /// Reads the prepared tree through a pipe, computes with it and writes a file.
    Archive { workers: u32 },
    /// Starts compilations, one after the other.
    Compile { workers: u32 },
    /// Reads many files, computes with them and writes one: one compilation.
    CompileUnit { unit: u64, object: String },
    /// Reads the machine's /proc once.
    ReadProc,
}

impl Work {
    /// A program of a load that does this until it is ended, in the order that the scene's seed decides.
    pub(super) fn endless(self, scene: &Scene) -> Step {
        self.step(scene, Side::Receiver, Lasts::ForEver)
    }

    /// As [`Work::endless`], at one end of the load's network, or in passes.
    pub(super) fn step(self, scene: &Scene, side: Side, lasts: Lasts) -> Step {
        Step { program: OWN_PROGRAM, arguments: arguments(scene.seed, self).into(), side, lasts }
    }

    fn run(self, seed: u64) -> io::Result<()> {
        let endless: Endless = match self {
            Self::Processor { workers } => workers::each(workers, |worker| processor::compute(seed, worker)),
            Self::Messages { groups } => messages::exchange(seed, groups),
            Self::Memory { workers, bytes } => workers::each(workers, |worker| memory::use_up(seed, worker, bytes)),
            Self::Timers { workers, rate } => workers::each(workers, |_| timers::expire(rate / f64::from(workers))),
            Self::ReadDatagrams { at } => datagrams::read(at),
            Self::SendDatagrams { to, rate } => datagrams::send(to, rate),
            Self::SendFrames { packet, through, to_card, to, rate } => {
                card_flood::send(packet, &through, &to_card, to, rate)
            }
            Self::Echo { to, rate } => echo::request(to, rate),
            Self::ReadStream { at } => stream::read(at),
            Self::SendStream { to, rate } => stream::send(to, rate),
            Self::WriteBlocks { workers, bytes } => workers::each(workers, |worker| blocks::write(seed, worker, bytes)),
            Self::ReadBlocks { workers } => workers::each(workers, |worker| blocks::read(seed, worker)),
            Self::SearchTree { workers } => workers::each(workers, |worker| file_tree::search(seed, worker)),
            Self::Archive { workers } => workers::each(workers, |worker| archive::pack(seed, worker)),
            Self::Compile { workers } => workers::each(workers, |worker| compile::compile(seed, worker)),
            Self::CompileUnit { unit, object } => return compile::unit(seed, unit, &object),
            Self::ReadProc => return proc_read::read_once(),
        };
        endless.map(|never: Infallible| match never {})
    }
}

/// The arguments that make the program a generator.
fn arguments(seed: u64, work: Work) -> [String; 2] {
    let order = serde_json::to_string(&Order { seed, work }).expect("an order holds nothing that JSON cannot");
    [ARGUMENT.into(), order]
}

/// Becomes a generator if `args` ask for one; it ends with its keeper.
pub(super) fn child_main(args: &[OsString]) -> Option<ExitCode> {
    let (first, rest) = args.split_first()?;
    if first != ARGUMENT {
        return None;
    }
    let order = rest.first().and_then(|text| serde_json::from_str::<Order>(text.to_str()?).ok());
    let outcome = order.map_or_else(
        || Err(io::Error::other(format!("{ARGUMENT} is for internal use by prazo"))),
        |order| order.work.run(order.seed),
    );
    Some(match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TO: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 1), 5201);

    #[test]
    fn an_order_survives_its_arguments() {
        let frames = Work::SendFrames {
            packet: Packet::Echo,
            through: "eth1".into(),
            to_card: "eth0".into(),
            to: TO,
            rate: 2.5,
        };
        for work in [frames, Work::ReadProc, Work::SendDatagrams { to: TO, rate: None }] {
            let order = Order { seed: u64::MAX, work };
            let [_, text] = arguments(order.seed, order.work.clone());
            assert_eq!(serde_json::from_str::<Order>(&text).unwrap(), order, "{text}");
        }
    }

    #[test]
    fn other_arguments_are_left_to_the_program_and_a_broken_order_starts_nothing() {
        assert!(child_main(&["measure".into()]).is_none());
        assert_eq!(child_main(&[ARGUMENT.into(), "{}".into()]), Some(ExitCode::FAILURE));
        assert_eq!(child_main(&[ARGUMENT.into()]), Some(ExitCode::FAILURE));
    }
}
