//! The wake-up probe: a thread waits until another wakes it, and notes when it runs, after the stamp of the one that woke it.
//!
//! ```text
//! waking thread   sleeps until a point of the grid ─► stamp ─► call that wakes
//! woken thread                                   call that waits ─► own stamp ─► says that it is back
//! ```
//! The loop, the ring, the recorder and the caveats are the timer probe's: the woken thread is measured, and its timer is another
//! thread. At most one wake is under way: a point of the grid at which the woken thread is not back yet, or which the waking
//! thread slept through, is skipped and counted. So each point is served, skipped, or outstanding at a stop.

mod caveats;
mod method;
mod pair;
mod waiter;
mod waker;

use method::Method;
use method::condvar::Condvar;
use method::futex::Futex;
use method::migrate::{Migrate, Move};
use method::mutex::Mutex;
use method::push::Push;
use method::signal::Signal;
use pair::Pair;
use prazo_core::cpu::CpuSet;
use prazo_engine::error::SetupError;
use prazo_engine::{Activations, Finished, WaitSource};
use prazo_platform::tunable::TunableRecord;
use prazo_run::Caveat;
use prazo_run::source::{WakeMethod, WakerCpu, WakeupSource};
use prazo_sys::lock::PosixProtocol;
use prazo_sys::scheduling;
use prazo_sys::wake::{Channel, MessageQueue, Semaphore, SystemVSemaphore};
use std::io;
use std::sync::{Mutex as Guard, PoisonError};
use std::thread;
use waiter::Waiter;
use waker::{Waker, WakerReport};

/// The pairs of threads of a run.
#[derive(Debug)]
pub struct Pairs<'a> {
    source: &'a WakeupSource,
    usable: CpuSet,
    reports: Guard<Vec<WakerReport>>,
}

impl<'a> Pairs<'a> {
    /// Pairs that wake as `source` says; the calling thread may still use every processor that its process may.
    pub fn new(source: &'a WakeupSource) -> io::Result<Self> {
        Ok(Self { source, usable: scheduling::usable_cpus()?, reports: Guard::default() })
    }

    /// Serves activations with a waking thread beside the calling one.
    fn serve_by<M: Method>(&self, method: io::Result<M>, activations: Activations<'_>) -> Result<Finished, SetupError> {
        let (request, name) = (activations.request, self.source.method.name());
        let method = method.map_err(|error| SetupError::call(request.cpu, name, &error))?;
        let (pace, pair) = (request.pace(activations.start_ns), Pair::default());
        let waker = Waker {
            woken_cpu: request.cpu,
            cpu: waker_cpu(self.source.waker_cpu, request.cpu, self.usable),
            policy: self.source.waker_policy,
            first_ns: activations.start_ns + request.phase_ns,
            period_ns: pace.period_ns,
            end_ns: pace.end_ns,
            pair: &pair,
            method: &method,
        };
        let (mut waiter, stop) = (Waiter::new(&waker), activations.stop());
        let (finished, report) = thread::scope(|scope| {
            let running = waker.start(scope, stop)?;
            let finished = activations.serve(&mut waiter, pace);
            pair.end();
            Ok((finished, running.join()))
        })?;
        if let Some(activations) = waiter.has_never_moved() {
            let target = self.target(request.cpu);
            return Err(SetupError::NeverMoved { cpu: request.cpu, target, activations });
        }
        self.reports.lock().unwrap_or_else(PoisonError::into_inner).push(report?);
        finished.map_err(|error| renamed(error, name))
    }

    /// Where a thread of this processor moves to.
    fn target(&self, home: u32) -> u32 {
        waker_cpu(WakerCpu::Other, home, self.usable)
    }

    fn reports(&self) -> Vec<WakerReport> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl WaitSource for Pairs<'_> {
    fn serve(&self, activations: Activations<'_>) -> Result<Finished, SetupError> {
        let home = activations.request.cpu;
        let there = Move { home, target: self.target(home) };
        let protocol = if self.source.inherit { PosixProtocol::Inherit } else { PosixProtocol::Plain };
        match self.source.method {
            WakeMethod::Futex => self.serve_by(Ok(Futex::default()), activations),
            WakeMethod::Mutex => self.serve_by(Mutex::new(protocol), activations),
            WakeMethod::Condvar => self.serve_by(Condvar::new(protocol), activations),
            WakeMethod::Semaphore => self.serve_by(Semaphore::new(), activations),
            WakeMethod::SysvSemaphore => self.serve_by(SystemVSemaphore::new(), activations),
            WakeMethod::Mqueue => self.serve_by(MessageQueue::new(), activations),
            WakeMethod::Pipe => self.serve_by(Channel::pipe(), activations),
            WakeMethod::Eventfd => self.serve_by(Channel::eventfd(), activations),
            WakeMethod::Signal => self.serve_by(Ok(Signal::for_this_thread()), activations),
            WakeMethod::Migrate => self.serve_by(Ok(Migrate::of(there)), activations),
            WakeMethod::Push => self.serve_by(Ok(Push::of(there)), activations),
        }
    }

    fn also_used(&self, cpu: u32) -> Option<u32> {
        self.source.method.moves().then(|| self.target(cpu))
    }

    fn release(&self) -> Vec<TunableRecord> {
        self.reports().into_iter().flat_map(|report| report.tunables).collect()
    }

    fn caveats(&self) -> Vec<Caveat> {
        caveats::of(&self.reports())
    }
}

/// The waking thread's processor, for a thread on `woken`; a thread that moves goes to `Other`.
fn waker_cpu(place: WakerCpu, woken: u32, usable: CpuSet) -> u32 {
    let others = || usable.iter().map(|cpu| cpu.number()).filter(|cpu| *cpu != woken);
    match place {
        WakerCpu::Same => woken,
        WakerCpu::Other => others().find(|cpu| *cpu > woken).or_else(|| others().next()).unwrap_or(woken),
        WakerCpu::Cpu { cpu } => cpu,
    }
}

/// The loop knows its call by the plan's timer method, which is the waking thread's here.
fn renamed(error: SetupError, name: &str) -> SetupError {
    match error {
        SetupError::Call { cpu, errno, remedy, .. } => SetupError::Call { cpu, call: name.into(), errno, remedy },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_processor_is_the_next_and_behind_the_last_the_first() {
        let usable: CpuSet = "0,2-3".parse().unwrap();
        assert_eq!([0, 2, 3].map(|cpu| waker_cpu(WakerCpu::Other, cpu, usable)), [2, 3, 0]);
        assert_eq!(waker_cpu(WakerCpu::Same, 2, usable), 2);
        assert_eq!(waker_cpu(WakerCpu::Cpu { cpu: 3 }, 2, usable), 3);
    }
}
