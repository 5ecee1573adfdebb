//! Why the kernel refused a task its policy: the general reasons, and those that only a set of tasks has.

use prazo_core::time::Duration;
use prazo_platform::policy::Facts;
use prazo_platform::root::Root;
use prazo_run::jobs::{Dispatch, SetPlan, TaskPlan};
use prazo_run::plan::Policy;

/// Likely reasons with their remedies, most specific first; never empty.
pub(super) fn reasons(plan: &SetPlan, task: &TaskPlan, errno: i32) -> Vec<String> {
    let facts = Facts::read(&Root::system());
    match (plan.dispatch, errno) {
        (Dispatch::Deadline, libc::EBUSY) => vec![not_admitted(plan, task, facts.runtime_us.as_deref())],
        (Dispatch::Deadline, libc::EPERM) if facts.has_sys_nice == Some(true) => vec![outside_domain(plan, task)],
        _ => facts.reasons(policy(plan.dispatch, task), errno),
    }
}

fn policy(dispatch: Dispatch, task: &TaskPlan) -> Policy {
    match dispatch {
        Dispatch::Fifo => Policy::Fifo { priority: task.priority.unwrap_or(1) },
        Dispatch::Deadline => {
            Policy::Deadline { runtime: Duration::from_ns(task.reservation.map_or(0, |of| of.budget_ns)) }
        }
    }
}

/// Admission adds up budget over period, in each root domain.
fn not_admitted(plan: &SetPlan, task: &TaskPlan, runtime_us: Option<&str>) -> String {
    let share = |task: &TaskPlan| task.reservation.map_or(0.0, |of| of.budget_ns as f64 / of.period_ns.max(1) as f64);
    let requested: f64 = plan.members(task.cluster).map(share).sum();
    let cpus = plan.clusters.get(task.cluster as usize).map_or(0, Vec::len);
    let period_us = 1_000_000.0;
    let part = runtime_us.and_then(|text| text.parse().ok()).map_or(0.95, |us: f64| us / period_us);
    format!(
        "the tasks of cluster {} request {requested:.3} processors; the kernel admits {:.3} ({:.0} % of {cpus}) for \
         all deadline tasks together: reduce the costs of the tasks, or give the cluster more processors",
        task.cluster,
        part * cpus as f64,
        part * 100.0
    )
}

fn outside_domain(plan: &SetPlan, task: &TaskPlan) -> String {
    let cpus = plan.cpus(task.cluster as usize).map(|cpus| format!(" (processors {cpus})")).unwrap_or_default();
    format!(
        "a deadline thread must be allowed on every processor of its root domain, but the thread of this task is \
         allowed on its cluster only{cpus}: use all processors as one cluster, or run the set on a system where \
         cpusets can make the cluster a root domain; a container may also filter sched_setattr"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::work::tests::plan;
    use prazo_run::jobs::Reservation;

    #[test]
    fn a_full_cluster_is_told_with_the_sum_and_what_is_admitted() {
        let mut plan = plan(Dispatch::Deadline);
        plan.tasks.push(plan.tasks[0].clone());
        let nearly_all = Some(Reservation { budget_ns: 98, deadline_ns: 100, period_ns: 100 });
        plan.tasks.iter_mut().for_each(|task| task.reservation = nearly_all);
        let refusal_text = not_admitted(&plan, &plan.tasks[1], Some("950000"));
        assert!(
            refusal_text.contains("request 1.960 processors; the kernel admits 1.900 (95 % of 2)"),
            "{refusal_text}"
        );
    }

    #[test]
    fn the_processors_of_a_cluster_are_written_as_ranges() {
        let plan = plan(Dispatch::Deadline);
        let refusal_text = outside_domain(&plan, &plan.tasks[0]);
        assert!(refusal_text.contains("its cluster only (processors 0-1): use all"), "{refusal_text}");
    }

    #[test]
    fn a_group_without_real_time_budget_is_told_as_the_timer_probe_tells_it() {
        let plan = plan(Dispatch::Fifo);
        let group_budget = Some(("/sys/fs/cgroup/cpu/x/cpu.rt_runtime_us".to_owned(), "0".to_owned()));
        let facts = Facts { has_sys_nice: Some(true), group_budget, ..Facts::default() };
        let refusal_text = facts.reasons(policy(plan.dispatch, &plan.tasks[0]), libc::EPERM);
        assert!(refusal_text[0].contains("RT_GROUP_SCHED"), "{refusal_text:?}");
    }
}
