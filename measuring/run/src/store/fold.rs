//! Folds packed samples into histogram, blocks and worst list: each minute while measuring, at the end, and after a crash.
//!
//! One call is one transaction and takes a bounded amount of samples, so that memory stays flat however much has gathered.
//! Invariant: histogram + overflow + what is still packed = the timeline's count - lost, at every commit.

use super::error::Fault;
use super::packed::unpack;
use super::worst::Worst;
use super::{Sample, block, read, rows};
use crate::Plan;
use crate::run::Block;
use prazo_core::time::Duration;
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// A fold of a run that has ended stops taking rows behind this many packed bytes.
pub(super) const BYTES_AT_ONCE: usize = 4 << 20;

/// What the plan says about folding.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    bound_ns: i64,
    block_s: u32,
    raw: bool,
    /// Of each series, 0 without a period.
    periods_ns: Vec<i64>,
}

impl Rules {
    /// The rules for series with these periods, measured after this plan.
    pub(super) fn new(plan: &Plan, periods: impl Iterator<Item = Option<Duration>>) -> Self {
        Self {
            bound_ns: saturated(plan.histogram_bound),
            block_s: block::length_s(plan.run_length().as_ns().div_ceil(1_000_000_000)),
            raw: plan.raw,
            periods_ns: periods.map(|period| saturated(period.unwrap_or_default())).collect(),
        }
    }

    /// Takes in one more series.
    pub(super) fn add(&mut self, period: Option<Duration>) {
        self.periods_ns.push(saturated(period.unwrap_or_default()));
    }

    /// How many series there are.
    pub(super) fn series(&self) -> usize {
        self.periods_ns.len()
    }

    /// The period of one series, 0 without one.
    pub(super) fn period_ns(&self, series: usize) -> i64 {
        self.periods_ns[series]
    }
}

fn saturated(duration: Duration) -> i64 {
    i64::try_from(duration.as_ns()).unwrap_or(i64::MAX)
}

/// Folds what is packed, oldest first, until `bytes_at_once` are taken; true if nothing is left to fold.
pub(super) fn fold(connection: &mut Connection, rules: &Rules, bytes_at_once: usize) -> Result<bool, Fault> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let batch = Batch::take(&transaction, rules, bytes_at_once)?;
    for (series, share) in batch.shares {
        share.store(&transaction, series)?;
    }
    match rules.raw {
        true => rows::meta(&transaction, "folded", batch.last_id)?,
        false => transaction.execute("DELETE FROM packed WHERE id <= ?", [batch.last_id]).map(drop)?,
    }
    transaction.commit()?;
    Ok(batch.all)
}

/// Folds until nothing is left.
pub(super) fn fold_all(connection: &mut Connection, rules: &Rules) -> Result<(), Fault> {
    while !fold(connection, rules, BYTES_AT_ONCE)? {}
    Ok(())
}

/// The samples of one fold.
struct Batch {
    shares: BTreeMap<usize, Share>,
    last_id: i64,
    all: bool,
}

impl Batch {
    fn take(connection: &Connection, rules: &Rules, bytes_at_once: usize) -> Result<Self, Fault> {
        let mut batch = Self { shares: BTreeMap::new(), last_id: folded(connection)?, all: true };
        let mut statement = connection
            .prepare_cached("SELECT id, series, at_s, warm_up, samples FROM packed WHERE id > ? ORDER BY id")?;
        let mut found = statement.query([batch.last_id])?;
        let mut bytes = 0;
        while let Some(row) = found.next()? {
            if bytes > bytes_at_once {
                batch.all = false;
                break;
            }
            let packed = Packed::read(row, rules)?;
            bytes += packed.bytes;
            batch.last_id = packed.id;
            batch.share(connection, packed.series)?.add(packed, rules);
        }
        Ok(batch)
    }

    fn share(&mut self, connection: &Connection, series: usize) -> Result<&mut Share, Fault> {
        if let Entry::Vacant(place) = self.shares.entry(series) {
            let share = Share { worst: Worst::from_kept(read::worst(connection, series)?), ..Share::default() };
            place.insert(share);
        }
        Ok(self.shares.entry(series).or_default())
    }
}

/// The last packed row that was folded and kept (with raw samples only).
fn folded(connection: &Connection) -> Result<i64, Fault> {
    let text: Option<String> =
        connection.query_row("SELECT value FROM meta WHERE key = 'folded'", [], |row| row.get(0)).optional()?;
    text.map_or(Ok(0), |text| {
        text.parse()
            .map_err(|_| Fault::Content(format!("entry 'folded' of the table 'meta' is not a number: '{text}'")))
    })
}

