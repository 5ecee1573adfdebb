//! The trace of a set that was run, in core's vocabulary: from jobs and stretches to events in the order of time.
//!
//! A stretch begins with a dispatch, after a migration where it lies elsewhere than the one before, and ends with the job's
//! completion, a preemption, or a suspension where it had to wait for a lock. Instants within a job are as fine as the plan's step.

use super::{SetRun, Stretch};
use prazo_core::cpu::Cpu;
use prazo_core::event::{Event, EventKind};
use prazo_core::job::TaskIndex;
use prazo_core::time::Instant;

/// The events of a run in the order of time, at one instant in the order in which a schedule changes.
pub fn of(run: &SetRun) -> Vec<Event> {
    let mut events = Vec::new();
    for job in &run.jobs {
        let mut add = |at_ns, kind| events.extend(event(at_ns, job.task, job.number, kind));
        add(job.release_ns, EventKind::Arrival);
        add(job.release_ns, EventKind::Release);
        if run.is_missed(job) {
            add(run.deadline_ns(job), EventKind::Miss);
        }
    }
    let mut of_job: Option<Vec<Stretch>> = None;
    for stretch in &run.stretches {
        match &mut of_job {
            Some(open) if (open[0].task, open[0].job) == (stretch.task, stretch.job) => open.push(*stretch),
            _ => of_job.replace(vec![*stretch]).iter().for_each(|all| ran(run, all, &mut events)),
        }
    }
    of_job.iter().for_each(|all| ran(run, all, &mut events));
    events.sort_by_key(|event| (event.at, order(event.kind), event.task.index()));
    events
}

/// The stretches of one job.
fn ran(run: &SetRun, stretches: &[Stretch], events: &mut Vec<Event>) {
    let mut before: Option<Cpu> = None;
    for (place, stretch) in stretches.iter().enumerate() {
        let Some(cpu) = Cpu::new(stretch.cpu) else { continue };
        let mut add = |at_ns, kind| events.extend(event(at_ns, stretch.task, stretch.job, kind));
        if let Some(from) = before.filter(|before| *before != cpu) {
            add(stretch.from_ns, EventKind::Migration { from, to: cpu });
        }
        if place > 0 && stretches[place - 1].waited {
            add(stretch.from_ns, EventKind::Resumption);
        }
        add(stretch.from_ns, EventKind::Dispatch { cpu });
        let is_last = place + 1 == stretches.len();
        match is_last && has_ended(run, stretch) {
            true => add(stretch.to_ns, EventKind::Completion { cpu }),
            false if stretch.waited => add(stretch.to_ns, EventKind::Suspension),
            false => add(stretch.to_ns, EventKind::Preemption { cpu }),
        }
        before = Some(cpu);
    }
}

fn has_ended(run: &SetRun, stretch: &Stretch) -> bool {
    let job = run.jobs.binary_search_by_key(&(stretch.task, stretch.job), |job| (job.task, job.number));
    job.is_ok_and(|place| run.jobs[place].completion_ns.is_some())
}

fn event(at_ns: u64, task: u32, job: u64, kind: EventKind) -> Option<Event> {
    Some(Event { at: Instant::from_ns(at_ns), task: TaskIndex::new(task as usize)?, job, kind })
}

/// First jobs end, then deadlines pass, then jobs arrive and are released, then others run.
fn order(kind: EventKind) -> u8 {
    match kind {
        EventKind::Completion { .. } | EventKind::Preemption { .. } | EventKind::Suspension => 0,
        EventKind::Miss => 1,
        EventKind::Arrival => 2,
        EventKind::Release => 3,
        EventKind::Resumption => 4,
        EventKind::Migration { .. } => 5,
        _ => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::JobRecord;
    use crate::jobs::tests::set;

    #[test]
    fn a_preempted_job_that_goes_on_elsewhere_migrates_before_it_is_dispatched() {
        let job = JobRecord { completion_ns: Some(14), start_ns: Some(2), ..JobRecord::default() };
        let stretch = |cpu, from_ns, to_ns| Stretch { task: 0, job: 0, cpu, from_ns, to_ns, waited: false };
        let run = set(vec![job], vec![stretch(0, 2, 5), stretch(1, 9, 14)]);
        let actual: Vec<(u64, &str)> = of(&run).iter().map(|event| (event.at.as_ns(), event.kind.name())).collect();
        let expected = [
            (0, "arrival"),
            (0, "release"),
            (2, "dispatch"),
            (5, "preemption"),
            (9, "migration"),
            (9, "dispatch"),
            (10, "miss"),
            (14, "completion"),
        ];
        assert_eq!(actual, expected);
    }

    #[test]
    fn a_job_that_waited_for_a_lock_is_suspended_and_resumed() {
        let job = JobRecord { completion_ns: Some(9), start_ns: Some(2), ..JobRecord::default() };
        let stretch = |from_ns, to_ns, waited| Stretch { task: 0, job: 0, cpu: 0, from_ns, to_ns, waited };
        let run = set(vec![job], vec![stretch(2, 5, true), stretch(7, 9, false)]);
        let actual: Vec<&str> = of(&run).iter().map(|event| event.kind.name()).collect();
        let expected = ["arrival", "release", "dispatch", "suspension", "resumption", "dispatch", "completion"];
        assert_eq!(actual, expected);
    }
}
