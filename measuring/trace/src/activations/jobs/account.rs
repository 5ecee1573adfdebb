//! One task's figures, job by job; and its worst jobs, for which a cause is looked for.

use super::job::Job;
use super::task::FollowedTask;
use crate::split::cause::Window;
use prazo_run::jobs::FollowedJobs;
use prazo_run::run::WorstSample;
use prazo_run::split::SampleExplanation;

/// How many of a task's worst jobs are kept with their causes.
pub(super) const WORST_JOBS_KEPT: usize = 3;

/// What became of a task's jobs so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobAccount {
    /// Counts and maxima.
    pub seen: FollowedJobs,
    /// The sum of all response times.
    pub response_ns_sum: u64,
    /// Its worst jobs, worst first, with their causes.
    pub worst: Vec<SampleExplanation>,
}

impl JobAccount {
    /// Counts one more job; returns its place in time if it is one of the worst.
    pub(super) fn add(&mut self, task: &FollowedTask, job: &Job) -> Option<Candidate> {
        let arrival_ns = job.arrival_ns();
        let response_ns = job.end_ns.saturating_sub(arrival_ns);
        let tardiness_ns = response_ns.saturating_sub(task.deadline_ns);
        let seen = &mut self.seen;
        let activation = seen.jobs;
        seen.jobs += 1;
        seen.timed += u64::from(job.is_timed());
        seen.misses += u64::from(tardiness_ns > 0);
        seen.tardiness_ns_max = seen.tardiness_ns_max.max(Some(tardiness_ns));
        seen.response_ns_max = seen.response_ns_max.max(Some(response_ns));
        seen.ran_ns_max = seen.ran_ns_max.max(Some(job.ran_ns));
        seen.overruns += u64::from(task.budget_ns.is_some_and(|budget| job.ran_ns > budget));
        seen.preemptions += u64::from(job.preemptions);
        seen.throttled += u64::from(job.throttled);
        seen.migrations += u64::from(job.migrations);
        seen.outside += u64::from(job.outside);
        self.response_ns_sum += response_ns;
        self.is_worth_a_cause(response_ns).then_some(Candidate {
            sample: WorstSample { at_ns: arrival_ns as i64, latency_ns: response_ns as i64, activation },
            throttled: job.throttled,
            window: Window {
                cpu: job.cpu,
                thread_id: task.thread_id,
                priority: task.priority,
                from_ns: arrival_ns,
                waking_ns: job.waking_ns,
                to_ns: job.end_ns,
            },
        })
    }

    fn is_worth_a_cause(&self, response_ns: u64) -> bool {
        let least = self.worst.get(WORST_JOBS_KEPT - 1).map(|cause| cause.sample.latency_ns);
        least.is_none_or(|least| response_ns as i64 > least)
    }

    /// Takes over the number of lost jobs, and the arrival of the job that has not ended at `now_ns`: one that never
    /// ends has no response time, but an age.
    pub(super) fn rest(&mut self, task: &FollowedTask, (lost, arrival_ns): (u64, Option<u64>), now_ns: u64) {
        self.seen.lost = lost;
        let age_ns = arrival_ns.map(|arrival| now_ns.saturating_sub(arrival));
        self.seen.unfinished_ns = age_ns.filter(|age| *age > task.deadline_ns);
    }

    /// Keeps the cause of one of the worst.
    pub(super) fn keep(&mut self, cause: SampleExplanation) {
        self.worst.push(cause);
        self.worst.sort_by_key(|cause| (std::cmp::Reverse(cause.sample.latency_ns), cause.sample.activation));
        self.worst.truncate(WORST_JOBS_KEPT);
    }
}

/// A job that may be one of the worst, with its place in time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// Its arrival, response time and number.
    pub sample: WorstSample,
    /// How often it left its processor for a less urgent thread.
    pub throttled: u32,
    /// Its place on CLOCK_MONOTONIC.
    pub window: Window,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task() -> FollowedTask {
        FollowedTask {
            thread_id: 7,
            cluster: "1".parse().unwrap(),
            period_ns: 1_000,
            deadline_ns: 800,
            budget_ns: Some(300),
            priority: Some(-1),
        }
    }

    fn job(due_ns: u64, response_ns: u64, ran_ns: u64) -> Job {
        Job { cpu: 1, due_ns, waking_ns: due_ns + 10, end_ns: due_ns + response_ns, ran_ns, ..Job::default() }
    }

    #[test]
    fn a_job_that_ends_behind_its_deadline_is_a_miss_and_tardy_by_the_difference() {
        let (task, mut account) = (task(), JobAccount::default());
        assert_eq!(account.seen.tardiness_ns_max, None);
        account.add(&task, &job(10_000, 800, 300));
        let misses = |seen: FollowedJobs| (seen.misses, seen.tardiness_ns_max, seen.overruns);
        assert_eq!(misses(account.seen), (0, Some(0), 0));
        account.add(&task, &job(11_000, 950, 301));
        assert_eq!(misses(account.seen), (1, Some(150), 1));
        assert_eq!((account.seen.jobs, account.seen.response_ns_max, account.response_ns_sum), (2, Some(950), 1_750));
    }

    #[test]
    fn a_job_that_does_not_end_is_unfinished_once_it_is_late() {
        let (task, mut account) = (task(), JobAccount::default());
        for (now_ns, expected) in [(10_800, None), (10_801, Some(801))] {
            account.rest(&task, (2, Some(10_000)), now_ns);
            assert_eq!((account.seen.lost, account.seen.unfinished_ns), (2, expected));
        }
        account.rest(&task, (2, None), 99_000);
        assert_eq!(account.seen.unfinished_ns, None);
    }

    #[test]
    fn only_what_is_worse_than_the_kept_is_looked_into() {
        let (task, mut account) = (task(), JobAccount::default());
        for response_ns in [500, 400, 600, 450, 400, 550] {
            if let Some(one) = account.add(&task, &job(5_000, response_ns, 1)) {
                account.keep(SampleExplanation { sample: one.sample, sentence: String::new(), shares: Vec::new() });
            }
        }
        let kept: Vec<i64> = account.worst.iter().map(|cause| cause.sample.latency_ns).collect();
        assert_eq!(kept, [600, 550, 500]);
        assert!(account.add(&task, &job(6_000, 500, 1)).is_none());
    }
}
