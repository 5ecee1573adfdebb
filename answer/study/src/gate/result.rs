//! What the gate answers, as scripts read it.

use super::conditions::Different;
use super::explained::GateExplanation;
use prazo_run::run::Quantity;
use prazo_stats::observed_range::Ends;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The result of a comparison with a baseline; `prazo gate --baseline BASELINE --json` prints this object under `gate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GateResult {
    /// The baseline: the results folder or the file that was named.
    pub baseline: String,
    /// Whether figures moved: the answer of the gate.
    pub outcome: GateOutcome,
    /// The direction of shifts that fail the gate.
    pub direction: Direction,
    /// Conditions that differ between baseline and run, and that `--may-differ` allows to differ.
    pub differs: Vec<Different>,
    /// The figures that were compared, each with its values in baseline and run.
    pub compared: Vec<Compared>,
    /// Cells that were not compared, or not in every quantity, each with the reason.
    pub left: Vec<Left>,
    /// Upper bound on the probability that at least one figure is reported as moved although none moved: the sum over all
    /// figures for which it could be decided whether they moved.
    pub chance_max: f64,
    /// Functions that make the difference, where figures moved; null without `--explain`, and where nothing moved or could be
    /// explained.
    pub explained: Option<GateExplanation>,
    /// The reason why `--explain` gave no explanation of a movement; null where there is one or none was requested.
    pub not_explained: Option<String>,
}

/// The name of the figure that is no latency: the wake-ups that were jumped over, times their period.
pub(super) const SKIPPED: &str = "time skipped";

/// Whether figures moved: the answer of the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GateOutcome {
    /// No figure moved beyond the seeds' spread in a direction that counts: the gate passes.
    Unmoved,
    /// At least one figure moved beyond the seeds' spread in a direction that counts: the gate fails.
    Moved,
    /// No figure is known to have moved in a direction that counts, but some figures or cells cannot be decided.
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

/// The direction of shifts that fail the gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Shifts to larger and to smaller latencies.
    #[default]
    Either,
    /// Only shifts to larger latencies.
    Worse,
    /// Only shifts to smaller latencies.
    Better,
}

/// One figure of one cell, in the baseline and in this run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    /// Id of the cell: platform, load and probe.
    pub cell: String,
    /// The measured quantity that the figure describes, for example `response-latency`.
    pub quantity: Quantity,
    /// The figure: `median`, `99 %`, `99.9 %`, `maximum` or `time skipped`.
    pub figure: String,
    /// Number of seeds in the baseline and in this run.
    pub seeds: [usize; 2],
    /// Smallest and largest value of the baseline; null where a seed has no such figure.
    pub baseline: Option<Ends>,
    /// Smallest and largest value of this run; null where a seed has no such figure.
    pub found: Option<Ends>,
    /// Gap between the range of the baseline and that of this run: negative where the values of this run are smaller, 0
    /// where the ranges overlap; null where it could not be decided whether the figure moved.
    pub gap_ns: Option<f64>,
    /// Threshold: the figure moved if the absolute value of `gap_ns` exceeds this value.
    pub needed_ns: Option<f64>,
    /// Whether the figure moved, and in which direction.
    pub movement: Movement,
    /// The reason why it could not be decided whether the figure moved; null where this was decided.
    pub reason: Option<String>,
}

/// Whether a figure moved, and in which direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Movement {
    /// The figure did not move beyond the seeds' spread.
    None,
    /// The values of the figure became larger.
    Worse,
    /// The values of the figure became smaller.
    Better,
    /// Whether the figure moved cannot be decided.
    Undecidable,
}

/// A cell that was not compared, or not in every quantity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Left {
    /// Id of the cell.
    pub cell: String,
    /// The reason why the cell was not compared, or not in every quantity.
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
