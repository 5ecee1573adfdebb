//! Response times under global fixed priorities, with at most m - 1 tasks carrying work in.
//!
//! The window of a job of task k can be stretched back to an instant at which some processor is not busy with tasks above k.
//! Of those, at most m - 1 are unfinished there; all others arrive within.
//!
//! ```text
//! NC_i(x) = floor(x/T_i) C_i + min(x mod T_i, C_i)
//! CI_i(x) = floor(max(x - C_i, 0)/T_i) C_i + C_i + min(max((max(x - C_i, 0) mod T_i) - (T_i - R_i), 0), K_i)
//! O_k(x)  = sum of NC_i(x) + the m - 1 largest of CI_i(x) - NC_i(x), over i above k
//! R_k     = least x >= C_k at which the job has ended, given O_k(x)
//! ```
//!
//! K_i is the most that a job can have left when the window begins. It ran just before, because fewer than m tasks above k were
//! unfinished then. In whole ticks it has done at least one, so K_i = C_i - 1; that is what is published, with NC_i and CI_i
//! limited to x - C_k + 1 and R_k the least x = floor(O_k(x)/m) + C_k. Between ticks it may have done as little as one likes, so
//! K_i = C_i in continuous time, which is the default. NC_i and CI_i then have no jumps, [`crate::capped`] has the condition, and
//! the proof holds for arrivals at any real instant.
//!
//! The search for the least x leaps; see [`crate::capped`]. Whoever carries work in at one x may do so at a larger one, so the
//! terms are lower bounds there. The m - 1 tasks are those that gain most when e there is half a tick, which puts the sum of
//! min(W, y) first and the number of W > y second, as the condition does.
//!
//! Guan, Stigge, Yi, Yu, RTSS 2009, theorems 2 and 3, for any order of priorities; D <= T, or min(D, T) in its place.

use super::System;
use crate::budget::Spent;
use crate::capped::{self, Term, least_limit};
use crate::{Budget, Finding, Margin, Quantity, TimeModel};
use prazo_core::task::{Task, Ticks};

const NAME: &str = super::Test::Guan.name();

/// Proven if every task has a response time within its deadline; the margin is that of the task closest to its deadline, or
/// of the one that fails.
pub(super) fn test(system: System<'_>, budget: &mut Budget) -> Finding {
    let before = budget.spent();
    let mut finding = decide(system, budget).unwrap_or_else(|Spent| Finding::budget_spent(NAME, 0));
    finding.work = budget.spent() - before;
    finding
}

fn decide(System { tasks, order, processors, time }: System<'_>, budget: &mut Budget) -> Result<Finding, Spent> {
    let machine = Machine { processors, time };
    let mut above: Vec<Bounded> = Vec::with_capacity(tasks.len());
    let mut closest: Option<(usize, Bounded)> = None;
    for index in order.indices() {
        let response = response_time(&tasks[*index], &above, machine, budget)?;
        let bounded = Bounded { task: tasks[*index], response };
        if response > bounded.task.window() {
            return Ok(Finding::does_not_hold(NAME, Some(*index), Some(bounded.margin()), 0));
        }
        if closest.as_ref().is_none_or(|(_, other)| bounded.is_closer_than(other)) {
            closest = Some((*index, bounded));
        }
        above.push(bounded);
    }
    let (index, margin) = closest.map(|(index, bounded)| (index, bounded.margin())).unzip();
    Ok(Finding::proven(NAME, index, margin, 0))
}

/// Bounds of all response times in the order of the priorities, up to the first task without one within its deadline.
pub fn response_times(system: System<'_>, budget: &mut Budget) -> Result<Vec<Ticks>, Spent> {
    let machine = Machine { processors: system.processors, time: system.time };
    let mut above: Vec<Bounded> = Vec::with_capacity(system.tasks.len());
    for task in system.order.arrange(&system.tasks) {
        let response = response_time(&task, &above, machine, budget)?;
        if response > task.window() {
            break;
        }
        above.push(Bounded { task, response });
    }
    Ok(above.into_iter().map(|bounded| bounded.response).collect())
}

