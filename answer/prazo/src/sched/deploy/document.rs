//! A deployment as scripts read it: what was asked, what holds, what differs.

use super::admission::{Account, AdmissionForecast};
use super::assignment::{Assigned, Assignment};
use prazo_core::verdict::Verdict;
use prazo_deploy::Carrier;
use prazo_deploy::check::{Difference, ProcessorVisits};
use prazo_deploy::deployment::{Cluster, DeploymentRecord};
use prazo_deploy::{Plan, SystemChange};
use prazo_platform::root::Root;
use prazo_sys::scheduling;
use prazo_verdict::Outcome;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// Deployment of a task set, as `prazo sched deploy --json` prints it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Deployment {
    /// Name of the scenario.
    pub name: String,
    /// Answer of the analysis for the set: `proven`, `disproven` or `unknown`.
    #[serde(serialize_with = "prazo_platform::as_text::serialize")]
    #[schemars(with = "String")]
    pub verdict: Verdict,
    /// The test or heuristic that decided the verdict; null if none did.
    pub decided_by: Option<&'static str>,
    /// Scheduling policy of the set: `edf` or `fp`.
    pub policy: &'static str,
    /// Shape of the clusters: `global`, `clustered` or `partitioned`.
    pub shape: &'static str,
    /// Whether the kernel admits all tasks; admission alone proves no deadline. Null under fixed priorities, which need no admission.
    pub admitted: Option<bool>,
    /// The clusters, with their processors.
    pub clusters: Vec<ClusterRow>,
    /// The settings that each task requests.
    pub asked: Vec<AskedRow>,
    /// The settings of each task as read back, in the order of `asked`; empty where nothing was deployed.
    pub holds: Vec<HoldsRow>,
    /// Settings that read back differently from the request.
    pub differs: Vec<Difference>,
    /// True if the set is deployed now.
    pub deployed: bool,
    /// The steps of the deployment, and how to undo each of them.
    pub steps: Vec<StepRow>,
    /// Notes for the reader.
    pub remarks: Vec<String>,
    /// Whether the text output also lists the steps.
    #[serde(skip)]
    pub(super) shows_steps: bool,
    /// The systemd unit files that were written instead of a deployment.
    #[serde(skip)]
    pub(super) written: Option<WrittenUnits>,
}

/// Unit files, written.
#[derive(Debug)]
pub(super) struct WrittenUnits {
    /// How many.
    pub(super) files: usize,
    /// Where.
    pub(super) folder: PathBuf,
}

impl Deployment {
    /// The worst of the verdict and of the settings as read back.
    pub fn outcome(&self) -> Outcome {
        let held = if self.differs.is_empty() { Outcome::Pass } else { Outcome::Fail };
        held.worst(self.verdict.into())
    }
}

/// One cluster of processors.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClusterRow {
    /// Processors of the cluster.
    pub cpus: String,
    /// Control group made for the cluster; null where the cluster has all processors, or all that no other cluster has.
    pub group: Option<String>,
    /// The kernel's admission account of the cluster; null under fixed priorities.
    pub admission: Option<Account>,
}

/// The settings that one task requests.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AskedRow {
    /// Name of the task.
    pub task: String,
    /// ID of the thread that runs the task; null if no thread was named for the task, or prazo did not search for
    /// threads.
    pub thread: Option<u32>,
    /// Index of the task's cluster.
    pub cluster: usize,
    /// Scheduling policy of the task: `deadline` or `fifo`.
    pub policy: &'static str,
    /// Real-time priority of the task under `fifo`; null under `deadline`.
    pub priority: Option<u32>,
    /// Budget of the task in each period under `deadline`; null under `fifo`.
    pub runtime_ns: Option<u64>,
    /// Relative deadline of the task.
    pub deadline_ns: u64,
    /// Period of the task.
    pub period_ns: u64,
    /// Proven bound on the task's response time; null where nothing is proven.
    pub bound_ns: Option<u64>,
    /// Why the kernel's admission control would refuse the task; null where it would not.
    pub refused: Option<String>,
}

/// The settings of one task as read back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HoldsRow {
    /// Name of the task.
    pub task: String,
    /// Scheduling policy of the task, in words; null where the policy cannot be read.
    pub policy: Option<String>,
    /// Processors on which the task may run; null where they cannot be read.
    pub cpus: Option<String>,
    /// Processors on which the task was seen, and how often.
    pub seen_on: Vec<SeenRow>,
}

