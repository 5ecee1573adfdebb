//! BCLI: what others can do in a job's window shrinks with the slack that they are known to have, round after round.
//!
//! Slacks s_i begin at 0. For every k, with w_i = floor(D_k/T_i) C_i + min(C_i, max(0, (D_k mod T_i) - s_i)), s_k <-
//! max(s_k, D_k - C_k - floor(sum over i != k of min(w_i, D_k - C_k + 1) / m)). Accepted when every such value is at
//! least 0 in one round; given up when no slack grows. Bertogna, Cirinei, Lipari, TPDS 20(4) 2009, equations 17 and 18.
//!
//! The `+ 1` and the floor are for arrivals at whole ticks. In continuous time, which is the default, [`crate::capped`] has the
//! condition, and slacks are rounded down to a tick: so a proof holds for arrivals at any real instant.

use super::condition::{Decision, Reach, ask};
use super::early;
use super::slack::{Bound, Member, iterate};
use super::test::Test;
use crate::budget::Spent;
use crate::capped::{Interference, limit};
use crate::{Budget, Finding, TaskSet, Ticks, TimeModel};

/// BCLI for D <= T.
pub fn test(tasks: TaskSet<'_>, processors: u32, time: TimeModel, budget: &mut Budget) -> Finding {
    let decide = |tasks: TaskSet<'_>, processors, budget: &mut Budget| {
        decide(Attempt { tasks, processors, time, rounds: u64::MAX }, || !early::proves(tasks, processors), budget)
    };
    ask(Test::Bcli, Reach::Constrained, tasks, processors, budget, decide)
}

/// True only if BCLI proves `tasks` in at most `rounds` rounds. Each task must have C <= D <= T.
pub(super) fn proves_in(rounds: u64, tasks: TaskSet<'_>, processors: u32, time: TimeModel, mut budget: Budget) -> bool {
    let attempt = Attempt { tasks, processors, time, rounds };
    decide(attempt, || false, &mut budget).is_ok_and(|decision| decision.holds)
}

struct Attempt<'a> {
    tasks: TaskSet<'a>,
    processors: u32,
    time: TimeModel,
    rounds: u64,
}

fn decide(
    Attempt { tasks, processors, time, rounds }: Attempt<'_>,
    may_be_hopeless: impl Fn() -> bool,
    budget: &mut Budget,
) -> Result<Decision, Spent> {
    let members = Member::all(tasks);
    iterate(&members, rounds, may_be_hopeless, |index, slacks| {
        budget.spend(members.len() as u64)?;
        let Member { cost, deadline, .. } = members[index];
        let delay = interference(index, &members, slacks, time).delay(time, processors, deadline - cost);
        Ok(Bound { response_time: u128::from(cost) + delay, deadline })
    })
}

/// What all i != k can do, each w_i at most.
fn interference(index: usize, members: &[Member], slacks: &[Ticks], time: TimeModel) -> Interference {
    let (window, laxity) = (members[index].deadline, members[index].deadline - members[index].cost);
    let limit = limit(time, laxity);
    let mut sum = Interference::default();
    members.iter().zip(slacks).for_each(|(member, slack)| sum.add(member.work_within(window, *slack), limit));
    sum.remove(members[index].work_within(window, slacks[index]), limit);
    sum
}
