//! Response times under fixed priorities with blocking, bursts and parts that are not preempted.
//!
//! Of task i, with tasks above it in h, let f be the part that ends its jobs without preemption (C if it is never preempted, 0 if
//! it always can be), and B its blocking. The last part of job q of a busy interval, from 0, starts at the least s with
//!
//! ```text
//! s = B + q C + (C - f) + sum over h of N_h(s) C_h              R(q) = s + f - (delta(q) - J)
//! ```
//!
//! for all q released before the busy interval ends, at the least L > 0 with L = B + sum over h and i of N(L) C. All q have to
//! be looked at, though some job before has met its deadline: what is released during a part that is not preempted is done after it
//! (Davis, Burns, Bril, Lukkien, Real-Time Systems 35(3), 2007; Bril, Lukkien, Verhaegh, Real-Time Systems 42, 2009).
//!
//! N counts the jobs released before s, and those released at s itself only where f > 0 and B = 0: then they go first. With
//! B > 0 the blocking is a little less than B, so that the part starts a little before s. In whole ticks that would be B - 1
//! with those at s counted, which is what tools for discrete time compute; some real arrivals exceed that bound.
//!
//! With a supply there is no blocking and f = 0, and s is the least with q C + C + sum over h of N_h(s) C_h <= sbf(s), sbf being the
//! least that is served in an interval of s (see [`service`](super::service)); the busy interval ends likewise. All of it is
//! reached where the tasks are released together as a supply begins that serves no more (Shin, Lee, RTSS 2003; Davis,
//! Burns, RTSS 2005).
//!
//! With self-suspension there is no blocking. Where only the task itself suspends, S more in each of its jobs is exact: it suspends
//! itself whenever it would run, until S is spent. So a job that is late even then is late where those above never suspend
//! themselves, which disproves the set. What is proven is in [`suspension`](super::suspension), or, with bursts and deadlines beyond
//! periods, is the above where every job of every task executes for C + S (Chen and others 2019, section 4.1).
//!
//! Under PIP the blocking may never be reached, so a bound beyond the deadline shows nothing there.

use super::arrivals::Arrivals;
use super::service::Service;
use super::suspension;
use super::system::{System, response_margin, utilization_margin};
use super::terms;
use crate::answer::{LateJob, Reason, Response};
use crate::budget::Spent;
use crate::{Budget, Finding, Ticks, Verdict};
use prazo_core::behaviour::Locking;
use std::cmp::Ordering;

/// What findings call this test.
pub const NAME: &str = "response time with blocking";
/// What they call it where the tasks have only a supply.
pub const SUPPLIED: &str = "response time in a supply";
/// What they call it where tasks suspend themselves.
pub const SUSPENDED: &str = "response time with suspension";

/// More jobs of one busy interval than this are not looked at.
const JOBS_MAX: u128 = 1 << 20;

/// One task below others.
struct Level<'a> {
    cost: u128,
    last: u128,
    blocked: u128,
    deadline: u128,
    own: Arrivals,
    /// The costs and the arrivals of those above.
    above: &'a [(u128, Arrivals)],
    service: Service,
}

/// What the tasks of `system`, most urgent first, can be shown.
pub fn test(system: &System<'_>, budget: &mut Budget) -> Finding {
    if let Some(why) = system.uncovered() {
        return Finding::not_applicable(name(system), why);
    }
    let before = budget.spent();
    let mut finding = decide(system, budget).unwrap_or_else(|Spent| Finding::budget_spent(name(system), 0));
    finding.work = budget.spent() - before;
    finding
}

