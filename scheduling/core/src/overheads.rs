//! What an operating system adds to a task's cost: measured on one side, charged by analysis and simulator on the other.
//!
//! Every overhead is a function of the number of tasks that share a ready queue, every cache delay one of the working set.
//! Tables are borrowed, so that a kernel without a heap can hold them. Terms as in Vitor 2013 section II-A and Brandenburg
//! 2011 chapter 3; amounts are exact fractions of a tick, and never below zero.

use crate::ratio::Ratio;
use crate::task::Ticks;

/// How an amount depends on a count (tasks, or KiB of working set); `P` holds its points, borrowed or owned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AmountBy<P> {
    /// The same for every count.
    Constant(Ratio),
    /// `base + slope * count`.
    Affine {
        /// The amount at zero.
        base: Ratio,
        /// What each more adds.
        slope: Ratio,
    },
    /// The amount of the first point at or above the count; the last one beyond. Points ascend in both numbers.
    Table(P),
    /// Straight lines between the points, the first point's amount below them, the last line's slope beyond. Points ascend.
    Linear(P),
}

/// One that borrows its points.
pub type Function<'a> = AmountBy<&'a [(u64, Ratio)]>;

/// An amount, and whether the table reached that far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// The amount in ticks.
    pub value: Ratio,
    /// True if the count lies beyond the last measured point.
    pub extrapolated: bool,
}

/// Where a function's numbers come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Provenance<'a> {
    /// What stands behind it: a run file, a paper's figure, an assumption.
    pub source: &'a str,
    /// Which statistic of the samples it is: max, p99.9, mean; empty where not stated.
    pub statistic: &'a str,
    /// How many samples; zero where not stated.
    pub samples: u64,
}

/// One overhead with its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overhead<'a> {
    /// The amount in ticks by count.
    pub amount: Function<'a>,
    /// Where it is from.
    pub provenance: Provenance<'a>,
}

impl Overhead<'_> {
    /// Nothing at all, by assumption.
    pub const NONE: Overhead<'static> = Overhead::constant(Ratio::ZERO);

    /// The same amount for every count, source not stated.
    pub const fn constant(value: Ratio) -> Overhead<'static> {
        Overhead { amount: Function::Constant(value), provenance: Provenance { source: "", statistic: "", samples: 0 } }
    }

    /// The amount for `count`; `None` where 128 bits do not hold it.
    pub fn at(&self, count: u64) -> Option<Amount> {
        self.amount.at(count)
    }
}

/// What a platform adds to every task, by number of tasks or by working set; `O` describes one overhead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverheadSet<O> {
    /// Interrupt that makes a job ready; by number of tasks.
    pub release: O,
    /// Choice of the next job; by number of tasks.
    pub scheduling: O,
    /// Change of stack and registers; by number of tasks.
    pub context_switch: O,
    /// Timer interrupt of the scheduler's clock; by number of tasks.
    pub tick: O,
    /// Distance of two ticks; `None` where there is no periodic tick, and then `tick` is not charged.
    pub tick_period: Option<Ticks>,
    /// Request to entry of an interrupt between processors; by number of tasks.
    pub ipi_latency: O,
    /// Programmed time to entry of the release interrupt; by number of tasks.
    pub event_latency: O,
    /// What a preemption or migration costs in lost cache contents; by KiB of working set.
    pub cache_delay: O,
    /// What a job's first fetch of its working set costs; by KiB of working set.
    pub initial_cache_load: O,
    /// True if one processor of its own takes the release interrupts.
    pub dedicated_interrupt_processor: bool,
}

/// Those whose tables are borrowed.
pub type Overheads<'a> = OverheadSet<Overhead<'a>>;

/// One overhead of [`OverheadSet`], by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OverheadField {
    /// `release`.
    Release,
    /// `scheduling`.
    Scheduling,
    /// `context_switch`.
    ContextSwitch,
    /// `tick`; charged only where there is a tick period.
    Tick,
    /// `ipi_latency`.
    IpiLatency,
    /// `event_latency`.
    EventLatency,
    /// `cache_delay`.
    CacheDelay,
    /// `initial_cache_load`.
    InitialCacheLoad,
}

crate::words!(OverheadField:
    Release => "release",
    Scheduling => "scheduling",
    ContextSwitch => "context_switch",
    Tick => "tick",
    IpiLatency => "ipi_latency",
    EventLatency => "event_latency",
    CacheDelay => "cache_delay",
    InitialCacheLoad => "initial_cache_load",
);

impl<O> OverheadSet<O> {
    /// The overhead of this name.
    pub const fn of(&self, field: OverheadField) -> &O {
        match field {
            OverheadField::Release => &self.release,
            OverheadField::Scheduling => &self.scheduling,
            OverheadField::ContextSwitch => &self.context_switch,
            OverheadField::Tick => &self.tick,
            OverheadField::IpiLatency => &self.ipi_latency,
            OverheadField::EventLatency => &self.event_latency,
            OverheadField::CacheDelay => &self.cache_delay,
            OverheadField::InitialCacheLoad => &self.initial_cache_load,
        }
    }

    /// The same, to be changed.
    pub const fn of_mut(&mut self, field: OverheadField) -> &mut O {
        match field {
            OverheadField::Release => &mut self.release,
            OverheadField::Scheduling => &mut self.scheduling,
            OverheadField::ContextSwitch => &mut self.context_switch,
            OverheadField::Tick => &mut self.tick,
            OverheadField::IpiLatency => &mut self.ipi_latency,
            OverheadField::EventLatency => &mut self.event_latency,
            OverheadField::CacheDelay => &mut self.cache_delay,
            OverheadField::InitialCacheLoad => &mut self.initial_cache_load,
        }
    }

