//! One figure of an account: its value, the source that it is from, and what that source leaves out.

use schemars::JsonSchema;
use serde::Serialize;

/// One figure of the cost of a run of a command, with its source.
///
/// A figure has either a value and a source, or a reason why the value is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Figure {
    /// Value of the figure; null where no source provided it.
    pub value: Option<u64>,
    /// Source of the value, such as `wait4 rusage`; null where there is no value.
    pub source: Option<&'static str>,
    /// What the source does not include in the value; null where the source is not known to exclude anything.
    pub leaves_out: Option<&'static str>,
    /// Why the figure has no value; null where it has one.
    pub reason: Option<String>,
}

impl Figure {
    /// A figure from a source that leaves out nothing that is known.
    pub fn known(value: u64, source: &'static str) -> Self {
        Self { value: Some(value), source: Some(source), leaves_out: None, reason: None }
    }

    /// The same figure with what its source leaves out.
    pub fn leaving_out(self, what: &'static str) -> Self {
        Self { leaves_out: Some(what), ..self }
    }

    /// A figure that nothing gave.
    pub fn missing(reason: impl Into<String>) -> Self {
        Self { value: None, source: None, leaves_out: None, reason: Some(reason.into()) }
    }
}
