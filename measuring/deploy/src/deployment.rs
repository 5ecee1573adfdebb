//! A deployment carried out, kept with a record of it, and undone.
//!
//! The record lies beside the journal for those who look later. The journal alone decides whether there is a deployment: its
//! entries become nobody's all at once, when everything stands.

use crate::carrier::Waiting;
pub use crate::error::DeployError;
use crate::plan::{Member, Plan};
use crate::refusal::explained;
use crate::step::{self, StepError, SystemChange};
use prazo_core::cpu::CpuSet;
use prazo_core::verdict::Verdict;
use prazo_platform::cgroup::Cgroups;
use prazo_platform::tunable::{Held, Journal, JournalError, Thread, Undone, command_group};
use prazo_sys::scheduling::SchedAttr;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What was deployed, for those who look later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeploymentRecord {
    /// The scenario's name.
    pub name: String,
    /// What the analysis said.
    #[serde(with = "prazo_platform::as_text")]
    pub verdict: Verdict,
    /// Which test or heuristic decided, where one did.
    pub decided_by: Option<String>,
    /// The clusters, in order.
    pub clusters: Vec<Cluster>,
    /// The tasks, in order.
    pub tasks: Vec<Deployed>,
}

/// One cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cluster {
    /// Its processors, as a list.
    pub cpus: String,
    /// The group that was made for it; none where the root keeps it.
    pub group: Option<String>,
}

/// One task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deployed {
    /// Its name.
    pub name: String,
    /// The index of its cluster.
    pub cluster: usize,
    /// The thread that carries it.
    pub thread: Thread,
    /// How it is scheduled.
    pub attr: SchedAttr,
    /// C in nanoseconds.
    pub cost_ns: u64,
    /// D in nanoseconds.
    pub deadline_ns: u64,
    /// T in nanoseconds.
    pub period_ns: u64,
    /// The proven bound on its response time, where there is one.
    pub bound_ns: Option<u64>,
}

/// What a task is, beside its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// C in nanoseconds.
    pub cost_ns: u64,
    /// D in nanoseconds.
    pub deadline_ns: u64,
    /// T in nanoseconds.
    pub period_ns: u64,
    /// The proven bound on its response time, where there is one.
    pub bound_ns: Option<u64>,
}

/// A deployment that stands, and is undone when it is dropped before it is kept.
#[derive(Debug)]
#[must_use = "the deployment is undone as soon as this is dropped"]
pub struct Standing {
    journal: Journal,
    held: Vec<Held>,
    waiting: Vec<Waiting>,
    loose: Vec<Loose>,
}

/// A command that ends with its process group alone, which what it starts can leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loose {
    /// Its first thread.
    pub process: Thread,
    /// Why it has no control group.
    pub why: String,
}

impl Standing {
    /// Carries a plan out; `waiting` are the commands that were started for it.
    pub fn make(journal: &Journal, plan: &Plan, mut waiting: Vec<Waiting>) -> Result<Self, DeployError> {
        let (mut held, mut loose) = (Vec::new(), Vec::new());
        for one in &waiting {
            let process = Thread::find(journal.root(), one.pid()).map_err(JournalError::from)?;
            if plan.encloses(process) {
                continue;
            }
            match enclosed(journal, process) {
                Ok(group) => held.push(group),
                Err(why) => {
                    held.push(journal.hold_process(process)?);
                    loose.push(Loose { process, why });
                }
            }
        }
        let (moves, rest) = plan.parts();
        for steps in [moves, rest] {
            match step::carry_out(steps, journal) {
                Ok(more) => held.extend(more),
                Err(StepError { step, why }) => {
                    while held.pop().is_some() {}
                    return Err(explained(journal.root(), &step, why));
                }
            }
            // One that has ended meanwhile is found missing by what follows.
            waiting.iter_mut().for_each(|one| drop(one.wake()));
        }
        Ok(Self { journal: journal.clone(), held, waiting, loose })
    }

    /// The commands that no control group holds together with what they start.
    pub fn loose(&self) -> &[Loose] {
        &self.loose
    }

    /// Makes it stay, and lets the commands go.
    pub fn keep(mut self, record: &DeploymentRecord) -> Result<(), DeployError> {
        write(&file(&self.journal), record)?;
        // Where the journal cannot keep them they are let go of in this order: the last first.
        let held = std::mem::take(&mut self.held).into_iter().rev().collect();
        self.journal.keep(held)?;
        for one in std::mem::take(&mut self.waiting) {
            // One that has ended meanwhile shows when it is read back.
            let _ = one.go();
        }
        Ok(())
    }
}

/// Puts a command whose cluster has no group into one beside where prazo runs; says why it could not.
fn enclosed(journal: &Journal, process: Thread) -> Result<Held, String> {
    let groups = Cgroups::read(journal.root()).map_err(|error| error.to_string())?;
    let own = groups.own_v2().ok_or("no control groups of version 2 are mounted")?;
    let folder = command_group(&own, process.id);
    let steps = [
        SystemChange::Command { folder: folder.clone() },
        SystemChange::Enclose { task: String::new(), process, folder },
    ];
    let held = step::carry_out(&steps, journal).map_err(|refused| refused.why.to_string())?;
    held.into_iter().next().ok_or_else(|| "no control group was made for the command".into())
}

impl Drop for Standing {
    fn drop(&mut self) {
        while self.held.pop().is_some() {}
    }
}

impl Deployed {
    /// One member with its times.
    pub fn of(member: &Member, times: Times) -> Self {
        let Times { cost_ns, deadline_ns, period_ns, bound_ns } = times;
        let (name, thread) = (member.task.clone(), member.found.thread);
        Self { name, cluster: member.cluster, thread, attr: member.attr, cost_ns, deadline_ns, period_ns, bound_ns }
    }
}

impl Cluster {
    /// The clusters of a plan.
    pub fn of(plan: &Plan) -> Vec<Self> {
        let own = |place: &crate::partition::ClusterGroup| place.folder.clone().filter(|_| !place.is_rest);
        let cluster = |place| Self { cpus: cpus_of(place).to_string(), group: own(place) };
        plan.layout.places().iter().map(cluster).collect()
    }
}

fn cpus_of(place: &crate::partition::ClusterGroup) -> CpuSet {
    place.cpus
}

/// What is deployed on this machine; `None` where nothing is.
pub fn current(journal: &Journal) -> Result<Option<DeploymentRecord>, DeployError> {
    if journal.deployed()?.is_empty() {
        return Ok(None);
    }
    let file = file(journal);
    let failed = |why: String| DeployError::Unread { file: file.clone(), why };
    let text = std::fs::read_to_string(&file).map_err(|error| failed(error.to_string()))?;
    serde_json::from_str(&text).map(Some).map_err(|error| failed(error.to_string()))
}

/// Undoes what was deployed, and what deployments left behind that were killed half-way.
pub fn undo(journal: &Journal) -> Result<Vec<Undone>, JournalError> {
    let undone = journal.undo_deployed()?;
    if journal.deployed()?.is_empty() {
        // It says nothing without the journal, so that it may as well stay where it cannot be removed.
        let _ = std::fs::remove_file(file(journal));
    }
    Ok(undone)
}

fn file(journal: &Journal) -> PathBuf {
    journal.folder().join("deployment.json")
}

fn write(file: &Path, record: &DeploymentRecord) -> Result<(), DeployError> {
    let failed = |why: String| DeployError::Record { file: file.to_owned(), why };
    let text = serde_json::to_string_pretty(record).map_err(|error| failed(error.to_string()))?;
    std::fs::write(file, text).map_err(|error| failed(error.to_string()))
}
