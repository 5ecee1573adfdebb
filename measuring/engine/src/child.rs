//! The other side of a child worker: what the program does when it was started to be one.

use super::control::Control;
use super::ring::Producer;
use super::team::{CHILD_FLAG, ChildRequest, WorkerMessage};
use super::wait_source::WaitSource;
use super::worker::{self, Activations};
use super::worker_request::WorkerRequest;
use prazo_sys::{memory::SharedMemory, process};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

/// Measures as a child of another prazo and answers how to exit, if `args` (the program's name first) say that this process
/// was started for that; `None` for every other process. A program that measures calls this first in its `main`.
pub fn child_main(args: &[OsString], source: &dyn WaitSource) -> Option<ExitCode> {
    if args.get(1)? != CHILD_FLAG {
        return None;
    }
    Some(match Parent::of_this_process().and_then(|parent| parent.serve(source)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("prazo: a measuring child process ended early: {error}");
            ExitCode::from(4)
        }
    })
}

/// The line to the parent, and the memory shared with it.
struct Parent {
    stream: BufReader<UnixStream>,
    memory: SharedMemory,
}

impl Parent {
    fn of_this_process() -> io::Result<Self> {
        process::die_with_parent()?;
        let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        let memory = SharedMemory::map(File::from(io::stdout().as_fd().try_clone_to_owned()?))?;
        Ok(Self { stream: BufReader::new(stream), memory })
    }

    fn serve(mut self, source: &dyn WaitSource) -> io::Result<()> {
        let ChildRequest { request, ring, control } = self.hear()?;
        let answer = self.measure(&request, ring, control, source)?;
        say(self.stream.get_mut(), &answer)
    }

    fn measure(
        &mut self,
        request: &WorkerRequest,
        ring: std::ops::Range<usize>,
        control: std::ops::Range<usize>,
        source: &dyn WaitSource,
    ) -> io::Result<WorkerMessage> {
        let words = self.memory.words();
        let (Some(ring), Some(control)) = (words.get(ring), words.get(control)) else {
            return Err(io::Error::other("the parent process requested a range outside of the shared memory"));
        };
        let producer = Producer::over(ring);
        match worker::prepare(request, &producer) {
            Ok(prepared) => say(self.stream.get_mut(), &WorkerMessage::Prepared(prepared))?,
            Err(error) => return Ok(WorkerMessage::Failed(error)),
        }
        let start_ns = hear(&mut self.stream)?;
        let measured = source.serve(Activations::new(request, start_ns, producer, Control::over(control)));
        Ok(measured.map_or_else(WorkerMessage::Failed, WorkerMessage::Finished))
    }

    fn hear<T: DeserializeOwned>(&mut self) -> io::Result<T> {
        hear(&mut self.stream)
    }
}

/// The parent's next line; its end of input means that it has gone.
fn hear<T: DeserializeOwned>(stream: &mut BufReader<UnixStream>) -> io::Result<T> {
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Err(io::Error::other("the parent process has ended"));
    }
    serde_json::from_str(&line).map_err(io::Error::other)
}

fn say(stream: &mut UnixStream, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    stream.write_all(&line)
}

#[cfg(test)]
mod tests {
    use super::super::timer::tests::AbsoluteSleep;
    use super::*;

    #[test]
    fn only_the_hidden_argument_makes_a_child() {
        let sleep = AbsoluteSleep::default();
        assert!(child_main(&[], &sleep).is_none());
        assert!(child_main(&["prazo".into(), "measure".into()], &sleep).is_none());
    }
}
