//! The response time of one callback on its executor's thread.
//!
//! A busy window begins when a job arrives and none is pending. Let job q = 1, 2, ... of callback i arrive a after that. N_j(t) jobs of
//! callback j arrive in the closed interval [0, t], at most. The thread has at least sbf(t) in an interval of t.
//!
//! **Events executor.** Jobs run in the order of their arrival. So job q is done by the least F with
//!
//! ```text
//! sbf(F) >= sum over all j of N_j(a) C_j
//! ```
//!
//! **Single-threaded executor.** When no sampled callback is left, it samples all callbacks that have a message, and runs each of them once:
//! timers first, then subscriptions, before it samples again. Let p jobs of i be pending when job q arrives, itself among them. Then it runs in
//! one of the p rounds after the present one, at the latest. Another subscription j runs at most once in what is left of the present round, and once
//! in each of the next p: before i in the last one, as the order of subscriptions is not that of registration in all releases (rclcpp issue 2532).
//! Where i is a timer, subscriptions follow it in the last round. Where the executor keeps the order of registration, those that are registered behind i
//! follow it too. So j runs at most r_j times: r_j = p where it follows i in a round, else p + 1. Which of the p rounds runs job q does not matter:
//! in an earlier one, j runs less often.
//! Before a it can run no more often than it has arrived. Timers may run between any two callbacks. So job q is done by the least F with
//!
//! ```text
//! sbf(F) >= q C_i + sum over j != i of X_j C_j
//! X_j = N_j(F - C_i) for a timer,   else min(N_j(F - C_i), N_j(a) + r_j)
//! ```
//!
//! and also a + E at the latest, with the least E so that what may run from a on is served:
//!
//! ```text
//! sbf(E) >= p C_i + sum over subscriptions j != i of r_j C_j + sum over timers j != i of N_j(F - C_i) C_j
//! ```
//!
//! Suppose that the job has not started by t = F - C_i. The thread had sbf(t) >= sbf(F) - C_i by then, which is all that can go before the job.
//! So all of it is done, and the thread chooses the job: a contradiction. If t < a, no job is pending at t, and the busy window has ended. So the
//! job starts by F - C_i, and no timer job that arrives later goes before it. The same argument from a on gives a + E.
//!
//! At most N_i(a) jobs are pending. If no job of i before it took longer than R, those that are pending arrived less than R before a, or with it. So
//! R is the least that bounds F - a and E with such a p.
//!
//! The formulas hold for timers that are looked at before each callback and for timers that are sampled with the subscriptions, as releases of
//! rclcpp do one or the other.
//!
//! Between two instants at which some N_j rises, F and E are constant, so F - a and E are largest at the first of them. Only these a are looked at. Casini and others, ECRTS 2019 (rounds, reservations);
//! Blass and others, RTSS 2021 (no subscription runs twice before one that waits; p).

use crate::blocking::arrivals::Arrivals;
use crate::blocking::service::Service;
use crate::budget::Spent;
use crate::{Budget, TICKS_MAX, Ticks};
use prazo_scenario::executors::{ExecutorKind, SubscriptionOrder};

/// The callbacks of one thread.
#[derive(Clone, Debug)]
pub struct Thread {
    /// Which callback it runs next.
    pub kind: ExecutorKind,
    /// In which order it runs the subscriptions of a round; that of registration is the order of the lists here.
    pub order: SubscriptionOrder,
    /// What the thread has of a processor.
    pub service: Service,
    /// The cost of each callback.
    pub costs: Vec<Ticks>,
    /// The arrivals of each.
    pub arrivals: Vec<Arrivals>,
    /// Which are timers.
    pub is_timer: Vec<bool>,
}

/// Why a response is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    /// The budget is spent.
    Spent,
    /// It is above 2^48 ticks.
    TooLong,
}

impl From<Spent> for Pending {
    fn from(_: Spent) -> Self {
        Self::Spent
    }
}

impl Thread {
    /// The longest response of the callback at this position.
    ///
    /// # Errors
    /// The budget is spent, or there is no bound up to 2^48 ticks.
    pub fn response(&self, of: usize, budget: &mut Budget) -> Result<Ticks, Pending> {
        let window = self.busy_window(budget)?;
        let mut bound = self.costs[of];
        loop {
            let longest = self.longest(of, window, bound, budget)?;
            if longest <= bound || self.kind == ExecutorKind::Events {
                return Ok(longest);
            }
            bound = longest;
        }
    }

