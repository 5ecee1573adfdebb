//! What holds of a deployment and what differs, read back from the kernel and watched for a while.

use crate::deployment::{Deployed, DeploymentRecord};
use crate::step::processor;
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_platform::root::Root;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

/// How often it is looked where a thread runs.
const GLANCE: Duration = Duration::from_millis(5);

/// A setting of a task or of a control group that differs from the requested one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Difference {
    /// Name of the task, or path of the control group, that has the setting.
    pub of: String,
    /// Requested setting.
    pub asked: String,
    /// Setting that was found.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: requested {}; found: {}", self.of, self.asked, self.found)
    }
}

/// Where one task's thread was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessorVisits {
    /// How often on each processor.
    pub on: BTreeMap<u32, u64>,
}

/// Everything of a deployment that is not as it was asked, now.
pub fn differences(root: &Root, record: &DeploymentRecord) -> Vec<Difference> {
    let groups = record.clusters.iter().filter_map(|cluster| of_group(root, cluster.group.as_deref()?, &cluster.cpus));
    let tasks = record.tasks.iter().flat_map(|task| of_task(root, task, &record.clusters[task.cluster].cpus));
    groups.chain(tasks).collect()
}

/// A partition of version 2 can become invalid long after it was made, as when a processor goes offline.
fn of_group(root: &Root, group: &str, cpus: &str) -> Option<Difference> {
    let state = root.read(&format!("{group}/cpuset.cpus.partition"));
    let files = ["cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"];
    let found = files.iter().find_map(|file| root.read(&format!("{group}/{file}")).ok());
    let found = match (found, state) {
        (Some(found), Ok(state)) if found == cpus && matches!(state.as_str(), "root" | "isolated") => return None,
        (Some(found), Err(_)) if found == cpus => return None,
        (Some(found), Ok(state)) => format!("processors {found}, partition {state}"),
        (Some(found), Err(_)) => format!("processors {found}"),
        (None, _) => "the control group does not exist".into(),
    };
    Some(Difference { of: group.to_owned(), asked: format!("processors {cpus} exclusively"), found })
}

fn of_task(root: &Root, task: &Deployed, cpus: &str) -> Vec<Difference> {
    let differs = |asked: String, found: String| Difference { of: task.name.clone(), asked, found };
    if !task.thread.is_there(root) {
        return vec![differs(format!("thread {}", task.thread.id), "the thread has ended".into())];
    }
    let mut found = Vec::new();
    match prazo_sys::scheduling::attributes_of(task.thread.id) {
        Ok(attr) if attr.is_same(&task.attr) => {}
        Ok(attr) => found.push(differs(task.attr.to_string(), attr.to_string())),
        Err(error) => found.push(differs(task.attr.to_string(), error.to_string())),
    }
    match prazo_sys::scheduling::affinity_of(task.thread.id) {
        Ok(now) if now.to_string() == cpus => {}
        Ok(now) => found.push(differs(format!("processors {cpus}"), format!("processors {now}"))),
        Err(error) => found.push(differs(format!("processors {cpus}"), error.to_string())),
    }
    found
}

/// Looks for a while where each task's thread runs; the order is the tasks'.
pub fn watch(root: &Root, record: &DeploymentRecord, time: Duration) -> Vec<ProcessorVisits> {
    let mut seen = vec![ProcessorVisits::default(); record.tasks.len()];
    let until = Instant::now() + time;
    while Instant::now() < until {
        for (task, seen) in record.tasks.iter().zip(&mut seen) {
            if let Some(cpu) = processor(root, task.thread.id) {
                *seen.on.entry(cpu).or_default() += 1;
            }
        }
        std::thread::sleep(GLANCE);
    }
    seen
}

/// The tasks that were seen outside of their clusters.
pub fn strays(record: &DeploymentRecord, seen: &[ProcessorVisits]) -> Vec<Difference> {
    let outside = |(task, seen): (&Deployed, &ProcessorVisits)| {
        let cpus = &record.clusters[task.cluster].cpus;
        let allowed: CpuSet = cpus.parse().ok()?;
        let is_outside = |cpu: &&u32| Cpu::new(**cpu).is_none_or(|cpu| !allowed.contains(cpu));
        let cpu = seen.on.keys().find(is_outside)?;
        Some(Difference {
            of: task.name.clone(),
            asked: format!("processors {cpus}"),
            found: format!("the thread ran on processor {cpu}"),
        })
    };
    record.tasks.iter().zip(seen).filter_map(outside).collect()
}
