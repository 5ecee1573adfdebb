//! What threatens a run of task sets, from what was observed.

use prazo_core::text::counted;
use prazo_run::jobs::{Dispatch, SetRun};
use prazo_run::{Caveat, Severity};

/// What was observed beside the jobs.
#[derive(Clone, Debug)]
pub(super) struct Observed<'a> {
    /// The sets.
    pub sets: &'a [SetRun],
    /// `kernel.sched_rt_runtime_us`.
    pub runtime_us: Option<String>,
    /// `VmLck` while a set ran could not be had: pages were not locked.
    pub memory_locked: bool,
}

/// The caveats of a run.
pub(super) fn caveats(observed: &Observed<'_>) -> Vec<Caveat> {
    [admission_off(observed), memory_not_locked(observed), work_left_out(observed), stretches_lost(observed)]
        .into_iter()
        .flatten()
        .collect()
}

/// Without a limit the kernel admits any deadline task.
fn admission_off(observed: &Observed<'_>) -> Option<Caveat> {
    let asks = observed.sets.iter().any(|set| set.plan.dispatch == Dispatch::Deadline && set.refused.is_none());
    (asks && observed.runtime_us.as_deref() == Some("-1")).then(|| {
        Caveat::new(
            "admission-off",
            Severity::Medium,
            "kernel.sched_rt_runtime_us is -1: the kernel admits deadline tasks without checking their total \
             utilization",
            "set kernel.sched_rt_runtime_us to 950000 to enable admission control, or rely on the analysis alone",
        )
    })
}

fn memory_not_locked(observed: &Observed<'_>) -> Option<Caveat> {
    (!observed.memory_locked).then(|| {
        Caveat::new(
            "memory-not-locked",
            Severity::High,
            "mlockall was refused, so page faults can occur while jobs run",
            "raise memlock in /etc/security/limits.d or run with CAP_IPC_LOCK",
        )
    })
}

/// A job leaves of its execution what waking up may cost; of a short one much is left.
fn work_left_out(observed: &Observed<'_>) -> Option<Caveat> {
    let light = |set: &SetRun| -> Vec<String> { shares(set).into_iter().filter_map(told_if_light).collect() };
    let details: Vec<String> = observed.sets.iter().flat_map(light).collect();
    let more = details.len().checked_sub(LIGHT_TOLD).filter(|more| *more > 0);
    let more = more.map_or(String::new(), |more| format!(" and {more} more"));
    (!details.is_empty()).then(|| {
        let first = details.iter().take(LIGHT_TOLD).cloned().collect::<Vec<_>>().join(", ");
        Caveat::new(
            "work-left-out",
            Severity::High,
            format!(
                "jobs executed less than their cost: {first}{more}; the rest of the cost was reserved for wake-up and \
                 the last step (--reserve)"
            ),
            "give a smaller --reserve, or scale up the costs and periods of the set",
        )
    })
}

/// How many tasks are named.
const LIGHT_TOLD: usize = 3;
/// Below this share of its work a task says little about the set.
const WORK_MIN: f64 = 0.9;

/// Of each task that had jobs that ended: its name, and the share of their work that they executed.
fn shares(set: &SetRun) -> Vec<(&str, f64)> {
    let mut sums = vec![(0u64, 0u64); set.plan.tasks.len()];
    for job in set.jobs.iter().filter(|job| job.completion_ns.is_some()) {
        let (executed, requested) = &mut sums[job.task as usize];
        *executed += job.executed_ns;
        *requested += set.plan.tasks[job.task as usize].execution_ns(job.number as usize);
    }
    let named = set.plan.tasks.iter().map(|task| task.name.as_str()).zip(sums);
    named
        .filter(|(_, (_, requested))| *requested > 0)
        .map(|(name, (executed, requested))| (name, executed as f64 / requested as f64))
        .collect()
}

fn told_if_light((name, share): (&str, f64)) -> Option<String> {
    (share < WORK_MIN).then(|| format!("'{name}' {:.0} % of its cost", share * 100.0))
}

fn stretches_lost(observed: &Observed<'_>) -> Option<Caveat> {
    let lost: u64 = observed.sets.iter().map(|set| set.stretches_lost).sum();
    (lost > 0).then(|| {
        Caveat::new(
            "stretches-lost",
            Severity::Medium,
            format!(
                "{} could not be stored, so the trace has gaps; the record of jobs is complete",
                counted(lost, "execution interval")
            ),
            "give a shorter --duration",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::work::tests::plan;

    #[test]
    fn a_task_that_executes_much_less_than_it_was_to_is_named() {
        use prazo_run::jobs::JobRecord;
        let plan = plan(Dispatch::Fifo);
        let requested = plan.tasks[0].execution_ns(0);
        let details = |executed_ns| {
            let job = JobRecord { completion_ns: Some(1), executed_ns, ..JobRecord::default() };
            let sets = [SetRun { refused: None, jobs: vec![job], ..SetRun::refused(plan.clone(), String::new()) }];
            work_left_out(&Observed { sets: &sets, runtime_us: None, memory_locked: true })
        };
        assert_eq!(details(requested), None);
        let half = details(requested / 2).unwrap().what;
        assert!(half.contains(&format!("'{}' 50 %", plan.tasks[0].name)), "{half}");
    }

    #[test]
    fn admission_that_is_off_is_told_where_it_was_asked_for() {
        let ids = |dispatch, runtime_us: &str| {
            let sets = [SetRun { refused: None, ..SetRun::refused(plan(dispatch), String::new()) }];
            let runtime_us = Some(runtime_us.to_owned());
            let details = caveats(&Observed { sets: &sets, runtime_us, memory_locked: true });
            details.into_iter().map(|caveat| caveat.id).collect::<Vec<_>>()
        };
        assert_eq!(ids(Dispatch::Deadline, "-1"), ["admission-off"]);
        assert!(ids(Dispatch::Deadline, "950000").is_empty() && ids(Dispatch::Fifo, "-1").is_empty());
    }
}
