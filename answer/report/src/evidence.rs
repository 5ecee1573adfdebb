//! What a report is made of: the verdict, the runs with their figures, and what was checked besides.
//!
//! Readiness findings and claims are plain rows here, so that a report needs neither the machine nor the study it came from.

use crate::cost::ProgramCosts;
use prazo_run::run::Quantity;
use prazo_run::{Run, Severity};
use prazo_stats::{Comparison, MissRate, RunSummary};
use prazo_verdict::Verdict;
use prazo_verdict::claim::ClaimResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything that one report shows.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The report's heading.
    pub title: String,
    /// The answer; `None` where no requirement was judged.
    pub verdict: Option<Verdict>,
    /// The runs, in the order in which they are shown.
    pub runs: Vec<RunEvidence>,
    /// Comparisons of two runs.
    pub comparisons: Vec<Comparison>,
    /// What `prazo check` found; empty where it did not run.
    pub readiness: Vec<ReadinessRow>,
    /// A study's claims with their outcomes; empty without a study.
    pub claims: Vec<ClaimResult>,
    /// How far the runs of a study's cells lie apart; empty where none was repeated.
    pub spreads: Vec<SpreadRow>,
    /// A paper's figures beside those that were measured again; empty where nothing of a paper was.
    pub beside: Vec<BesideRow>,
    /// What platforms cost programs, each way of measuring for itself; empty where nothing was costed.
    pub costs: Vec<ProgramCosts>,
    /// Latencies as they came; empty where no sample was kept.
    pub moments: Vec<Moments>,
    /// The command line that makes this evidence again.
    pub command: String,
    /// When the report was made, as text for people; empty where it shall not depend on the day.
    pub made_at: String,
}

/// One run with the figures computed from it.
#[derive(Clone, Debug)]
pub struct RunEvidence {
    /// The run itself.
    pub run: Run,
    /// Its summaries.
    pub summary: RunSummary,
    /// Misses of the requirement's deadline; `None` without one.
    pub misses: Option<MissRate>,
}

impl RunEvidence {
    /// True of a run that only executed workloads: nobody was woken in it, so that no word about latencies is one about it.
    pub(crate) fn is_cost_alone(&self) -> bool {
        !self.run.workloads.is_empty() && self.run.series.is_empty()
    }
}

/// The outcome of one readiness check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReadinessOutcome {
    /// As it should be.
    Ok,
    /// Not as it should be.
    Finding,
    /// Does not concern this machine.
    NotApplicable,
    /// Could not be found out; never taken for ok.
    Unknown,
}

/// One readiness check with its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadinessRow {
    /// A stable name in kebab-case.
    pub id: String,
    /// What is checked, in a few words.
    pub title: String,
    /// What came out.
    pub outcome: ReadinessOutcome,
    /// How much a finding weighs.
    pub severity: Severity,
    /// The value found; `None` where it could not be read.
    pub found: Option<String>,
    /// The value wanted.
    pub wanted: String,
    /// The file or call that was read.
    pub source: String,
    /// Why it matters: one sentence.
    pub why: String,
    /// What to do: one sentence, or a command.
    pub fix: String,
}

/// The runs of one cell, each for itself, and how far they lie apart: the smallest and the largest value that a run has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpreadRow {
    /// The cell.
    pub cell: String,
    /// What was measured.
    pub quantity: Quantity,
    /// True where each run is a guest's trajectory of its seed.
    pub counted: bool,
    /// One for each run.
    pub runs: Vec<SeedRow>,
    /// The means'; null where a run has none.
    pub mean_ns: Option<(f64, f64)>,
    /// The medians'.
    pub median_ns: Option<(f64, f64)>,
    /// That of the order statistics at 0.99.
    pub q99_ns: Option<(f64, f64)>,
    /// At 0.999.
    pub q999_ns: Option<(f64, f64)>,
    /// At 0.99999.
    pub q99999_ns: Option<(f64, f64)>,
    /// That of the largest observed.
    pub max_ns: Option<(f64, f64)>,
}

/// The figures of one run of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeedRow {
    /// The seed of its plan; null for an import.
    pub seed: Option<u64>,
    /// Samples.
    pub count: u64,
    /// Mean; null where overflow hides it.
    pub mean_ns: Option<f64>,
    /// Median; this and the next are null where fewer than ten samples lie above them.
    pub median_ns: Option<i64>,
    /// Order statistic at 0.99.
    pub q99_ns: Option<i64>,
    /// At 0.999.
    pub q999_ns: Option<i64>,
    /// At 0.99999.
    pub q99999_ns: Option<i64>,
    /// Largest observed.
    pub max_ns: Option<i64>,
}

/// What a paper states of one quantity of a cell, and what the cell that repeats it came to.
#[derive(Clone, Debug, PartialEq)]
pub struct BesideRow {
    /// What was measured.
    pub quantity: Quantity,
    /// The paper's cell.
    pub stated: String,
    /// Its figures.
    pub theirs: FourFigures,
    /// The cell that repeats it.
    pub cell: String,
    /// Its figures, all runs together.
    pub ours: FourFigures,
}

/// What the papers' tables have of a latency; a figure that nobody has is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FourFigures {
    /// Samples.
    pub count: Option<u64>,
    /// Mean.
    pub mean_ns: Option<f64>,
    /// Standard deviation.
    pub deviation_ns: Option<f64>,
    /// Smallest.
    pub min_ns: Option<f64>,
    /// Largest observed.
    pub max_ns: Option<f64>,
}

/// The samples of one quantity of one run, in the order in which they came.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    /// The cell or run.
    pub label: String,
    /// What was measured.
    pub quantity: Quantity,
    /// Each sample: its instant since the first, and the latency, both in nanoseconds.
    pub samples: Vec<(i64, i64)>,
    /// The figures below the graph.
    pub figures: FourFigures,
}
