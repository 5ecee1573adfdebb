//! From what was watched to a verdict with its reasons; pure.
//!
//! A miss fails, whatever was proven. Nothing that was watched proves a deadline: a pass takes a proof, and an observation that
//! does not contradict it and is of the system that the proof is about.

use super::reasons::{bound_exceeded, decided, not_proven, of_difference, reason};
use super::task::WatchedTask;
use crate::verdict::{Outcome, Reason};
use prazo_core::text::{counted, grouped, micros};
use prazo_core::verdict::Verdict;

/// What a verdict rests on.
pub struct WatchedEvidence<'a> {
    /// What the analysis said when the tasks were deployed.
    pub verdict: Verdict,
    /// How long they were watched.
    pub watched_ns: u64,
    /// The tasks.
    pub tasks: &'a [WatchedTask],
    /// What is not as it was deployed, a sentence each.
    pub differs: &'a [String],
}

/// The outcome and its reasons, most decisive first.
pub fn judge_watched(evidence: &WatchedEvidence<'_>) -> (Outcome, Vec<Reason>) {
    let mut reasons: Vec<Reason> = evidence.tasks.iter().flat_map(of_task).collect();
    reasons.extend(evidence.tasks.iter().filter_map(|row| of_count(row, evidence.watched_ns)));
    reasons.extend(evidence.differs.iter().map(|sentence| of_difference(sentence)));
    reasons.extend(not_proven(evidence.verdict));
    if reasons.is_empty() {
        let jobs: u64 = evidence.tasks.iter().map(|task| task.seen.jobs).sum();
        let text = format!("every deadline is proven, and none of {} missed one", counted(jobs, "job"));
        reasons.push(reason("proven-and-kept", Outcome::Pass, text));
    }
    decided(reasons)
}

fn of_task(row: &WatchedTask) -> Vec<Reason> {
    let us = micros;
    let (name, seen) = (&row.task, &row.seen);
    let blocks = |id: &str, text: String| reason(id, Outcome::Inconclusive, text);
    let mut reasons = Vec::new();
    if seen.misses > 0 {
        let late = us(seen.tardiness_ns_max.unwrap_or(0));
        let text = format!(
            "{name}: {} of {} missed the deadline, by up to {late} µs",
            grouped(seen.misses),
            counted(seen.jobs, "job")
        );
        reasons.push(reason("miss-observed", Outcome::Fail, text));
    }
    if let (Some(response), Some(bound)) = (seen.response_ns_max, row.bound_ns)
        && response > bound
    {
        reasons.push(bound_exceeded(name, response, bound));
    }
    if let Some(age) = seen.unfinished_ns {
        let (age, deadline) = (us(age), us(row.deadline_ns));
        let text =
            format!("{name}: a job is unfinished after {age} µs, and its deadline was {deadline} µs after its arrival");
        reasons.push(reason("unfinished", Outcome::Fail, text));
    }
    if seen.jobs == 0 && seen.unfinished_ns.is_none() {
        reasons.push(blocks("no-jobs", format!("{name}: no job of the task ended during the watch")));
    }
    if seen.outside > 0 {
        let text = format!(
            "{name}: the task ran {} outside its cluster (processors {})",
            counted(seen.outside, "time"),
            row.cpus
        );
        reasons.push(blocks("outside-cluster", text));
    }
    if seen.overruns > 0 {
        let (ran, budget) = (us(seen.ran_ns_max.unwrap_or(0)), us(row.budget_ns));
        let text = format!(
            "{name}: {} of {} used more than the budget of {budget} µs, up to {ran} µs: the proof assumes that no job \
             does",
            grouped(seen.overruns),
            counted(seen.jobs, "job")
        );
        reasons.push(blocks("budget-exceeded", text));
    }
    if seen.lost > 0 {
        reasons.push(blocks(
            "jobs-lost",
            format!("{name}: the record lacks {}, which may have missed the deadline", counted(seen.lost, "job")),
        ));
    }
    reasons
}

/// Whether as many jobs were seen as the task's period says: what blocks within a job shows as several, and what waits for a
/// lock in the middle of one shows short jobs and then none.
fn of_count(row: &WatchedTask, watched_ns: u64) -> Option<Reason> {
    let (seen, due) = (&row.seen, watched_ns / row.period_ns.max(1));
    let (slack, period) = (COUNT_SLACK + due / 100, micros(row.period_ns));
    let text = if seen.jobs + seen.lost > due + slack {
        let lost = if seen.lost > 0 { format!(" and lost {}", grouped(seen.lost)) } else { String::new() };
        format!(
            "{}: the record has {}{lost}, but only {} can be due at a period of {period} µs: the task blocks within jobs, or \
             arrives more often than the proof assumes",
            row.task,
            counted(seen.jobs, "job"),
            grouped(due)
        )
    } else if seen.timed > 0 && seen.timed == seen.jobs && seen.jobs + seen.lost + slack < due {
        format!(
            "{}: the record has {} of this timer-driven task, but {} were due: some jobs never started, or were still running when the \
             next was due",
            row.task,
            counted(seen.jobs, "job"),
            grouped(due)
        )
    } else {
        return None;
    };
    Some(reason("count-of-jobs", Outcome::Inconclusive, text))
}

