//! The activations that a series jumped over: as counted, or where nobody counted them, as many as its latencies imply at most.
//!
//! Exports and statistics both ask here, so that they say the same. A loop that is late by `L` at period `P` and skips jumps over
//! the activations that were due at `P, 2P, ...` after the late one, as long as they were due before it ran.

use crate::import::Format;
use crate::plan::WhenLate;
use crate::run::Origin;
use crate::{Run, Series, overflow};
use prazo_core::time::Duration;

/// Those that were counted, where the source tells or due and served do.
pub fn counted(series: &Series) -> Option<u64> {
    let counted = &series.activations;
    let from_due = || Some(counted.due?.saturating_sub(counted.served + counted.outstanding));
    counted.skipped.or_else(from_due)
}

/// The most that there can be by the latencies; `None` where these cannot tell, because no period is known.
pub fn implied(run: &Run, series: &Series) -> Option<u64> {
    if !has_due_grid(run) || when_late(run) == Some(WhenLate::CatchUp) {
        return Some(0);
    }
    let period = series.period.filter(|period| !period.is_zero())?;
    let known = overflow::known_ns(run, series);
    let hidden = (overflow::floor_ns(run, series), series.histogram.overflow() - known.len() as u64);
    let all = series.histogram.cells().chain(known.into_iter().map(|latency_ns| (latency_ns, 1))).chain([hidden]);
    let each = all.map(|(latency_ns, count)| jumps(latency_ns, period).saturating_mul(count));
    Some(each.fold(0, u64::saturating_add))
}

/// How many activations after one of latency `latency_ns` were due before it ran: the k >= 1 with latency - k P > 0.
pub fn jumps(latency_ns: i64, period: Duration) -> u64 {
    u64::try_from(latency_ns).map_or(0, |latency| latency.div_ceil(period.as_ns()).saturating_sub(1))
}

/// False where activations have no instant at which they were due (a relative sleep).
pub fn has_due_grid(run: &Run) -> bool {
    run.plan.as_ref().is_none_or(|plan| plan.has_due_grid())
}

/// What the source does when it is late; `None` where neither the plan nor the tool tells.
pub fn when_late(run: &Run) -> Option<WhenLate> {
    match (&run.plan, &run.origin) {
        (_, Origin::Imported { tool, .. }) if tool == Format::Jitterdebugger.tool() => Some(WhenLate::CatchUp),
        (Some(plan), Origin::Measured | Origin::Synthetic) => Some(plan.when_late),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_beyond_a_period_imply_skips_and_without_a_period_nobody_knows() {
        let mut series = Series { period: Some(Duration::from_ns(100)), ..Series::default() };
        [100, 101, 350].into_iter().for_each(|latency_ns| series.histogram.add(latency_ns, 2));
        series.histogram.add_overflow(1);
        assert_eq!(implied(&Run::default(), &series), Some(2 * (1 + 3) + 3), "the overflow lies above 350 ns at least");
        assert_eq!(implied(&Run::default(), &Series { period: None, ..series }), None);
    }
}
