//! Many task sets at once: a record a line in, a verdict a line out.

use super::ask::RecordAsked;
use super::lines::{self, LineAnswer};
use crate::exit::{Exit, Failure};
use crate::flags::sched::Asking;
use prazo_analysis::question::{Method, Policy, Question, Shape, answer, lateness};
use prazo_report::schedulability::Answered;
use prazo_report::schedulability::answered::{PartitionRow, RecordVerdict};
use prazo_scenario::read::record::{self, Record};
use serde_json::Value;
use std::path::Path;

/// One line of the output.
pub type Line = Answered;

/// Most misses come early, and a batch has many sets to get through.
const SIMULATED_JOBS: u64 = 2_000;

/// Answers every line of `file` (`-` is standard input).
pub fn run(file: &Path, asking: &Asking) -> Result<Exit, Failure> {
    let method = Method { simulated_jobs: asking.simulate.unwrap_or(SIMULATED_JOBS), ..asking.method() };
    lines::answer_all(file, |line| answered(line, &method))
}

fn answered(line: &[u8], method: &Method) -> LineAnswer {
    let document = match std::str::from_utf8(line) {
        Ok(line) => of_line(line, method),
        Err(error) => Answered::refused(Value::Null, format!("the line is no text: {error}; write it in UTF-8")),
    };
    let text = serde_json::to_string(&document).expect("an answer is plain data");
    LineAnswer { text, refused: document.verdict == RecordVerdict::Error }
}

fn of_line(line: &str, method: &Method) -> Answered {
    match record::parse(line) {
        Ok(record) => of_record(&record, method),
        Err(problem) => Answered::refused(lines::identifier(line), problem.to_string()),
    }
}

/// The answer about one record.
fn of_record(record: &Record, method: &Method) -> Answered {
    let id = record.id.as_ref().and_then(|id| serde_json::from_str(id.get()).ok()).unwrap_or(Value::Null);
    let asked = RecordAsked::new(record);
    let question = asked.question();
    let method = match asked.method(method) {
        Ok(method) => method,
        Err(problem) => return Answered::refused(id, problem),
    };
    let answered = match answer(&question, &method) {
        Ok(answered) => answered,
        Err(refused) => return Answered::refused(id, refused.to_string()),
    };
    let mut document = Answered::new(id, &question, &answered, partition(&question, &answered, &method));
    document.tardiness = matches!(question.policy, Policy::Edf).then(|| (&lateness(&question, &answered)).into());
    document
}

/// What the heuristics make of the same tasks: on the clusters asked about, or else on single processors.
fn partition(
    question: &Question<'_>,
    answered: &prazo_analysis::question::Answer,
    method: &Method,
) -> Vec<PartitionRow> {
    match question.shape {
        Shape::Clusters(_) => super::partition::rows(question, answered, method),
        Shape::Global { processors } => {
            let ones = vec![1; processors as usize];
            let alone = Question { shape: Shape::Clusters(&ones), ..*question };
            let method = Method { disprove: false, search: 0, ..method.clone() };
            answer(&alone, &method)
                .map_or_else(|_| Vec::new(), |packed| super::partition::rows(&alone, &packed, &method))
        }
    }
}