    /// The longest response over all arrivals in a busy window, where no job before took longer than `bound`.
    fn longest(&self, of: usize, window: u128, bound: Ticks, budget: &mut Budget) -> Result<Ticks, Pending> {
        let mut longest = 0;
        for (steps, other) in self.arrivals.iter().enumerate() {
            let step = |job: u64| other.earliest(job).saturating_sub(other.jitter.into());
            for job in 0.. {
                let at = step(job);
                if at >= window {
                    break;
                }
                budget.spend(1)?;
                // Several jobs that arrive together are one step, and 0 is a step of each callback.
                let is_known = if job > 0 { at == step(job - 1) } else { steps > 0 && at == 0 };
                if !is_known {
                    longest = longest.max(self.at_offset(of, Offset { at, window, bound }, budget)?);
                }
            }
        }
        Ok(longest)
    }

    /// The least L > 0 with sbf(L) >= sum of the work that arrives before L: no busy window is longer.
    fn busy_window(&self, budget: &mut Budget) -> Result<u128, Pending> {
        let mut length = 1;
        loop {
            budget.spend(self.costs.len() as u64)?;
            let work = self.work(|arrivals| arrivals.released_before(length));
            let next = self.service.latest(work);
            if next <= length {
                return Ok(length);
            }
            length = within_limit(next)?;
        }
    }

    fn work(&self, jobs: impl Fn(&Arrivals) -> u128) -> u128 {
        let of = |(arrivals, &cost): (&Arrivals, &Ticks)| jobs(arrivals).saturating_mul(cost.into());
        self.arrivals.iter().zip(&self.costs).map(of).fold(0, u128::saturating_add)
    }

    /// The response of the last job that arrives by a; 0 where no busy window has a job there.
    fn at_offset(&self, of: usize, offset: Offset, budget: &mut Budget) -> Result<Ticks, Pending> {
        let (own, at) = (u128::from(self.costs[of]), offset.at);
        let end = match self.kind {
            ExecutorKind::Events => {
                budget.spend(self.costs.len() as u64)?;
                self.service.latest(self.work(|arrivals| arrivals.released_through(at)))
            }
            ExecutorKind::SingleThreaded => self.last_round(of, offset, budget)?,
        };
        // It would have ended before a job that arrives then could start.
        if end < at + own {
            return Ok(0);
        }
        Ok(within_limit(end - at)? as Ticks)
    }

    /// The smaller of F and a + E.
    fn last_round(&self, of: usize, offset: Offset, budget: &mut Budget) -> Result<u128, Pending> {
        let Offset { at, window, bound } = offset;
        let own = u128::from(self.costs[of]);
        let arrived = self.arrivals[of].released_through(at);
        let pending = arrived.min(self.arrivals[of].released_before(bound.into()));
        // How often another subscription runs from a on.
        let rounds = |other: usize| pending + u128::from(!self.follows(other, of));
        let jobs = |other: usize, start: u128| {
            let all = self.arrivals[other].released_through(start);
            match self.is_timer[other] {
                true => all,
                false => all.min(self.arrivals[other].released_through(at) + rounds(other)),
            }
        };
        // The window's own work is a bound as well.
        let end = self.served(own.saturating_mul(arrived), window, budget, |end| {
            self.others(of, |other| jobs(other, end - own))
        })?;
        if end < at + own {
            return Ok(end);
        }
        // The job starts by `end - own`, so of a timer no more than what arrives by then goes before it. That is the same for all
        // arrivals between two steps. A count up to `at + length` would not be, and the longest response could lie between the steps.
        let from_then_on = |other: usize| match self.is_timer[other] {
            true => self.arrivals[other].released_through(end - own),
            false => rounds(other),
        };
        budget.spend(self.costs.len() as u64)?;
        let work = own.saturating_mul(pending).saturating_add(self.others(of, from_then_on));
        Ok(at + self.service.latest(work).min(end - at))
    }

