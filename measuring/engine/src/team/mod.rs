//! The workers of a run: threads of this process, or one child process each where a method exists once a process.

mod child_worker;
mod thread_worker;

use super::control::{Control, Reason};
use super::error::{ProbeError, SetupError};
use super::layout::Layout;
use super::stop_flag::StopFlag;
use super::wait_source::WaitSource;
use super::worker::{Finished, Prepared};
use super::worker_request::WorkerRequest;
use child_worker::ChildWorker;
pub(crate) use child_worker::{CHILD_FLAG, ChildRequest};
use prazo_sys::memory::SharedMemory;
use prazo_sys::{alarm, clock};
use serde::{Deserialize, Serialize};
use std::os::fd::BorrowedFd;
use std::thread::Scope;
use thread_worker::ThreadWorker;

/// What a worker says, over a channel or as a line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum WorkerMessage {
    /// Set up, waiting for the start.
    Prepared(Prepared),
    /// Ended with its counts.
    Finished(Finished),
    /// Could not be set up, or could not go on.
    Failed(SetupError),
}

/// One worker, wherever it lives.
trait Worker {
    /// What it said since the last call; does not block.
    fn hear(&mut self) -> Result<Option<WorkerMessage>, ProbeError>;
    /// Tells it when to start.
    fn go(&mut self, start_ns: u64);
    /// Ends its wait, so that it looks at the stop word.
    fn poke(&mut self, thread_id: i32);
    /// Ends it without asking for a report; true once it has gone.
    fn dismiss(&mut self, thread_id: i32) -> bool;
    /// What becomes readable when it says something; a thread rings the alarm instead.
    fn voice(&self) -> Option<BorrowedFd<'_>>;
}

struct Member<'scope> {
    worker: Box<dyn Worker + 'scope>,
    prepared: Option<Prepared>,
    finished: Option<Finished>,
}

/// All workers of a run. Dropped, it ends those that still run.
pub(crate) struct Team<'scope, 'm> {
    members: Vec<Member<'scope>>,
    control: Control<'m>,
    stop: &'m StopFlag,
}

/// What all workers share.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'m> {
    /// Stop word and rings.
    pub memory: &'m SharedMemory,
    /// Where in the memory they are.
    pub layout: &'m Layout,
    /// The user's wish to stop, and the alarm that wakes the recorder.
    pub stop: &'m StopFlag,
    /// What the threads wait for.
    pub source: &'m dyn WaitSource,
}

impl<'scope, 'm: 'scope> Team<'scope, 'm> {
    /// Starts a worker for each request and waits until all are set up.
    pub(crate) fn assemble<'env>(
        scope: &'scope Scope<'scope, 'env>,
        requests: &'m [WorkerRequest],
        shared: Shared<'m>,
    ) -> Result<Self, ProbeError> {
        let control = Control::over(shared.layout.control(shared.memory.words()));
        let mut team = Self { members: Vec::new(), control, stop: shared.stop };
        for (number, request) in requests.iter().enumerate() {
            let worker: Box<dyn Worker + 'scope> = if shared.source.needs_own_process(request) {
                Box::new(ChildWorker::start(number, request, shared)?)
            } else {
                Box::new(ThreadWorker::start(scope, number, request, shared)?)
            };
            team.members.push(Member { worker, prepared: None, finished: None });
        }
        while team.members.iter().any(|member| member.prepared.is_none()) {
            team.wait_until(clock::monotonic_ns() + 100_000_000);
            team.listen()?;
        }
        Ok(team)
    }
}

impl<'m> Team<'_, 'm> {
    /// Tells every worker when to start.
    pub(crate) fn start(&mut self, start_ns: u64) {
        self.members.iter_mut().for_each(|member| member.worker.go(start_ns));
    }

    /// Takes what the workers said; true once all have ended.
    pub(crate) fn listen(&mut self) -> Result<bool, ProbeError> {
        for member in &mut self.members {
            while let Some(message) = if member.finished.is_none() { member.worker.hear()? } else { None } {
                match message {
                    WorkerMessage::Prepared(prepared) => member.prepared = Some(prepared),
                    WorkerMessage::Finished(finished) => member.finished = Some(finished),
                    WorkerMessage::Failed(error) => return Err(error.into()),
                }
            }
        }
        Ok(self.members.iter().all(|member| member.finished.is_some()))
    }

    /// Waits for a worker to speak, for the user to stop, or until CLOCK_MONOTONIC reaches `until_ns`.
    pub(crate) fn wait_until(&self, until_ns: u64) {
        let running = self.members.iter().filter(|member| member.finished.is_none());
        let voices: Vec<_> = running.filter_map(|member| member.worker.voice()).collect();
        let alarm: &alarm::Alarm = self.stop.alarm();
        alarm.wait_until(until_ns, &voices);
    }

    /// Ends the wait of every worker that still runs, so that it looks at the stop word.
    pub(crate) fn poke(&mut self) {
        for member in self.members.iter_mut().filter(|member| member.finished.is_none()) {
            let thread_id = member.prepared.as_ref().map_or(0, |prepared| prepared.thread_id);
            member.worker.poke(thread_id);
        }
    }

    /// The kernel's numbers of the workers' threads, in the order of the requests; 0 for one that is not set up.
    pub(crate) fn thread_ids(&self) -> Vec<i32> {
        let thread_id = |member: &Member| member.prepared.as_ref().map_or(0, |prepared| prepared.thread_id);
        self.members.iter().map(thread_id).collect()
    }

    /// The stop word.
    pub(crate) fn control(&self) -> Control<'m> {
        self.control
    }

    /// The reports, in the order of the requests; `None` for a worker that has not ended.
    pub(crate) fn reports(&self) -> Vec<(Option<Prepared>, Option<Finished>)> {
        self.members.iter().map(|member| (member.prepared.clone(), member.finished)).collect()
    }
}

impl Drop for Team<'_, '_> {
    fn drop(&mut self) {
        self.control.stop(Reason::Asked);
        let mut left: Vec<_> = self.members.drain(..).collect();
        while !left.is_empty() {
            left.retain_mut(|member| {
                let thread_id = member.prepared.as_ref().map_or(0, |prepared| prepared.thread_id);
                !member.worker.dismiss(thread_id)
            });
            if !left.is_empty() {
                clock::sleep_until(clock::monotonic_ns() + 2_000_000);
            }
        }
    }
}
