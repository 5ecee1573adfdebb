//! RTA: BCLI with a window that is only as long as the response time, found as a least fixed point.
//!
//! R begins at C_k and is raised to C_k + floor(sum over i != k of min(W_i(R), w_i, R - C_k + 1) / m) until it stays,
//! with w_i as in BCLI and, for x = L + D_i - C_i - s_i, W_i(L) = floor(x/T_i) C_i + min(C_i, x mod T_i). Then s_k =
//! D_k - R. Accepted when every R <= D_k in one of 25 rounds. Bertogna, Cirinei, RTSS 2007, equations 4, 5, 8 and 9.
//!
//! The `+ 1` and the floor are for arrivals at whole ticks. In continuous time, which is the default, [`crate::capped`] has the
//! condition, W_i is the same (it has no jumps), and R is rounded up to a tick: so a proof holds for arrivals at any real
//! instant. [`crate::capped`] also says why plain iteration is too slow.

use super::condition::{Decision, Reach, ask};
use super::early;
use super::slack::{Bound, Member, iterate, least, positive};
use super::test::Test;
use crate::budget::Spent;
use crate::capped::{self, Term, least_limit};
use crate::{Budget, Finding, TaskSet, Ticks, TimeModel};

/// As many rounds as the public tool whose verdicts we reproduce.
const ROUNDS: u64 = 25;

/// RTA for D <= T.
pub fn test(tasks: TaskSet<'_>, processors: u32, time: TimeModel, budget: &mut Budget) -> Finding {
    let decide = |tasks: TaskSet<'_>, processors, budget: &mut Budget| decide(tasks, processors, time, budget);
    ask(Test::Rta, Reach::Constrained, tasks, processors, budget, decide)
}

fn decide(tasks: TaskSet<'_>, processors: u32, time: TimeModel, budget: &mut Budget) -> Result<Decision, Spent> {
    let members = Member::all(tasks);
    let mut search = Search { members: &members, processors, time, most: Vec::new(), terms: Vec::new() };
    iterate(
        &members,
        ROUNDS,
        || !early::proves(tasks, processors),
        |index, slacks| search.response_time(index, slacks, budget),
    )
}

/// The term of `member` in a window of `response` ticks, which counts up to `limit`; `most` is its w_i.
#[inline]
fn term(member: &Member, slack: Ticks, response: Ticks, limit: Ticks, most: Ticks) -> Term {
    let (jobs, rest) = member.period.divide(response + member.deadline - member.cost - slack);
    let end_of_step = (jobs + 1) * member.cost;
    let work = end_of_step - positive(member.cost as i64 - rest as i64);
    Term::new(least(work, most), least(end_of_step, most), limit)
}

struct Search<'a> {
    members: &'a [Member],
    processors: u32,
    time: TimeModel,
    most: Vec<Ticks>,
    terms: Vec<Term>,
}

impl Search<'_> {
    /// The least fixed point, or a value above the deadline that it cannot lie below.
    fn response_time(&mut self, index: usize, slacks: &[Ticks], budget: &mut Budget) -> Result<Bound, Spent> {
        let Member { cost, deadline, .. } = self.members[index];
        let mut response = cost;
        budget.spend(self.members.len() as u64)?;
        self.set_most(index, slacks);
        loop {
            budget.spend(self.members.len() as u64)?;
            self.set_terms(index, slacks, response);
            let limit = least_limit(self.time, &self.terms, self.processors, capped::limit(self.time, response - cost));
            let next = u128::from(cost) + capped::laxity(self.time, limit);
            if next == u128::from(response) || next > u128::from(deadline) {
                return Ok(Bound { response_time: next, deadline });
            }
            response = next as Ticks;
        }
    }

    /// w_i of every task, for the window of task k.
    fn set_most(&mut self, index: usize, slacks: &[Ticks]) {
        let window = self.members[index].deadline;
        self.most.clear();
        self.most.extend(self.members.iter().zip(slacks).map(|(member, slack)| member.work_within(window, *slack)));
    }

    fn set_terms(&mut self, index: usize, slacks: &[Ticks], response: Ticks) {
        let limit = capped::limit(self.time, response - self.members[index].cost);
        let each = self.members.iter().zip(slacks).zip(&self.most);
        self.terms.clear();
        self.terms.extend(each.map(|((member, slack), most)| term(member, *slack, response, limit, *most)));
        self.terms.swap_remove(index);
    }
}
