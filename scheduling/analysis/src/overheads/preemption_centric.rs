//! Preemption-centric accounting for jobs of fixed priority, EDF above all (Brandenburg 2011, chapter 3).
//!
//! A job causes at most one preemption, so it pays for two passes of the scheduler (its own start and the resumption of the
//! job that it preempted), two context switches, and the reload of what the *other* job lost in the caches. Interrupts run
//! above every job: they leave it the share s of a processor, and each of its two passes may meet a burst of them.
//!
//! ```text
//! s     = 1 - tick/Q - sum release/T_i
//! burst = tick + n release + event (1 - s)
//! C'    = (C + load(w) + 2 (scheduling + switch) + max over j != i of delay(w_j) + 2 burst) / s
//!           [ + ipi, where another processor can take the release ]
//! T'    = T - event,   D' = D - event
//! ```
//!
//! The arrivals of a task lie T apart, so that each counts once in a burst: tasks with release jitter of their own are refused
//! where releases interrupt.
//!
//! With a processor of its own for the release interrupts, they leave s and burst and are paid once by the job, with the IPI.

use super::amounts::{Amount, Amounts, ByCount};
use super::number::Number;
use super::{Accounting, Charged, Overload};
use crate::exact::{Interval, Rational};
use crate::{Task, Ticks};
use prazo_core::overheads::Overheads;
use prazo_core::ratio::Ratio;
use std::cell::OnceCell;
use std::cmp::Ordering;

/// Charges `tasks`, which share one queue served by `processors_sharing` processors; within the limits of a `TaskSet`.
pub fn preemption_centric(
    tasks: &[Task],
    processors_sharing: u32,
    overheads: &Overheads<'_>,
) -> Result<Charged, Overload> {
    let members: Vec<usize> = (0..tasks.len()).collect();
    PreemptionCentric::new(tasks, overheads)?.charge(tasks, &members, processors_sharing)
}

/// The accounting for a whole set, of which any part may be charged.
#[derive(Clone, Debug)]
pub struct PreemptionCentric<'a>(pub(super) Amounts<'a>);

impl<'a> PreemptionCentric<'a> {
    /// Looks up what depends on the working sets of `tasks`.
    pub fn new(tasks: &[Task], overheads: &Overheads<'a>) -> Result<Self, Overload> {
        Amounts::of(overheads, tasks).map(Self)
    }
}

impl Accounting for PreemptionCentric<'_> {
    fn charge(&mut self, tasks: &[Task], members: &[usize], processors: u32) -> Result<Charged, Overload> {
        let platform = Platform {
            by_count: self.0.for_count(tasks.len())?,
            tick_period: self.0.overheads().tick_period,
            dedicated: self.0.overheads().dedicated_interrupt_processor,
            sends_ipis: processors > 1 || self.0.overheads().dedicated_interrupt_processor,
        };
        if let Some(task) =
            tasks.iter().position(|task| task.jitter > 0).filter(|_| platform.is_interrupted_by_releases())
        {
            return Err(Overload::ReleaseJitter { task });
        }
        let company = Company::new(platform, tasks)?;
        let delays = self.0.largest_delays_of_others(members);
        let mut extrapolated = platform.extrapolated();
        let mut charged = Vec::with_capacity(tasks.len());
        for (index, (member, delay)) in members.iter().zip(&delays).enumerate() {
            let own = self.0.of_task(*member);
            extrapolated |= own.initial_load.extrapolated || delay.extrapolated;
            charged.push(company.charge(index, &own.initial_load, delay)?);
        }
        Ok(Charged { tasks: charged, first_real: 0, extrapolated })
    }
}

/// Amounts for a queue of so many tasks, and who takes the interrupts.
#[derive(Clone, Copy)]
struct Platform {
    by_count: ByCount,
    tick_period: Option<Ticks>,
    dedicated: bool,
    sends_ipis: bool,
}

impl Platform {
    fn extrapolated(&self) -> bool {
        self.by_count.extrapolated() || (self.sends_ipis && self.by_count.ipi_latency.extrapolated)
    }

    fn is_interrupted_by_releases(&self) -> bool {
        !self.dedicated && !self.by_count.release.exact.is_zero()
    }

    /// 1 - s: the share of a processor that interrupts take.
    fn interrupt_share<N: Number>(&self, tasks: &[Task]) -> Option<N> {
        let ticks = match self.tick_period {
            Some(period) => N::amount(&self.by_count.tick).over(N::whole(period))?,
            None => N::whole(0),
        };
        if !self.is_interrupted_by_releases() {
            return Some(ticks);
        }
        Some(ticks.plus(N::amount(&self.by_count.release).times(N::arrival_rate(tasks))?))
    }