    /// The same tick and processors with `of` of each overhead.
    pub fn map<'a, P>(&'a self, mut of: impl FnMut(&'a O) -> P) -> OverheadSet<P> {
        OverheadSet {
            release: of(&self.release),
            scheduling: of(&self.scheduling),
            context_switch: of(&self.context_switch),
            tick: of(&self.tick),
            tick_period: self.tick_period,
            ipi_latency: of(&self.ipi_latency),
            event_latency: of(&self.event_latency),
            cache_delay: of(&self.cache_delay),
            initial_cache_load: of(&self.initial_cache_load),
            dedicated_interrupt_processor: self.dedicated_interrupt_processor,
        }
    }
}

impl Overheads<'_> {
    /// A platform that costs nothing.
    pub const NONE: Overheads<'static> = Overheads {
        release: Overhead::NONE,
        scheduling: Overhead::NONE,
        context_switch: Overhead::NONE,
        tick: Overhead::NONE,
        tick_period: None,
        ipi_latency: Overhead::NONE,
        event_latency: Overhead::NONE,
        cache_delay: Overhead::NONE,
        initial_cache_load: Overhead::NONE,
        dedicated_interrupt_processor: false,
    };
}

impl<P> Default for AmountBy<P> {
    /// Nothing for every count.
    fn default() -> Self {
        Self::Constant(Ratio::ZERO)
    }
}

impl<P: AsRef<[(u64, Ratio)]>> AmountBy<P> {
    /// The same, borrowed.
    pub fn borrow(&self) -> Function<'_> {
        match self {
            Self::Constant(value) => Function::Constant(*value),
            Self::Affine { base, slope } => Function::Affine { base: *base, slope: *slope },
            Self::Table(points) => Function::Table(points.as_ref()),
            Self::Linear(points) => Function::Linear(points.as_ref()),
        }
    }

    /// True if it is nothing for every count.
    pub fn is_zero(&self) -> bool {
        match self {
            Self::Constant(value) => value.is_zero(),
            Self::Affine { base, slope } => base.is_zero() && slope.is_zero(),
            Self::Table(points) | Self::Linear(points) => points.as_ref().iter().all(|(_, value)| value.is_zero()),
        }
    }

    /// The amount for `count`; `None` where 128 bits do not hold it, or where a table is empty.
    pub fn at(&self, count: u64) -> Option<Amount> {
        match self {
            Self::Constant(value) => Some(Amount { value: *value, extrapolated: false }),
            Self::Affine { base, slope } => {
                let value = base.checked_add(slope.checked_mul(Ratio::whole(count))?)?;
                Some(Amount { value, extrapolated: false })
            }
            Self::Table(points) => step(points.as_ref(), count),
            Self::Linear(points) => line(points.as_ref(), count),
        }
    }
}

fn step(points: &[(u64, Ratio)], count: u64) -> Option<Amount> {
    let inside = points.iter().find(|(at, _)| count <= *at);
    let (_, value) = inside.or(points.last())?;
    Some(Amount { value: *value, extrapolated: inside.is_none() })
}

fn line(points: &[(u64, Ratio)], count: u64) -> Option<Amount> {
    let (first, last) = (points.first()?, points.last()?);
    let extrapolated = count > last.0;
    if count <= first.0 || points.len() == 1 {
        return Some(Amount { value: first.1, extrapolated });
    }
    let upper = points.iter().position(|(at, _)| count <= *at).unwrap_or(points.len() - 1);
    let ((x0, y0), (x1, y1)) = (points[upper - 1], points[upper]);
    let along = Ratio::new(u128::from(count - x0), u128::from(x1.checked_sub(x0)?))?;
    let value = y0.checked_add(y1.checked_sub(y0)?.checked_mul(along)?)?;
    Some(Amount { value, extrapolated })
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [(u64, Ratio); 3] = [(5, Ratio::whole(10)), (15, Ratio::whole(20)), (25, Ratio::whole(60))];

    fn value(function: Function<'_>, count: u64) -> (Ratio, bool) {
        let amount = function.at(count).unwrap();
        (amount.value, amount.extrapolated)
    }

    #[test]
    fn a_table_rounds_the_count_up() {
        let table = Function::Table(&POINTS);
        assert_eq!(value(table, 1), (Ratio::whole(10), false));
        assert_eq!(value(table, 5), (Ratio::whole(10), false), "a point is its own");
        assert_eq!(value(table, 25), (Ratio::whole(60), false));
        assert_eq!(value(table, 6), (Ratio::whole(20), false));
        assert_eq!(value(table, 26), (Ratio::whole(60), true));
    }

    #[test]
    fn lines_pass_through_the_points_and_go_on_behind_them() {
        let line = Function::Linear(&POINTS);
        assert_eq!(value(line, 1), (Ratio::whole(10), false));
        assert_eq!(value(line, 8), (Ratio::whole(13), false));
        assert_eq!(value(line, 25), (Ratio::whole(60), false));
        assert_eq!(value(line, 30), (Ratio::whole(80), true));
        assert_eq!(Function::Linear(&[]).at(3), None);
    }

    #[test]
    fn an_affine_cache_delay_is_exact() {
        let quarter = Ratio::new(1, 4).unwrap();
        let delay = Function::Affine { base: Ratio::whole(5), slope: quarter };
        assert_eq!(value(delay, 3), (Ratio::new(23, 4).unwrap(), false));
    }
}
