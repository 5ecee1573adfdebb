//! Fixed priorities on one processor with blocking, bursts and parts that are not preempted.
//!
//! A busy interval of a task and those above it begins with a blocking of at most B, and all of them are released with it, as
//! late as they may. It ends by any L > 0 with B + sum N(L) C <= L, and all jobs released before have to be in time. The last part
//! of job q, of length f, starts by any s with B + q C + (C - f) + sum of N(s) C of those above <= s: the right side only
//! falls behind as s grows. N counts the releases before s, and those at s too where f > 0 and nothing blocks: with B > 0 the
//! blocking, and with it the start, comes a little earlier than that. Then the job ends by s + f.
//!
//! With a supply, nothing blocks and f = 0; what is served in s at least stands for s on the right (Shin, Lee, RTSS 2003).
//!
//! Davis, Burns, Bril, Lukkien, Real-Time Systems 35(3), 2007; Bril, Lukkien, Verhaegh, Real-Time Systems 42, 2009.

use super::Queue;
use crate::behaviour::{Member, Served, blocked};
use crate::certificate::Starts;
use crate::rejected::{Rejected, consistent, show};

pub(super) fn check(queue: &Queue<'_>, order: &[usize], starts: &[Starts]) -> Result<(), Rejected> {
    queue.applies_to_one_processor()?;
    let (members, locking, served) = queue.behaved()?;
    let named = starts.iter().map(|of| of.task);
    consistent(named.eq(order.iter().map(|&position| queue.names[position])), || {
        "`starts` lines must be given for each task, the most urgent first".into()
    })?;
    let ranked: Vec<Member<'_>> = order.iter().map(|&position| members[position]).collect();
    for (place, of) in starts.iter().enumerate() {
        let (level, below) = ranked.split_at(place + 1);
        Level { level, blocked: blocked(level, below, locking), served }.show_in_time(of)?;
    }
    Ok(())
}

/// A task, the last of `level`, with those above it.
pub(crate) struct Level<'a> {
    /// Most urgent first.
    pub level: &'a [Member<'a>],
    /// B.
    pub blocked: u128,
    /// When they are served.
    pub served: Served,
}

impl Level<'_> {
    fn own(&self) -> &Member<'_> {
        &self.level[self.level.len() - 1]
    }

    fn show_in_time(&self, of: &Starts) -> Result<(), Rejected> {
        let (own, until) = (self.own(), u128::from(of.until));
        let work = |member: &Member<'_>| member.released_before(until) * u128::from(member.task.cost);
        let busy = self.blocked + self.level.iter().map(work).sum::<u128>();
        show(until > 0 && busy <= self.served.within(until), || {
            format!("the busy interval of task {} does not end at {until}", of.task)
        })?;
        let jobs = own.released_before(until);
        consistent(jobs == of.at.len() as u128, || {
            format!("the busy interval of task {} has {jobs} jobs, not {} as in the certificate", of.task, of.at.len())
        })?;
        for (job, &start) in of.at.iter().enumerate() {
            let (job, start) = (job as u64, u128::from(start));
            show(self.before(job, start) <= self.served.within(start), || {
                format!("job {job} of task {} may start after {start}", of.task)
            })?;
            let end = start + u128::from(own.behaviour.last) + u128::from(own.task.jitter);
            let due = own.arrival(job) + u128::from(own.task.deadline);
            show(end <= due, || format!("job {job} of task {} may complete after its deadline", of.task))?;
        }
        Ok(())
    }

    /// What is done before the last part of job `job` starts, if it starts at `start`.
    pub(crate) fn before(&self, job: u64, start: u128) -> u128 {
        let own = self.own();
        let counts_at = own.behaviour.last > 0 && self.blocked == 0;
        let released = |member: &Member<'_>| {
            if counts_at { member.released_through(start) } else { member.released_before(start) }
        };
        let above = self.level[..self.level.len() - 1].iter();
        let above: u128 = above.map(|member| released(member) * u128::from(member.task.cost)).sum();
        self.blocked + (u128::from(job) + 1) * u128::from(own.task.cost) - u128::from(own.behaviour.last) + above
    }
}
