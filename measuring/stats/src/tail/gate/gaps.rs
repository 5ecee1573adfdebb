//! Do peaks follow each other sooner than chance would have it? Counts the short gaps between peaks.
//!
//! Gaps of independent peaks are geometric. Those that are at most a tenth of the mean gap are a known share, so their number is
//! binomial. The runs estimator of the extremal index counts the same gaps (Smith and Weissman 1994).

use crate::binomial::at_least;

/// The share of independent series with at least so many short gaps; 1 with fewer than two peaks.
pub(in crate::tail) fn short_gaps(is_peak: &[bool]) -> f64 {
    let places: Vec<usize> = is_peak.iter().enumerate().filter(|(_, peak)| **peak).map(|(place, _)| place).collect();
    if places.len() < 2 || places.len() == is_peak.len() {
        return 1.0;
    }
    let share = places.len() as f64 / is_peak.len() as f64;
    let short = (0.1 / share).ceil();
    let found = places.windows(2).filter(|pair| (pair[1] - pair[0]) as f64 <= short).count();
    at_least(found as u64, places.len() as u64 - 1, 1.0 - (1.0 - share).powf(short))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tail::planted::rejections;

    fn is_refused(values: &[f64]) -> bool {
        short_gaps(&values.iter().map(|value| *value > 0.95).collect::<Vec<_>>()) < 0.05
    }

    #[test]
    fn independent_peaks_are_refused_in_at_most_5_of_100_and_pairs_nearly_always() {
        let refused = rejections(140, |random| (0..5_000).map(|_| random.f64()).collect(), is_refused, 1_000);
        assert!((15..=65).contains(&refused), "{refused} of 1,000");
        let pairs = |random: &mut fastrand::Rng| {
            let drawn: Vec<f64> = (0..5_000).map(|_| random.f64()).collect();
            drawn.windows(2).map(|pair| pair[0].max(pair[1]) - 0.02).collect()
        };
        assert!(rejections(141, pairs, is_refused, 100) >= 95);
    }

    #[test]
    fn few_peaks_and_only_peaks_are_let_pass() {
        for peaks in [&[][..], &[true], &[false, true, false], &[true, true, true]] {
            assert_eq!(short_gaps(peaks), 1.0);
        }
    }
}
