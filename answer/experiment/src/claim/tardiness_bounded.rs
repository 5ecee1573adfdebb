//! "No job is ever later than some bound": a set of tasks under global EDF, bounded by theory or watched while it grows.

use super::{Evidence, Judge};
use prazo_analysis::hyperperiod::hyperperiod;
use prazo_analysis::tardiness::NoBound;
use prazo_analysis::tardiness::compliant_vector::{Points, compliant_vector};
use prazo_analysis::tardiness::overload::tardiness_by_stretch;
use prazo_analysis::{Budget, Task, TaskSet};
use prazo_core::text::counted;
use prazo_verdict::claim::{ClaimFinding, Judgement, Name, Undecidable};
use serde::Deserialize;

/// `tardiness-bounded = { tasks = [[5, 7], [5, 7], [5, 7]], processors = 2 }`: cost and period, deadline = period.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TardinessBounded {
    tasks: Vec<[u64; 2]>,
    processors: u32,
}

/// How many stretches are watched, and of how many hyperperiods each.
const STRETCHES: usize = 6;
const HYPERPERIODS: u64 = 10;
/// Jobs that may be looked at.
const JOBS: u64 = 1_000_000;

impl Judge for TardinessBounded {
    fn curves(&self) -> Vec<&Name> {
        vec![]
    }

    fn judge(&self, _: &Evidence) -> Judgement {
        let tasks: Vec<Task> = self.tasks.iter().map(|[cost, period]| Task::implicit(*cost, *period)).collect();
        let set = TaskSet::new(&tasks).map_err(|refused| Undecidable(refused.to_string()))?;
        match compliant_vector(set, self.processors.max(1), Points::Deadline) {
            Ok(responses) => {
                let late = responses.iter().zip(&tasks).map(|(response, task)| response.saturating_sub(task.deadline));
                let most = late.max().unwrap_or(0);
                let most = counted(most, "tick");
                Ok(ClaimFinding {
                    holds: true,
                    evidence: format!("no job of this task set is late by more than {most}"),
                })
            }
            Err(cause @ (NoBound::Overload | NoBound::TaskAboveOne(_))) => Ok(self.grows(set, cause)),
            Err(other) => Err(Undecidable(other.to_string())),
        }
    }
}

impl TardinessBounded {
    /// More work arrives in each hyperperiod than can be served, of all tasks or of one: what is seen of it.
    fn grows(&self, set: TaskSet<'_>, cause: NoBound) -> ClaimFinding {
        let stretch = hyperperiod(&set).map_or(10_000, |length| length.saturating_mul(HYPERPERIODS));
        let seen = tardiness_by_stretch(set, self.processors, stretch, STRETCHES, &mut Budget::new(JOBS));
        let seen: Vec<String> = seen.iter().map(u64::to_string).collect();
        let why = match cause {
            NoBound::TaskAboveOne(task) => {
                format!("task {} needs more than one processor, so its tardiness grows without bound", task + 1)
            }
            _ => format!(
                "more work arrives than can be served on {}, so tardiness grows without bound",
                counted(self.processors.into(), "processor")
            ),
        };
        let evidence = format!(
            "{why}; largest tardiness in each of {} intervals of {stretch} ticks: {}",
            seen.len(),
            seen.join(", ")
        );
        ClaimFinding { holds: false, evidence }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(processors: u32) -> ClaimFinding {
        let check = TardinessBounded { tasks: vec![[5, 7]; 3], processors };
        check.judge(&Evidence::new(&[], true)).unwrap()
    }

    #[test]
    fn above_the_processors_tardiness_grows_and_below_it_is_bounded() {
        let above = judged(2);
        assert!(!above.holds && above.evidence.contains("7, 11, 16"), "{}", above.evidence);
        assert!(judged(3).holds);
    }

    #[test]
    fn a_task_above_one_processor_is_named() {
        let check = TardinessBounded { tasks: vec![[1, 7], [8, 7]], processors: 3 };
        let found = check.judge(&Evidence::new(&[], true)).unwrap();
        let why = "task 2 needs more than one processor, so its tardiness grows without bound; largest tardiness";
        assert!(!found.holds && found.evidence.starts_with(why), "{}", found.evidence);
    }
}
