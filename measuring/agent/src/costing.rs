//! Workloads in sequence, each costed with all its descendants: what `prazo cost` does, in a guest, with fixed sizes.
//!
//! ```text
//! the measuring process ── go ─► this one: stage, settle, cost; stage, settle, cost; ... ─► the accounts, or why there are none
//! ```
//! It is a process of its own, since costing a command collects whatever child ends. What the kernel does for a command in
//! threads of its own is in no account; so the guest's whole time is read beside ([`machine`]).

use prazo_cost::command::{Counting, Task};
use prazo_cost::workload::{self, Stage, Workload};
use prazo_cost::{Account, Figure, cost, machine};
use prazo_platform::root::Root;
use prazo_run::workload::{BUSY_NS, SERVER_NS, WorkloadFigure, WorkloadPlan, WorkloadRecord};
use serde::{Deserialize, Serialize};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The hidden first word that starts it.
pub(crate) const WORD: &str = "--cost";

/// Where it leaves what came of it.
pub(crate) const FILE: &str = "/run/prazo/costs.json";

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CostingAnswer {
    /// Every workload's account.
    Costed(Vec<WorkloadRecord>),
    /// The first workload that did not work, and why.
    Failed(String),
}

/// What the measuring process says when it is time.
pub(crate) const GO: &str = "go";

/// What a workload may take of the guest's time.
const LIMIT: Duration = Duration::from_secs(60);

/// What was written before a workload shall be on the disk, and who wrote it asleep, before the account begins.
const SETTLE: Duration = Duration::from_millis(200);

/// Users that servers drop their privileges to.
const USERS: [(&str, &str); 2] = [
    ("/etc/passwd", "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n"),
    ("/etc/group", "root:x:0:\nnogroup:x:65534:\nnobody:x:65534:\n"),
];

/// Delay accounting is off unless asked for; without it nobody knows who waited for a device.
const DELAYS: (&str, &str) = ("/proc/sys/kernel/task_delayacct", "1");

/// Waits for its word, costs the workloads that standard input names behind it, and leaves the outcome.
pub(crate) fn main() -> ExitCode {
    let outcome = read_request(std::io::stdin().lock())
        .and_then(|request| all(&request))
        .map_or_else(CostingAnswer::Failed, CostingAnswer::Costed);
    let written =
        serde_json::to_vec(&outcome).map_err(std::io::Error::other).and_then(|text| std::fs::write(FILE, text));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("prazo-agent: cannot write {FILE}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What the measuring process asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Costing {
    /// The workloads.
    pub workloads: Vec<WorkloadPlan>,
    /// The folder for their data.
    pub below: PathBuf,
}

/// The request on one line, the word to begin on the next.
fn read_request(input: impl BufRead) -> Result<Costing, String> {
    let mut lines = input.lines().map_while(Result::ok);
    let request = lines.next().ok_or("the process that measures costs received no request")?;
    let request =
        serde_json::from_str(&request).map_err(|error| format!("the request to measure costs is invalid: {error}"))?;
    match lines.next() {
        Some(word) if word == GO => Ok(request),
        _ => Err("the measuring process ended before the workloads began".into()),
    }
}

fn all(request: &Costing) -> Result<Vec<WorkloadRecord>, String> {
    prepare()?;
    request.workloads.iter().map(|plan| one(plan, &request.below)).collect()
}

/// A network of its own, users, and accounts of waits.
fn prepare() -> Result<(), String> {
    prazo_sys::route::bring_up("lo").map_err(|error| format!("cannot bring loopback up: {error}"))?;
    for (file, text) in USERS.into_iter().chain([DELAYS]) {
        std::fs::write(file, text).map_err(|error| format!("cannot write {file}: {error}"))?;
    }
    Ok(())
}

fn one(plan: &WorkloadPlan, below: &Path) -> Result<WorkloadRecord, String> {
    let workload = workload::find(&plan.name).ok_or_else(|| format!("this agent has no workload '{}'", plan.name))?;
    let stage = Stage::set_in(workload, below).map_err(|error| error.to_string())?;
    stage.prepare(plan.size).map_err(|error| error.to_string())?;
    let task = stage.task(&stage.words(plan.size), Some(LIMIT)).map_err(|error| error.to_string())?;
    prazo_sys::first_process::sync();
    std::thread::sleep(SETTLE);
    // The same on every kernel, or there would be no ratio.
    executed(plan, workload, &Task { counting: Counting::Nothing, ..task })
}

fn executed(plan: &WorkloadPlan, workload: &Workload, task: &Task) -> Result<WorkloadRecord, String> {
    let root = Root::system();
    let before = machine::busy_ns(&root);
    let account = cost(task).map_err(|error| format!("workload '{}': {error}", plan.name))?;
    let busy = before.and_then(|before| Ok(machine::busy_ns(&root)? - before));
    let ending = &account.exit;
    if ending.status != 0 || ending.limit_reached || ending.ended_by_us > 0 {
        return Err(format!("workload '{}' {}", plan.name, ending.remarks().join("; ")));
    }
    let busy = busy.map_or_else(
        |reason: String| Figure::missing(reason),
        |ns| Figure::known(ns, machine::SOURCE).leaving_out(machine::LEAVES_OUT),
    );
    let server = account.apart_ns.as_ref().map(|found| figure(SERVER_NS, found));
    let figures = figures(&account).chain(server).chain([figure(BUSY_NS, &busy)]).collect();
    Ok(WorkloadRecord { name: plan.name.clone(), size: plan.size, unit: workload.unit.to_owned(), figures })
}

fn figures(account: &Account) -> impl Iterator<Item = WorkloadFigure> {
    account.figures().map(|(name, found)| figure(name, found)).into_iter()
}

fn figure(name: &str, found: &Figure) -> WorkloadFigure {
    WorkloadFigure {
        name: name.to_owned(),
        value: found.value,
        source: found.source.map(str::to_owned),
        leaves_out: found.leaves_out.map(str::to_owned),
        reason: found.reason.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_begins_without_the_word() {
        let request =
            Costing { workloads: vec![WorkloadPlan { name: "scheduler".into(), size: 7 }], below: "/mnt".into() };
        let line = serde_json::to_string(&request).unwrap();
        assert_eq!(read_request(format!("{line}\n{GO}\n").as_bytes()), Ok(request));
        assert!(read_request(format!("{line}\n").as_bytes()).unwrap_err().contains("before the workloads began"));
        assert!(read_request(&b"{}\n"[..]).unwrap_err().contains("is invalid") && read_request(&b""[..]).is_err());
    }

    #[test]
    fn a_workload_that_the_agent_does_not_know_is_named() {
        let plan = WorkloadPlan { name: "no-such".into(), size: 1 };
        assert!(one(&plan, Path::new("/nowhere")).unwrap_err().contains("'no-such'"));
    }
}
