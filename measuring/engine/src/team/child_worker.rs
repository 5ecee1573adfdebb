//! A worker that is a child process: this same program, started anew with a hidden first argument.
//!
//! Its standard input is one end of a socket pair, over which requests and reports pass as lines of JSON; its standard output
//! is the shared memory's file, which is how it inherits that without a moment in which other children could. It ends when
//! this process does: by the parent's death signal, and by the end of its input while it waits for its request.

use super::super::error::ProbeError;
use super::super::worker_request::WorkerRequest;
use super::{Shared, Worker, WorkerMessage};
use prazo_sys::signal;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// The hidden first argument.
pub(crate) const CHILD_FLAG: &str = "--prazo-timer-child";

/// The first line a child is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ChildRequest {
    /// What to measure.
    pub request: WorkerRequest,
    /// Where its ring lies, in words of the shared memory.
    pub ring: std::ops::Range<usize>,
    /// Where the stop word lies.
    pub control: std::ops::Range<usize>,
}

/// A measuring child process.
pub(super) struct ChildWorker {
    cpu: u32,
    child: Child,
    stream: BufReader<UnixStream>,
    line: Vec<u8>,
}

impl ChildWorker {
    /// Starts the child and sends it its request.
    pub(super) fn start(number: usize, request: &WorkerRequest, shared: Shared<'_>) -> Result<Self, ProbeError> {
        Self::try_start(number, request, shared).map_err(|source| ProbeError::System {
            what: "starting a measuring child process",
            source,
            remedy: "prazo must be able to start itself from /proc/self/exe; otherwise choose a --method other than \
                     setitimer, which needs no child process",
        })
    }

    fn try_start(number: usize, request: &WorkerRequest, shared: Shared<'_>) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let child = Command::new("/proc/self/exe")
            .arg0("prazo-timer")
            .arg(CHILD_FLAG)
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::from(shared.memory.file().try_clone_to_owned()?))
            .process_group(0)
            .spawn()?;
        let mut worker = Self { cpu: request.cpu, child, stream: BufReader::new(ours), line: Vec::new() };
        let (ring, control) = (shared.layout.ring_words(number), shared.layout.control_words());
        worker.say(&ChildRequest { request: request.clone(), ring, control })?;
        worker.stream.get_ref().set_nonblocking(true)?;
        Ok(worker)
    }

    fn say(&mut self, message: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.stream.get_mut().write_all(&line)
    }

    fn lost(&mut self) -> ProbeError {
        let how = match self.child.wait() {
            Ok(status) => format!("the process ended with {status}"),
            Err(error) => format!("waiting for the child process failed: {error}"),
        };
        ProbeError::WorkerLost { cpu: self.cpu, how }
    }
}

impl Worker for ChildWorker {
    fn hear(&mut self) -> Result<Option<WorkerMessage>, ProbeError> {
        match self.stream.read_until(b'\n', &mut self.line) {
            Ok(_) if self.line.ends_with(b"\n") => {
                let message = serde_json::from_slice(&self.line);
                self.line.clear();
                message.map(Some).map_err(|error| ProbeError::WorkerLost { cpu: self.cpu, how: error.to_string() })
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(None),
            _ => Err(self.lost()),
        }
    }

    fn go(&mut self, start_ns: u64) {
        // A child that has gone is noticed by the next `hear`.
        let _ = self.say(&start_ns);
    }

    fn poke(&mut self, _thread_id: i32) {
        if matches!(self.child.try_wait(), Ok(None)) {
            signal::wake_child(self.child.id());
        }
    }

    fn dismiss(&mut self, _thread_id: i32) -> bool {
        // Its report was taken, or nobody wants it: there is nothing that a gentler end would save.
        let _ = self.child.kill();
        self.child.wait().is_ok()
    }

    fn voice(&self) -> Option<BorrowedFd<'_>> {
        Some(self.stream.get_ref().as_fd())
    }
}
