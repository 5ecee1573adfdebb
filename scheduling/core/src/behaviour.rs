//! How tasks depart from the sporadic, independent, preemptable ones that [`Task`](crate::task::Task) describes.
//!
//! The processor may depart too: a [`Supply`] grants the whole set only a part of it.
//!
//! A set without departures is [`Behaviours::PLAIN`]. Who computes with tasks and does not know these departures must refuse a set
//! that has them: all of them make jobs wait longer or arrive closer together.

use crate::ratio::Ratio;
use crate::task::{TICKS_MAX, Ticks};
use core::fmt;

/// The departures of a whole set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Behaviours<'a> {
    /// One for each task; empty if no task departs.
    pub of_tasks: &'a [Departure],
    /// The critical sections of all tasks, one task's behind the other's.
    pub sections: &'a [CriticalSection],
    /// The protocol of all resources.
    pub locking: Locking,
    /// What the tasks have of their processor; `None` if all of it.
    pub supply: Option<Supply>,
    /// Where all tasks are periodic on one clock, one for each; empty if they arrive whenever they may. Other than departures, this leaves
    /// out arrivals: what is proven without it holds with it, and what is disproven without it need not miss.
    pub phases: &'a [Phase],
}

/// When the jobs of a periodic task arrive on the clock of its set, and how little each may need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Phase {
    /// O: when the first job arrives, and every other exactly a multiple of the period later.
    pub offset: Ticks,
    /// B: lower bound of the processor time one job needs; 0 if that is more than nothing and no more is known.
    pub best_case: Ticks,
}

/// What tasks have of their processor, at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Supply {
    /// The tasks run for `budget` in every `period`, which may be early in one and late in the next.
    ///
    /// It is not known when the first period begins, nor where the budget lies within each period (Shin, Lee, RTSS 2003).
    Periodic {
        /// Processor time in each period, in ticks: at least 1, at most the period.
        budget: Ticks,
        /// Distance of two periods' beginnings, in ticks.
        period: Ticks,
    },
    /// In every interval, wherever it begins, the tasks run for at least `rate` times what is left of it after `delay`.
    ///
    /// The bounded-delay model of Mok, Feng, Chen, RTAS 2001.
    BoundedDelay {
        /// Part of the processor: above 0, at most 1.
        rate: Ratio,
        /// How long it may stay away, in ticks.
        delay: Ticks,
    },
}

impl Supply {
    /// True within the invariants of the values, with times up to 2^48 ticks.
    pub fn is_possible(self) -> bool {
        match self {
            Self::Periodic { budget, period } => 0 < budget && budget <= period && period <= TICKS_MAX,
            Self::BoundedDelay { rate, delay } => {
                let is_short = rate.denominator() <= TICKS_MAX.into() && delay <= TICKS_MAX;
                !rate.is_zero() && rate <= Ratio::ONE && is_short
            }
        }
    }

    /// The rate in the long run, as a part of the processor.
    pub fn rate(self) -> Ratio {
        match self {
            Self::Periodic { budget, period } => Ratio::new(budget.into(), period.into()).unwrap_or_default(),
            Self::BoundedDelay { rate, .. } => rate,
        }
    }

    /// True if the processor is always there.
    pub fn is_whole(self) -> bool {
        match self {
            Self::Periodic { budget, period } => budget == period,
            Self::BoundedDelay { rate, delay } => rate == Ratio::ONE && delay == 0,
        }
    }
}

/// `4 in every 10 ticks`, or `2/5 of the processor after 6 ticks`.
impl fmt::Display for Supply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Periodic { budget, period } => write!(f, "{budget} in every {period} ticks"),
            Self::BoundedDelay { rate, delay } => write!(f, "{rate} of the processor after a delay of {delay} ticks"),
        }
    }
}

/// One task's departure, its sections among those of the set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Departure {
    /// The parts of a job in which it is not preempted.
    pub non_preemptive: NonPreemptive,
    /// How many jobs may arrive close together; `None` if arrivals are a period apart.
    pub burst: Option<Burst>,
    /// How many jobs may arrive in intervals of several lengths; `None` if none or a burst says so.
    pub curve: Option<ArrivalCurve>,
    /// How long a job suspends itself in all, at most; see [`Behaviour::suspension`].
    pub suspension: Ticks,
    /// What a job needs at most in high mode, if the task is of high criticality; see [`Behaviour::cost_high`].
    pub cost_high: Option<Ticks>,
    /// Where its sections end in the set's; they begin where those of the task before end.
    pub sections_end: usize,
}

impl<'a> Behaviours<'a> {
    /// Every task is sporadic, independent and preemptable at any instant, on a processor that is always there.
    pub const PLAIN: Self = Self { of_tasks: &[], sections: &[], locking: Locking::Srp, supply: None, phases: &[] };

