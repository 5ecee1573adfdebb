//! How often a deadline was missed, and how often it may be with this much evidence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Misses of one deadline in one run, all processors together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MissRate {
    /// The deadline.
    pub deadline_ns: u64,
    /// Due activations that the figures rest on.
    pub due: u64,
    /// Served late, plus skipped ones (a skipped activation was late by more than a period or never ran).
    pub missed: u64,
    /// missed / due.
    pub rate: Option<f64>,
    /// Blocks (seconds) observed.
    pub blocks: u64,
    /// Blocks with at least one miss.
    pub blocks_with_miss: u64,
    /// Exact (Clopper-Pearson) 95 % upper bound on the share of blocks with a miss; `None` with a reason.
    pub block_rate_upper: Option<f64>,
    /// p-value of the runs test for independence of the blocks; `None` where it does not apply.
    pub runs_test_p: Option<f64>,
    /// Upper bound per activation, valid only if activations were independent, which they are not.
    pub rate_upper_if_independent: Option<f64>,
    /// Method and caveats in one or two sentences.
    pub method: String,
}
