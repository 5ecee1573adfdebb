//! Refuses what no machine, this machine, or these policies can run, before anything is changed for it.

use super::error::TasksError;
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_run::jobs::{Dispatch, SetPlan, TaskPlan};

/// Most jobs of one run: each has a record in memory.
const JOBS_MAX: u64 = 1 << 22;
/// The kernel's least budget and period: 2^10 ns.
const RESERVATION_NS_MIN: u64 = 1_024;

/// A problem and what to do.
type Problem = Option<(String, String)>;

/// Refuses a plan that cannot be run here.
pub(super) fn check(plan: &SetPlan, usable: &CpuSet) -> Result<(), TasksError> {
    let of_set = [no_tasks(plan), absent_processors(plan, usable), shared_processors(plan), too_many_jobs(plan)];
    let of_tasks = plan.tasks.iter().find_map(|task| unfit(plan, task));
    match of_set.into_iter().flatten().next().or(of_tasks) {
        None => Ok(()),
        Some((problem, remedy)) => Err(TasksError::Plan { set: plan.name.clone(), problem, remedy }),
    }
}

fn found(problem: impl Into<String>, remedy: &str) -> Problem {
    Some((problem.into(), remedy.to_owned()))
}

fn no_tasks(plan: &SetPlan) -> Problem {
    let is_empty = plan.tasks.is_empty() || plan.clusters.iter().any(Vec::is_empty);
    (is_empty || plan.length_ns == 0).then_some((
        "the set has no tasks, a cluster without processors, or a duration of 0".into(),
        "give at least one task, at least one processor for each cluster, and a --duration above 0".into(),
    ))
}

fn absent_processors(plan: &SetPlan, usable: &CpuSet) -> Problem {
    let is_there = |number: &u32| Cpu::new(*number).is_some_and(|cpu| usable.contains(cpu));
    let absent = plan.clusters.iter().flatten().find(|number| !is_there(number))?;
    let requested = plan.clusters.iter().flatten().count();
    found(
        format!(
            "the set requires {requested} processors, but processor {absent} is not usable on this machine (usable: \
             {usable})"
        ),
        "give fewer processors with -m, or run the set on a machine with more processors (--platform lab:NAME)",
    )
}

fn shared_processors(plan: &SetPlan) -> Problem {
    let mut all: Vec<u32> = plan.clusters.iter().flatten().copied().collect();
    all.sort_unstable();
    let twice = all.windows(2).find(|two| two[0] == two[1])?[0];
    found(format!("processor {twice} belongs to two clusters"), "give each processor to one cluster")
}

fn too_many_jobs(plan: &SetPlan) -> Problem {
    let jobs: u64 = plan.tasks.iter().map(|task| task.jobs_before(plan.length_ns)).sum();
    if jobs <= JOBS_MAX {
        return None;
    }
    found(format!("the set releases {jobs} jobs, but at most {JOBS_MAX} can be stored"), "give a shorter --duration")
}

fn unfit(plan: &SetPlan, task: &TaskPlan) -> Problem {
    let name = &task.name;
    if task.cluster as usize >= plan.clusters.len() {
        return found(
            format!("task '{name}' is in cluster {}, which does not exist", task.cluster),
            "assign the task to a cluster that exists",
        );
    }
    match plan.dispatch {
        Dispatch::Fifo => match task.priority {
            Some(1..=99) => None,
            _ => found(
                format!("task '{name}' has no priority from 1 to 99, which SCHED_FIFO requires"),
                "run at most 98 tasks under fixed priorities",
            ),
        },
        Dispatch::Deadline => unfit_reservation(task),
    }
}

/// SCHED_DEADLINE wants 1,024 ns <= runtime <= deadline <= period.
fn unfit_reservation(task: &TaskPlan) -> Problem {
    let name = &task.name;
    let Some(of) = task.reservation else {
        return found(format!("task '{name}' has no budget, which SCHED_DEADLINE requires"), "give the task a budget");
    };
    if of.budget_ns < RESERVATION_NS_MIN {
        return found(
            format!(
                "task '{name}' has a budget of {} ns; SCHED_DEADLINE requires at least {RESERVATION_NS_MIN} ns",
                of.budget_ns
            ),
            "give the task a larger cost or, if it has a server, a larger server_budget",
        );
    }
    if of.deadline_ns > of.period_ns {
        return found(
            format!("task '{name}' has a deadline longer than its period, which SCHED_DEADLINE does not accept"),
            "give the task a deadline of at most its period, or run the set under fixed priorities (--shape global-dm)",
        );
    }
    if of.budget_ns > of.deadline_ns {
        return found(
            format!("the budget of task '{name}' exceeds its deadline, which SCHED_DEADLINE does not accept"),
            "give the task a smaller cost or a longer deadline; if it has a server, a smaller server_budget or a \
             longer server_period",
        );
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::work::tests::plan;
    use prazo_run::jobs::Reservation;

    fn refusal(change: impl FnOnce(&mut SetPlan)) -> String {
        let mut plan = plan(Dispatch::Deadline);
        change(&mut plan);
        check(&plan, &"0-1".parse().unwrap()).map_or_else(|error| error.to_string(), |()| "none".into())
    }

    #[test]
    fn a_set_for_more_processors_than_there_are_is_refused_by_their_numbers() {
        assert_eq!(refusal(|_| ()), "none");
        let refusal_text = refusal(|plan| plan.clusters = vec![vec![0, 1], vec![2, 3]]);
        assert!(
            refusal_text.contains("4 processors, but processor 2 is not usable on this machine (usable: 0-1)"),
            "{refusal_text}"
        );
        assert!(refusal(|plan| plan.clusters = vec![vec![0], vec![0]]).contains("two clusters"));
    }

    #[test]
    fn what_the_policies_do_not_take_is_refused_with_the_task() {
        let reserved =
            |change: fn(&mut Reservation)| refusal(|plan| plan.tasks[0].reservation.iter_mut().for_each(change));
        let long = reserved(|of| of.deadline_ns = of.period_ns + 1);
        assert!(long.contains("task 'a' has a deadline") && long.contains("SCHED_DEADLINE"), "{long}");
        assert!(reserved(|of| of.budget_ns = 1_000).contains("at least 1024"));
        assert!(reserved(|of| of.budget_ns = of.deadline_ns + 1).contains("cost"));
        assert!(refusal(|plan| plan.dispatch = Dispatch::Fifo).contains("no priority from 1 to 99"));
        assert!(refusal(|plan| plan.length_ns = 1 << 60).contains("--duration"));
        assert!(refusal(|plan| plan.tasks[0].cluster = 7).contains("cluster 7"));
    }
}
