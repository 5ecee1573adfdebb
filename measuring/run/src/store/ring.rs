//! The end of a run alone: samples stay packed, and the oldest seconds go, so that the file stays within a bound.
//!
//! A packed row knows its second, but no index leads from a second to its rows. So the writer remembers which rows each second
//! has: rows of one second are mostly one stretch of row numbers, since a batch is stored second by second.
//! Invariant: a second is in the timeline and in the packed samples, or in neither; so what folds later folds whole seconds.

use super::rows;
use crate::caveat::{Caveat, Severity};
use prazo_core::text::counted;
use rusqlite::{Connection, Result, params};
use std::collections::BTreeMap;

/// How much of a run its file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingBounds {
    /// Bytes of the file that are in use; its log comes on top.
    pub bytes: u64,
    /// Rows of the timeline.
    pub rows: u64,
}

/// The key of `meta`: seconds before this one were removed.
pub(super) const REMOVED_BEFORE: &str = "removed_before_s";

/// One packed row that was stored: its second and its number.
pub(super) type StoredRow = (u32, i64);

/// The seconds that are in the file.
#[derive(Debug)]
pub(super) struct Ring {
    bounds: RingBounds,
    seconds: BTreeMap<u32, Second>,
    rows: u64,
    /// Seconds before this one are too old.
    first_s: u32,
    /// The last second that went for want of space.
    crowded_out_s: Option<u32>,
}

#[derive(Debug, Default)]
struct Second {
    /// Stretches of row numbers, both ends in them.
    stretches: Vec<(i64, i64)>,
    rows: u64,
}

impl Ring {
    /// Nothing yet.
    pub(super) fn new(bounds: RingBounds) -> Self {
        Self { bounds, seconds: BTreeMap::new(), rows: 0, first_s: 0, crowded_out_s: None }
    }

    /// Seconds before this one go with the next removal.
    pub(super) fn begin_at(&mut self, first_s: u32) {
        self.first_s = first_s;
    }

    /// The last second that went although it was not old.
    pub(super) fn crowded_out_s(&self) -> Option<u32> {
        self.crowded_out_s
    }

    /// These rows were stored.
    pub(super) fn note(&mut self, stored: &[StoredRow]) {
        for (at_s, id) in stored {
            let second = self.seconds.entry(*at_s).or_default();
            match second.stretches.last_mut() {
                Some((_, last)) if *last + 1 == *id => *last = *id,
                _ => second.stretches.push((*id, *id)),
            }
            second.rows += 1;
            self.rows += 1;
        }
    }

    /// Removes what is too old, and then the oldest seconds while there is more than the bounds allow; the last second stays.
    /// The caller commits and then calls [`Ring::forget`].
    pub(super) fn turn(&self, connection: &Connection) -> Result<Removed> {
        let mut removed = Removed::default();
        let mut packed = connection.prepare_cached("DELETE FROM packed WHERE id BETWEEN ? AND ?")?;
        for (at_s, second) in &self.seconds {
            let (is_old, is_last) = (*at_s < self.first_s, removed.seconds + 1 == self.seconds.len());
            if !is_old && (is_last || !self.is_beyond(connection, removed.rows)?) {
                // What a second without packed rows has in the timeline goes too.
                connection.prepare_cached("DELETE FROM timeline WHERE at_s < ?")?.execute([at_s])?;
                if removed.seconds > 0 {
                    rows::meta(connection, REMOVED_BEFORE, at_s)?;
                }
                return Ok(removed);
            }
            for (first, last) in &second.stretches {
                packed.execute(params![first, last])?;
            }
            removed.seconds += 1;
            removed.rows += second.rows;
            removed.crowded_out_s = removed.crowded_out_s.max((!is_old).then_some(*at_s));
        }
        connection.prepare_cached("DELETE FROM timeline WHERE at_s < ?")?.execute([self.first_s])?;
        if removed.seconds > 0 {
            rows::meta(connection, REMOVED_BEFORE, self.first_s)?;
        }
        Ok(removed)
    }

    /// This was removed, for good.
    pub(super) fn forget(&mut self, removed: Removed) {
        (0..removed.seconds).for_each(|_| drop(self.seconds.pop_first()));
        self.rows -= removed.rows;
        self.crowded_out_s = self.crowded_out_s.max(removed.crowded_out_s);
    }

    fn is_beyond(&self, connection: &Connection, removed_rows: u64) -> Result<bool> {
        let number = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, u64>(0));
        let used = number("page_count")?.saturating_sub(number("freelist_count")?) * number("page_size")?;
        Ok(self.rows - removed_rows > self.bounds.rows || used > self.bounds.bytes)
    }
}

/// What one turn removed: so many of the oldest seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Removed {
    seconds: usize,
    rows: u64,
    crowded_out_s: Option<u32>,
}

/// `watch-kept`: the file of a watch with `--keep` has only these last seconds of all; `crowded_out` is how many bytes it may have,
/// where it would have more seconds otherwise.
pub fn only_the_end(kept_s: u64, all_s: u64, crowded_out: Option<u64>) -> Caveat {
    let why = crowded_out.map_or_else(String::new, |bytes| {
        format!(", because a file of a watch with --keep has at most {} MB of samples", bytes / 1_000_000)
    });
    let what = format!(
        "this file holds samples of only the last {} of {}{why}; its counts of due, served, skipped, missed and lost activations are \
         of these seconds too",
        counted(kept_s, "second"),
        counted(all_s, "second")
    );
    Caveat::new("watch-kept", Severity::Info, what, "watch without --keep to record all activations")
}

/// What the timeline has of one series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RingCounts {
    /// Served activations, lost ones included.
    pub served: u64,
    /// Skipped activations.
    pub skipped: u64,
    /// Missed deadlines.
    pub missed: u64,
    /// Served activations without a sample.
    pub lost: u64,
}

/// The counts of each series that is in the file.
pub(super) fn counts(connection: &Connection) -> Result<BTreeMap<usize, RingCounts>> {
    let mut statement = connection
        .prepare("SELECT series, sum(count), sum(skipped), sum(missed), sum(lost) FROM timeline GROUP BY series")?;
    let rows = statement.query_map([], |row| {
        let (served, skipped, missed, lost) = (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
        Ok((row.get(0)?, RingCounts { served, skipped, missed, lost }))
    })?;
    rows.collect()
}