/// What the tasks run on, and at which instants they may arrive.
#[derive(Clone, Copy, Debug)]
struct Machine {
    processors: u32,
    time: TimeModel,
}

/// A task with a bound of its response time.
#[derive(Clone, Copy, Debug)]
struct Bounded {
    task: Task,
    response: Ticks,
}

impl Bounded {
    fn margin(&self) -> Margin {
        Margin { demand: self.response as f64, capacity: self.task.window() as f64, of: Quantity::ResponseTime }
    }

    fn is_closer_than(&self, other: &Self) -> bool {
        u128::from(self.response) * u128::from(other.task.window())
            > u128::from(other.response) * u128::from(self.task.window())
    }

    /// NC: work in a window of `x` ticks, all of jobs that arrive within; and what it is at the end of the job it is in.
    fn without_carry_in(&self, x: Ticks) -> Work {
        let Task { cost, period, .. } = self.task;
        let before = x / period * cost;
        Work { now: before + (x % period).min(cost), end_of_step: before + cost }
    }

    /// CI: the same if a job may have arrived before.
    fn with_carry_in(&self, x: Ticks, time: TimeModel) -> Work {
        let Task { cost, period, .. } = self.task;
        let behind = x.saturating_sub(cost);
        let most = capped::laxity(time, cost.into()) as Ticks;
        let carried = (behind % period).saturating_sub(period - self.response).min(most);
        let whole = (behind / period + 1) * cost;
        Work { now: whole + carried, end_of_step: if carried > 0 { whole + most } else { whole } }
    }
}

/// What a task can take of a window, and what it takes of longer ones before it pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Work {
    now: Ticks,
    end_of_step: Ticks,
}

/// The least x that serves `task` below `above`, or some x beyond its deadline.
fn response_time(task: &Task, above: &[Bounded], machine: Machine, budget: &mut Budget) -> Result<Ticks, Spent> {
    let Machine { processors, time } = machine;
    let mut x = task.cost;
    while x <= task.window() {
        budget.spend(2 * above.len() as u64 + 1)?;
        let window = Window { x, laxity: x - task.cost };
        let limit = least_limit(time, &terms(above, window, machine), processors, capped::limit(time, window.laxity));
        let next = u128::from(task.cost) + capped::laxity(time, limit);
        if next == u128::from(x) {
            break;
        }
        x = Ticks::try_from(next).unwrap_or(Ticks::MAX);
    }
    Ok(x)
}

/// A window of `x` ticks that leaves others `laxity` of them.
#[derive(Clone, Copy, Debug)]
struct Window {
    x: Ticks,
    laxity: Ticks,
}