    /// True if subscription `other` comes behind `of` in each round.
    fn follows(&self, other: usize, of: usize) -> bool {
        self.is_timer[of] || (self.order == SubscriptionOrder::Registration && other > of)
    }

    /// The least length in which `own` and what `others` makes of that length are served, but no more than `most`.
    fn served(
        &self,
        own: u128,
        most: u128,
        budget: &mut Budget,
        others: impl Fn(u128) -> u128,
    ) -> Result<u128, Pending> {
        let mut length = own;
        while length < most {
            budget.spend(self.costs.len() as u64)?;
            let next = self.service.latest(own.saturating_add(others(length)));
            if next <= length {
                return Ok(length);
            }
            length = next;
        }
        Ok(most)
    }

    /// The work of so many jobs of each other callback.
    fn others(&self, of: usize, jobs: impl Fn(usize) -> u128) -> u128 {
        let work = |other: usize| jobs(other).saturating_mul(self.costs[other].into());
        (0..self.costs.len()).filter(|&other| other != of).map(work).fold(0, u128::saturating_add)
    }
}

/// Where in a busy window a job arrives.
#[derive(Clone, Copy)]
struct Offset {
    /// a.
    at: u128,
    /// No busy window is longer.
    window: u128,
    /// No job of the same callback before took longer.
    bound: Ticks,
}

fn within_limit(length: u128) -> Result<u128, Pending> {
    if length <= u128::from(TICKS_MAX) { Ok(length) } else { Err(Pending::TooLong) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Task;

    fn thread(kind: ExecutorKind, tasks: &[(Ticks, Ticks)], is_timer: &[bool]) -> Thread {
        Thread {
            kind,
            order: SubscriptionOrder::Any,
            service: Service::of(None),
            costs: tasks.iter().map(|(cost, _)| *cost).collect(),
            arrivals: tasks.iter().map(|(cost, period)| Arrivals::of(&Task::implicit(*cost, *period), None)).collect(),
            is_timer: is_timer.to_vec(),
        }
    }

    fn responses(thread: &Thread) -> Vec<Ticks> {
        (0..thread.costs.len()).map(|of| thread.response(of, &mut Budget::unlimited()).unwrap()).collect()
    }

    #[test]
    fn first_come_first_served_waits_for_all_that_came_before() {
        let thread = thread(ExecutorKind::Events, &[(2, 10), (3, 20), (1, 15)], &[true, false, false]);
        assert_eq!(responses(&thread), [6, 6, 6]);
    }

    #[test]
    fn a_callback_waits_for_the_jobs_of_others_that_came() {
        let thread = thread(ExecutorKind::SingleThreaded, &[(2, 100), (3, 100), (1, 100)], &[false; 3]);
        assert_eq!(responses(&thread), [6, 6, 6]);
        // The last waits for one job of the first that the executor has taken; the next job of the first comes after the last began.
        let dense = self::thread(ExecutorKind::SingleThreaded, &[(1, 3), (6, 100)], &[false; 2]);
        assert_eq!(responses(&dense), [7, 7]);
    }

    #[test]
    fn in_the_order_of_registration_a_round_ends_with_those_behind() {
        // The first waits for one job of each of the others instead of two; the middle one for two of the last instead of three.
        let mut tasks = thread(ExecutorKind::SingleThreaded, &[(1, 100), (1, 100), (10, 100)], &[false; 3]);
        tasks.arrivals = [1, 2, 3]
            .map(|jobs| {
                let burst = prazo_core::behaviour::Burst { jobs, within: 100, distance: 0 };
                Arrivals::of(&Task::implicit(1, 100), Some(burst))
            })
            .to_vec();
        let any = responses(&tasks);
        tasks.order = SubscriptionOrder::Registration;
        assert_eq!((any, responses(&tasks)), (vec![23, 33, 33], vec![12, 25, 33]));
    }

    #[test]
    fn a_busy_window_of_exactly_the_longest_time_is_within_the_limit() {
        assert!(matches!(within_limit(TICKS_MAX.into()), Ok(length) if length == u128::from(TICKS_MAX)));
        assert!(matches!(within_limit(u128::from(TICKS_MAX) + 1), Err(Pending::TooLong)));
    }
}
