//! What made a figure move: the worst activations of this run and of the baseline, compared function by function.
//!
//! It adds to the gate's answer and never changes it: where it fails, the answer has the reason instead.

use crate::function_difference::FunctionDifference;
use prazo_core::text::counted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Functions that an explanation lists.
const LISTED: usize = 10;

/// Functions that make the difference between the worst activations of this run and of the baseline; with `--explain`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateExplanation {
    /// Id of the cell that is explained: of the cells that can be explained, the one with the figure that moved the
    /// furthest.
    pub cell: String,
    /// The activation with the largest latency of the cell in this run.
    pub run: ExplainedActivation,
    /// The activation with the largest latency of the cell in the baseline.
    pub against: ExplainedActivation,
    /// How the worst activation of this run differs from that of the baseline, in one sentence.
    pub sentence: String,
    /// The functions with the largest differences in own time between the two activations, at most ten, the largest
    /// difference first.
    pub functions: Vec<FunctionDifference>,
    /// Number of functions with a difference that `functions` omits.
    pub functions_omitted: u64,
}

/// The activation with the largest latency of a cell on one side of the comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainedActivation {
    /// Run file with the activation.
    pub file: String,
    /// Number of the activation in the run.
    pub activation: u64,
    /// Latency of the activation.
    pub latency_ns: i64,
    /// The phases of the activation, with the functions that took most of them and their callers, in one sentence.
    pub sentence: String,
}

impl GateExplanation {
    /// Of two activations of a cell, that of this run first. `functions` are those of both, the largest difference first.
    pub fn new(
        cell: String,
        [run, against]: [ExplainedActivation; 2],
        sentence: String,
        mut functions: Vec<FunctionDifference>,
    ) -> Self {
        functions.retain(|function| function.times.difference_ns != 0);
        let functions_omitted = functions.len().saturating_sub(LISTED) as u64;
        functions.truncate(LISTED);
        Self { cell, run, against, sentence, functions, functions_omitted }
    }

    /// The cell with its sentence: `rt.loaded.fifo: The worst activation of this run took ...`.
    pub fn sentence_of_cell(&self) -> String {
        format!("{}: {}", self.cell, self.sentence)
    }

    /// How many functions are not listed; `None` where all are.
    pub fn omitted(&self) -> Option<String> {
        let more = self.functions_omitted;
        (more > 0).then(|| format!("and {} with smaller differences", counted(more, "more function")))
    }

    /// Each of the two activations, with its functions and their callers.
    pub fn activations(&self) -> [String; 2] {
        [("This run", &self.run), ("Baseline", &self.against)]
            .map(|(side, one)| format!("{side} ({}, activation {}): {}", one.file, one.activation, one.sentence))
    }
}
