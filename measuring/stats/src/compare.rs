//! Two or more runs side by side: quantile differences with intervals, dominance and crossings, maxima of equal counts.
//!
//! The unit of replication is the run: where both sides were repeated, intervals come from the runs; else from blocks within
//! them, and then say nothing of the spread between one boot and the next. Maxima are compared over equal counts only.

mod curves;
mod maxima;
mod quantiles;
mod side;
mod warnings;

use crate::Per;
use prazo_run::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A comparison of one run with a reference run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The reference run's name.
    pub reference: String,
    /// The name of the run that is compared with the reference.
    pub other: String,
    /// Differences of quantiles: the other side minus the reference.
    pub quantiles: Vec<QuantileDifference>,
    /// The event that one value of the exceedance curves represents: a due activation where both sides count them, else
    /// a served wake-up.
    pub curves_per: Per,
    /// Which side, if any, is better at some latency and clearly worse at none.
    pub dominance: Dominance,
    /// Latencies at which the two exceedance curves cross, in nanoseconds.
    pub crossings_ns: Vec<i64>,
    /// Maxima of both sides, compared at equal sample counts.
    pub maxima: MaximaComparison,
    /// Why the two runs may not be comparable, for example different base kernels, tools or periods.
    pub warnings: Vec<String>,
}

/// The difference of one latency quantile between two sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuantileDifference {
    /// The event that one value represents: a served wake-up or a due activation.
    pub per: Per,
    /// Level of the quantile, between 0 and 1.
    pub q: f64,
    /// The quantile of the reference; null where it is not known exactly.
    pub reference_ns: Option<i64>,
    /// The quantile of the other side; null where it is not known exactly.
    pub other_ns: Option<i64>,
    /// The quantile of the other side minus that of the reference; null where either is null.
    pub difference_ns: Option<i64>,
    /// 95 % interval of the difference, from blocks of time or repeated runs; null where there is none, and `reason` says
    /// why.
    pub interval_ns: Option<(i64, i64)>,
    /// How `interval_ns` was computed, or why it or `difference_ns` is null.
    pub reason: String,
}

/// First-order stochastic dominance: which side is better at some latency and clearly worse at none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Dominance {
    /// The reference is better at some latency and clearly worse at none.
    ReferenceBetter,
    /// The other side is better at some latency and clearly worse at none.
    OtherBetter,
    /// Neither side is clearly worse at any latency.
    Equal,
    /// The exceedance curves cross: each side is clearly worse at some latency.
    Neither,
}

/// Maxima of two runs, compared at equal counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MaximaComparison {
    /// Number of samples at which both maxima are compared: the smaller of the two sides' numbers of samples.
    pub count: u64,
    /// Maximum of the reference; the expected maximum of `count` draws where the reference has more samples; null where
    /// unknown.
    pub reference_ns: Option<i64>,
    /// Maximum of the other side; the expected maximum of `count` draws where that side has more samples; null where
    /// unknown.
    pub other_ns: Option<i64>,
    /// How the sample counts of both sides were made equal, and whether the maxima were tested.
    pub method: String,
    /// Two-sided p-value of a permutation test over the maxima of the runs; null without a test, for example with too few runs.
    pub p_value: Option<f64>,
}

/// Compares `other` with `reference`, each one run or several repeats of one; `None` where either side is empty.
pub fn compare(reference: &[&Run], other: &[&Run]) -> Option<Comparison> {
    let (reference, other) = (side::Side::of(reference)?, side::Side::of(other)?);
    let (curves_per, a, b) = reference.comparable_with(&other);
    let curves = curves::compare(&reference, &other, &a, &b);
    let mut warnings = warnings::warnings(&reference, &other);
    warnings.extend(curves.remark);
    Some(Comparison {
        reference: reference.name(),
        other: other.name(),
        quantiles: quantiles::differences(&reference, &other),
        curves_per,
        dominance: curves.dominance,
        crossings_ns: curves.crossings_ns,
        maxima: maxima::compare(&reference, &other),
        warnings,
    })
}

/// Compares every run but the first with the first.
pub fn compare_all(runs: &[&Run]) -> Vec<Comparison> {
    let Some((first, rest)) = runs.split_first() else { return vec![] };
    rest.iter().filter_map(|other| compare(&[first], &[other])).collect()
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
