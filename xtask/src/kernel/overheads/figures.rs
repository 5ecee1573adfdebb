//! The figures of one quantity: count, maximum, mean, median, and what dropping the largest would leave.
//!
//! Vitor 2013 dropped 2 to 8 of the largest values, its predecessors 1 %; we drop none, and say what it would change.

use prazo_run::Histogram;

/// The figures, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Figures {
    /// Samples kept.
    pub count: u64,
    /// The largest.
    pub max_ns: u64,
    /// Their sum over their count.
    pub mean_ns: f64,
    /// The median; the higher of the middle two.
    pub median_ns: u64,
    /// The largest, had the eight largest been dropped.
    pub max_less_8_ns: u64,
    /// The largest, had one in a hundred been dropped.
    pub max_less_1_percent_ns: u64,
}

/// The paper dropped as many of the largest values, at most.
const PAPER_DROPPED: u64 = 8;

impl Figures {
    /// The figures of `histogram`; `None` where it is empty.
    pub(super) fn of(histogram: &Histogram) -> Option<Self> {
        let count = histogram.in_range();
        let last = count.checked_sub(1)?;
        let sum: u128 = histogram.cells().map(|(ns, count)| ns as u128 * u128::from(count)).sum();
        let at = |rank: u64| value_at(histogram, rank);
        Some(Self {
            count,
            max_ns: at(last),
            mean_ns: sum as f64 / count as f64,
            median_ns: at(count / 2),
            max_less_8_ns: at(last.saturating_sub(PAPER_DROPPED)),
            max_less_1_percent_ns: at(last - count / 100),
        })
    }
}

/// The value of rank `rank`, counted from zero and from the smallest.
fn value_at(histogram: &Histogram, rank: u64) -> u64 {
    let mut below = 0;
    let reaches = histogram.cells().find(|(_, count)| {
        below += count;
        below > rank
    });
    reaches.map_or(0, |(ns, _)| ns as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_sorted_list() {
        let seed = std::env::var("PRAZO_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        for length in [1_usize, 2, 8, 9, 99, 100, 101, 1_000] {
            let mut list: Vec<u64> = (0..length).map(|_| random.u64(20..400)).collect();
            let mut histogram = Histogram::new();
            list.iter().for_each(|ns| histogram.add(*ns as i64, 1));
            list.sort_unstable();
            let figures = Figures::of(&histogram).unwrap();
            let less = |dropped: usize| list[(length - 1).saturating_sub(dropped)];
            assert_eq!((figures.count, figures.max_ns, figures.median_ns), (length as u64, less(0), list[length / 2]));
            assert_eq!((figures.max_less_8_ns, figures.max_less_1_percent_ns), (less(8), less(length / 100)));
            let mean = list.iter().sum::<u64>() as f64 / length as f64;
            assert!((figures.mean_ns - mean).abs() < 1e-6, "{} {mean}", figures.mean_ns);
        }
        assert_eq!(Figures::of(&Histogram::new()), None);
    }
}
