//! One activation, with everything that was executed from due to running.

use prazo_lab::calls::{CallTree, Span};
use prazo_run::run::WorstSample;

/// One activation.
#[derive(Clone, Debug)]
pub struct Activation {
    /// The sample.
    pub sample: WorstSample,
    /// Its instructions.
    pub span: Span,
    /// Who executed them.
    pub tree: CallTree,
    /// Nanoseconds an instruction.
    pub instruction_ns: u64,
}
