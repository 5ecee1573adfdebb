//! How wide the cells of `latency -h` are: the tool prints their numbers, never their width.
//!
//! The width is `-B` in nanoseconds, 1,000 by default. A cell n holds absolute values from n to n + 1 widths, the last one
//! also everything beyond. So each value that the screen states, and of which the cell is known, bounds the width:
//! the largest absolute value of the run, the smallest where no value changes sign, the mean, and for each line RTD its own
//! minimum and maximum, whose cells are counted apart. Where these bounds leave more than the default or one single width,
//! it is not guessed.
//!
//! The figures of the run are those of its whole seconds, while the histogram also has the samples of the last part of a second.
//! Where the lines RTD have cells of their own, these decide, and the figures bound only what a few more samples cannot change.

use std::ops::RangeInclusive;

/// Without `-B`.
const DEFAULT_NS: u64 = 1_000;

/// The histograms of the screen, cell number and count, ascending.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// Of the minimum of each line RTD.
    pub min: Vec<(u64, u64)>,
    /// Of every sample.
    pub all: Vec<(u64, u64)>,
    /// Of the maximum of each line RTD.
    pub max: Vec<(u64, u64)>,
}

/// What the screen states in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stated<'a> {
    /// Smallest of the run.
    pub min_ns: i64,
    /// Mean of the run.
    pub mean_ns: Option<i64>,
    /// Largest of the run.
    pub max_ns: i64,
    /// Minimum and maximum of each line RTD.
    pub seconds: &'a [(i64, i64)],
}

/// What is known of the width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// It is this one.
    Known(u64),
    /// It is said to be this one, which the figures rule out.
    Contradicted(u64, RangeInclusive<u64>),
    /// It is not the default, and the figures leave these.
    Unknown(RangeInclusive<u64>),
}

/// The width of the cells, where the caller or the tool's own command line says it, or where the figures leave no choice.
pub(super) fn width(cells: &Cells, stated: Stated<'_>, said_ns: Option<u64>) -> Width {
    let fits = fitting(cells, stated);
    match said_ns {
        Some(width_ns) if fits.contains(&width_ns) => Width::Known(width_ns),
        Some(width_ns) => Width::Contradicted(width_ns, fits),
        None if fits.contains(&DEFAULT_NS) => Width::Known(DEFAULT_NS),
        None if fits.start() == fits.end() => Width::Known(*fits.start()),
        None => Width::Unknown(fits),
    }
}

/// Every width with which the cells and the figures agree; empty where they never do.
fn fitting(cells: &Cells, stated: Stated<'_>) -> RangeInclusive<u64> {
    let mut bounds = Bounds { low_ns: 1, high_ns: u64::MAX };
    let (Some((first, _)), Some((last, _))) = (cells.all.first(), cells.all.last()) else { return 1..=u64::MAX };
    let (min, max) = (stated.min_ns.unsigned_abs(), stated.max_ns.unsigned_abs());
    let of_min = bounds.in_order(stated.seconds.iter().map(|second| second.0.unsigned_abs()).collect(), &cells.min);
    let of_max = bounds.in_order(stated.seconds.iter().map(|second| second.1.unsigned_abs()).collect(), &cells.max);
    let decided_by_seconds = of_min && of_max;
    if !decided_by_seconds {
        bounds.in_last_cell(min.max(max), *last);
    }
    if stated.min_ns >= 0 || stated.max_ns <= 0 {
        match decided_by_seconds {
            // A smaller sample may be in the part of a second, a larger one never makes the smallest cell another.
            true => bounds.in_last_cell(min.min(max), *first),
            false => bounds.in_cell(min.min(max), *first, first == last),
        }
        let beyond = if decided_by_seconds { in_part_of_a_second(&cells.all, stated.seconds.len()) } else { 0 };
        stated
            .mean_ns
            .iter()
            .for_each(|mean_ns| bounds.mean(mean_ns.unsigned_abs(), &without_last(&cells.all, beyond)));
    }
    bounds.low_ns..=bounds.high_ns
}

/// The most samples that can be in the last part of a second, behind so many whole seconds.
pub(super) fn in_part_of_a_second(cells: &[(u64, u64)], seconds: usize) -> u64 {
    let count = cells.iter().fold(0u64, |sum, (_, count)| sum.saturating_add(*count));
    count.div_ceil(seconds as u64 + 1)
}

