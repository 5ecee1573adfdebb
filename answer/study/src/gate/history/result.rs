//! What the history of a gate answers, as scripts read it.

use super::super::conditions::Different;
use prazo_run::run::Quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The figures of a folder of baselines, in order, with the points at which their levels changed; `prazo gate --history FOLDER
/// --json` prints this object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryResult {
    /// The folder that was named.
    pub folder: String,
    /// Name of the study that measured all baselines.
    pub study: String,
    /// Files of the folder that are baselines.
    pub files: Vec<String>,
    /// Everything else in the folder, each with the reason why it was not read as a baseline.
    pub not_read: Vec<NotRead>,
    /// Cells of baselines that were left out of the histories, each with the reason.
    pub left: Vec<LeftOut>,
    /// Conditions that differ between the first part of a cell's history and another part; each part was tested alone.
    pub differs: Vec<PartDiffers>,
    /// Each figure of each part of each cell.
    pub histories: Vec<FigureHistory>,
    /// Number of histories with enough baselines for a test.
    pub tested: usize,
    /// Largest probability that a history without a change is reported with one.
    pub false_alarms: f64,
    /// Number of random orders that each split was compared with.
    pub orders: usize,
    /// True if at least one history was tested.
    pub decided: bool,
}

/// An entry of the folder that is not a baseline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotRead {
    /// Name of the entry.
    pub file: String,
    /// The reason why it was not read as a baseline.
    pub reason: String,
}

/// A cell of a baseline that is not in the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Name of the baseline's file.
    pub file: String,
    /// Id of the cell.
    pub cell: String,
    /// The reason why it was left out.
    pub reason: String,
}

/// A condition by which a part of a cell's history differs from its first part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PartDiffers {
    /// Number of the part; 1 is the first.
    pub part: usize,
    /// Files of the baselines of this part.
    pub files: Vec<String>,
    /// The condition that differs, with its values in the first part (`baseline`) and in this one (`found`).
    pub different: Different,
}

/// By what the baselines of a history are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OrderedBy {
    /// By the versions of the kernels' releases: each baseline states a release, and their versions differ.
    KernelRelease,
    /// By the time of measurement: the releases are alike or unknown.
    TimeOfMeasurement,
    /// By the name of the file: the baselines state neither different releases nor all a time.
    FileName,
}

/// One figure over the baselines of one part of a cell's history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureHistory {
    /// Id of the cell: platform, load and probe.
    pub cell: String,
    /// Number of the part of the cell's history, from 1; parts have different conditions.
    pub part: usize,
    /// Number of parts of the cell's history.
    pub parts: usize,
    /// The measured quantity that the figure describes, for example `response-latency`.
    pub quantity: Quantity,
    /// The figure: `median`, `99 %`, `99.9 %`, `maximum` or `time skipped`.
    pub figure: String,
    /// By what the points are ordered.
    pub ordered_by: OrderedBy,
    /// The points, in order.
    pub points: Vec<HistoryPoint>,
    /// The changes, in order.
    pub changes: Vec<HistoryChange>,
    /// Number of significant changes that are not among them, because they do not exceed the floor.
    #[serde(default)]
    pub below_floor: usize,
    /// Probability of the clearest split if the baselines could have come in any order; null where nothing was tested.
    pub probability: Option<f64>,
    /// The reason why nothing was tested; null where a test was made.
    pub reason: Option<String>,
}

/// One kernel or one baseline in a history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryPoint {
    /// A short name: version or release of the kernel, time of measurement (UTC), or name of the file.
    pub label: String,
    /// Files of the baselines; several where they measured the same kernel.
    pub files: Vec<String>,
    /// Release of the kernel, as the kernel states it; null where it is not known.
    pub kernel_release: Option<String>,
    /// Start of the first run, in nanoseconds of CLOCK_REALTIME since 1970; null where it is not known.
    pub measured_at_unix_ns: Option<i64>,
    /// Values of the figure, one for each seed; empty where a run has no such figure.
    pub values_ns: Vec<f64>,
    /// The reason why there are no values; null where there are.
    pub reason: Option<String>,
}

/// A point at which the level of a figure changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryChange {
    /// Label of the last point before the change.
    pub before: String,
    /// Label of the first point after the change.
    pub first: String,
    /// Median of all values of the level before the change.
    pub before_ns: f64,
    /// Median of all values of the level after the change.
    pub after_ns: f64,
    /// Difference of the two medians; positive where the figure became larger.
    pub shift_ns: f64,
    /// Probability of a split at least as clear if the baselines could have come in any order.
    pub probability: f64,
    /// Level of the test: `probability` is at most this.
    pub level: f64,
    /// True if `probability` is also at most `level` divided by the number of tested histories.
    pub holds_over_all: bool,
}
