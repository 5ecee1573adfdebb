//! Do some blocks hold more peaks than chance gives them? The dispersion test of peaks over a threshold (Cunnane 1979).
//!
//! It sees bursts that last for blocks, such as a load that comes and goes, and levels that change.

use statrs::function::gamma::gamma_ur;

/// The share of independent series whose counts vary over blocks at least so much; `None` without a peak or with fewer than two blocks.
pub(in crate::tail) fn dispersion(counts: &[u32]) -> Option<f64> {
    let total: u32 = counts.iter().sum();
    if total == 0 || counts.len() < 2 {
        return None;
    }
    let mean = f64::from(total) / counts.len() as f64;
    let statistic = counts.iter().map(|count| (f64::from(*count) - mean).powi(2)).sum::<f64>() / mean;
    Some(gamma_ur((counts.len() - 1) as f64 / 2.0, statistic / 2.0))
}

/// How many peaks each of so many equal blocks holds; values after the last whole block are left out.
pub(in crate::tail) fn counts(is_peak: &[bool], blocks: usize) -> Vec<u32> {
    let length = (is_peak.len() / blocks.max(1)).max(1);
    is_peak.chunks_exact(length).map(|block| block.iter().map(|peak| u32::from(*peak)).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tail::planted::rejections;

    fn is_refused(values: &[f64]) -> bool {
        let peaks: Vec<bool> = values.iter().map(|value| *value > 0.9).collect();
        dispersion(&counts(&peaks, 100)).unwrap() < 0.05
    }

    #[test]
    fn independent_peaks_are_refused_in_5_of_100_and_a_load_that_comes_and_goes_nearly_always() {
        // The peaks of a block are at most a share of it, so the test is a little less strict than 5 %.
        let refused = rejections(130, |random| (0..10_000).map(|_| random.f64()).collect(), is_refused, 500);
        assert!((1..=40).contains(&refused), "{refused} of 500");
        let load = |random: &mut fastrand::Rng| {
            (0..10_000).map(|i| if i / 1_000 % 2 == 0 { random.f64() } else { random.f64() * 0.94 }).collect()
        };
        assert!(rejections(131, load, is_refused, 100) >= 95);
        assert_eq!(dispersion(&[0, 0, 0]), None);
        assert_eq!(dispersion(&[]), None);
    }
}
