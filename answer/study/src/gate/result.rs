//! What the gate answers, as scripts read it.

use super::conditions::Different;
use prazo_run::run::Quantity;
use prazo_stats::shift::Ends;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The gate's answer; `prazo gate --baseline BASELINE --json` prints it under `gate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GateResult {
    /// The baseline: a folder or a file.
    pub baseline: String,
    /// The answer.
    pub outcome: GateOutcome,
    /// Shifts that fail the gate.
    pub direction: Direction,
    /// Conditions that differ and are allowed to.
    pub differs: Vec<Different>,
    /// What was compared.
    pub compared: Vec<Compared>,
    /// Cells that were not compared, and why.
    pub left: Vec<Left>,
    /// Upper bound on the probability that at least one figure is reported as moved although none has: the sum over
    /// all compared figures.
    pub chance_max: f64,
}

/// The name of the figure that is no latency: the wake-ups that were jumped over, times their period.
pub(super) const SKIPPED: &str = "time skipped";

/// The three answers of the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GateOutcome {
    /// No figure moved beyond the seeds' spread.
    Unmoved,
    /// At least one figure moved.
    Moved,
    /// The seeds do not decide it.
    Undecidable,
}

impl From<GateOutcome> for prazo_verdict::Outcome {
    fn from(outcome: GateOutcome) -> Self {
        match outcome {
            GateOutcome::Unmoved => Self::Pass,
            GateOutcome::Moved => Self::Fail,
            GateOutcome::Undecidable => Self::Inconclusive,
        }
    }
}

/// Shifts that fail the gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Any shift.
    #[default]
    Either,
    /// Only shifts to larger latencies.
    Worse,
    /// Only shifts to smaller latencies.
    Better,
}

/// One figure of one cell on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    /// The cell: platform, load and probe.
    pub cell: String,
    /// What was measured.
    pub quantity: Quantity,
    /// `median`, `99 %`, `99.9 %`, `maximum` or `time skipped`.
    pub figure: String,
    /// Number of seeds in the baseline and in this run.
    pub seeds: [usize; 2],
    /// Smallest and largest value of the baseline; null where a seed has no such figure.
    pub baseline: Option<Ends>,
    /// Smallest and largest value of this run; null where a seed has no such figure.
    pub found: Option<Ends>,
    /// Gap between the two ranges; negative where the new values are smaller.
    pub gap_ns: Option<f64>,
    /// Threshold: the gap must exceed it.
    pub needed_ns: Option<f64>,
    /// Whether it moved.
    pub movement: Movement,
    /// Why it could not be decided; null where it was.
    pub reason: Option<String>,
}

/// Whether a figure moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Movement {
    /// Not beyond the seeds' spread.
    None,
    /// To larger latencies.
    Worse,
    /// Latencies became smaller.
    Better,
    /// Whether the figure moved cannot be decided.
    Undecidable,
}

/// A cell that was not compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Left {
    /// The cell.
    pub cell: String,
    /// The reason.
    pub reason: String,
}

impl Compared {
    /// True where it is not known and might have been: a side has the figure, and the two could not be told apart. A figure
    /// that neither side's samples support leaves nothing open.
    pub fn is_open(&self) -> bool {
        self.movement == Movement::Undecidable && (self.baseline.is_some() || self.found.is_some())
    }
}

impl Direction {
    /// True for a movement that counts.
    pub fn counts(self, movement: Movement) -> bool {
        match movement {
            Movement::Worse => self != Self::Better,
            Movement::Better => self != Self::Worse,
            Movement::None | Movement::Undecidable => false,
        }
    }
}
