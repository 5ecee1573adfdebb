//! What would make a task set fit, as values.

use super::change::ChangeKind;
use prazo_analysis::question::Caveat;
use prazo_core::verdict::Verdict;
use prazo_scenario::Scenario;
use std::path::PathBuf;

/// What would make it fit.
#[derive(Clone, Debug)]
pub struct AdviseAnswer {
    /// The file as it was named, or the scenario's name.
    pub title: String,
    /// The verdict of the set as it is.
    pub verdict: Verdict,
    /// Changes with which it is proven, the least first.
    pub advice: Vec<Advice>,
    /// Kinds of change that were tried but gave no proof.
    pub in_vain: Vec<ChangeKind>,
    /// Number of questions that were answered.
    pub questions: u64,
}

/// One change with which the set is proven.
#[derive(Clone, Debug)]
pub struct Advice {
    /// What kind of change.
    pub kind: ChangeKind,
    /// The change in words, without a full stop.
    pub text: String,
    /// The test that proves it, where one queue is judged as a whole.
    pub decided_by: Option<&'static str>,
    /// What the proof rests on beyond the set.
    pub caveats: Vec<Caveat>,
    /// The changed set.
    pub scenario: Scenario,
    /// Where that was written.
    pub file: Option<PathBuf>,
    /// Where the proof's certificate was written.
    pub certificate: Option<PathBuf>,
}