    /// The longest burst of interrupts that one pass of the scheduler can meet.
    fn burst<N: Number>(&self, count: usize, interrupt_share: N) -> Option<N> {
        let late = N::amount(&self.by_count.event_latency).times(interrupt_share)?;
        let ticks = N::amount(&self.by_count.tick).plus(late);
        if self.dedicated {
            return Some(ticks);
        }
        Some(ticks.plus(N::amount(&self.by_count.release).times(N::whole(count as u64))?))
    }
}

/// What every job of a queue pays alike, in one way of calculating.
#[derive(Clone)]
struct Shared<N> {
    /// 1/s.
    stretch: N,
    /// Added to C before it is stretched.
    inside: N,
    /// Added after.
    outside: N,
}

impl<N: Number> Shared<N> {
    /// `None` if interrupts leave nothing, or if this way of calculating cannot tell.
    fn of(platform: &Platform, tasks: &[Task]) -> Option<Self> {
        let amounts = &platform.by_count;
        let interrupt_share: N = platform.interrupt_share(tasks)?;
        let burst = platform.burst(tasks.len(), interrupt_share.clone())?;
        let pass = N::amount(&amounts.scheduling).plus(N::amount(&amounts.context_switch)).plus(burst);
        let ipi = if platform.sends_ipis { &amounts.ipi_latency } else { &Amount::NOTHING };
        let release = if platform.dedicated { &amounts.release } else { &Amount::NOTHING };
        Some(Self {
            stretch: N::whole(1).over(interrupt_share.rest_of_one()?)?,
            inside: pass.clone().plus(pass),
            outside: N::amount(ipi).plus(N::amount(release)),
        })
    }

    /// C', rounded up.
    fn cost(self, cost: Ticks, initial_load: &Amount, delay: &Amount) -> Option<Ticks> {
        let inside = N::whole(cost).plus(N::amount(initial_load)).plus(N::amount(delay)).plus(self.inside);
        inside.times(self.stretch)?.plus(self.outside).round_up()
    }
}

/// The tasks of one queue with what they pay, between bounds and, should those not decide, exactly.
struct Company<'t> {
    platform: Platform,
    tasks: &'t [Task],
    bounds: Option<Shared<Interval>>,
    exact: OnceCell<Option<Shared<Rational>>>,
}

impl<'t> Company<'t> {
    fn new(platform: Platform, tasks: &'t [Task]) -> Result<Self, Overload> {
        let share: Option<Interval> = platform.interrupt_share(tasks);
        let bounds = match share.and_then(|share| share.compare(Ratio::ONE)) {
            Some(Ordering::Less) => Shared::of(&platform, tasks),
            Some(_) => return Err(Overload::Interrupts),
            None => None,
        };
        let company = Self { platform, tasks, bounds, exact: OnceCell::new() };
        if company.bounds.is_none() {
            company.exactly()?;
        }
        Ok(company)
    }

    fn exactly(&self) -> Result<Shared<Rational>, Overload> {
        self.exact.get_or_init(|| Shared::of(&self.platform, self.tasks)).clone().ok_or(Overload::Interrupts)
    }

