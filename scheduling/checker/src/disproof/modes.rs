//! Two criticalities: a miss in one mode, shown for the tasks that run there as for tasks with one cost.
//!
//! In low mode all tasks may arrive as often as they may and all jobs may need C, and none more: then high mode never begins. In high mode
//! jobs of low criticality need not arrive, and all others may need their cost in high mode. Both are legal. Under fixed priorities the
//! order of the tasks is the same in both modes. Under EDF jobs of high criticality have virtual deadlines, so that only a demand counts that no
//! ranking serves.

use super::{overdemand, simulation};
use crate::behaviour::Behaviours;
use crate::certificate::{Certificate, Disproof, JobRanking};
use crate::rejected::{Rejected, applies};
use prazo_core::behaviour::CriticalityMode;
use prazo_core::task::Task;

/// The tasks that run in one mode.
struct Running {
    tasks: Vec<Task>,
    /// Their indices in the certificate, ascending.
    names: Vec<usize>,
}

impl Running {
    fn of(certificate: &Certificate, behaviours: &Behaviours, mode: CriticalityMode) -> Self {
        let pairs = certificate.tasks.iter().zip(&behaviours.of_tasks).enumerate();
        let in_mode = pairs.filter_map(|(name, (task, behaviour))| match (mode, behaviour.cost_high) {
            (CriticalityMode::Low, _) => Some((*task, name)),
            (CriticalityMode::High, Some(cost)) => Some((Task { cost, ..*task }, name)),
            (CriticalityMode::High, None) => None,
        });
        let (tasks, names) = in_mode.unzip();
        Self { tasks, names }
    }

    /// The position of the task that the certificate calls `name`.
    fn position(&self, name: usize) -> Result<usize, Rejected> {
        let position = self.names.binary_search(&name).ok();
        position.ok_or_else(|| Rejected::Inconsistent(format!("there is no task {name} in this mode")))
    }
}

pub(super) fn check(
    certificate: &Certificate,
    behaviours: &Behaviours,
    mode: CriticalityMode,
    reason: &Disproof,
) -> Result<(), Rejected> {
    let running = Running::of(certificate, behaviours, mode);
    let (tasks, processors) = (&running.tasks[..], certificate.shape.processors());
    match *reason {
        Disproof::ImpossibleTask(task) => overdemand::check_impossible(&tasks[running.position(task)?], task),
        Disproof::Utilization => overdemand::check_utilization(tasks, processors),
        Disproof::Window(point) => overdemand::check_window(tasks, processors, point),
        Disproof::ForcedWindow(point) => overdemand::check_forced_window(tasks, processors, point),
        Disproof::Missed { task, job, arrival, deadline } => {
            applies(
                behaviours.has_criticality_only(),
                "with two criticalities, a schedule is computed again only for tasks that are sporadic, independent and preemptable, without a supply",
            )?;
            applies(processors == 1, "with two criticalities, a schedule is computed again for one processor only")?;
            let ranks = ranks(certificate, &running)?;
            let job = simulation::Job { task: running.position(task)?, name: task, index: job, arrival, deadline };
            simulation::check_missed(tasks, processors, &Some(ranks), job)
        }
        _ => Err(Rejected::NotApplicable("this disproof does not cover mixed criticality".into())),
    }
}

/// A rank for each task that runs.
fn ranks(certificate: &Certificate, running: &Running) -> Result<Vec<usize>, Rejected> {
    let JobRanking::FixedPriority(priorities) = &certificate.policy else {
        return Err(Rejected::NotApplicable(
            "with two criticalities, a missed job disproves fixed priorities only: under EDF, jobs have virtual deadlines".into(),
        ));
    };
    let order = priorities.order(&certificate.tasks, &running.names);
    let order = order.ok_or_else(|| {
        Rejected::NotApplicable("a miss under one order of priorities does not disprove other orders".into())
    })?;
    let mut ranks = vec![0; order.len()];
    for (rank, name) in order.into_iter().enumerate() {
        ranks[running.position(name)?] = rank;
    }
    Ok(ranks)
}