/// A processor where a task was seen.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SeenRow {
    /// Number of the processor.
    pub cpu: u32,
    /// Number of times that the task was seen on the processor.
    pub times: u64,
}

/// One step of the deployment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StepRow {
    /// What the step does.
    pub step: String,
    /// How to undo the step.
    pub undo: String,
}

impl Deployment {
    /// Nothing done yet.
    pub(crate) fn asked(name: &str, assignment: &Assignment, forecast: &AdmissionForecast) -> Self {
        let rows = assignment.tasks.iter().enumerate().map(|(index, task)| AskedRow::of(index, task, forecast));
        let cluster = |(index, cpus): (usize, &prazo_core::cpu::CpuSet)| ClusterRow {
            cpus: cpus.to_string(),
            group: None,
            admission: forecast.accounts.get(index).cloned(),
        };
        let off = "The kernel's admission control is off (sched_rt_runtime_us is -1): it admits any task.";
        let remarks = assignment.remarks.iter().cloned().chain(forecast.is_off.then(|| off.to_owned()));
        Self {
            name: name.to_owned(),
            verdict: assignment.verdict,
            decided_by: assignment.decided_by,
            policy: assignment.policy,
            shape: assignment.shape,
            admitted: forecast.admitted,
            clusters: assignment.clusters.iter().enumerate().map(cluster).collect(),
            asked: rows.collect(),
            holds: Vec::new(),
            differs: Vec::new(),
            deployed: false,
            steps: Vec::new(),
            remarks: remarks.collect(),
            shows_steps: false,
            written: None,
        }
    }

    /// With the plan that would be, or was, carried out.
    pub(crate) fn planned(&mut self, plan: &Plan) {
        let row = |step: &SystemChange| StepRow { step: step.to_string(), undo: step.undo() };
        self.steps = plan.steps.iter().map(row).collect();
        for (row, cluster) in self.clusters.iter_mut().zip(Cluster::of(plan)) {
            row.group = cluster.group;
        }
    }

    /// With what was read back and seen.
    pub(crate) fn holds(
        &mut self,
        root: &Root,
        record: &DeploymentRecord,
        seen: &[ProcessorVisits],
        differs: Vec<Difference>,
    ) {
        self.deployed = true;
        self.differs = differs;
        for (row, task) in self.asked.iter_mut().zip(&record.tasks) {
            row.thread = Some(task.thread.id);
        }
        let row = |(task, seen): (&prazo_deploy::deployment::Deployed, &ProcessorVisits)| {
            let there = task.thread.is_there(root);
            HoldsRow {
                task: task.name.clone(),
                policy: scheduling::attributes_of(task.thread.id).ok().filter(|_| there).map(|attr| attr.to_string()),
                cpus: scheduling::affinity_of(task.thread.id).ok().filter(|_| there).map(|cpus| cpus.to_string()),
                seen_on: seen.on.iter().map(|(cpu, times)| SeenRow { cpu: *cpu, times: *times }).collect(),
            }
        };
        self.holds = record.tasks.iter().zip(seen).map(row).collect();
    }

    /// With a remark on who carries what.
    pub(crate) fn carried(&mut self, carriers: &[Option<Carrier>]) {
        for (row, carrier) in self.asked.iter_mut().zip(carriers) {
            if let Some(Carrier::Pid(pid)) = carrier {
                row.thread = Some(*pid);
            }
        }
    }
}

impl AskedRow {
    fn of(index: usize, task: &Assigned, forecast: &AdmissionForecast) -> Self {
        let is_deadline = task.reservation.is_some();
        let refused = forecast.refused.iter().find(|(refused, _)| *refused == index);
        Self {
            task: task.name.clone(),
            thread: None,
            cluster: task.cluster,
            policy: if is_deadline { "deadline" } else { "fifo" },
            priority: (!is_deadline).then_some(task.attr.priority),
            runtime_ns: is_deadline.then_some(task.attr.runtime_ns),
            deadline_ns: task.times.deadline_ns,
            period_ns: task.times.period_ns,
            bound_ns: task.times.bound_ns,
            refused: refused.map(|(_, why)| why.clone()),
        }
    }
}
