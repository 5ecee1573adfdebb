//! Sets of states that are never left, in which no job is late: found again by the search that proved.

use super::NoCertificate;
use super::text::spaced;
use crate::partition::Bin;
use crate::reach::{self, Ranking, SharedQueue, StateSet};
use crate::{Budget, Finding, Task, TaskSet};

/// Work that finding the sets again may take.
const WORK_MAX: u64 = 50_000_000;

/// The most numbers of a proof.
const NUMBERS_MAX: usize = 4_000_000;

/// `tasks` with their names, in the order of priorities under [`Ranking::AsOrdered`].
pub(super) fn evidence(
    finding: &Finding,
    bin: &Bin,
    tasks: &[(usize, Task)],
    ranking: Ranking,
) -> Result<String, NoCertificate> {
    let not_found = NoCertificate::NotFoundAgain(finding.test);
    let (names, tasks): (Vec<usize>, Vec<Task>) = tasks.iter().copied().unzip();
    let queue =
        SharedQueue { tasks: TaskSet::new(&tasks).map_err(|_| not_found)?, processors: bin.processors, ranking };
    let sets = reach::closed_sets(queue, finding.test, &mut Budget::new(WORK_MAX)).ok_or(not_found)?;
    let sides = |set: &StateSet| (set.facets.len() + set.equal.len()) * (2 * tasks.len() + 1);
    if sets.iter().map(sides).sum::<usize>() > NUMBERS_MAX {
        return Err(NoCertificate::TooLong(finding.test));
    }
    let ties = if finding.test == reach::NAME { "any" } else { "by-index" };
    let lines = |keyword: &str, normals: &[Vec<i64>]| -> String {
        normals.iter().map(|normal| format!("{keyword}{}\n", spaced(normal))).collect()
    };
    let set = |set: &StateSet| {
        let pending = spaced(set.pending.iter().map(|&task| names[task]));
        format!("states{pending}\n{}{}", lines("equal", &set.equal), lines("facet", &set.facets))
    };
    Ok(format!("test state-search\nties {ties}\n{}", sets.iter().map(set).collect::<String>()))
}
