//! One activation, with the calls that were executed between its due instant and its first clock reading.

use prazo_lab::calls::{CallTree, Span};
use prazo_run::run::WorstSample;

/// One activation.
#[derive(Clone, Debug)]
pub struct Activation {
    /// The sample.
    pub sample: WorstSample,
    /// Which instructions of the boot it consists of.
    pub span: Span,
    /// The calls that executed them.
    pub tree: CallTree,
    /// Nanoseconds for each instruction.
    pub instruction_ns: u64,
}
