//! Accounting for fixed priorities on one processor: every interrupt becomes a task above all others (Brandenburg 2011,
//! chapter 3).
//!
//! ```text
//! tick      C = tick,     T = Q,    J = event
//! release   C = release,  T = T_i,  J = event              one for each task
//! task      C' = C + load(w) + 2 (scheduling + switch) + max delay(w),   J' = J + event + release
//! ```
//!
//! With a processor of its own for the release interrupts there are no release tasks, and J' grows by the IPI latency. The
//! delay is the largest of all tasks that share the processor. A response-time analysis that knows jitter does the rest.
//!
//! It holds on one processor only: an interrupt is bound to its processor, and under global scheduling it would stop a job
//! while another processor idles, which no task in the analysis can do. So clusters of several processors are charged by
//! [`super::preemption_centric()`], which holds for every policy that fixes a job's priority, this one too.

use super::amounts::{Amount, Amounts, ByCount};
use super::number::Number;
use super::{Accounting, Charged, Overload, PreemptionCentric};
use crate::exact::{self, Interval, Rational};
use crate::{Task, Ticks};
use prazo_core::overheads::Overheads;
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// Charges `tasks`, which share one processor; within the limits of a `TaskSet`.
pub fn fixed_priority(tasks: &[Task], overheads: &Overheads<'_>) -> Result<Charged, Overload> {
    let members: Vec<usize> = (0..tasks.len()).collect();
    charge(&mut Amounts::of(overheads, tasks)?, tasks, &members)
}

/// The accounting for a whole set, of which any part may be charged.
#[derive(Clone, Debug)]
pub struct FixedPriority<'a>(PreemptionCentric<'a>);

impl<'a> FixedPriority<'a> {
    /// Looks up what depends on the working sets of `tasks`.
    pub fn new(tasks: &[Task], overheads: &Overheads<'a>) -> Result<Self, Overload> {
        PreemptionCentric::new(tasks, overheads).map(Self)
    }
}

impl Accounting for FixedPriority<'_> {
    fn charge(&mut self, tasks: &[Task], members: &[usize], processors: u32) -> Result<Charged, Overload> {
        if processors > 1 {
            return self.0.charge(tasks, members, processors);
        }
        charge(&mut self.0.0, tasks, members)
    }
}

fn charge(amounts: &mut Amounts<'_>, tasks: &[Task], members: &[usize]) -> Result<Charged, Overload> {
    let by_count = amounts.for_count(tasks.len())?;
    let overheads = *amounts.overheads();
    let delay = amounts.largest_delay(members);
    let mut charged = interrupts(&by_count, &overheads, tasks);
    let first_real = charged.len();
    if exact::compare_sum(charged.iter().map(|task| (task.cost, task.period)), Ratio::ONE) != Ordering::Less {
        return Err(Overload::Interrupts);
    }
    let mut extrapolated = by_count.extrapolated() || delay.extrapolated;
    extrapolated |= overheads.dedicated_interrupt_processor && by_count.ipi_latency.extrapolated;
    for (index, (task, member)) in tasks.iter().zip(members).enumerate() {
        let own = amounts.of_task(*member);
        extrapolated |= own.initial_load.extrapolated;
        let switches = [by_count.scheduling, by_count.context_switch];
        let cost = ceil_sum(task.cost, &[switches, switches, [own.initial_load, delay]].concat());
        let jitter = ceil_sum(task.jitter, &delays(&by_count, &overheads));
        charged.push(within_limits(index, Task { cost, jitter, ..*task })?);
    }
    Ok(Charged { tasks: charged, first_real, extrapolated })
}

/// The interrupts of one processor as tasks, the tick first.
fn interrupts(by_count: &ByCount, overheads: &Overheads<'_>, tasks: &[Task]) -> Vec<Task> {
    // A release comes as late as its own task may, and the timer's lateness is added.
    let interrupt = |amount: &Amount, period, jitter| {
        let jitter = ceil_sum(jitter, &[by_count.event_latency]);
        Task { jitter, ..Task::implicit(ceil_sum(0, &[*amount]), period) }
    };
    let tick = overheads.tick_period.filter(|_| !by_count.tick.exact.is_zero());
    let mut interrupts: Vec<Task> = tick.map(|period| interrupt(&by_count.tick, period, 0)).into_iter().collect();
    if !overheads.dedicated_interrupt_processor && !by_count.release.exact.is_zero() {
        interrupts.extend(tasks.iter().map(|task| interrupt(&by_count.release, task.period, task.jitter)));
    }
    interrupts
}