/// One row of packed samples, in ascending order of latency.
struct Packed {
    id: i64,
    series: usize,
    at_s: u32,
    warm_up: bool,
    samples: Vec<Sample>,
    bytes: usize,
}

impl Packed {
    fn read(row: &Row, rules: &Rules) -> Result<Self, Fault> {
        let (id, series): (i64, usize) = (row.get(0)?, row.get(1)?);
        let blob = row.get_ref(4)?.as_blob().map_err(rusqlite::Error::from)?;
        let mut samples = (series < rules.series())
            .then(|| unpack(blob, rules.period_ns(series)))
            .flatten()
            .filter(|samples| samples.iter().all(|sample| super::check::is_latency(sample.latency_ns)))
            .ok_or_else(|| Fault::Content(format!("row {id} of the packed samples is invalid")))?;
        samples.sort_unstable_by_key(|sample| (sample.latency_ns, std::cmp::Reverse(sample.activation)));
        Ok(Self { id, series, at_s: row.get(2)?, warm_up: row.get(3)?, samples, bytes: blob.len() })
    }
}

/// What one fold adds to one series.
#[derive(Default)]
struct Share {
    measured: Part,
    warm_up: Part,
    blocks: BTreeMap<u32, Block>,
    worst: Worst,
}

#[derive(Default)]
struct Part {
    latencies_ns: Vec<i64>,
    overflow: u64,
}

impl Share {
    fn add(&mut self, packed: Packed, rules: &Rules) {
        let in_range = packed.samples.partition_point(|sample| sample.latency_ns <= rules.bound_ns);
        let overflow = (packed.samples.len() - in_range) as u64;
        let part = if packed.warm_up { &mut self.warm_up } else { &mut self.measured };
        part.overflow += overflow;
        part.latencies_ns.extend(packed.samples[..in_range].iter().map(|sample| sample.latency_ns));
        if !packed.warm_up {
            self.worst.offer(&packed.samples);
            let block = self.blocks.entry(packed.at_s / rules.block_s).or_default();
            extend_over(block, packed.at_s, 1);
            packed.samples[..in_range]
                .iter()
                .for_each(|sample| block.histogram.add(block::coarse(sample.latency_ns), 1));
            block.histogram.add_overflow(overflow);
        }
    }

    fn store(mut self, connection: &Connection, series: usize) -> Result<(), Fault> {
        self.measured.store(connection, series, false)?;
        self.warm_up.store(connection, series, true)?;
        for (number, block) in &mut self.blocks {
            if let Some(stored) = stored_block(connection, series, *number)? {
                extend_over(block, stored.from_s, stored.length_s);
                block.histogram.merge(&stored.histogram);
            }
            rows::block(connection, series, *number as usize, block)?;
        }
        self.worst.changed().map_or(Ok(()), |worst| rows::worst(connection, series, worst))?;
        Ok(())
    }
}

impl Part {
    fn store(&mut self, connection: &Connection, series: usize, warm_up: bool) -> rusqlite::Result<()> {
        // A stable sort, since the latencies are a few dozen sorted stretches, which it merges.
        self.latencies_ns.sort();
        let equal = self.latencies_ns.chunk_by(|a, b| a == b);
        rows::cells(connection, series, warm_up, equal.map(|equal| (equal[0], equal.len() as u64)))?;
        if self.overflow > 0 { rows::overflow(connection, series, warm_up, self.overflow) } else { Ok(()) }
    }
}

/// Makes the block reach over these seconds as well. A block without seconds reaches over these alone.
fn extend_over(block: &mut Block, from_s: u32, length_s: u32) {
    let end_s = from_s.saturating_add(length_s);
    let reached_s = if block.length_s == 0 { end_s } else { end_s.max(block.from_s.saturating_add(block.length_s)) };
    block.from_s = if block.length_s == 0 { from_s } else { from_s.min(block.from_s) };
    block.length_s = reached_s - block.from_s;
}

fn stored_block(connection: &Connection, series: usize, number: u32) -> Result<Option<Block>, Fault> {
    connection
        .prepare_cached("SELECT from_s, length_s, overflow, cells FROM block WHERE series = ? AND number = ?")?
        .query_row(params![series, number], |row| Ok(read::block(row)))
        .optional()?
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Histogram;

    #[test]
    fn a_block_grows_over_the_seconds_it_is_given() {
        let mut block = Block { histogram: Histogram::new(), ..Block::default() };
        extend_over(&mut block, 7, 1);
        extend_over(&mut block, 5, 1);
        extend_over(&mut block, 9, 2);
        assert_eq!((block.from_s, block.length_s), (5, 6));
    }
}