/// A job under way at the beginning, one at the end, and one that jitter moves in or out; beside it one in a hundred, since the
/// time is taken a moment after the jobs.
const COUNT_SLACK: u64 = 3;

#[cfg(test)]
mod tests {
    use super::super::task::samples::row;
    use super::*;
    use prazo_run::jobs::FollowedJobs;

    /// The sample task, of whose jobs something else was seen.
    fn seen(change: impl FnOnce(&mut FollowedJobs)) -> WatchedTask {
        let mut row = row();
        change(&mut row.seen);
        row
    }

    fn judged(is_proven: bool, row: WatchedTask) -> (Outcome, String) {
        let (outcome, ids) = all_of(is_proven, row);
        (outcome, ids[0].clone())
    }

    /// The outcome and the ids of all reasons.
    fn all_of(is_proven: bool, row: WatchedTask) -> (Outcome, Vec<String>) {
        let verdict = if is_proven { Verdict::Proven } else { Verdict::Unknown };
        let evidence = WatchedEvidence { verdict, watched_ns: 1_000_000_000, tasks: &[row], differs: &[] };
        let (outcome, reasons) = judge_watched(&evidence);
        (outcome, reasons.into_iter().map(|reason| reason.id).collect())
    }

    #[test]
    fn only_a_proof_that_nothing_contradicts_passes() {
        assert_eq!(judged(true, row()), (Outcome::Pass, "proven-and-kept".into()));
        assert_eq!(judged(false, row()), (Outcome::Inconclusive, "not-proven".into()));
    }

    #[test]
    fn a_sporadic_task_may_come_less_often_than_its_least_distance() {
        assert_eq!(judged(true, seen(|jobs| (jobs.jobs, jobs.timed) = (20, 0))).0, Outcome::Pass);
    }

    #[test]
    fn a_miss_or_a_broken_bound_fails_whatever_was_proven() {
        assert_eq!(judged(false, seen(|jobs| jobs.misses = 1)), (Outcome::Fail, "miss-observed".into()));
        let endless = seen(|jobs| (jobs.jobs, jobs.unfinished_ns) = (0, Some(11_000_000)));
        assert_eq!(judged(true, endless), (Outcome::Fail, "unfinished".into()));
        let beyond = WatchedTask { bound_ns: Some(1_999_999), ..row() };
        assert_eq!(judged(true, beyond), (Outcome::Fail, "bound-exceeded".into()));
    }

    #[test]
    fn what_was_not_seen_or_ran_elsewhere_shows_nothing() {
        let cases = [
            (seen(|jobs| (jobs.jobs, jobs.response_ns_max) = (0, None)), "no-jobs"),
            (seen(|jobs| jobs.outside = 1), "outside-cluster"),
            (seen(|jobs| (jobs.jobs, jobs.timed) = (95, 95)), "count-of-jobs"),
            (seen(|jobs| jobs.jobs = 105), "count-of-jobs"),
            (seen(|jobs| jobs.overruns = 2), "budget-exceeded"),
            (seen(|jobs| jobs.lost = 3), "jobs-lost"),
        ];
        for (row, id) in cases {
            assert_eq!(judged(true, row), (Outcome::Inconclusive, id.into()));
        }
    }

    #[test]
    fn too_few_jobs_are_a_reason_only_if_timers_started_all_of_several_and_too_many_always() {
        // Jobs, those that a timer started, lost ones; 100 jobs were due, give or take 4.
        let cases: [([u64; 3], &[&str]); 10] = [
            ([0, 0, 0], &["no-jobs"]),
            ([1, 1, 0], &["count-of-jobs"]),
            ([95, 95, 0], &["count-of-jobs"]),
            ([95, 94, 0], &["proven-and-kept"]),
            ([95, 95, 1], &["jobs-lost"]),
            ([96, 96, 0], &["proven-and-kept"]),
            ([104, 104, 0], &["proven-and-kept"]),
            ([105, 0, 0], &["count-of-jobs"]),
            ([105, 105, 0], &["count-of-jobs"]),
            ([104, 104, 1], &["jobs-lost", "count-of-jobs"]),
        ];
        for (counts, wanted) in cases {
            let (_, ids) = all_of(true, seen(|jobs| [jobs.jobs, jobs.timed, jobs.lost] = counts));
            assert_eq!(ids, wanted, "{counts:?}");
        }
    }
}
