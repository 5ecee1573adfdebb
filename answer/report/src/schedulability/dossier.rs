//! Everything that one task set's report is made from: the scenario's names and unit beside the analysis' answers.

use super::chains::AnsweredChain;
use crate::view::Cell;
use crate::words;
use prazo_analysis::linux::Admission;
use prazo_analysis::question::{Answer, Edge, Lateness, Question};
use prazo_analysis::sensitivity::region::Axis;
use prazo_analysis::{Task, Ticks, Verdict};
use prazo_core::time::{Duration, ExactIn, ExactUnit};

/// One task set with what was asked and answered. Invariant: `names` has one name for each task of the question.
pub struct Dossier<'a> {
    /// File or identifier.
    pub title: String,
    /// Where the set is from, and what it shows.
    pub notes: Vec<String>,
    /// Names of the tasks.
    pub names: Vec<String>,
    /// Nanoseconds of one tick; `None` for a set without a unit.
    pub ns_per_tick: Option<u64>,
    /// The question.
    pub question: Question<'a>,
    /// What was answered.
    pub answer: Answer,
    /// The same tasks with one queue a processor, where something else was asked.
    pub partitioned: Option<Answer>,
    /// How late jobs can be, under EDF; `None` where it was not asked for.
    pub lateness: Option<Lateness>,
    /// What SCHED_DEADLINE would say; `None` without a unit or another policy.
    pub linux: Option<Admission>,
    /// What to change; `None` where it was not asked for.
    pub edge: Option<Edge>,
    /// Verdicts over two parameters; `None` where they were not asked for.
    pub region: Option<Region>,
    /// What is known of each cause-effect chain.
    pub chains: Vec<AnsweredChain>,
}

/// The verdicts over a grid of two parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Along the horizontal axis.
    pub x: Axis,
    /// Along the vertical axis.
    pub y: Axis,
    /// One row for each value of `y`, one verdict in it for each of `x`.
    pub verdicts: Vec<Vec<Verdict>>,
}

impl Dossier<'_> {
    /// A time as a reader wants it: exact, with its unit, or in ticks.
    pub fn time(&self, ticks: Ticks) -> String {
        self.ns(ticks).map_or_else(|| words::count(ticks), words::exact)
    }

    /// The cells of a column of times, all in the unit that the finest of them needs.
    pub fn times(&self, column: impl IntoIterator<Item = Option<Ticks>>) -> Vec<Cell> {
        let column: Vec<Option<Ticks>> = column.into_iter().collect();
        let duration = |ticks: Ticks| self.ns(ticks).map(Duration::from_ns);
        let finest = column.iter().flatten().filter_map(|ticks| duration(*ticks)).map(ExactUnit::of).min();
        let in_unit = |ticks: Ticks| match (duration(ticks), finest) {
            (Some(duration), Some(unit)) => ExactIn { duration, unit }.to_string(),
            _ => self.time(ticks),
        };
        column.into_iter().map(|cell| cell.map_or_else(Cell::absent, |ticks| in_unit(ticks).into())).collect()
    }

    fn ns(&self, ticks: Ticks) -> Option<u64> {
        self.ns_per_tick.and_then(|unit| ticks.checked_mul(unit))
    }

    /// A time that is known only as a float, for margins.
    pub fn time_f64(&self, ticks: f64) -> String {
        self.time(ticks.round().max(0.0) as Ticks)
    }

    /// The task's name.
    pub fn name(&self, task: usize) -> &str {
        self.names.get(task).map_or("the pseudo-task of an interrupt", String::as_str)
    }

    /// The tasks as written.
    pub fn tasks(&self) -> &[Task] {
        self.question.tasks
    }
}