    /// The task at `index` with everything charged.
    fn charge(&self, index: usize, initial_load: &Amount, delay: &Amount) -> Result<Task, Overload> {
        let task = &self.tasks[index];
        let bounds = self.bounds.clone();
        let cost = match bounds.and_then(|shared| shared.cost(task.cost, initial_load, delay)) {
            Some(cost) => cost,
            None => self.exactly()?.cost(task.cost, initial_load, delay).unwrap_or(Ticks::MAX),
        };
        let latency = self.platform.by_count.event_latency.exact.ceil();
        let less = |time: Ticks| time.checked_sub(u64::try_from(latency).ok()?).filter(|rest| *rest > 0);
        let (Some(period), Some(deadline)) = (less(task.period), less(task.deadline)) else {
            return Err(Overload::Latency { task: index });
        };
        let charged = Task { cost, period, deadline, ..*task };
        match charged.window() {
            window if cost > window => Err(Overload::Task { task: index, cost, window }),
            _ => Ok(charged),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::overheads::{Function, Overhead};

    fn constant(text: &str) -> Overhead<'static> {
        Overhead::constant(text.parse().unwrap())
    }

    /// The same accounting as the literature writes it, one task after the other, in fractions of any length.
    fn twin(tasks: &[Task], processors: u32, overheads: &Overheads<'_>) -> Result<Vec<Task>, Overload> {
        let number = |value: u64| Rational::from(value);
        let at = |overhead: &Overhead<'_>, count| Rational::from(overhead.at(count).unwrap().value);
        let dedicated = overheads.dedicated_interrupt_processor;
        let n = tasks.len() as u64;
        let (rel, ev, ipi) =
            (at(&overheads.release, n), at(&overheads.event_latency, n), at(&overheads.ipi_latency, n));
        let tck = if overheads.tick_period.is_some() { at(&overheads.tick, n) } else { number(0) };
        let switch = at(&overheads.scheduling, n) + at(&overheads.context_switch, n);
        let u_tck = tck.clone() / number(overheads.tick_period.unwrap_or(1));
        let mut u_irq = number(0);
        for task in tasks.iter().filter(|_| !dedicated) {
            u_irq = u_irq + rel.clone() / number(task.period);
        }
        let s = number(1) - u_tck.clone() - u_irq.clone();
        if !s.is_positive() {
            return Err(Overload::Interrupts);
        }
        let own = if dedicated { number(0) } else { number(n) * rel.clone() + ev.clone() * u_irq };
        let c_pre = (tck + ev.clone() * u_tck + own) / s.clone();
        let mut charged = Vec::new();
        for (i, task) in tasks.iter().enumerate() {
            let others = tasks.iter().enumerate().filter(|(j, _)| *j != i);
            let delay = others.map(|(_, other)| at(&overheads.cache_delay, other.working_set_kib)).max();
            let load = at(&overheads.initial_cache_load, task.working_set_kib);
            let inside = number(task.cost) + load + number(2) * switch.clone() + delay.unwrap_or(number(0));
            let mut cost = inside / s.clone() + number(2) * c_pre.clone();
            if processors > 1 || dedicated {
                cost = cost + ipi.clone();
            }
            if dedicated {
                cost = cost + rel.clone();
            }
            let (cost, late) = (cost.ceil().unwrap_or(Ticks::MAX), ev.ceil().unwrap());
            if late >= task.period.min(task.deadline) {
                return Err(Overload::Latency { task: i });
            }
            let (period, deadline) = (task.period - late, task.deadline - late);
            if cost > period.min(deadline) {
                return Err(Overload::Task { task: i, cost, window: period.min(deadline) });
            }
            charged.push(Task { cost, period, deadline, ..*task });
        }
        Ok(charged)
    }

    /// Small round numbers, so that exact equalities and overloads are frequent.
    fn random_platform(random: &mut fastrand::Rng) -> Overheads<'static> {
        let scale = [1, 15][random.usize(0..2)];
        let mut small = |most: u128| {
            let most = scale * most;
            let value = Ratio::new(random.u128(0..=most), [1, 2, 3, 10][random.usize(0..4)]).unwrap();
            Overhead::constant(if random.bool() { value } else { Ratio::ZERO })
        };
        let mut by_kib = small(3);
        if let Function::Constant(base) = by_kib.amount {
            by_kib.amount = Function::Affine { base, slope: Ratio::new(1, 4).unwrap() };
        }
        let [release, scheduling, context_switch, tick, ipi_latency, event_latency] = [(); 6].map(|()| small(6));
        Overheads {
            release,
            scheduling,
            context_switch,
            tick,
            tick_period: [None, Some(7), Some(100)][random.usize(0..3)],
            ipi_latency,
            event_latency,
            cache_delay: by_kib,
            initial_cache_load: constant("0.5"),
            dedicated_interrupt_processor: random.bool(),
        }
    }

    #[test]
    fn agrees_with_exact_fractions_on_random_sets() {
        let seed = 20_090;
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        let mut outcomes = [0; 4];
        for round in 0..20_000 {
            let scale = [1, 10, 1_000, 1 << 38][round % 4];
            let tasks: Vec<Task> = (0..random.usize(1..9))
                .map(|_| {
                    let (period, working_set_kib) = (scale * random.u64(20..400), random.u64(0..9));
                    let cost = random.u64(1..=period / 4);
                    Task { working_set_kib, ..Task::new(cost, period, random.u64(period / 2..=2 * period)) }
                })
                .collect();
            let (overheads, processors) = (random_platform(&mut random), random.u32(1..4));
            let fast = preemption_centric(&tasks, processors, &overheads).map(|charged| charged.tasks);
            assert_eq!(fast, twin(&tasks, processors, &overheads), "{tasks:?} on {processors} with {overheads:?}");
            outcomes[match fast {
                Ok(_) => 0,
                Err(Overload::Interrupts) => 1,
                Err(Overload::Task { .. }) => 2,
                Err(_) => 3,
            }] += 1;
        }
        println!("charged, interrupts, task, latency: {outcomes:?}");
        assert!(outcomes.iter().all(|count| *count > 50), "{outcomes:?}");
    }

