//! Two criticalities: the bounds of each task in each mode, or the factor of the virtual deadlines.

use super::Charged;
use super::order::Ranked;
use crate::Budget;
use crate::mixed::amc_rtb::{self, Bound};
use crate::mixed::{MixedTask, edf_vd};
use crate::partition::Bin;
use crate::question::{JobRanking, Question};

/// Work that it may cost to find the numbers again.
const WORK_MAX: u64 = 200_000_000;

/// The test and its numbers, below the order of the priorities if there is one.
pub(super) fn evidence(question: &Question<'_>, bin: &Bin, tasks: Charged) -> Option<String> {
    let mixed = |task: usize| MixedTask::of(&question.tasks[task], &question.behaviours.of(task));
    let JobRanking::FixedPriority(priorities) = question.policy else {
        let all: Vec<MixedTask> = bin.tasks.iter().map(|&task| mixed(task)).collect();
        return Some(format!("test EDF-VD\nfactor {}\n", edf_vd::test(&all, &mut Budget::new(WORK_MAX)).factor?));
    };
    let ranked = Ranked::of(priorities, question.tasks, bin, tasks);
    let all: Vec<MixedTask> = ranked.tasks.iter().map(|&(task, _)| mixed(task)).collect();
    let bounds = amc_rtb::bounds(&all, &mut Budget::new(WORK_MAX)).ok()?;
    let mut lines = ranked.line() + "test AMC-rtb\n";
    for ((task, _), bound) in ranked.tasks.iter().zip(bounds) {
        let Bound { low, high } = bound.ok()?;
        let high = high.map_or(String::new(), |high| format!(" high {high}"));
        lines += &format!("modes {task} low {low}{high}\n");
    }
    Some(lines)
}
