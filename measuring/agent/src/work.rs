//! The measuring process: reads the request, loads the modules, carries it out, leaves a run file or a reason.

use crate::request;
use crate::{among, cards, disk, modules, quiet, workloads};
use prazo_abi::guest::{self, Answer};
use prazo_load as load;
use prazo_platform::root::Root;
use prazo_probe::StopFlag;
use prazo_probe::guest_request::AgentRequest;
use prazo_probe::session::{self, Request, SessionOptions};
use prazo_probe::tasks;
use prazo_probe::timer::{Observer, Unobserved};
use prazo_run::Plan;
use prazo_run::jobs::SetPlan;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};

/// The hidden first word that starts it.
pub(crate) const WORD: &str = "--work";
/// The run file.
pub(crate) const FILE: &str = "/run/prazo/run.prazo";
/// What threatens it.
const NOTE: &str = "/run/prazo/note";
/// Why there is none.
const REASON: &str = "/run/prazo/reason";

/// Its exit status where the user asked for something that cannot be, and where the guest could not do it.
const REFUSED: u8 = 2;
const FAILED: u8 = 4;

/// What ended it.
pub(crate) enum Stop {
    /// The user asked for something that cannot be.
    Refused(String),
    /// The guest could not do it.
    Failed(String),
}

/// Measures, or leaves the reason why not.
pub(crate) fn main() -> ExitCode {
    let (code, reason) = match work() {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Stop::Refused(reason)) => (REFUSED, reason),
        Err(Stop::Failed(reason)) => (FAILED, reason),
    };
    if let Err(error) = std::fs::write(REASON, &reason) {
        eprintln!("prazo-agent: {reason}; this reason could not be stored: {error}");
    }
    ExitCode::from(code)
}

/// What became of it, for the host.
pub(crate) fn outcome(status: ExitStatus) -> Answer {
    let reason = || {
        let unread = "the measuring process failed, and the file with the reason cannot be read";
        std::fs::read_to_string(REASON).unwrap_or_else(|error| format!("{unread}: {error}"))
    };
    match (status.code(), status.signal()) {
        (Some(0), _) => brought(),
        (Some(code), _) if code == i32::from(REFUSED) => Answer::Refused(reason()),
        (Some(code), _) if code == i32::from(FAILED) => Answer::Failed(reason()),
        (Some(code), _) => Answer::Failed(format!("the measuring process ended with status {code}")),
        (None, signal) => {
            Answer::Failed(format!("the measuring process was terminated by signal {}", signal.unwrap_or_default()))
        }
    }
}

fn brought() -> Answer {
    match std::fs::read(FILE) {
        Ok(file) => Answer::Measured { file, note: std::fs::read_to_string(NOTE).ok() },
        Err(error) => Answer::Failed(format!("the run file cannot be read: {error}")),
    }
}

fn work() -> Result<(), Stop> {
    // Seen by the host, which shows how far the guest is. What follows waits until the guest is quiet.
    eprintln!("{}", guest::BOOTED);
    let request = request::read(Path::new(guest::REQUEST)).map_err(Stop::Failed)?;
    modules::load(Path::new(guest::MODULES)).map_err(Stop::Failed)?;
    cards::bring_up(Path::new(cards::FOLDER)).map_err(Stop::Failed)?;
    // A fresh file system writes for a while, which the wait is there for.
    let disk = disk::prepare().map_err(Stop::Failed)?.to_owned();
    if let Some(note) = quiet::wait() {
        std::fs::write(NOTE, note).map_err(|error| Stop::Failed(format!("cannot write {NOTE}: {error}")))?;
    }
    let no_flag = "cannot prepare the event that ends the measurement";
    let stop = StopFlag::new().map_err(|error| Stop::Failed(format!("{no_flag}: {error}")))?;
    match request {
        AgentRequest::Plan(plan) if plan.workloads.is_empty() => measure(*plan, disk, &mut Unobserved, &stop),
        AgentRequest::Plan(plan) => {
            let probe = |plan, observer: &mut dyn Observer| measure(plan, disk.clone(), observer, &stop);
            workloads::measure(*plan, &disk, &stop, Box::new(probe))
        }
        AgentRequest::Trigger(series) => among::trigger(&series, Path::new(FILE), &stop),
        AgentRequest::Flood(flood) => Err(Stop::Failed(among::flood(&flood).to_string())),
        AgentRequest::TaskSets(plans) => run_sets(plans, &stop),
        AgentRequest::Symbols => send_symbols(),
    }
}

fn send_symbols() -> Result<(), Stop> {
    let failed = |what: &str, error| Stop::Failed(format!("cannot {what} the kernel's symbols: {error}"));
    let text = std::fs::read("/proc/kallsyms").map_err(|error| failed("read", error))?;
    std::fs::write(FILE, text).map_err(|error| failed("store", error))
}

fn measure(plan: Plan, work: PathBuf, observer: &mut dyn Observer, stop: &StopFlag) -> Result<(), Stop> {
    let met = among::meet(&plan, stop)?;
    let cards = if met.is_some() { cards::to_another() } else { cards::pair() };
    let loads = load::Options { work, cards: Some(cards), ..load::Options::default() };
    let place = SessionOptions { loads, endpoint: met.as_ref(), trace: None };
    // Its name and its command are the host's to know; it writes them into the file that comes back.
    let request = Request { plan, file: Path::new(FILE), name: String::new(), command: String::new() };
    match session::execute_at(&request, &Root::system(), &place, observer, stop) {
        Ok(_) => Ok(()),
        Err(error) if error.is_usage() => Err(Stop::Refused(error.to_string())),
        Err(error) => Err(Stop::Failed(error.to_string())),
    }
}

fn run_sets(plans: Vec<SetPlan>, stop: &StopFlag) -> Result<(), Stop> {
    let request = tasks::Request { plans, file: Path::new(FILE), name: String::new(), command: String::new() };
    match tasks::execute(&request, &Root::system(), stop) {
        Ok(_) => Ok(()),
        Err(error) if error.is_usage() => Err(Stop::Refused(error.to_string())),
        Err(error) => Err(Stop::Failed(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measuring_process_that_was_killed_is_told_with_its_signal() {
        let Answer::Failed(why) = outcome(ExitStatus::from_raw(9)) else { panic!("it failed") };
        assert!(why.contains("signal 9"), "{why}");
        let Answer::Failed(why) = outcome(ExitStatus::from_raw(101 << 8)) else { panic!("it failed") };
        assert!(why.contains("status 101"), "{why}");
    }
}
