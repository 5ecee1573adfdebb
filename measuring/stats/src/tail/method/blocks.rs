//! Maxima of consecutive blocks, and how their law relates to that of single samples.

use crate::tail::law::gev::Gev;

/// The maxima of consecutive blocks, with as many blocks as a block has samples; samples after the last whole block are left out.
pub(super) fn block_maxima(values: &[f64]) -> (usize, Vec<f64>) {
    let length = (values.len() as f64).sqrt().ceil() as usize;
    let largest = |block: &[f64]| block.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (length, values.chunks_exact(length).map(largest).collect())
}

/// What F(x) = exp(-exponent) has as exponent for block maxima, where the share `p` of single samples exceeds x: the maximum of a block
/// of independent samples is at most x with probability (1 - p)^length.
pub(super) fn exponent(length: usize, p: f64) -> f64 {
    -(length as f64) * (-p).ln_1p()
}

/// The quantile of single samples from the law of block maxima.
pub(super) fn quantile_of_maxima(law: Gev, length: usize, p: f64) -> f64 {
    law.at(exponent(length, p))
}

pub(super) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}
