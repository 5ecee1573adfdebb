//! Sufficient tests for global EDF on identical processors, one file each, and their combination, cheapest first.
//!
//! A proof holds for arrivals at any real instant. GFB, BAK, BCL, LOAD, FF-DBF and BAR do so as published. BCLI and RTA are
//! published for whole ticks; they have a form for each [`TimeModel`].

pub mod bak;
pub mod bar;
pub mod bcl;
pub mod bcli;
mod condition;
mod descent;
mod divisor;
mod early;
pub mod ffdbf;
pub mod gfb;
mod jitter;
pub mod load;
pub mod rta;
mod slack;
mod test;

pub use test::{Test, UnknownTests};

use crate::{Budget, Finding, TaskSet, TimeModel};

/// What `test` says of `tasks` on `processors` processors, for arrivals as `time` has them.
pub fn apply(test: Test, tasks: TaskSet<'_>, processors: u32, time: TimeModel, budget: &mut Budget) -> Finding {
    if !tasks.has_jitter() {
        return without_jitter(test, tasks, processors, time, budget);
    }
    let moved = match moved(test, tasks) {
        Ok(moved) => moved,
        Err(why) => return Finding::not_applicable(test.name(), why),
    };
    let moved = TaskSet::new(&moved).expect("a deadline above the jitter leaves a window");
    without_jitter(test, moved, processors, time, budget)
}

/// Rounds of BCLI that are tried where RTA is asked; most of its proofs need no more, and a failure costs little beside RTA.
const ROUNDS: u64 = 2;

/// True if `test` proves `tasks`, as [`apply`] would find with enough budget; for callers that need no margin.
///
/// BCLI and RTA have early decisions here, which cost a few passes over the tasks, or a few rounds of BCLI, which RTA's proofs include. Their
/// margin is that of the tightest task, which only a bound for every task shows.
pub fn proves(test: Test, tasks: TaskSet<'_>, processors: u32, time: TimeModel, budget: &mut Budget) -> bool {
    let is_covered =
        |task: &crate::Task| task.jitter == 0 && task.cost <= task.deadline && task.deadline <= task.period;
    // In each round RTA's response times are not longer than BCLI's, and it has more rounds than these.
    let by_bcli = |budget: &Budget| test == Test::Rta && bcli::proves_in(ROUNDS, tasks, processors, time, *budget);
    let is_early = matches!(test, Test::Bcli | Test::Rta)
        && processors > 0
        && tasks.iter().all(is_covered)
        && (early::proves(tasks, processors) || by_bcli(budget));
    is_early || apply(test, tasks, processors, time, budget).is_proven()
}

/// Tasks with jitter as `test` may see them, without it; or why it may not.
///
/// Each test must be named here: whether its proof covers jitter is argued in [`jitter`], test by test.
pub(crate) fn moved(test: Test, tasks: TaskSet<'_>) -> Result<Vec<crate::Task>, &'static str> {
    match test {
        Test::Gfb | Test::Bak | Test::Bcl | Test::Load | Test::FfDbf | Test::Bar | Test::Bcli => jitter::moved(tasks),
        Test::Rta => Err(jitter::RESPONSE_TIMES),
    }
}

fn without_jitter(test: Test, tasks: TaskSet<'_>, processors: u32, time: TimeModel, budget: &mut Budget) -> Finding {
    let decide = match test {
        Test::Bcli => return bcli::test(tasks, processors, time, budget),
        Test::Rta => return rta::test(tasks, processors, time, budget),
        Test::Gfb => gfb::test,
        Test::Bak => bak::test,
        Test::Bcl => bcl::test,
        Test::Load => load::test,
        Test::FfDbf => ffdbf::test,
        Test::Bar => bar::test,
    };
    decide(tasks, processors, budget)
}

/// Which tests are asked, and what each may cost.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// The tests, in the order in which they are asked.
    pub tests: &'a [Test],
    /// Ask all of them, even after the first proof.
    pub all: bool,
    /// At which instants jobs may arrive.
    pub time: TimeModel,
    /// Work that each test may cost.
    pub budget_each: u64,
}

/// What each test of `plan` says, in that order, up to the first that proves the set, or of all of them.
///
/// Each test has a whole budget to itself, so what one says does not depend on which others were asked.
pub fn combined(tasks: TaskSet<'_>, processors: u32, plan: Plan<'_>) -> Vec<Finding> {
    let mut findings = Vec::with_capacity(plan.tests.len());
    for test in plan.tests {
        findings.push(apply(*test, tasks, processors, plan.time, &mut Budget::new(plan.budget_each)));
        if !plan.all && findings.last().is_some_and(Finding::is_proven) {
            break;
        }
    }
    findings
}
