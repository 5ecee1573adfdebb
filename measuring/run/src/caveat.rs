//! Named threats to a result's validity, each with what to do about it.
//!
//! A caveat travels in the run, from whoever noticed it to the verdict and the report. The words for severity are those of
//! the kernel's own real-time configuration guide.

pub use prazo_platform::severity::Severity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A caveat: one named threat to the validity of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Caveat {
    /// Stable name of the caveat in kebab-case, documented in docs/caveats.md, such as `recorder-on-measured-cpu`.
    pub id: String,
    /// Severity of the caveat.
    pub severity: Severity,
    /// What was found, with figures, in one sentence.
    pub what: String,
    /// What to do about the caveat, in one sentence.
    pub remedy: String,
}

impl Caveat {
    /// A caveat; `id` in kebab-case and listed in docs/caveats.md.
    pub fn new(id: &str, severity: Severity, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { id: id.into(), severity, what: what.into(), remedy: remedy.into() }
    }
}
