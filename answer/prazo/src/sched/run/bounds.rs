//! What analysis proves of a set that shall be run: the verdict, and a bound for each task's response time.

use crate::error::Error;
use crate::sched::question::PosedQuestion;
use prazo_analysis::question::Method;
use prazo_core::verdict::Verdict;

/// What is proven.
pub(crate) struct Bounds {
    /// Whether every deadline is met.
    pub(crate) verdict: Verdict,
    /// By task: no job's response time exceeds it; `None` unless proven.
    pub(crate) bound_ns: Vec<Option<u64>>,
    /// Why nothing is claimed, where the question has no answer.
    pub(crate) remarks: Vec<String>,
}

/// Asks analysis about the set. Where a proof gives no response times, the deadline is the bound.
pub(crate) fn of(posed: &PosedQuestion, ns_per_tick: u64) -> Result<Bounds, Error> {
    let tasks = &posed.scenario.tasks;
    let nothing = |remarks| Bounds { verdict: Verdict::Unknown, bound_ns: vec![None; tasks.len()], remarks };
    let question = match posed.answerable() {
        Ok(question) => question,
        Err(refused) => return Ok(nothing(vec![format!("No bounds: {refused}")])),
    };
    let answered = posed.answer(&question, &Method::default())?;
    if answered.verdict != Verdict::Proven {
        return Ok(Bounds { verdict: answered.verdict, ..nothing(Vec::new()) });
    }
    let responses = answered.responses_by_task();
    let response = |index: usize| responses.as_ref().and_then(|all| all[index]);
    let bound = |(index, task): (usize, &prazo_scenario::NamedTask)| {
        Some(response(index).unwrap_or(task.task.deadline).saturating_mul(ns_per_tick))
    };
    let remark = (question.overheads.is_none())
        .then(|| "The bounds do not include the platform's overheads; charge them with --overheads FILE.".to_owned());
    let bound_ns = tasks.iter().enumerate().map(bound).collect();
    Ok(Bounds { verdict: answered.verdict, bound_ns, remarks: remark.into_iter().collect() })
}
