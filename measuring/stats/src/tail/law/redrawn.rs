//! The 95 % interval of a quantile by parametric bootstrap: the fitted law is drawn from, and fitted again.
//!
//! The ends are the 2.5 % and 97.5 % percentiles of the redrawn quantiles (Efron and Tibshirani 1993, chapter 13).

use super::Law;
use crate::bootstrap::middle_95;

const DRAWS: usize = 500;

/// The interval of `quantile` over redrawn fits; `None` if hardly any redrawn sample can be fitted.
pub(in crate::tail) fn interval<L: Law>(
    law: L,
    count: usize,
    random: &mut fastrand::Rng,
    quantile: impl Fn(L) -> f64,
) -> Option<(f64, f64)> {
    let draws: Vec<f64> = (0..DRAWS)
        .filter_map(|_| L::fitted(&law.drawn(count, random)))
        .map(quantile)
        .filter(|q| q.is_finite())
        .collect();
    if draws.len() < DRAWS / 2 { None } else { middle_95(draws, f64::total_cmp) }
}