/// The cells without the largest `beyond` samples.
fn without_last(cells: &[(u64, u64)], mut beyond: u64) -> Vec<(u64, u64)> {
    let mut left: Vec<(u64, u64)> = Vec::with_capacity(cells.len());
    for (cell, count) in cells.iter().rev() {
        let removed = beyond.min(*count);
        beyond -= removed;
        left.push((*cell, count - removed));
    }
    left
}

/// Both included.
struct Bounds {
    low_ns: u64,
    high_ns: u64,
}

impl Bounds {
    /// The value lies in this cell, or beyond it if the cell holds everything beyond.
    fn in_cell(&mut self, value_ns: u64, cell: u64, may_be_last: bool) {
        self.in_last_cell(value_ns, cell);
        if !may_be_last {
            // value < (cell + 1) * width
            self.low_ns = self.low_ns.max(value_ns / (cell + 1) + 1);
        }
    }

    fn in_last_cell(&mut self, value_ns: u64, cell: u64) {
        if let Some(width_ns) = value_ns.checked_div(cell) {
            self.high_ns = self.high_ns.min(width_ns);
        }
    }

    /// The mean is at least that of the cells' lower edges; it is printed to a nanosecond.
    fn mean(&mut self, mean_ns: u64, cells: &[(u64, u64)]) {
        let count: u128 = cells.iter().map(|(_, count)| u128::from(*count)).sum();
        let sum: u128 = cells.iter().map(|(cell, count)| u128::from(*cell) * u128::from(*count)).sum();
        if let Some(width_ns) = ((u128::from(mean_ns) + 1) * count).checked_div(sum) {
            self.high_ns = self.high_ns.min(u64::try_from(width_ns).unwrap_or(u64::MAX));
        }
    }

    /// As many values as samples in the cells: the smallest is in the first cell, and so on. False where the counts differ.
    fn in_order(&mut self, mut values_ns: Vec<u64>, cells: &[(u64, u64)]) -> bool {
        let counted = cells.iter().fold(0u64, |sum, (_, count)| sum.saturating_add(*count));
        if counted != values_ns.len() as u64 || values_ns.is_empty() {
            return false;
        }
        values_ns.sort_unstable();
        let each = cells.iter().flat_map(|(cell, count)| (0..*count).map(|_| *cell));
        let last = cells.last().map(|(cell, _)| *cell);
        for (value_ns, cell) in values_ns.into_iter().zip(each) {
            self.in_cell(value_ns, cell, Some(cell) == last);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// As `latency` counts: absolute values, and the last of `size` cells holds what lies beyond.
    fn counted(values_ns: &[i64], width_ns: u64, size: u64) -> Vec<(u64, u64)> {
        let mut cells = BTreeMap::new();
        for value_ns in values_ns {
            *cells.entry((value_ns.unsigned_abs() / width_ns).min(size - 1)).or_insert(0) += 1;
        }
        cells.into_iter().collect()
    }

    proptest! {
        #[test]
        fn the_width_that_was_used_is_never_ruled_out(
            seconds in prop::collection::vec(prop::collection::vec(-3_000i64..30_000, 1..9), 1..9),
            width_ns in 1u64..5_000,
            size in 1u64..400,
            has_part: bool,
        ) {
            // The last of the seconds is a part of one: it has cells, and no line.
            let all: Vec<i64> = seconds.concat();
            let longest = seconds.iter().map(Vec::len).max().unwrap();
            let part = if has_part && seconds.len() > 1 && seconds.iter().all(|of| of.len() == longest) { 1 } else { 0 };
            let seconds = &seconds[..seconds.len() - part];
            let whole: Vec<i64> = seconds.concat();
            let ends: Vec<(i64, i64)> =
                seconds.iter().map(|of| (*of.iter().min().unwrap(), *of.iter().max().unwrap())).collect();
            let (mins, maxs): (Vec<i64>, Vec<i64>) = ends.iter().copied().unzip();
            let of = |values: &[i64]| counted(values, width_ns, size);
            let cells = Cells { min: of(&mins), all: of(&all), max: of(&maxs) };
            let stated = Stated {
                min_ns: *mins.iter().min().unwrap(),
                mean_ns: Some(whole.iter().sum::<i64>() / whole.len() as i64),
                max_ns: *maxs.iter().max().unwrap(),
                seconds: &ends,
            };
            prop_assert!(fitting(&cells, stated).contains(&width_ns), "{:?}", fitting(&cells, stated));
            prop_assert_eq!(width(&cells, stated, Some(width_ns)), Width::Known(width_ns));
            if let Width::Known(found) = width(&cells, stated, None) {
                prop_assert!(found == width_ns || found == DEFAULT_NS);
            }
        }
    }
}
