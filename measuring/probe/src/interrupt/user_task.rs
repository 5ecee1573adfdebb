//! The task of a program: a thread that sleeps in the module, stamps first thing when it runs, and sleeps again.

use super::device::{Device, Waiter};
use super::error::InterruptError;
use super::sys as own_sys;
use prazo_abi::irqlat;
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_sys::{clock, scheduling, signal};
use std::io;
use std::sync::mpsc;
use std::thread::JoinHandle;

/// The running thread.
#[derive(Debug)]
pub(super) struct UserTask {
    /// Its number, for its priority.
    pub pid: i32,
    thread: JoinHandle<io::Result<()>>,
}

impl UserTask {
    /// Starts the thread on its processor; it goes on to wait when `go` is called, so that its priority is set first.
    pub(super) fn start(device: &Device, cpu: u32) -> Result<(Self, Go), InterruptError> {
        let waiter = device.for_task().map_err(InterruptError::Task)?;
        let (say, hear) = mpsc::channel();
        let (go, gone) = mpsc::channel();
        let work = move || {
            signal::keep_figures_away();
            say.send(stay_on(cpu).map(|()| prazo_sys::process::thread_id())).ok();
            gone.recv().map_or(Ok(()), |()| wait_and_stamp(&waiter))
        };
        let thread = std::thread::Builder::new().name("prazo-irqlat".into()).spawn(work);
        let thread = thread.map_err(InterruptError::Task)?;
        let pid = hear
            .recv()
            .unwrap_or_else(|_| Err(io::Error::other("the thread ended before it was ready")))
            .map_err(InterruptError::Task)?;
        Ok((Self { pid, thread }, Go(go)))
    }

    /// Waits for its end, which stopping the device brings.
    pub(super) fn join(self) -> Result<(), InterruptError> {
        let ended = self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread panicked")));
        ended.map_err(InterruptError::Task)
    }
}

/// Lets a started task go on to wait.
#[derive(Debug)]
pub(super) struct Go(mpsc::Sender<()>);

impl Go {
    /// Lets it go on.
    pub(super) fn go(self) {
        self.0.send(()).ok();
    }
}

fn stay_on(cpu: u32) -> io::Result<()> {
    let cpu = Cpu::new(cpu).ok_or_else(|| io::Error::other(format!("processor {cpu} does not exist")))?;
    scheduling::set_affinity(&CpuSet::only(cpu))
}

/// Nothing comes between the return of the system call and the stamp.
fn wait_and_stamp(waiter: &Waiter) -> io::Result<()> {
    let mut last = irqlat::Wait::default();
    while waiter.wait(&last)? {
        last.t3_ns = clock::monotonic_ns();
        last.cpu = own_sys::this_cpu();
    }
    Ok(())
}
