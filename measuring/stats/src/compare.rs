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
    /// The other run's name.
    pub other: String,
    /// Differences of quantiles, other minus reference.
    pub quantiles: Vec<QuantileDifference>,
    /// The event behind one value of the exceedance curves: a due activation where both sides count them.
    pub curves_per: Per,
    /// The side whose distribution lies below the other's everywhere, if there is one.
    pub dominance: Dominance,
    /// Latencies at which the two exceedance curves cross, in nanoseconds.
    pub crossings_ns: Vec<i64>,
    /// Maxima, over equal counts.
    pub maxima: MaximaComparison,
    /// Why the two may not be comparable: different base kernels, tools, periods, skipping.
    pub warnings: Vec<String>,
}

/// The difference of one quantile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuantileDifference {
    /// The event behind one value.
    pub per: Per,
    /// Between 0 and 1.
    pub q: f64,
    /// Value of the reference.
    pub reference_ns: Option<i64>,
    /// Value of the other side.
    pub other_ns: Option<i64>,
    /// Value of the other side minus that of the reference.
    pub difference_ns: Option<i64>,
    /// 95 % interval of the difference, from blocks or repeated runs; `None` with a reason.
    pub interval_ns: Option<(i64, i64)>,
    /// How the interval was computed, or why it is missing.
    pub reason: String,
}

/// First-order stochastic dominance: smaller latencies everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Dominance {
    /// The reference is better at some latency and clearly worse at none.
    ReferenceBetter,
    /// The other is better at some latency and clearly worse at none.
    OtherBetter,
    /// Neither is clearly worse at any latency.
    Equal,
    /// The curves cross: each is clearly worse at some latency.
    Neither,
}

/// Maxima of two runs, compared at equal counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MaximaComparison {
    /// The count at which both maxima are compared.
    pub count: u64,
    /// Maximum of the reference; the expected maximum of `count` draws where the reference has more samples.
    pub reference_ns: Option<i64>,
    /// Maximum of the other; the expected maximum of `count` draws where the other has more samples.
    pub other_ns: Option<i64>,
    /// How counts were made equal.
    pub method: String,
    /// Two-sided p-value of a permutation test over the runs' maxima; `None` where too few runs were repeated.
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
