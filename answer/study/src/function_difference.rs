//! The time of a function in the worst activations of two runs, and how much they differ.
//!
//! The explanation of two runs and that of a gate name functions by the same type.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A time in the first run and in the run compared with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Times {
    /// Time in the first run.
    pub run_ns: i64,
    /// Time in the other run.
    pub against_ns: i64,
    /// Time in the first run minus time in the other run; negative where the first run took less.
    pub difference_ns: i64,
}

impl Times {
    /// Of the time in the first run and the time in the other one.
    pub const fn of([run_ns, against_ns]: [i64; 2]) -> Self {
        Self { run_ns, against_ns, difference_ns: run_ns - against_ns }
    }
}

/// One function in the worst activations of both runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionDifference {
    /// Name of the function.
    pub name: String,
    /// Time of the function's own instructions in both runs.
    #[serde(flatten)]
    pub times: Times,
}