fn name(system: &System<'_>) -> &'static str {
    match system.supply {
        _ if system.suspends() => SUSPENDED,
        Some(_) => SUPPLIED,
        None => NAME,
    }
}

fn decide(system: &System<'_>, budget: &mut Budget) -> Result<Finding, Spent> {
    if system.utilization_with_supply() == Ordering::Greater {
        return Ok(Finding::overdemand(name(system), None, Some(utilization_margin(system)), 0));
    }
    if system.suspends()
        && let Some(late) = late_alone(system, budget)?
    {
        return Ok(late);
    }
    let mut closest: Option<(usize, Ticks)> = None;
    for (index, response) in responses(system, budget)?.into_iter().enumerate() {
        let deadline = |task: usize| u128::from(system.tasks[task].deadline);
        match response {
            Response::Beyond { job, at_least } => return Ok(late(system, index, job, at_least)),
            Response::Within(time) => {
                let is_closer = |other: (usize, Ticks)| {
                    u128::from(time) * deadline(other.0) > u128::from(other.1) * deadline(index)
                };
                if closest.is_none_or(is_closer) {
                    closest = Some((index, time));
                }
            }
        }
    }
    let margin = closest.map(|(index, time)| response_margin(&system.tasks[index], time.into()));
    Ok(Finding::proven(name(system), closest.map(|(index, _)| index), margin, 0))
}

fn late(system: &System<'_>, index: usize, job: u64, at_least: u128) -> Finding {
    let margin = Some(response_margin(&system.tasks[index], at_least));
    if system.suspends() {
        return Finding::does_not_hold(SUSPENDED, Some(index), margin, 0);
    }
    if system.locking == Locking::Pip && system.has_sections() {
        return Finding::does_not_hold(name(system), Some(index), margin, 0);
    }
    let reason = Reason::Late(LateJob { task: index, job });
    Finding { test: name(system), verdict: Verdict::Disproven, task: Some(index), margin, reason, mode: None, work: 0 }
}

/// A job that is late even if no task but its own suspends itself.
fn late_alone(system: &System<'_>, budget: &mut Budget) -> Result<Option<Finding>, Spent> {
    let late = if suspension::covers(system) {
        suspension::late_alone(system, budget)?.map(|(task, at_least)| (LateJob { task, job: 0 }, at_least))
    } else {
        levels(system, budget)?.into_iter().enumerate().find_map(|(index, response)| match response {
            Response::Within(_) => None,
            Response::Beyond { job, at_least } => Some((LateJob { task: index, job }, at_least)),
        })
    };
    Ok(late.map(|(job, at_least)| Finding {
        test: SUSPENDED,
        verdict: Verdict::Disproven,
        task: Some(job.task),
        margin: Some(response_margin(&system.tasks[job.task], at_least)),
        reason: Reason::Late(job),
        mode: None,
        work: 0,
    }))
}

/// The response of each task, or with suspension a bound on it, up to the first that is late or has none within its deadline. Ends
/// only if U <= 1 or some task is late, or by its budget.
pub fn responses(system: &System<'_>, budget: &mut Budget) -> Result<Vec<Response>, Spent> {
    if !system.suspends() {
        return levels(system, budget);
    }
    if !suspension::covers(system) {
        return levels(&system.counted(), budget);
    }
    let bounds = suspension::bounds(system, budget)?;
    Ok(bounds
        .into_iter()
        .map(|found| match found {
            Ok(bound) => Response::Within(bound.response),
            Err(at_least) => Response::Beyond { job: 0, at_least },
        })
        .collect())
}

/// The response of each task where of all tasks only that one suspends itself.
fn levels(system: &System<'_>, budget: &mut Budget) -> Result<Vec<Response>, Spent> {
    let blocked = terms::fixed_priority(system);
    let all: Vec<(u128, Arrivals)> =
        system.tasks.iter().map(|task| u128::from(task.cost)).zip(system.all_arrivals()).collect();
    let mut responses = Vec::with_capacity(all.len());
    for (index, task) in system.tasks.iter().enumerate() {
        let level = Level {
            cost: system.counted_at(index).cost.into(),
            last: system.of_tasks[index].non_preemptive.last.into(),
            blocked: blocked[index].into(),
            deadline: task.deadline.into(),
            own: all[index].1.clone(),
            above: &all[..index],
            service: system.service(),
        };
        let response = level.response(budget)?;
        responses.push(response);
        if matches!(response, Response::Beyond { .. }) {
            break;
        }
    }
    Ok(responses)
}

impl Level<'_> {
    fn response(&self, budget: &mut Budget) -> Result<Response, Spent> {
        let (mut longest, mut start, mut jobs) = (0, 0, None);
        for job in 0.. {
            let arrival = self.own.earliest(job);
            let due = (arrival + self.deadline).saturating_sub(u128::from(self.own.jitter));
            start = self.start(job, start, due.saturating_sub(self.last), budget)?;
            let time = (start + self.last + u128::from(self.own.jitter)).saturating_sub(arrival);
            if time > self.deadline {
                return Ok(Response::Beyond { job, at_least: time });
            }
            longest = longest.max(time);
            // A late job ends the search before the end of the busy interval, which may never come, has to be known.
            let all = match jobs {
                Some(all) => all,
                None => self.jobs(job, start, budget)?,
            };
            jobs = (all != u128::MAX).then_some(all);
            if u128::from(job) + 1 >= all {
                break;
            }
        }
        Ok(Response::Within(longest as Ticks))
    }

    /// s of job `job`, sought from `from`; or a time beyond `latest` that it does not come before.
    fn start(&self, job: u64, from: u128, latest: u128, budget: &mut Budget) -> Result<u128, Spent> {
        let own = self.blocked + (u128::from(job) + 1) * self.cost - self.last;
        let counts_at = self.last > 0 && self.blocked == 0;
        let mut start = self.service.latest(own).max(from);
        loop {
            budget.spend(self.above.len() as u64 + 1)?;
            let released = |arrivals: &Arrivals| {
                if counts_at { arrivals.released_through(start) } else { arrivals.released_before(start) }
            };
            let work = own + self.above.iter().map(|(cost, arrivals)| released(arrivals) * cost).sum::<u128>();
            let next = self.service.latest(work);
            if next <= start || next > latest {
                return Ok(next.max(start));
            }
            start = next;
        }
    }

    /// How many jobs the busy interval has; `u128::MAX` while that is not known and more than those up to `job`.
    ///
    /// The end is sought from where job `job` ends, no further than a few jobs on: whoever asks again goes on from there.
    fn jobs(&self, job: u64, start: u128, budget: &mut Budget) -> Result<u128, Spent> {
        let reach = self.own.earliest(2 * job + 8) + start + self.service.latest(self.blocked + self.cost);
        let mut length = self.service.latest(self.blocked + self.cost).max(1);
        loop {
            budget.spend(self.above.len() as u64 + 1)?;
            let own = (self.cost, self.own.clone());
            let work = |(cost, arrivals): &(u128, Arrivals)| arrivals.released_before(length) * cost;
            let next = self.service.latest(self.blocked + self.above.iter().chain([&own]).map(work).sum::<u128>());
            if next <= length {
                return Ok(self.own.released_before(length));
            }
            if next > reach {
                return if u128::from(job) > JOBS_MAX { Err(Spent) } else { Ok(u128::MAX) };
            }
            length = next;
        }
    }
}
