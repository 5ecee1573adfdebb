//! What analysis proves of a set that shall be run: the verdict, and a bound for each task's response time.

use crate::error::Error;
use crate::sched::question::PosedQuestion;
use prazo_analysis::question::{Method, Question, Shape};
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

/// Asks analysis about the set where it runs: `clusters` has the cluster of each task. Where a proof gives no response
/// times, the deadline is the bound.
pub(crate) fn of(posed: &PosedQuestion, clusters: &[u32], ns_per_tick: u64) -> Result<Bounds, Error> {
    let tasks = &posed.scenario.tasks;
    let nothing = |remarks| Bounds { verdict: Verdict::Unknown, bound_ns: vec![None; tasks.len()], remarks };
    let question = match posed.answerable() {
        Ok(question) => question,
        Err(refused) => return Ok(nothing(vec![format!("No bounds: {refused}")])),
    };
    let ask = |question: &Question<'_>| posed.answer(question, &Method::default());
    // Another packing may be proven too, and has other response times.
    let is_packed = matches!(question.shape, Shape::Clusters([_, _, ..]));
    let placed: Vec<Option<u32>> = clusters.iter().copied().map(Some).collect();
    let answered = ask(&Question { places: if is_packed { Some(&placed) } else { question.places }, ..question })?;
    if answered.verdict != Verdict::Proven {
        // A disproof of this placement alone is none of the set, and a proof of another none of this run.
        let of_set = if is_packed { ask(&question)?.verdict } else { answered.verdict };
        let verdict = if of_set == Verdict::Proven { Verdict::Unknown } else { of_set };
        return Ok(Bounds { verdict, ..nothing(Vec::new()) });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sched::options::SchedulerOptions;

    #[test]
    fn bounds_hold_for_the_clusters_in_which_the_tasks_run_alone() {
        let task = |name: &str, cost: u32| format!("[task.{name}]\ncost = '{cost}us'\nperiod = '100us'\n");
        let text = format!("processors = 2\nclusters = [1, 1]\n{}{}{}", task("a", 50), task("b", 40), task("c", 30));
        let set = prazo_scenario::read::any("set.toml".as_ref(), &text).unwrap();
        let posed = PosedQuestion::new(set, &SchedulerOptions::default()).unwrap();
        let of = |clusters: &[u32]| of(&posed, clusters, 1).unwrap();
        let proven = of(&[0, 1, 1]);
        assert_eq!((proven.verdict, proven.bound_ns), (Verdict::Proven, vec![Some(100_000); 3]));
        let crowded = of(&[0, 0, 0]);
        assert_eq!((crowded.verdict, crowded.bound_ns), (Verdict::Unknown, vec![None; 3]), "other packings are proven");
    }
}
