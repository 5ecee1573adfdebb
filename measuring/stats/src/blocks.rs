//! Blocks of consecutive time with their coarse histograms: the unit that intervals are drawn from.
//!
//! Neighbouring samples resemble each other, blocks of several seconds hardly do; so an interval comes from drawing whole
//! blocks. The processors of a run share its disturbances, so that what they saw in the same seconds is one block.

use crate::distribution::{Distribution, gather};
use crate::due;
use crate::summary::Per;
use prazo_run::Series;
use prazo_run::run::Block;
use std::collections::{BTreeMap, BTreeSet};

/// The samples of one block, all processors together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Length in seconds.
    pub length_s: u32,
    /// Value and count, ascending; overflow counts at [`BEYOND`].
    pub cells: Vec<(i64, u64)>,
}

/// Stands for "beyond the histogram's bound": above every value.
pub(crate) const BEYOND: i64 = i64::MAX;

/// More blocks than this are joined with their neighbours: it costs time, and buys no precision.
const UNITS_MAX: usize = 240;

/// The blocks of several series by time; `Err` says why there are none.
pub(crate) fn units(series: &[&Series], per: Per) -> Result<Vec<Unit>, String> {
    let shared = shared_grid(series)?;
    let mut by_start: BTreeMap<u32, Unit> = BTreeMap::new();
    for one in series {
        for block in one.blocks.iter().filter(|block| shared.contains(&span(block))) {
            let cells = cells(one, block, per)?;
            let unit = by_start.entry(block.from_s).or_insert(Unit { length_s: block.length_s, cells: vec![] });
            unit.cells.extend(cells);
        }
    }
    Ok(joined(by_start.into_values().collect()))
}

/// The blocks that all series have; the first and the last may differ where a processor started or ended a second apart.
fn shared_grid(series: &[&Series]) -> Result<BTreeSet<(u32, u32)>, String> {
    let mut grids = series.iter().map(|one| one.blocks.iter().map(span).collect::<BTreeSet<_>>());
    let first = grids.next().ok_or("the run has no series of samples")?;
    let (mut shared, mut longest) = (first.clone(), first.len());
    for grid in grids {
        longest = longest.max(grid.len());
        shared = &shared & &grid;
    }
    if longest == 0 {
        return Err("the source has no record of its samples over time".into());
    }
    if shared.len() + 2 < longest || shared.is_empty() {
        return Err("the blocks of time of the processors do not cover the same seconds".into());
    }
    Ok(shared)
}

fn span(block: &Block) -> (u32, u32) {
    (block.from_s, block.length_s)
}

/// The values of one block, skipped activations re-added where they are asked for.
fn cells(series: &Series, block: &Block, per: Per) -> Result<Vec<(i64, u64)>, String> {
    let exact: Vec<(i64, u64)> = block.histogram.cells().collect();
    let overflow = block.histogram.overflow();
    if per == Per::ServedWakeUp {
        return Ok(exact.into_iter().chain([(BEYOND, overflow)]).collect());
    }
    if overflow > 0 {
        return Err(
            "a block of time has latencies beyond the histogram's bound, so the number of skipped activations in \
             it is unknown"
                .into(),
        );
    }
    let period = series.period.ok_or("the activation period is unknown")?;
    let served = Distribution::new(exact, vec![]);
    let skipped = due::chains(&served, period)?;
    Ok(served.exact().iter().chain(skipped.exact()).copied().collect())
}

/// Neighbours joined until there are at most [`UNITS_MAX`], equal in length but for the last, which is kept.
fn joined(units: Vec<Unit>) -> Vec<Unit> {
    let together = units.len().div_ceil(UNITS_MAX).max(1);
    units.chunks(together).map(join).collect()
}

fn join(units: &[Unit]) -> Unit {
    Unit {
        length_s: units.iter().map(|unit| unit.length_s).sum(),
        cells: gather(units.iter().flat_map(|unit| unit.cells.iter().copied()).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::time::Duration;
    use prazo_run::Histogram;

    fn block(from_s: u32, values: &[i64], overflow: u64) -> Block {
        let mut histogram = Histogram::new();
        values.iter().for_each(|value| histogram.add(*value, 1));
        histogram.add_overflow(overflow);
        Block { from_s, length_s: 10, histogram }
    }

    fn series(blocks: Vec<Block>) -> Series {
        Series { blocks, period: Some(Duration::from_ns(100)), ..Series::default() }
    }

    #[test]
    fn processors_share_the_blocks_of_the_same_seconds() {
        let (a, b) = (
            series(vec![block(0, &[5, 7], 0), block(10, &[5], 1)]),
            series(vec![block(0, &[5], 0), block(10, &[], 0)]),
        );
        let found = units(&[&a, &b], Per::ServedWakeUp).unwrap();
        assert_eq!(found[0].cells, [(5, 2), (7, 1)]);
        assert_eq!(found[1].cells, [(5, 1), (BEYOND, 1)]);
    }

    #[test]
    fn blocks_per_due_activation_hold_the_skipped_ones() {
        let found = units(&[&series(vec![block(0, &[250], 0)])], Per::DueActivation).unwrap();
        assert_eq!(found[0].cells, [(50, 1), (150, 1), (250, 1)]);
        let hidden = series(vec![block(0, &[250], 1)]);
        assert!(units(&[&hidden], Per::DueActivation).unwrap_err().contains("beyond the histogram's bound"));
    }

    #[test]
    fn blocks_that_do_not_line_up_are_refused() {
        let (a, b) = (series(vec![block(0, &[5], 0)]), series(vec![block(5, &[5], 0)]));
        assert!(units(&[&a, &b], Per::ServedWakeUp).unwrap_err().contains("same seconds"));
        let without = units(&[&series(vec![])], Per::ServedWakeUp);
        assert!(without.unwrap_err().contains("no record of its samples over time"));
        assert!(units(&[], Per::ServedWakeUp).is_err());
    }

    #[test]
    fn a_processor_that_ended_a_second_earlier_costs_the_last_block_only() {
        let of = |count: u32| series((0..count).map(|index| block(index * 10, &[5], 0)).collect());
        let found = units(&[&of(20), &of(19)], Per::ServedWakeUp).unwrap();
        assert_eq!((found.len(), &found[18].cells), (19, &vec![(5, 2)]));
        assert!(units(&[&of(20), &of(15)], Per::ServedWakeUp).is_err());
    }

    #[test]
    fn many_blocks_are_joined_without_losing_a_sample() {
        let day: Vec<Block> = (0..1_440).map(|minute| block(minute * 60, &[i64::from(minute % 7)], 0)).collect();
        let found = units(&[&series(day)], Per::ServedWakeUp).unwrap();
        assert_eq!(found.len(), 240);
        assert_eq!(found.iter().flat_map(|unit| &unit.cells).map(|(_, count)| count).sum::<u64>(), 1_440);
    }
}
