//! Sufficient tests for global fixed priorities on identical processors, one file each, and their combination.
//!
//! The m most urgent ready jobs run, wherever; a job may move from one processor to another. No exact test of practical
//! cost is known, and no simple worst arrival: what these tests do not prove stays open. A deadline beyond the period is
//! proven through min(D, T): that asks for more, and changes nobody's priority.
//!
//! A proof holds for arrivals at any real instant. RM-US and the density bound do so as published. Guan's test is published for
//! whole ticks; it has a form for each [`TimeModel`].

mod density;
pub mod guan;
mod jitter;
pub mod rm_us;

use crate::uniprocessor::priority::PriorityOrder;
use crate::{Budget, Finding, Task, TaskSet, TimeModel};

/// One of the tests, cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Test {
    /// Andersson, Baruah, Jonsson 2001: utilization, for the order that puts heavy tasks first.
    RmUs,
    /// Bertogna, Cirinei, Lipari 2005: density, for deadline-monotonic order.
    Density,
    /// Guan, Stigge, Yi, Yu 2009: response times, for every order.
    Guan,
}

prazo_core::words!(Test: RmUs => "RM-US", Density => "DM density", Guan => "Guan RTA");

/// Tasks, their priorities, and how many of them can run at once; at least one.
#[derive(Clone, Copy, Debug)]
pub struct System<'a> {
    /// The tasks.
    pub tasks: TaskSet<'a>,
    /// Who goes before whom; of exactly these tasks.
    pub order: &'a PriorityOrder,
    /// m.
    pub processors: u32,
    /// At which instants jobs may arrive.
    pub time: TimeModel,
}

/// What `test` says of `system`.
pub fn apply(test: Test, system: System<'_>, budget: &mut Budget) -> Finding {
    assert!(system.processors > 0, "a system has a processor");
    if !system.tasks.has_jitter() {
        return without_jitter(test, system, budget);
    }
    match moved(test, system.tasks) {
        Ok(moved) => {
            let tasks = TaskSet::new(&moved).expect("jitter below the deadline and the period leaves both");
            without_jitter(test, System { tasks, ..system }, budget)
        }
        Err(why) => Finding::not_applicable(test.name(), why),
    }
}

/// Tasks with jitter as `test` may see them, without it; or why it may not.
///
/// Each test must be named here: [`jitter`] says why a proof of the moved tasks is one of these, and what it needs of a test.
pub(crate) fn moved(test: Test, tasks: TaskSet<'_>) -> Result<Vec<Task>, &'static str> {
    match test {
        Test::RmUs | Test::Density | Test::Guan => jitter::moved(tasks),
    }
}

fn without_jitter(test: Test, system: System<'_>, budget: &mut Budget) -> Finding {
    match test {
        Test::RmUs => rm_us::test(system, budget),
        Test::Density => density::test(system, budget),
        Test::Guan => guan::test(system, budget),
    }
}

/// What each test says, cheapest first, up to the first that proves the set, or of all if `all`; each with an allowance of
/// its own.
pub fn combined(system: System<'_>, all: bool, budget_each: u64) -> Vec<Finding> {
    let mut findings = Vec::new();
    for test in Test::VALUES {
        findings.push(apply(*test, system, &mut Budget::new(budget_each)));
        if !all && findings.last().is_some_and(Finding::is_proven) {
            break;
        }
    }
    findings
}
