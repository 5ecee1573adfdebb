//! The deployed tasks as a watch takes them: their threads, and what each is held against.

use crate::error::Error;
use crate::sched::deploy::{budget_ns, standing};
use prazo_deploy::carrier::ThreadSnapshot;
use prazo_deploy::check;
use prazo_deploy::deployment::{Deployed, DeploymentRecord};
use prazo_platform::root::Root;
use prazo_probe::activations::TaskTimes;
use prazo_verdict::watched::DeployedTasks;

/// The current deployment.
pub(super) struct Deployment {
    root: Root,
    record: DeploymentRecord,
    /// The name and the thread of each task.
    names: Vec<(String, u32)>,
}

/// One deployed task.
pub(super) struct DeployedTask {
    /// Its name.
    pub name: String,
    /// Its process.
    pub process: u32,
    /// Its thread.
    pub thread: u32,
    /// What each activation is held against.
    pub times: TaskTimes,
}

impl Deployment {
    /// Reads this user's record; an error if nothing is deployed.
    pub(super) fn current(root: &Root) -> Result<Self, Error> {
        let record = standing(&None, root)?;
        let names = record.tasks.iter().map(|task| (task.name.clone(), task.thread.id)).collect();
        Ok(Self { root: root.clone(), record, names })
    }

    /// Its tasks whose threads have not ended, in order. [`Self::differences`] names the others.
    pub(super) fn tasks(&self) -> Vec<DeployedTask> {
        let there = |task: &Deployed| {
            let found = ThreadSnapshot::look(&self.root, &task.name, task.thread.id).ok()?;
            (found.thread == task.thread).then(|| DeployedTask {
                name: task.name.clone(),
                process: found.process.id,
                thread: task.thread.id,
                times: TaskTimes {
                    period_ns: task.period_ns,
                    deadline_ns: task.deadline_ns,
                    budget_ns: budget_ns(task),
                },
            })
        };
        self.record.tasks.iter().filter_map(there).collect()
    }

    /// What a verdict on its tasks rests on; `differs` is what [`Self::differences`] says.
    pub(super) fn evidence<'a>(&'a self, differs: &'a [String]) -> DeployedTasks<'a> {
        DeployedTasks { verdict: self.record.verdict, tasks: &self.names, differs }
    }

    /// The proven bound on the response time of the task that this thread carries.
    pub(super) fn bound_ns(&self, thread: u32) -> Option<u64> {
        let of_thread = |task: &&Deployed| task.thread.id == thread;
        self.record.tasks.iter().find(of_thread).and_then(|task| task.bound_ns)
    }

    /// What is not as it was deployed, a sentence each.
    pub(super) fn differences(&self) -> Vec<String> {
        check::differences(&self.root, &self.record).iter().map(ToString::to_string).collect()
    }
}