/// The terms of O: without carry-in, but with it for the m - 1 tasks that gain most by it.
fn terms(above: &[Bounded], Window { x, laxity }: Window, Machine { processors, time }: Machine) -> Vec<Term> {
    let limit = capped::limit(time, laxity);
    let parts = match time {
        TimeModel::Continuous => 2,
        TimeModel::Discrete => 1,
    };
    let counted = |work: Work| (parts * work.now).min(parts * laxity + 1);
    let gain = |bounded: &Bounded| {
        counted(bounded.with_carry_in(x, time)).saturating_sub(counted(bounded.without_carry_in(x)))
    };
    let mut by_gain: Vec<(Ticks, &Bounded)> = above.iter().map(|bounded| (gain(bounded), bounded)).collect();
    let carrying = (processors as usize - 1).min(by_gain.len());
    if carrying > 0 && carrying < by_gain.len() {
        by_gain.select_nth_unstable_by(carrying - 1, |(a, _), (b, _)| b.cmp(a));
    }
    let (with, without) = by_gain.split_at(carrying);
    let term = |work: Work| Term::new(work.now, work.end_of_step, limit);
    let with = with.iter().map(|(_, bounded)| term(bounded.with_carry_in(x, time)));
    with.chain(without.iter().map(|(_, bounded)| term(bounded.without_carry_in(x)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work in [0, x) of a task whose job before the window arrives at `-behind` and ends as late as it may, the later
    /// ones at once.
    fn work(Bounded { task, response }: Bounded, behind: i64, x: i64, time: TimeModel) -> i64 {
        let (cost, period, response) = (task.cost as i64, task.period as i64, response as i64);
        let inside = |from: i64, to: i64| (to.min(x) - from.max(0)).max(0);
        let done = i64::from(time == TimeModel::Discrete);
        let carried = inside(response - behind - cost, response - behind).min(cost - done);
        let arrivals = (1..).map(|job| job * period - behind).take_while(|arrival| *arrival < x);
        carried + arrivals.map(|arrival| inside(arrival, arrival + cost)).sum::<i64>()
    }

    #[test]
    fn carried_in_work_is_the_most_that_any_arrival_brings() {
        for (cost, period, response) in [(1, 5, 1), (3, 7, 3), (3, 7, 5), (3, 7, 7), (6, 7, 7), (7, 7, 7)] {
            let bounded = Bounded { task: Task::implicit(cost, period), response };
            for (x, time) in (cost..4 * period).flat_map(|x| TimeModel::VALUES.iter().map(move |&time| (x, time))) {
                let brings = |behind| work(bounded, behind, x as i64, time);
                let most = (1..=period as i64).map(brings).max().unwrap();
                assert_eq!(bounded.with_carry_in(x, time).now, most as Ticks, "{bounded:?} in {x}, {time}");
                assert_eq!(
                    bounded.without_carry_in(x).now,
                    work(Bounded { response: 1, ..bounded }, period as i64, x as i64, time) as Ticks
                );
            }
        }
    }

    /// True if the job has ended after `x` ticks, by the definition: e is one of `fine` parts of a tick.
    fn is_served(cost: Ticks, above: &[Bounded], x: Ticks, Machine { processors, time }: Machine) -> bool {
        let fine = if time == TimeModel::Continuous { 1_000 } else { 1 };
        let limit = (x - cost) * fine + 1;
        let least = |work: Work| (work.now * fine).min(limit);
        let without = |bounded: &Bounded| least(bounded.without_carry_in(x));
        let gain = |bounded: &Bounded| least(bounded.with_carry_in(x, time)).saturating_sub(without(bounded));
        let mut gains: Vec<u64> = above.iter().map(gain).collect();
        gains.sort_unstable_by(|a, b| b.cmp(a));
        let total = above.iter().map(without).sum::<u64>() + gains.iter().take(processors as usize - 1).sum::<u64>();
        total < u64::from(processors) * limit
    }

    #[test]
    fn leaps_end_where_a_search_tick_by_tick_ends() {
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        for round in 0..6_000 {
            let mut task = |_| {
                let (period, cost) = (random.u64(5..60), random.u64(1..=5));
                Bounded { task: Task::implicit(cost, period), response: random.u64(cost..=period) }
            };
            let above: Vec<Bounded> = (0..4).map(&mut task).collect();
            let own = Task::implicit(random.u64(1..=20), 200);
            let machine = Machine { processors: random.u32(1..=4), time: TimeModel::VALUES[round % 2] };
            let searched = (own.cost..=own.period).find(|x| is_served(own.cost, &above, *x, machine));
            let leapt = response_time(&own, &above, machine, &mut Budget::unlimited()).unwrap();
            assert_eq!(searched, Some(leapt).filter(|x| *x <= own.period), "{above:?} {own:?} on {machine:?}");
        }
    }

    /// Two tasks above on two processors: plain iteration gains one tick a turn, and there are two million in two milliseconds.
    #[test]
    fn nanoseconds_cost_no_more_than_milliseconds() {
        let tasks = [
            Task::implicit(2_000_000, 10_000_000),
            Task::implicit(2_000_000, 10_000_000),
            Task::implicit(7_000_000, 11_000_000),
        ];
        let order = crate::uniprocessor::priority::PriorityOrder::as_given(3);
        for &time in TimeModel::VALUES {
            let system = System { tasks: crate::TaskSet::new(&tasks).unwrap(), order: &order, processors: 2, time };
            let found = response_times(system, &mut Budget::new(100));
            assert_eq!(found, Ok(vec![2_000_000, 2_000_000, 9_000_000]), "{time}");
        }
    }
}