/// How much later than its arrival a job may be released.
fn delays(by_count: &ByCount, overheads: &Overheads<'_>) -> [Amount; 3] {
    let ipi = if overheads.dedicated_interrupt_processor { by_count.ipi_latency } else { Amount::NOTHING };
    [by_count.event_latency, by_count.release, ipi]
}

/// `start` and all of `amounts`, rounded up once.
fn ceil_sum(start: Ticks, amounts: &[Amount]) -> Ticks {
    fn sum<N: Number>(start: Ticks, amounts: &[Amount]) -> Option<Ticks> {
        amounts.iter().fold(N::whole(start), |sum, amount| sum.plus(N::amount(amount))).round_up()
    }
    sum::<Interval>(start, amounts).or_else(|| sum::<Rational>(start, amounts)).unwrap_or(Ticks::MAX)
}

/// Refuses what no test could accept: a response time is at least C' and at least J' + 1.
fn within_limits(index: usize, task: Task) -> Result<Task, Overload> {
    if task.jitter >= task.deadline {
        return Err(Overload::Latency { task: index });
    }
    match task.window() {
        window if task.cost > window => Err(Overload::Task { task: index, cost: task.cost, window }),
        _ => Ok(task),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::overheads::Overhead;

    fn constant(text: &str) -> Overhead<'static> {
        Overhead::constant(text.parse().unwrap())
    }

    fn platform() -> Overheads<'static> {
        Overheads {
            release: constant("1.5"),
            scheduling: constant("0.25"),
            context_switch: constant("2"),
            tick: constant("3.25"),
            tick_period: Some(1_000),
            ipi_latency: constant("4"),
            event_latency: constant("0.75"),
            cache_delay: constant("10"),
            initial_cache_load: constant("0.5"),
            dedicated_interrupt_processor: false,
        }
    }

    fn task(cost: Ticks, period: Ticks, jitter: Ticks) -> Task {
        Task { jitter, ..Task::implicit(cost, period) }
    }

    #[test]
    fn interrupts_become_tasks_above_the_real_ones() {
        // C + 0.5 + 2 (0.25 + 2) + 10 = C + 15; J + 0.75 + 1.5 = J + 2.25, rounded up once.
        let tasks = [task(5, 100, 0), task(9, 200, 1)];
        let charged = fixed_priority(&tasks, &platform()).unwrap();
        // A release is as late as the timer, and as its own task: 0 + 0.75 and 1 + 0.75, rounded up.
        let interrupts = [task(4, 1_000, 1), task(2, 100, 1), task(2, 200, 2)];
        assert_eq!(charged.tasks, [&interrupts[..], &[task(20, 100, 3), task(24, 200, 4)]].concat());
        assert_eq!((charged.first_real, charged.extrapolated), (3, false));
    }

    #[test]
    fn a_processor_for_interrupts_takes_the_release_tasks_away() {
        let tasks = [task(5, 100, 0)];
        let platform = Overheads { dedicated_interrupt_processor: true, ..platform() };
        let charged = fixed_priority(&tasks, &platform).unwrap();
        assert_eq!(charged.tasks, [task(4, 1_000, 1), task(20, 100, 7)]);
        assert_eq!(charged.first_real, 1);
    }

    #[test]
    fn a_platform_that_costs_nothing_changes_nothing() {
        let tasks = [task(5, 100, 3), task(9, 200, 0)];
        assert_eq!(fixed_priority(&tasks, &Overheads::NONE).unwrap().tasks, tasks);
    }

    #[test]
    fn overloads_are_told_apart() {
        let release = |text| Overheads { release: constant(text), ..Overheads::NONE };
        assert_eq!(fixed_priority(&[task(1, 10, 0); 2], &release("5")), Err(Overload::Interrupts));
        assert_eq!(fixed_priority(&[task(1, 10, 6)], &release("4")), Err(Overload::Latency { task: 0 }));
        let slow = Overheads { context_switch: constant("5"), ..Overheads::NONE };
        assert_eq!(fixed_priority(&[task(1, 10, 0)], &slow), Err(Overload::Task { task: 0, cost: 11, window: 10 }));
    }

    #[test]
    fn clusters_of_several_processors_are_charged_by_preemptions() {
        let tasks = [task(5, 100, 0), task(9, 200, 1)];
        let cluster = FixedPriority::new(&tasks, &platform()).unwrap().charge(&tasks, &[0, 1], 2);
        assert_eq!(cluster, super::super::preemption_centric(&tasks, 2, &platform()));
    }
}
