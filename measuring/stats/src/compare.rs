//! Two or more runs side by side: quantile differences with intervals, dominance and crossings, maxima of equal counts.

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
    /// Whose distribution lies below the other's everywhere, if either does.
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
    /// Between 0 and 1.
    pub q: f64,
    /// The reference's value.
    pub reference_ns: Option<i64>,
    /// The other's value.
    pub other_ns: Option<i64>,
    /// other - reference.
    pub difference_ns: Option<i64>,
    /// 95 % interval of the difference, from blocks or repeated runs; `None` with a reason.
    pub interval_ns: Option<(i64, i64)>,
    /// How the interval was made, or why it is missing.
    pub reason: String,
}

/// First-order stochastic dominance: smaller latencies everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Dominance {
    /// The reference is nowhere worse.
    ReferenceBetter,
    /// The other is nowhere worse.
    OtherBetter,
    /// The curves are the same.
    Equal,
    /// The curves cross.
    Neither,
}

/// Maxima of two runs, made comparable by equal counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MaximaComparison {
    /// The count both maxima refer to.
    pub count: u64,
    /// Of the reference; expected maximum of `count` draws where it has more samples.
    pub reference_ns: Option<i64>,
    /// Of the other, likewise.
    pub other_ns: Option<i64>,
    /// How counts were made equal.
    pub method: String,
}
