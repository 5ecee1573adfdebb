//! Knobs of the system: set, read back, recorded and put back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was done to one knob, as a run records it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TunableRecord {
    /// The knob: a file under /proc, /sys or /dev, or a call such as `prctl(PR_SET_TIMERSLACK)`.
    pub knob: String,
    /// Its value before.
    pub before: Option<String>,
    /// What was asked.
    pub requested: String,
    /// What was read back afterwards; `None` where it cannot be read.
    pub effective: Option<String>,
    /// True once the value before was put back.
    pub restored: bool,
}
