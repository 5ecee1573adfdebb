//! BCLI: what others can do in a job's window shrinks with the slack that they are known to have, round after round.
//!
//! Slacks s_i begin at 0. For every k, with w_i = floor(D_k/T_i) C_i + min(C_i, max(0, (D_k mod T_i) - s_i)), s_k <-
//! max(s_k, D_k - C_k - floor(sum over i != k of min(w_i, D_k - C_k + 1) / m)). Accepted when every such value is at
//! least 0 in one round; given up when no slack grows. Bertogna, Cirinei, Lipari, TPDS 20(4) 2009, equations 17 and 18.

use super::condition::{Decision, Reach, ask};
use super::slack::{Bound, Member, iterate};
use crate::budget::Spent;
use crate::{Budget, Finding, TaskSet, Ticks};

/// BCLI for D <= T.
pub fn test(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Finding {
    ask("BCLI", Reach::Constrained, tasks, processors, budget, decide)
}

fn decide(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Result<Decision, Spent> {
    let members = Member::all(tasks);
    iterate(&members, u64::MAX, |index, slacks| {
        budget.spend(members.len() as u64)?;
        let Member { cost, deadline, .. } = members[index];
        let interference = interference(index, &members, slacks) / u128::from(processors);
        Ok(Bound { response_time: u128::from(cost) + interference, deadline })
    })
}

/// Sum over i != k of min(w_i, D_k - C_k + 1).
fn interference(index: usize, members: &[Member], slacks: &[Ticks]) -> u128 {
    let (window, most) = (members[index].deadline, members[index].deadline - members[index].cost + 1);
    let term = |(member, slack): (&Member, &Ticks)| u128::from(member.work_within(window, *slack).min(most));
    let all: u128 = members.iter().zip(slacks).map(term).sum();
    all - term((&members[index], &slacks[index]))
}
