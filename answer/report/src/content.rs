//! What a report is made of: the verdict, the runs with their figures, and what was checked besides.
//!
//! Each part is the type of the crate that found it.

use crate::cost::ProgramCosts;
use prazo_core::time::Duration;
use prazo_platform::readiness::CheckResult;
use prazo_run::Run;
use prazo_run::run::Quantity;
use prazo_stats::{Comparison, MissRate, Per, RunSummary, Summary};
use prazo_study::Seeds;
use prazo_study::result::QuantityResult;
use prazo_verdict::Verdict;
use prazo_verdict::claim::ClaimResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything that one report shows.
#[derive(Clone, Debug, Default)]
pub struct ReportContent {
    /// The report's heading.
    pub title: String,
    /// The answer; `None` where no requirement was judged.
    pub verdict: Option<Verdict>,
    /// The runs, in the order in which they are shown.
    pub runs: Vec<RunEvidence>,
    /// Comparisons of two runs.
    pub comparisons: Vec<Comparison>,
    /// True where the runs were named to be compared, and nothing else is asked.
    pub is_comparison: bool,
    /// What `prazo check` found; empty where it did not run.
    pub readiness: Vec<CheckResult>,
    /// A study's claims with their outcomes; empty without a study.
    pub claims: Vec<ClaimResult>,
    /// How far the runs of a study's cells lie apart; empty where none was repeated.
    pub spreads: Vec<SpreadRow>,
    /// A paper's figures beside those that were measured again; empty where nothing of a paper was.
    pub beside: Vec<StatedAndMeasured>,
    /// What platforms cost programs, for each setting; empty where no cost was measured.
    pub costs: Vec<ProgramCosts>,
    /// Latencies as they came; empty where no sample was kept.
    pub moments: Vec<Moments>,
    /// The command line that makes this evidence again.
    pub command: String,
    /// When the report was made, as text for people; empty where it shall not depend on the day.
    pub made_at: String,
}

/// What follows the name of a run that is not judged.
const CONTROL: &str = " (control)";

impl ReportContent {
    /// The runs that the verdict rests on; all of them where nothing was judged.
    pub fn judged(&self) -> impl Iterator<Item = &RunEvidence> + Clone {
        self.runs.iter().filter(|run| !run.is_control)
    }

    /// What all run names begin with, up to and with a dot: `here.` of `here.idle.fifo` and `here.loaded.fifo`. Empty where there is
    /// no such part.
    pub fn common_prefix(&self) -> &str {
        let mut names = self.runs.iter().map(|run| run.run.name.as_str());
        let Some(first) = names.next().filter(|_| self.runs.len() > 1) else { return "" };
        let shared = names.fold(first, |shared, name| {
            let length = shared.chars().zip(name.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
            &shared[..length]
        });
        shared.rfind('.').map_or("", |dot| &shared[..=dot])
    }

    /// The same with names as a reader needs them: without what all of them begin with, and controls marked as such.
    pub(crate) fn with_short_names(&self) -> Self {
        let prefix = self.common_prefix().to_owned();
        let mut short = self.clone();
        let cut = |text: &mut String| {
            if !prefix.is_empty() {
                *text = text.replace(&prefix, "");
            }
        };
        for run in &mut short.runs {
            cut(&mut run.run.name);
        }
        for reason in short.verdict.iter_mut().flat_map(|verdict| &mut verdict.reasons) {
            cut(&mut reason.text);
        }
        short.verdict.iter_mut().for_each(|verdict| cut(&mut verdict.sentence));
        for comparison in &mut short.comparisons {
            cut(&mut comparison.reference);
            cut(&mut comparison.other);
        }
        short.claims.iter_mut().for_each(|claim| cut(&mut claim.evidence));
        short.spreads.iter_mut().for_each(|row| cut(&mut row.cell));
        short.moments.iter_mut().for_each(|graph| cut(&mut graph.label));
        for control in short.runs.iter_mut().filter(|run| run.is_control) {
            let marked = format!("{}{CONTROL}", control.run.name);
            let compared = short.comparisons.iter_mut().flat_map(|one| [&mut one.reference, &mut one.other]);
            compared.filter(|name| **name == control.run.name).for_each(|name| name.clone_from(&marked));
            control.run.name = marked;
        }
        short
    }
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
    /// True of a run that was measured for comparison only, such as one under `other` beside one under `fifo`: the verdict does
    /// not rest on it.
    pub is_control: bool,
}

impl RunEvidence {
    /// A run with everything computed from it for the deadline that is asked for, else for its own.
    pub fn of(run: Run, asked: Option<Duration>) -> Self {
        let deadline = prazo_stats::deadline_of(&run, asked);
        let run = prazo_stats::under(run, asked);
        let misses = deadline.map(|deadline| prazo_stats::miss_rate(&run, deadline));
        Self { summary: prazo_stats::summarise(&run), misses, run, is_control: false }
    }

    /// The summary of all processors together of the run's first quantity, which for most is the response latency.
    pub(crate) fn overall(&self, per: Per) -> Option<&Summary> {
        let quantity = self.run.series.iter().map(|series| series.quantity).min()?;
        let all = || self.summary.summaries.iter().filter(|one| one.per == per && one.quantity == quantity);
        all().rfind(|one| one.is_of_all()).or_else(|| all().max_by_key(|one| one.max_ns))
    }

    /// True of a run that only executed workloads: nobody was woken in it, so that no word about latencies is one about it.
    pub(crate) fn is_cost_alone(&self) -> bool {
        !self.run.workloads.is_empty() && self.run.series.is_empty()
    }
}

/// Figures of each run of one cell of a study, and the spread between these runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpreadRow {
    /// Id of the cell in its study.
    pub cell: String,
    /// Quantity that was measured in the cell, such as the response latency.
    pub quantity: Quantity,
    /// Figures of each run of the cell, and their spread.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &[&str]) -> ReportContent {
        let run = |name: &&str| RunEvidence::of(Run { name: (*name).into(), ..Run::default() }, None);
        ReportContent { runs: names.iter().map(run).collect(), ..ReportContent::default() }
    }

    #[test]
    fn names_lose_what_all_begin_with_up_to_a_dot() {
        let short = |names: &[&str]| -> Vec<String> {
            named(names).with_short_names().runs.into_iter().map(|run| run.run.name).collect()
        };
        assert_eq!(short(&["here.idle.fifo", "here.idle.other"]), ["fifo", "other"]);
        assert_eq!(short(&["here.idle.fifo", "here.loaded.fifo"]), ["idle.fifo", "loaded.fifo"]);
        assert_eq!(short(&["fifo-idle", "fifo-load"]), ["fifo-idle", "fifo-load"]);
        assert_eq!(short(&["here.idle.fifo"]), ["here.idle.fifo"]);
    }

    #[test]
    fn a_control_is_marked_by_its_name() {
        let mut evidence = named(&["fifo", "other"]);
        evidence.runs[1].is_control = true;
        assert_eq!(evidence.with_short_names().runs[1].run.name, "other (control)");
        assert_eq!(evidence.judged().count(), 1);
    }
}