    /// What task `index` does.
    pub fn of(&self, index: usize) -> Behaviour<'a> {
        let Some(departure) = self.of_tasks.get(index) else { return Behaviour::default() };
        let begin = index.checked_sub(1).and_then(|before| self.of_tasks.get(before)).map_or(0, |one| one.sections_end);
        let sections = self.sections.get(begin..departure.sections_end).unwrap_or_default();
        let &Departure { non_preemptive, burst, curve, suspension, cost_high, .. } = departure;
        Behaviour { non_preemptive, burst, curve, suspension, cost_high, sections }
    }

    /// What each task does, in order.
    pub fn iter(&self) -> impl Iterator<Item = Behaviour<'a>> + '_ {
        (0..self.of_tasks.len()).map(|index| self.of(index))
    }

    /// True if tasks lock resources under a protocol for several processors.
    pub const fn crosses_processors(&self) -> bool {
        self.locking.crosses_processors() && !self.sections.is_empty()
    }

    /// True if some task is of high criticality: then the others are of low criticality, and dropped in high mode.
    pub fn is_mixed(&self) -> bool {
        self.of_tasks.iter().any(|departure| departure.cost_high.is_some())
    }

    /// True if no task departs, and the processor is always there.
    pub fn is_plain(&self) -> bool {
        self.supply.is_none() && self.iter().all(|behaviour| behaviour.is_plain())
    }
}

/// What one task does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Behaviour<'a> {
    /// The parts of a job in which it is not preempted.
    pub non_preemptive: NonPreemptive,
    /// How many jobs may arrive close together; `None` if arrivals are a period apart.
    pub burst: Option<Burst>,
    /// How many jobs may arrive in intervals of several lengths; `None` if none or a burst says so.
    pub curve: Option<ArrivalCurve>,
    /// How long a job suspends itself in all, at most: at any instants of its choice and as often as it likes; 0 if never.
    pub suspension: Ticks,
    /// C(HI): what a job needs at most, at least C, if the task is of high criticality; `None` if it is of low criticality.
    ///
    /// A set with such a task has two modes. In low mode each job needs at most its task's C. When a job has executed for C and has not ended,
    /// high mode begins: all jobs of low criticality are dropped, and so are those that arrive. Low mode begins again when no job is pending.
    pub cost_high: Option<Ticks>,
    /// Its longest critical section of each resource, one after the other or properly nested.
    pub sections: &'a [CriticalSection],
}

impl Behaviour<'_> {
    /// True if the task is sporadic, independent, preemptable at any instant, and ready from its release until it ends.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// The parts of a job in which it is not preempted; lengths beyond the cost stand for all of it. Invariant: `last <= longest`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NonPreemptive {
    /// The longest of them, wherever in the job; 0 if it is always preemptable.
    pub longest: Ticks,
    /// The part that ends with the job; 0 if a job may be preempted until it ends.
    pub last: Ticks,
}

impl NonPreemptive {
    /// A job runs to its end once it has started, whatever it costs.
    pub const WHOLE: Self = Self { longest: Ticks::MAX, last: Ticks::MAX };

    /// Parts of at most `longest`, anywhere in the job.
    pub const fn floating(longest: Ticks) -> Self {
        Self { longest, last: 0 }
    }
}

/// At most `jobs` arrive in any half-open interval of length `within`, any two of them at least `distance` apart.
///
/// Invariant: `jobs >= 1`, `within >= 1`, `jobs * distance <= within`. Beside a burst, a task's period is the distance of evenly spaced
/// jobs, W/b rounded up: arrivals that are legal, so that they can disprove a set, and that no proof may rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Burst {
    /// b.
    pub jobs: u64,
    /// W.
    pub within: Ticks,
    /// d; 0 if they may arrive together.
    pub distance: Ticks,
}

/// At most `jobs` arrive in any half-open interval of length `within`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ArrivalStep {
    /// N.
    pub jobs: u64,
    /// W.
    pub within: Ticks,
}

/// How many jobs arrive at most in intervals of a few lengths, longer ones with more jobs.
///
/// Beside a curve, a task's period is the largest W/N, rounded up: arrivals so far apart keep to the curve.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArrivalCurve {
    steps: [ArrivalStep; ArrivalCurve::STEPS_MAX],
    count: usize,
}

impl ArrivalCurve {
    /// A curve has at most so many steps.
    pub const STEPS_MAX: usize = 24;
    /// A step has at most so many jobs.
    pub const JOBS_MAX: u64 = 64;

