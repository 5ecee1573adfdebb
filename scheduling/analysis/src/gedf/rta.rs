//! RTA: BCLI with a window that is only as long as the response time, found as a least fixed point.
//!
//! R begins at C_k and is raised to C_k + floor(sum over i != k of min(W_i(R), w_i, R - C_k + 1) / m) until it stays,
//! with w_i as in BCLI and, for x = L + D_i - C_i - s_i, W_i(L) = floor(x/T_i) C_i + min(C_i, x mod T_i). Then s_k =
//! D_k - R. Accepted when every R <= D_k in one of 25 rounds. Bertogna, Cirinei, RTSS 2007, equations 4, 5, 8 and 9.
//!
//! Plain iteration creeps: where m terms grow with R, it gains a tick a turn. Each term grows by steps of slope one, so
//! from R on it is at least min(x + offset, cap) with x = R - C_k + 1, up to the end of the step it is on. The sum of
//! those is concave; the least R that satisfies it is found by Newton's method, cannot lie beyond the fixed point
//! sought, and is the next R.

use super::condition::{Decision, Reach, ask};
use super::slack::{Bound, Member, iterate};
use crate::budget::Spent;
use crate::{Budget, Finding, TaskSet, Ticks};

/// As many rounds as the public tool whose verdicts we reproduce.
const ROUNDS: u64 = 25;

/// RTA for D <= T.
pub fn test(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Finding {
    ask("RTA", Reach::Constrained, tasks, processors, budget, decide)
}

fn decide(tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Result<Decision, Spent> {
    let members = Member::all(tasks);
    let mut search = Search { members: &members, processors, most: Vec::new(), terms: Vec::new() };
    iterate(&members, ROUNDS, |index, slacks| search.response_time(index, slacks, budget))
}

/// min(x + offset, cap), a lower bound of a term from the present x on, exact at the present one.
#[derive(Clone, Copy, Debug)]
struct Term {
    /// At most 0: how far W_i(R) lies below x.
    offset: i64,
    /// The end of the step that W_i is on, or w_i.
    cap: i64,
}

impl Term {
    /// The term of `member` in a window of `response` ticks, where x = `response` - C_k + 1; `most` is its w_i.
    #[inline]
    fn of(member: &Member, slack: Ticks, response: Ticks, x: Ticks, most: Ticks) -> Self {
        let (jobs, rest) = member.period.divide(response + member.deadline - member.cost - slack);
        let end_of_step = (jobs + 1) * member.cost;
        let work = end_of_step - member.cost.saturating_sub(rest);
        Self { offset: (work as i64 - x as i64).min(0), cap: end_of_step.min(most) as i64 }
    }
}

/// m x minus the sum of the terms, as the line `slope x - constant` that touches it at one x from the left.
#[derive(Clone, Copy, Debug)]
struct Line {
    slope: i128,
    constant: i128,
}

impl Line {
    fn touching(terms: &[Term], processors: u32, x: i128) -> Self {
        let mut line = Self { slope: processors.into(), constant: 0 };
        for term in terms {
            let rises = x + i128::from(term.offset) <= i128::from(term.cap);
            line.slope -= i128::from(rises);
            line.constant += i128::from(if rises { term.offset } else { term.cap });
        }
        line
    }

    fn at(self, x: i128) -> i128 {
        self.slope * x - self.constant
    }

    fn least_above_zero(self) -> i128 {
        self.constant / self.slope + 1
    }
}

struct Search<'a> {
    members: &'a [Member],
    processors: u32,
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
            let next = self.least_x(response - cost + 1) + u128::from(cost) - 1;
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
        let x = response - self.members[index].cost + 1;
        let each = self.members.iter().zip(slacks).zip(&self.most);
        self.terms.clear();
        self.terms.extend(each.map(|((member, slack), most)| Term::of(member, *slack, response, x, *most)));
        self.terms.swap_remove(index);
    }

    /// The least x' >= `x` at which the sum of the terms is below m x'; there floor(sum / m) <= x' - 1.
    ///
    /// m x minus a concave sum is convex, so its tangents lie below: the first place where a tangent is above zero is
    /// never left of the one sought, and to stay is to have arrived. A tangent's slope is positive there, for the
    /// difference was not above zero at `x` and is further right.
    fn least_x(&self, x: Ticks) -> u128 {
        let line = |x| Line::touching(&self.terms, self.processors, x);
        if line(x.into()).at(x.into()) > 0 {
            return x.into();
        }
        let caps: i128 = self.terms.iter().map(|term| i128::from(term.cap)).sum();
        let mut right = caps / i128::from(self.processors) + 1;
        loop {
            let next = line(right).least_above_zero();
            if next == right {
                return right as u128;
            }
            right = next;
        }
    }
}
