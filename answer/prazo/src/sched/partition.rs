//! Where each task runs, by each packing heuristic.

use super::options::{SchedulerOptions, TaskSet};
use super::question::PosedQuestion;
use crate::error::Error;
use crate::progress::Progress;
use prazo_analysis::question::{Answer, Method, Question, bins_needed};
use prazo_core::verdict::Verdict;
use prazo_report::schedulability::answered::PartitionRow;
use prazo_report::schedulability::{Answered, Dossier};
use prazo_scenario::Unit;

/// Which set, onto which processors, by which heuristics.
#[derive(Clone, Debug)]
pub struct PartitionRequest {
    /// The task set.
    pub tasks: TaskSet,
    /// How the question differs from what the scenario says.
    pub options: SchedulerOptions,
    /// Which heuristics, and the tests that they ask; all heuristics are asked.
    pub method: Method,
}

/// Every packing with its verdict.
#[derive(Clone, Debug)]
pub struct PartitionAnswer {
    /// The file as it was named, or the scenario's name.
    pub title: String,
    /// The question that was asked.
    pub posed: PosedQuestion,
    /// By which method.
    pub method: Method,
    /// What was answered.
    pub answer: Answer,
}

/// Packs the set.
pub fn partition(request: &PartitionRequest, _progress: &mut dyn Progress) -> Result<PartitionAnswer, Error> {
    let posed = PosedQuestion::new(request.tasks.read().map_err(Error::refused)?, &request.options)?;
    let method = Method { all_tests: true, ..request.method.clone() };
    let question = packed(&posed);
    posed.check_servers(&question)?;
    let found = posed.answer(&question, &method)?;
    posed.check_verdict(found.verdict)?;
    Ok(PartitionAnswer { title: request.tasks.title(), method, answer: found, posed })
}

/// The question with one queue a processor, unless clusters were asked about.
fn packed(posed: &PosedQuestion) -> Question<'_> {
    posed.partitioned().unwrap_or_else(|| posed.question())
}

impl PartitionAnswer {
    /// Is there a packing in which every deadline is met?
    pub fn verdict(&self) -> Verdict {
        self.answer.verdict
    }

    /// What a reader's report is made from.
    pub fn dossier(&self) -> Dossier<'_> {
        Dossier {
            title: self.title.clone(),
            notes: self.posed.answer_remarks(),
            names: self.posed.names(),
            ns_per_tick: self.posed.scenario.unit.map(Unit::ns),
            question: packed(&self.posed),
            answer: self.answer.clone(),
            partitioned: None,
            lateness: None,
            linux: None,
            edge: None,
            region: None,
            chains: Vec::new(),
        }
    }

    /// What scripts read.
    pub fn document(&self) -> Answered {
        let question = packed(&self.posed);
        let rows = rows(&question, &self.answer, &self.method);
        Answered::new(self.title.clone().into(), &question, &self.answer, rows)
    }
}

/// The heuristics' packings as scripts read them, each with the bins that it would open on demand.
pub(crate) fn rows(question: &Question<'_>, answered: &Answer, method: &Method) -> Vec<PartitionRow> {
    let row = |packed| PartitionRow::new(packed, bins_needed(question, packed, method));
    answered.packings.iter().map(row).collect()
}
