//! The method of chronovise, from its description (Reghenzani, Massari, Fornaciari 2018) and those of the tests of its authors' index of
//! predictability (Reghenzani, Massari, Fornaciari 2020): KPSS, BDS and rescaled range on all samples, then a fit by
//! probability-weighted moments, then Kolmogorov-Smirnov and the modified Anderson-Darling test.
//!
//! The description leaves these to the user; they are our choice and could not be confirmed: threshold (95 %), block size (root of the
//! count), lags, dimension and distance of the BDS test (2, one standard deviation), which tail the rescaled range is tested on (upper).
//! The index weighs the three tests; here each simply has to pass at 5 %. The description has no interval of a quantile; it
//! is ours, by parametric bootstrap. Kolmogorov-Smirnov uses Massey's table (1951) as the description cites it, which is too lenient for
//! fitted parameters; the modified Anderson-Darling test has simulated critical values.

use super::blocks::{block_maxima, quantile_of_maxima, sorted};
use crate::tail::answer::{Extrapolated, Gate, Refused};
use crate::tail::gate::LEVEL;
use crate::tail::gate::bds::bds;
use crate::tail::gate::fit::{fits, kolmogorov_smirnov, probabilities, upper_anderson_darling};
use crate::tail::gate::kpss::{CRITICAL, kpss};
use crate::tail::gate::rescaled_range::{probability, rescaled_range};
use crate::tail::lattice::seed;
use crate::tail::law::Law;
use crate::tail::law::gev::Gev;
use crate::tail::law::gpd::Gpd;
use crate::tail::law::redrawn::interval;

/// Share of the samples above the threshold.
const PEAKS: f64 = 0.05;
/// The 5 % point of Massey's table for many values, to be divided by the root of their number.
const MASSEY: f64 = 1.36;
/// The two-sided 5 % point of the standard normal law.
const NORMAL: f64 = 1.959_964;

/// Peaks over a threshold.
pub(super) fn peaks(latencies_ns: &[i64], p: f64) -> Result<Extrapolated, Refused> {
    let values = applicable(latencies_ns)?;
    let ascending = sorted(&values);
    let threshold = ascending[ascending.len() - 1 - (PEAKS * ascending.len() as f64) as usize];
    let excesses: Vec<f64> = ascending.iter().filter(|x| **x > threshold).map(|x| x - threshold).collect();
    let ratio = excesses.len() as f64 / ascending.len() as f64 / p;
    if ratio <= 1.0 {
        return Err(Gate::Count.refuses("the samples show this quantile themselves"));
    }
    fitted(
        &excesses,
        latencies_ns,
        |law: Gpd| threshold + law.exceeded_by_one_in(ratio),
        "peaks over the 95 % quantile",
    )
}

/// Block maxima.
pub(super) fn maxima(latencies_ns: &[i64], p: f64) -> Result<Extrapolated, Refused> {
    let values = applicable(latencies_ns)?;
    let (length, maxima) = block_maxima(&values);
    fitted(&sorted(&maxima), latencies_ns, |law: Gev| quantile_of_maxima(law, length, p), "block maxima")
}

/// The samples, if extreme value theory may be applied to them.
fn applicable(latencies_ns: &[i64]) -> Result<Vec<f64>, Refused> {
    let values: Vec<f64> = latencies_ns.iter().map(|value| *value as f64).collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    let equal = || Gate::Resolution.refuses("all samples are equal");
    if kpss(&values).ok_or_else(equal)? > CRITICAL {
        return Err(Gate::Stationarity.refuses("the samples drift or jump (KPSS, 5 %)"));
    }
    if bds(&values, deviation).is_some_and(|statistic| statistic.abs() > NORMAL) {
        return Err(Gate::Dependence.refuses("neighbouring samples depend on each other (BDS, 5 %)"));
    }
    if probability(rescaled_range(&values).ok_or_else(equal)?) < LEVEL {
        return Err(Gate::LongMemory.refuses("the samples wander slowly (rescaled range, 5 %)"));
    }
    Ok(values)
}

fn fitted<L: Law>(
    ascending: &[f64],
    latencies_ns: &[i64],
    quantile: impl Fn(L) -> f64,
    what: &str,
) -> Result<Extrapolated, Refused> {
    let no_fit = || Gate::Fit.refuses("the large values have no fit");
    let law = L::fitted(ascending).ok_or_else(no_fit)?;
    let count = ascending.len();
    if kolmogorov_smirnov(&probabilities(law, ascending)) > MASSEY / (count as f64).sqrt() {
        return Err(Gate::Fit.refuses(format!("the {} does not fit {count} {what} (Kolmogorov-Smirnov, 5 %)", L::NAME)));
    }
    let mut random = fastrand::Rng::with_seed(seed(latencies_ns));
    fits(law, ascending, upper_anderson_darling, &mut random)?;
    let (low_ns, high_ns) = interval(law, count, &mut random, &quantile).ok_or_else(no_fit)?;
    Ok(Extrapolated {
        quantile_ns: quantile(law),
        low_ns,
        high_ns: Some(high_ns),
        shape: law.shape(),
        fitted: count,
        conditions: format!("{count} {what}; 95 % CI by parametric bootstrap"),
    })
}
