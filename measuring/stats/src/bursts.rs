//! The largest burst of misses that a run can have held: how many activations may share one cause.
//!
//! A burst is what missed within [`STRETCH_S_MIN`] seconds. Three sources bound it from above, and the smallest bound is taken:
//! the count of misses against the seconds that hold them; each second's own count, kept for the plan's deadline and valid for
//! every later one; and the blocks' coarse histograms, rounded against us. Each bound grows with one more miss and shrinks with
//! a later deadline, so that what rests on them does too.

use crate::bootstrap::{STRETCH_S_MIN, rounded_up};
use crate::seconds::PooledSecond;
use prazo_core::time::Duration;
use prazo_run::run::Block;
use prazo_run::{Run, Series};

/// The misses of one deadline, as far as counts and seconds tell.
pub(crate) struct Suspects<'a> {
    pub run: &'a Run,
    pub series: &'a [&'a Series],
    pub seconds: &'a [PooledSecond],
    pub deadline: Duration,
    pub resolution_ns: i64,
    /// Activations that may have missed.
    pub late: u64,
    /// Seconds that may hold one.
    pub late_seconds: u64,
}

/// Misses that lie within a stretch of time.
#[derive(Clone, Copy)]
struct Event {
    from_s: u32,
    length_s: u32,
    misses: u64,
}

/// The largest burst that the run can have held; `None` where no timeline tells.
pub(crate) fn largest_burst(suspects: &Suspects<'_>) -> Option<u64> {
    let bounds = [of_counts(suspects), of_plan(suspects), of_blocks(suspects)];
    (!suspects.seconds.is_empty()).then(|| bounds.into_iter().flatten().min().unwrap_or(suspects.late))
}

/// All misses, but one for each late second outside of the burst.
fn of_counts(suspects: &Suspects<'_>) -> Option<u64> {
    let outside = suspects.late_seconds.saturating_sub(u64::from(STRETCH_S_MIN));
    Some(suspects.late.saturating_sub(outside))
}

/// The largest burst at the plan's own deadline, for which each second's misses were counted; a later deadline has no larger.
fn of_plan(suspects: &Suspects<'_>) -> Option<u64> {
    let planned = suspects.run.plan.as_ref()?.deadline?;
    let is_counted = !planned.is_zero() && planned <= suspects.deadline && suspects.resolution_ns == 1;
    let events = suspects.seconds.iter().map(|second| of_second(second, second.missed));
    is_counted.then(|| largest(events.collect()))
}

/// The largest burst that the blocks allow, whatever was skipped or lost in their seconds added.
fn of_blocks(suspects: &Suspects<'_>) -> Option<u64> {
    if suspects.series.iter().any(|series| series.blocks.is_empty()) {
        return None;
    }
    let deadline_ns = i64::try_from(suspects.deadline.as_ns()).unwrap_or(i64::MAX);
    let limit_ns = deadline_ns.saturating_sub(suspects.resolution_ns - 1);
    let blocks = suspects.series.iter().flat_map(|series| &series.blocks).map(|block| of_block(block, limit_ns));
    let seconds = suspects.seconds.iter().map(|second| of_second(second, 0));
    Some(largest(blocks.chain(seconds).collect()))
}

fn of_second(second: &PooledSecond, missed: u64) -> Event {
    Event { from_s: second.at_s, length_s: 1, misses: missed + second.skipped + second.lost }
}

/// Values that may have been above the limit before they were rounded down.
fn of_block(block: &Block, limit_ns: i64) -> Event {
    let late = block.histogram.cells().filter(|(value, _)| rounded_up(*value) > limit_ns).map(|(_, count)| count);
    Event { from_s: block.from_s, length_s: block.length_s, misses: late.sum::<u64>() + block.histogram.overflow() }
}

/// The most misses of events that begin within one stretch, or within one event where that is longer.
fn largest(mut events: Vec<Event>) -> u64 {
    events.retain(|event| event.misses > 0);
    events.sort_unstable_by_key(|event| (event.from_s, std::cmp::Reverse(event.length_s)));
    let burst = |(index, first): (usize, &Event)| {
        let end_s = first.from_s.saturating_add(first.length_s.max(STRETCH_S_MIN));
        events[index..].iter().take_while(|event| event.from_s < end_s).map(|event| event.misses).sum()
    };
    events.iter().enumerate().map(burst).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(from_s: u32, length_s: u32, misses: u64) -> Event {
        Event { from_s, length_s, misses }
    }

    #[test]
    fn a_burst_is_what_missed_within_five_seconds_or_one_block() {
        assert_eq!(largest(vec![]), 0);
        assert_eq!(largest(vec![event(0, 1, 7), event(4, 1, 2), event(5, 1, 5)]), 9);
        assert_eq!(largest(vec![event(9, 1, 3), event(5, 1, 5), event(14, 1, 9)]), 9);
        assert_eq!(
            largest(vec![event(0, 60, 7), event(40, 1, 2), event(60, 60, 8)]),
            9,
            "skipped seconds lie in their block"
        );
    }

    #[test]
    fn a_block_is_rounded_against_us() {
        let mut block = Block { from_s: 0, length_s: 1, ..Block::default() };
        block.histogram.add(12_800, 4);
        block.histogram.add_overflow(1);
        assert_eq!(of_block(&block, 12_899).misses, 5);
        assert_eq!(of_block(&block, 12_900).misses, 1);
    }
}
