//! Chains whose tasks arrive on one clock, each exactly at its offset and every period after it: every arrival of the first or the last task
//! within a hyperperiod is followed.
//!
//! ```text
//! reaction of arrival a of stage 1:   from a to the write of the job at a + T, each next stage by its first arrival from when the datum is there
//! age of arrival a of stage n:        back to the last arrival of each stage before whose datum is there at that time
//! ```
//!
//! "There" is W + H after the arrival, or J where the reader waits anyway (see [`super`]). Under LET both are what happens, if every hop takes
//! as long as it may, and the maxima are exact; otherwise they are bounds (Becker and others, Journal of Systems Architecture 80, 2017, follow
//! jobs in the same way). From one hyperperiod to the next all repeats; an offset beyond a period says no more than
//! the rest of it.

use super::members::Member;
use super::stage::{MergedStage, Pair, until_read};
use crate::Budget;
use crate::hyperperiod::hyperperiod;
use prazo_core::task::Task;
use prazo_scenario::Chain;

/// One stage: a grid of arrivals, and how long after one of them its datum is there for the next stage.
struct Grid {
    offset: i128,
    period: i128,
    there: i128,
}

impl Grid {
    /// The first arrival at or after `instant`.
    fn from(&self, instant: i128) -> i128 {
        self.up_to(instant + self.period - 1)
    }

    /// The last arrival at or before `instant`.
    fn up_to(&self, instant: i128) -> i128 {
        instant - (instant - self.offset).rem_euclid(self.period)
    }
}

/// Both times of a synchronized chain; `None` if it is not synchronized, some response is not known, or this costs more than `budget`.
pub(super) fn bounds(
    chain: &Chain,
    members: &[Member],
    stages: &[MergedStage],
    budget: &mut Budget,
) -> Option<Pair<u128>> {
    if !chain.synchronized {
        return None;
    }
    let mut grids = Vec::with_capacity(stages.len());
    for (at, (stage, member)) in stages.iter().zip(members).enumerate() {
        let there = stages.get(at + 1).map_or(stage.written, |next| until_read(stage, next)).ok()?;
        let there = i128::try_from(there).ok()?;
        grids.push(Grid { offset: member.offset?.into(), period: stage.head.period.into(), there });
    }
    let tasks: Vec<Task> = stages.iter().map(|stage| stage.head).collect();
    let all = i128::from(hyperperiod(&tasks)?);
    let arrivals = |grid: &Grid| (0..all / grid.period).map(|job| grid.offset + job * grid.period).collect::<Vec<_>>();
    let (first, last) = (&grids[0], &grids[grids.len() - 1]);
    budget.spend(u64::try_from((all / first.period + all / last.period) * grids.len() as i128).ok()?).ok()?;
    let reaction = |arrival: i128| {
        let mut at = arrival + first.period;
        for pair in grids.windows(2) {
            at = pair[1].from(at + pair[0].there);
        }
        at + last.there - arrival
    };
    let age = |arrival: i128| {
        let mut at = arrival;
        for before in grids[..grids.len() - 1].iter().rev() {
            at = before.up_to(at - before.there);
        }
        arrival + last.there - at
    };
    let reaction = arrivals(first).into_iter().map(reaction).max()?;
    let age = arrivals(last).into_iter().map(age).max()?;
    Some(Pair { reaction: reaction as u128, age: age as u128 })
}
