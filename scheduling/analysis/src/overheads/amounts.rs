//! Amounts of an overhead table, looked up once and kept both exactly and between bounds.

use super::Overload;
use crate::exact::Interval;
use crate::{TICKS_MAX, Task};
use prazo_core::overheads::{Overhead, Overheads};
use prazo_core::ratio::Ratio;

/// One amount in ticks, at most 2^48.
#[derive(Clone, Copy, Debug)]
pub(super) struct Amount {
    pub exact: Ratio,
    pub bounds: Interval,
    pub extrapolated: bool,
}

impl Amount {
    pub(super) const NOTHING: Amount = Amount { exact: Ratio::ZERO, bounds: Interval::ZERO, extrapolated: false };

    fn of(overhead: &Overhead<'_>, count: u64, name: &'static str) -> Result<Self, Overload> {
        let unusable = Overload::Unusable(name);
        let amount = overhead.at(count).ok_or(unusable)?;
        if amount.value > Ratio::whole(TICKS_MAX) {
            return Err(unusable);
        }
        let bounds = Interval::of_ratio(amount.value).ok_or(unusable)?;
        Ok(Self { exact: amount.value, bounds, extrapolated: amount.extrapolated })
    }
}

/// What depends on how many tasks share the queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByCount {
    pub release: Amount,
    pub scheduling: Amount,
    pub context_switch: Amount,
    /// Nothing without a periodic tick.
    pub tick: Amount,
    pub ipi_latency: Amount,
    pub event_latency: Amount,
}

impl ByCount {
    pub(super) fn of(overheads: &Overheads<'_>, count: usize) -> Result<Self, Overload> {
        let at = |overhead, name| Amount::of(overhead, count as u64, name);
        let tick = match overheads.tick_period {
            Some(period) if !(1..=TICKS_MAX).contains(&period) => return Err(Overload::Unusable("tick period")),
            Some(_) => at(&overheads.tick, "tick overhead")?,
            None => Amount::NOTHING,
        };
        Ok(Self {
            release: at(&overheads.release, "release overhead")?,
            scheduling: at(&overheads.scheduling, "scheduling overhead")?,
            context_switch: at(&overheads.context_switch, "context-switch overhead")?,
            tick,
            ipi_latency: at(&overheads.ipi_latency, "IPI latency")?,
            event_latency: at(&overheads.event_latency, "event latency")?,
        })
    }

    /// True if an amount that every accounting charges lies beyond its table; the IPI latency is not always charged.
    pub(super) fn extrapolated(&self) -> bool {
        let charged = [self.release, self.scheduling, self.context_switch, self.tick, self.event_latency];
        charged.iter().any(|amount| amount.extrapolated)
    }
}

/// What depends on a task's working set.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByWorkingSet {
    pub cache_delay: Amount,
    pub initial_load: Amount,
}

impl ByWorkingSet {
    pub(super) fn of(overheads: &Overheads<'_>, task: &Task) -> Result<Self, Overload> {
        Ok(Self {
            cache_delay: Amount::of(&overheads.cache_delay, task.working_set_kib, "cache delay")?,
            initial_load: Amount::of(&overheads.initial_cache_load, task.working_set_kib, "initial cache load")?,
        })
    }
}

/// Both kinds for a whole set; what depends on the count is looked up when a queue first has so many tasks.
#[derive(Clone, Debug)]
pub(super) struct Amounts<'a> {
    overheads: Overheads<'a>,
    by_count: Vec<Option<Result<ByCount, Overload>>>,
    by_working_set: Vec<ByWorkingSet>,
}

impl<'a> Amounts<'a> {
    pub(super) fn of(overheads: &Overheads<'a>, tasks: &[Task]) -> Result<Self, Overload> {
        let by_working_set = tasks.iter().map(|task| ByWorkingSet::of(overheads, task)).collect::<Result<_, _>>()?;
        Ok(Self { overheads: *overheads, by_count: vec![None; tasks.len() + 1], by_working_set })
    }

    pub(super) fn overheads(&self) -> &Overheads<'a> {
        &self.overheads
    }

    pub(super) fn for_count(&mut self, count: usize) -> Result<ByCount, Overload> {
        *self.by_count[count].get_or_insert_with(|| ByCount::of(&self.overheads, count))
    }

    pub(super) fn of_task(&self, task: usize) -> &ByWorkingSet {
        &self.by_working_set[task]
    }

    /// For each of `members`, the largest cache delay of the *others*: the job that it preempts is not its own.
    pub(super) fn largest_delays_of_others(&self, members: &[usize]) -> Vec<Amount> {
        let delay = |task: usize| self.by_working_set[task].cache_delay;
        let (mut largest, mut second) = (None, Amount::NOTHING);
        for &task in members {
            match largest {
                Some(top) if delay(task).exact <= delay(top).exact => second = larger(second, delay(task)),
                _ => (largest, second) = (Some(task), largest.map_or(Amount::NOTHING, delay)),
            }
        }
        members
            .iter()
            .map(|task| if largest == Some(*task) { second } else { largest.map_or(Amount::NOTHING, delay) })
            .collect()
    }

    /// The largest cache delay of `members`.
    pub(super) fn largest_delay(&self, members: &[usize]) -> Amount {
        members.iter().fold(Amount::NOTHING, |largest, task| larger(largest, self.of_task(*task).cache_delay))
    }
}

fn larger(a: Amount, b: Amount) -> Amount {
    if a.exact < b.exact { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_amount_is_2_to_the_48_ticks() {
        let of = |ticks| {
            Amount::of(&Overhead::constant(Ratio::whole(ticks)), 1, "release overhead").map(|found| found.exact)
        };
        assert_eq!(of(TICKS_MAX), Ok(Ratio::whole(TICKS_MAX)));
        assert_eq!(of(TICKS_MAX + 1), Err(Overload::Unusable("release overhead")));
    }
}
