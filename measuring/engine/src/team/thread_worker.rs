//! A worker that is a thread of this process.

use super::super::control::Control;
use super::super::error::{ProbeError, SetupError};
use super::super::ring::Producer;
use super::super::stop_flag::StopFlag;
use super::super::worker::{self, Activations, Finished, Prepared};
use super::super::worker_request::WorkerRequest;
use super::{Shared, Worker, WorkerMessage};
use crate::thread_defaults::STACK_BYTES;
use prazo_sys::signal;
use std::os::fd::BorrowedFd;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// A measuring thread.
pub(super) struct ThreadWorker<'scope> {
    cpu: u32,
    start: Option<Sender<u64>>,
    messages: Receiver<WorkerMessage>,
    /// `None` once joined.
    thread: Option<ScopedJoinHandle<'scope, ()>>,
}

impl<'scope> ThreadWorker<'scope> {
    /// Starts the thread, which sets itself up and then waits for the start.
    pub(super) fn start<'m: 'scope>(
        scope: &'scope Scope<'scope, '_>,
        number: usize,
        request: &'m WorkerRequest,
        shared: Shared<'m>,
    ) -> Result<Self, ProbeError> {
        let (start, go) = channel();
        let (tell, messages) = channel();
        let life = Life { request, number, shared, go, tell };
        let thread = Builder::new()
            .name(format!("prazo-cpu{}", request.cpu))
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, move || life.live())
            .map_err(|source| ProbeError::System {
                what: "starting a measuring thread",
                source,
                remedy: "raise the limit on the number of processes (ulimit -u, or the container's pids limit)",
            })?;
        Ok(Self { cpu: request.cpu, start: Some(start), messages, thread: Some(thread) })
    }
}

/// The thread's own side.
struct Life<'m> {
    request: &'m WorkerRequest,
    number: usize,
    shared: Shared<'m>,
    go: Receiver<u64>,
    tell: Sender<WorkerMessage>,
}

impl Life<'_> {
    fn live(self) {
        let _ring_when_done = RingWhenDone(self.shared.stop);
        let message = match self.measure() {
            Ok(Some(finished)) => WorkerMessage::Finished(finished),
            Ok(None) => return,
            Err(error) => WorkerMessage::Failed(error),
        };
        // Nobody listens any more only where the run was given up.
        let _ = self.tell.send(message);
    }

    /// `None` where the run was given up before its start.
    fn measure(&self) -> Result<Option<Finished>, SetupError> {
        let words = self.shared.memory.words();
        let producer = Producer::over(self.shared.layout.ring(words, self.number));
        let prepared: Prepared = worker::prepare(self.request, &producer)?;
        let _ = self.tell.send(WorkerMessage::Prepared(prepared));
        self.shared.stop.alarm().ring();
        let Ok(start_ns) = self.go.recv() else { return Ok(None) };
        let control = Control::over(self.shared.layout.control(words));
        self.shared.source.serve(Activations::new(self.request, start_ns, producer, control)).map(Some)
    }
}

/// Rings the recorder's alarm however the thread ends.
struct RingWhenDone<'m>(&'m StopFlag);

impl Drop for RingWhenDone<'_> {
    fn drop(&mut self) {
        self.0.alarm().ring();
    }
}

impl Worker for ThreadWorker<'_> {
    fn hear(&mut self) -> Result<Option<WorkerMessage>, ProbeError> {
        match self.messages.try_recv() {
            Ok(message) => Ok(Some(message)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => {
                Err(ProbeError::WorkerLost { cpu: self.cpu, how: "the thread panicked".into() })
            }
        }
    }

    fn go(&mut self, start_ns: u64) {
        if let Some(start) = &self.start {
            let _ = start.send(start_ns);
        }
    }

    fn poke(&mut self, thread_id: i32) {
        let runs = self.thread.as_ref().is_some_and(|thread| !thread.is_finished());
        if runs && thread_id != 0 {
            signal::wake_thread(thread_id);
        }
    }

    fn dismiss(&mut self, thread_id: i32) -> bool {
        self.start = None;
        self.poke(thread_id);
        if let Some(thread) = self.thread.take_if(|thread| thread.is_finished()) {
            // Joined here, so that a panic stays the error that `hear` made of it.
            let _ = thread.join();
        }
        self.thread.is_none()
    }

    fn voice(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}
