//! What an operating system adds to a task's cost: measured on one side, charged by analysis and simulator on the other.
//!
//! Every overhead is a function of the number of tasks that share a ready queue, every cache delay one of the working set.
//! Tables are borrowed, so that a kernel without a heap can hold them. Terms as in Vitor 2013 section II-A and Brandenburg
//! 2011 chapter 3; amounts are exact fractions of a tick, and never below zero.

use crate::ratio::Ratio;
use crate::task::Ticks;

/// How an amount depends on a count (tasks, or KiB of working set).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function<'a> {
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
    Table(&'a [(u64, Ratio)]),
    /// Straight lines between the points, the first point's amount below them, the last line's slope beyond. Points ascend.
    Linear(&'a [(u64, Ratio)]),
}

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

/// What a platform adds to every task, by number of tasks or by working set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overheads<'a> {
    /// Interrupt that makes a job ready; by number of tasks.
    pub release: Overhead<'a>,
    /// Choice of the next job; by number of tasks.
    pub scheduling: Overhead<'a>,
    /// Change of stack and registers; by number of tasks.
    pub context_switch: Overhead<'a>,
    /// Timer interrupt of the scheduler's clock; by number of tasks.
    pub tick: Overhead<'a>,
    /// Distance of two ticks; `None` where there is no periodic tick, and then `tick` is not charged.
    pub tick_period: Option<Ticks>,
    /// Request to entry of an interrupt between processors; by number of tasks.
    pub ipi_latency: Overhead<'a>,
    /// Programmed time to entry of the release interrupt; by number of tasks.
    pub event_latency: Overhead<'a>,
    /// What a preemption or migration costs in lost cache contents; by KiB of working set.
    pub cache_delay: Overhead<'a>,
    /// What a job's first fetch of its working set costs; by KiB of working set.
    pub initial_cache_load: Overhead<'a>,
    /// True if one processor of its own takes the release interrupts.
    pub dedicated_interrupt_processor: bool,
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

impl Function<'_> {
    /// The amount for `count`; `None` where 128 bits do not hold it, or where a table is empty.
    pub fn at(&self, count: u64) -> Option<Amount> {
        match *self {
            Self::Constant(value) => Some(Amount { value, extrapolated: false }),
            Self::Affine { base, slope } => {
                let value = base.checked_add(slope.checked_mul(Ratio::whole(count))?)?;
                Some(Amount { value, extrapolated: false })
            }
            Self::Table(points) => step(points, count),
            Self::Linear(points) => line(points, count),
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