    #[test]
    fn a_platform_that_costs_nothing_changes_nothing() {
        let tasks = [Task::new(3, 10, 7), Task { working_set_kib: 64, jitter: 2, ..Task::implicit(1 << 47, 1 << 48) }];
        for processors in [1, 4] {
            let charged = preemption_centric(&tasks, processors, &Overheads::NONE).unwrap();
            assert_eq!(charged, Charged { tasks: tasks.to_vec(), first_real: 0, extrapolated: false });
        }
    }

    #[test]
    fn a_job_pays_for_the_caches_of_others_only() {
        let task = |working_set_kib| Task { working_set_kib, ..Task::implicit(10, 1_000) };
        let slope = Ratio::ONE;
        let delay = Overhead { amount: Function::Affine { base: Ratio::ZERO, slope }, ..Overhead::NONE };
        let platform = Overheads { cache_delay: delay, ..Overheads::NONE };
        let costs = |tasks: &[Task]| -> Vec<Ticks> {
            preemption_centric(tasks, 1, &platform).unwrap().tasks.iter().map(|task| task.cost).collect()
        };
        assert_eq!(costs(&[task(5), task(9), task(2)]), [19, 15, 19]);
        assert_eq!(costs(&[task(9), task(9)]), [19, 19]);
        assert_eq!(costs(&[task(9)]), [10]);
    }

    #[test]
    fn interrupts_that_leave_exactly_nothing_are_an_overload() {
        // 1/3 + 2/6 + 1/3: the bounds of the sum enclose one, so that only exact fractions can tell.
        let tasks = [Task::implicit(1, 3), Task::implicit(1, 6), Task::implicit(1, 6)];
        let third = Overheads { tick: constant("1"), tick_period: Some(3), ..Overheads::NONE };
        let full = Overheads { release: constant("1"), ..third };
        assert_eq!(preemption_centric(&tasks, 1, &full), Err(Overload::Interrupts));
        let almost = Overheads { release: constant("0.99999999999999999999999999999999"), ..third };
        let cost = Ticks::MAX;
        assert_eq!(preemption_centric(&tasks, 1, &almost), Err(Overload::Task { task: 0, cost, window: 3 }));
    }

    #[test]
    fn a_latency_as_long_as_a_deadline_is_named() {
        let tasks = [Task::implicit(1, 100), Task::new(1, 100, 20)];
        let platform = Overheads { event_latency: constant("19.5"), ..Overheads::NONE };
        assert_eq!(preemption_centric(&tasks, 1, &platform), Err(Overload::Latency { task: 1 }));
    }

    #[test]
    fn tables_that_cannot_be_computed_with_are_named() {
        let tasks = [Task::implicit(1, 100)];
        let empty = Overhead { amount: Function::Table(&[]), ..Overhead::NONE };
        let platform = Overheads { scheduling: empty, ..Overheads::NONE };
        assert_eq!(preemption_centric(&tasks, 1, &platform), Err(Overload::Unusable("scheduling overhead")));
        let platform = Overheads { cache_delay: constant("1e15"), ..Overheads::NONE };
        assert_eq!(preemption_centric(&tasks, 1, &platform), Err(Overload::Unusable("cache delay")));
        let platform = Overheads { tick_period: Some(0), ..Overheads::NONE };
        assert_eq!(preemption_centric(&tasks, 1, &platform), Err(Overload::Unusable("tick period")));
    }

    #[test]
    fn what_lies_beyond_a_table_is_marked() {
        let points = [(1, Ratio::ONE), (2, Ratio::ONE)];
        let table = Overhead { amount: Function::Table(&points), ..Overhead::NONE };
        let tasks = [Task::implicit(1, 100); 3];
        let extrapolated = |platform: &Overheads<'_>, processors, count| {
            preemption_centric(&tasks[..count], processors, platform).unwrap().extrapolated
        };
        let release = Overheads { release: table, ..Overheads::NONE };
        assert!(!extrapolated(&release, 1, 2));
        assert!(extrapolated(&release, 1, 3));
        let ipi = Overheads { ipi_latency: table, ..Overheads::NONE };
        assert!(!extrapolated(&ipi, 1, 3), "one processor sends itself no interrupt");
        assert!(extrapolated(&ipi, 2, 3));
    }
}