    /// A curve of `steps`; `None` unless there are 1 to 24, with 1 to 64 jobs in 1 to 2^48 ticks, both ascending.
    pub fn new(steps: &[ArrivalStep]) -> Option<Self> {
        let bounded =
            |step: &ArrivalStep| (1..=Self::JOBS_MAX).contains(&step.jobs) && (1..=TICKS_MAX).contains(&step.within);
        let ascend = |pair: &[ArrivalStep]| pair[0].jobs < pair[1].jobs && pair[0].within < pair[1].within;
        let is_one =
            (1..=Self::STEPS_MAX).contains(&steps.len()) && steps.iter().all(bounded) && steps.windows(2).all(ascend);
        let mut kept = [ArrivalStep::default(); Self::STEPS_MAX];
        kept.iter_mut().zip(steps).for_each(|(place, step)| *place = *step);
        is_one.then_some(Self { steps: kept, count: steps.len() })
    }

    /// The steps, ascending.
    pub fn steps(&self) -> &[ArrivalStep] {
        self.steps.get(..self.count).unwrap_or_default()
    }

    /// The step with the largest W/N, which decides in the long run; of equal ones the one with the fewest jobs.
    pub fn longest(&self) -> ArrivalStep {
        let mut longest = self.steps[0];
        for step in self.steps() {
            let (one, other) = (u128::from(step.within), u128::from(longest.within));
            if one * u128::from(longest.jobs) > other * u128::from(step.jobs) {
                longest = *step;
            }
        }
        longest
    }
}

impl core::fmt::Debug for ArrivalCurve {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.steps()).finish()
    }
}

/// The longest use of one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CriticalSection {
    /// Number of the resource in the set.
    pub resource: u32,
    /// How long a job holds it at most, nested sections included.
    pub length: Ticks,
    /// How often a job requests it at most; matters only where protocols cross processors. At least 1.
    pub requests: u32,
}

impl CriticalSection {
    /// One request of `resource`, held for at most `length`.
    pub const fn once(resource: u32, length: Ticks) -> Self {
        Self { resource, length, requests: 1 }
    }
}

/// The mode of a system whose tasks have two criticalities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CriticalityMode {
    /// All jobs run, and none has run longer than its cost.
    Low,
    /// A job has run longer than its cost: only jobs of high criticality run.
    High,
}

crate::words!(CriticalityMode: Low => "low", High => "high");

/// What a lock does for those who wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Locking {
    /// Stack resource policy (Baker 1991): a job starts only if all that it may need is free. A started job is not preempted by
    /// one of equal deadline.
    #[default]
    Srp,
    /// Priority ceiling protocol (Sha, Rajkumar, Lehoczky 1990).
    Pcp,
    /// Priority inheritance (the same paper); sections must not nest.
    Pip,
    /// Multiprocessor stack resource policy (Gai, Lipari, Di Natale 2001): whoever requests a resource that several processors use is not
    /// preempted until it gives it back, and spins while it waits, first come first served. Other resources are under SRP.
    Msrp,
    /// FIFO semaphores (Brandenburg, dissertation, 2011; the partitioned FMLP+): who waits is suspended, who holds is more urgent than
    /// all that do not; of several on a processor the earliest request runs.
    Fmlp,
    /// Multiprocessor priority ceiling protocol (Rajkumar 1990): the most urgent waits least, and who holds is more urgent than all that do
    /// not.
    Mpcp,
}

crate::words!(Locking:
    Srp => "srp", Pcp => "pcp", Pip => "pip", Msrp => "msrp", Fmlp => "fmlp+", Mpcp => "mpcp");

impl Locking {
    /// True if tasks of several processors may share resources under it. Critical sections must not nest then.
    pub const fn crosses_processors(self) -> bool {
        matches!(self, Self::Msrp | Self::Fmlp | Self::Mpcp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(steps: &[(u64, Ticks)]) -> Option<ArrivalCurve> {
        let mut kept = [ArrivalStep::default(); ArrivalCurve::STEPS_MAX];
        kept.iter_mut()
            .zip(steps)
            .for_each(|(place, (jobs, within))| *place = ArrivalStep { jobs: *jobs, within: *within });
        ArrivalCurve::new(&kept[..steps.len()])
    }

    #[test]
    fn steps_ascend_in_both_numbers() {
        assert!(curve(&[(1, 5), (3, 20)]).is_some());
        for wrong in [&[(1, 5), (3, 5)][..], &[(3, 5), (3, 20)], &[(1, 20), (3, 5)], &[]] {
            assert!(curve(wrong).is_none(), "{wrong:?}");
        }
    }

    #[test]
    fn the_longest_step_decides_and_of_equal_ones_the_first() {
        let longest = |steps| curve(steps).map(|curve| (curve.longest().jobs, curve.longest().within));
        assert_eq!(longest(&[(1, 5), (3, 20), (4, 21)]), Some((3, 20)));
        assert_eq!(longest(&[(1, 5), (3, 15)]), Some((1, 5)));
    }
}
