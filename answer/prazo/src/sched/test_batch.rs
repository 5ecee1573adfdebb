//! Many task sets at once: one record per line in, one verdict per line out.

use super::json_lines::{self, BatchCount, LineAnswer};
use super::partition;
use super::question::RecordQuestion;
use crate::error::Error;
use prazo_analysis::question::{JobRanking, Method, Question, Shape, answer, lateness};
use prazo_analysis::{TimeModel, Verdict};
use prazo_report::schedulability::Answered;
use prazo_report::schedulability::answered::{self, PartitionRow, RecordVerdict, TestRow};
use prazo_scenario::read::record::{self, SetRecord};
use serde_json::Value;
use std::io::{BufRead, Write};

/// Answers every line of `records` with one line of `output`, an [`Answered`] each, in the same order; for arrivals as a record
/// says itself, or else as `time` has them.
pub fn test_batch(
    records: &mut dyn BufRead,
    output: &mut dyn Write,
    method: &Method,
    time: TimeModel,
) -> Result<BatchCount, Error> {
    json_lines::answer_all(records, output, |line| answered(line, method, time))
}

fn answered(line: &[u8], method: &Method, time: TimeModel) -> LineAnswer {
    let document = match std::str::from_utf8(line) {
        Ok(line) => of_line(line, method, time),
        Err(error) => Answered::refused(Value::Null, format!("the line is not text: {error}; write it in UTF-8")),
    };
    let text = serde_json::to_string(&document).expect("an answer is plain data");
    LineAnswer { text, refused: document.verdict == RecordVerdict::Error }
}

fn of_line(line: &str, method: &Method, time: TimeModel) -> Answered {
    match record::parse(line) {
        Ok(record) => of_record(&record, method, time),
        Err(problem) => Answered::refused(json_lines::identifier(line), problem.to_string()),
    }
}

/// What is answered about one record: the verdict and what decided it.
#[derive(Debug)]
pub struct RecordAnswer {
    /// Does the set meet its deadlines?
    pub verdict: Verdict,
    /// The test or the packing that decided.
    pub decided_by: Option<&'static str>,
    /// What the test that decided says; `None` where a packing did, or nothing.
    pub finding: Option<TestRow>,
    /// `edf` or `fp`.
    pub policy: &'static str,
    /// `global`, `clustered` or `partitioned`.
    pub shape: &'static str,
    /// Evaluated terms.
    pub work: u64,
}

/// Answers one record, for arrivals as `time` has them. The packings and the bounds on tardiness that a line of a batch has besides are
/// left out, which saves most of the time.
///
/// # Errors
/// What is wrong with the record, in words.
pub fn test_record(record: &SetRecord, method: &Method, time: TimeModel) -> Result<RecordAnswer, String> {
    let asked = RecordQuestion::new(record, time);
    let (question, method) = (asked.question(), asked.method(method)?);
    let answered = answer(&question, &method).map_err(|refused| refused.to_string())?;
    let decided_by = answered::decided_by(&answered);
    let finding = answered.decided_by.as_ref().filter(|finding| decided_by == Some(finding.test));
    Ok(RecordAnswer {
        verdict: answered.verdict,
        decided_by,
        finding: finding.map(TestRow::new),
        policy: answered::policy_name(question.policy),
        shape: answered::shape_name(question.shape),
        work: answered.work,
    })
}

/// The answer about one record.
fn of_record(record: &SetRecord, method: &Method, time: TimeModel) -> Answered {
    let id = record.id.as_ref().and_then(|id| serde_json::from_str(id.get()).ok()).unwrap_or(Value::Null);
    let asked = RecordQuestion::new(record, time);
    let question = asked.question();
    let method = match asked.method(method) {
        Ok(method) => method,
        Err(problem) => return Answered::refused(id, problem),
    };
    let answered = match answer(&question, &method) {
        Ok(answered) => answered,
        Err(refused) => return Answered::refused(id, refused.to_string()),
    };
    let mut document = Answered::new(id, &question, &answered, packings(&question, &answered, &method));
    document.tardiness = matches!(question.policy, JobRanking::Edf).then(|| (&lateness(&question, &answered)).into());
    document
}

/// What the heuristics make of the same tasks: on the clusters asked about, or else on single processors.
fn packings(
    question: &Question<'_>,
    answered: &prazo_analysis::question::Answer,
    method: &Method,
) -> Vec<PartitionRow> {
    match question.shape {
        Shape::Clusters(_) => partition::rows(question, answered, method),
        Shape::Global { processors } => {
            let ones = vec![1; processors as usize];
            let alone = Question { shape: Shape::Clusters(&ones), ..*question };
            let method = Method { disprove: false, search: 0, states: 0, ..method.clone() };
            answer(&alone, &method).map_or_else(|_| Vec::new(), |packed| partition::rows(&alone, &packed, &method))
        }
    }
}
