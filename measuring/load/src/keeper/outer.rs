//! The outer half of a keeper: enters the containment, starts the inner half, waits for it and removes the folder.
//!
//! It is not inside the namespaces that it made (process numbers are for children), so that it can outlive them.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::parent_id;
use std::process::{Child, Command, ExitCode};
use std::time::{Duration, Instant};

use super::descendants;
use super::request::{KeeperRequest, Report, arguments};
use super::station::Station;
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_sys::containment as sys;
use prazo_sys::poll::wait_readable;
use prazo_sys::process::ProcessHandle;
use prazo_sys::scheduling::{set_affinity, set_timer_slack_ns};

/// What the inner half may take to end by itself once prazo is gone.
const GRACE_MS: u32 = 2_000;

/// Runs the outer half; `FAILURE` where it could not start the inner one.
pub(super) fn run(request: &KeeperRequest) -> ExitCode {
    let outcome = keep(request);
    // A folder that cannot be removed now is removed by the next start, which finds nobody holding its lock.
    let _ = fs::remove_dir_all(&request.work);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(report) => {
            Station::new().and_then(|mut station| station.say(&report)).ok();
            ExitCode::FAILURE
        }
    }
}

fn keep(request: &KeeperRequest) -> Result<(), Report> {
    let failed = |what: &str, error: &io::Error| Report::Failed { what: format!("{what}: {error}") };
    let refused = |error: &io::Error| Report::Refused { why: error.to_string() };
    let _lock = hold(request).map_err(|error| failed(&request.work.display().to_string(), &error))?;
    let prazo = ProcessHandle::open(parent_id())
        .map_err(|error| failed("the supervisor process cannot open a pidfd of prazo", &error))?;
    become_ordinary(request);
    // The machine's cards stay where they are, and so does a load that uses them.
    let network = request.kind().is_some_and(|kind| kind.network) && request.cards.is_none();
    request.containment.enter(network).map_err(|error| refused(&error))?;
    let inner = Command::new("/proc/self/exe").args(arguments("inner", request)).spawn();
    // Without process 1, the namespace of process numbers refuses every further child with ENOMEM.
    watch(inner.map_err(|error| refused(&error))?, prazo.as_fd())
        .map_err(|error| failed("the supervisor process cannot open a pidfd of its child", &error))?;
    if request.containment.has_namespaces() {
        return Ok(());
    }
    descendants::end_all().map_err(|pids| Report::Left { pids })
}

/// Makes the folder and holds its lock for as long as this process lives, so that nobody takes it for a leftover.
fn hold(request: &KeeperRequest) -> io::Result<File> {
    fs::create_dir(&request.work)?;
    let folder = File::open(&request.work)?;
    folder.try_lock()?;
    Ok(folder)
}

/// Sheds what prazo's measuring threads may have handed down. What cannot be shed without privileges is what an ordinary
/// user was given by somebody else, and the load is no worse for it.
fn become_ordinary(request: &KeeperRequest) {
    const USUAL_SLACK_NS: u64 = 50_000;
    let _ = sys::block_no_signal();
    let _ = sys::leave_real_time();
    let _ = sys::be_neither_nice_nor_rude();
    let _ = set_timer_slack_ns(USUAL_SLACK_NS);
    let cpus = CpuSet::from_cpus(request.cpus.iter().filter_map(|cpu| Cpu::new(*cpu)));
    let _ = cpus.map(|cpus| set_affinity(&cpus));
}

/// Returns when the inner half has ended: by itself, or killed some time after prazo was gone.
fn watch(mut inner: Child, prazo: std::os::fd::BorrowedFd<'_>) -> io::Result<()> {
    let handle = ProcessHandle::open(inner.id())?;
    while wait_readable([prazo, handle.as_fd()], None) == [false, false] {}
    let until = Instant::now() + Duration::from_millis(u64::from(GRACE_MS));
    while inner.try_wait()?.is_none() {
        let left = until.saturating_duration_since(Instant::now()).as_millis() as u32;
        if left == 0 {
            inner.kill()?;
            return inner.wait().map(drop);
        }
        wait_readable([handle.as_fd()], Some(left));
    }
    Ok(())
}
