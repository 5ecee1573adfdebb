//! What a report is made of: the verdict, the runs with their figures, and what was checked besides.
//!
//! Each part is the type of the crate that found it.

use crate::cost::ProgramCosts;
use prazo_core::time::Duration;
use prazo_platform::readiness::CheckResult;
use prazo_run::Run;
use prazo_run::run::Quantity;
use prazo_stats::{Comparison, MissRate, RunSummary};
use prazo_study::Seeds;
use prazo_study::result::QuantityResult;
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
    pub readiness: Vec<CheckResult>,
    /// A study's claims with their outcomes; empty without a study.
    pub claims: Vec<ClaimResult>,
    /// How far the runs of a study's cells lie apart; empty where none was repeated.
    pub spreads: Vec<SpreadRow>,
    /// A paper's figures beside those that were measured again; empty where nothing of a paper was.
    pub beside: Vec<StatedAndMeasured>,
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
    /// Misses of the deadline that was asked for, else of the run's own; `None` without either.
    pub misses: Option<MissRate>,
}

impl RunEvidence {
    /// A run with everything computed from it for the deadline that is asked for, else for its own.
    pub fn of(run: Run, asked: Option<Duration>) -> Self {
        let deadline = prazo_stats::deadline_of(&run, asked);
        let run = prazo_stats::under(run, asked);
        let misses = deadline.map(|deadline| prazo_stats::miss_rate(&run, deadline));
        Self { summary: prazo_stats::summarise(&run), misses, run }
    }

    /// True of a run that only executed workloads: nobody was woken in it, so that no word about latencies is one about it.
    pub(crate) fn is_cost_alone(&self) -> bool {
        !self.run.workloads.is_empty() && self.run.series.is_empty()
    }
}

/// The runs of one cell, each for itself, and how far they lie apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpreadRow {
    /// The cell.
    pub cell: String,
    /// What was measured.
    pub quantity: Quantity,
    /// The runs' figures and their spread.
    #[serde(flatten)]
    pub seeds: Seeds,
}

/// What a paper states of one quantity of a cell, and what the cell that repeats it came to.
#[derive(Clone, Debug, PartialEq)]
pub struct StatedAndMeasured {
    /// The paper's cell.
    pub stated: String,
    /// Its figures.
    pub theirs: QuantityResult,
    /// The cell that repeats it.
    pub cell: String,
    /// Its figures, all runs together.
    pub ours: QuantityResult,
}

/// The samples of one quantity of one run, in the order in which they came.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    /// The cell or run.
    pub label: String,
    /// Each sample: its instant since the first, and the latency, both in nanoseconds.
    pub samples: Vec<(i64, i64)>,
    /// The figures below the graph.
    pub figures: QuantityResult,
}
