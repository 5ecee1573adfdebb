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
pub mod ffdbf;
pub mod gfb;
mod jitter;
pub mod load;
pub mod rta;
mod slack;

use crate::{Budget, Finding, TaskSet, TimeModel};
use prazo_core::words::UnknownWord;

/// One of the tests that Vitor 2013 combines, cheapest first as measured by `cargo bench -p prazo-analysis`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Test {
    /// Goossens, Funk, Baruah 2003, density form.
    Gfb,
    /// Baker 2003.
    Bak,
    /// Bertogna, Cirinei, Lipari 2005.
    Bcl,
    /// Baker and Baruah 2009: load.
    Load,
    /// Baruah, Bonifaci, Marchetti-Spaccamela, Stiller 2009: forced-forward demand.
    FfDbf,
    /// Baruah 2007.
    Bar,
    /// Bertogna, Cirinei, Lipari 2009: iterative slack.
    Bcli,
    /// Bertogna and Cirinei 2007: response times.
    Rta,
}

impl Test {
    /// The test of this name, in capitals as the literature has it or in small letters.
    pub fn find(name: &str) -> Result<Self, UnknownWord> {
        name.to_ascii_uppercase().parse()
    }

    /// The tests of these names, at least one.
    pub fn find_all(names: &[String]) -> Result<Vec<Self>, UnknownTests> {
        if names.is_empty() {
            return Err(UnknownTests::Empty);
        }
        let find =
            |name: &String| Self::find(name).map_err(|choose| UnknownTests::Unknown { name: name.clone(), choose });
        names.iter().map(find).collect()
    }
}

/// Why names are not a list of tests.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownTests {
    /// The list is empty.
    #[error("tests is empty; name a test, or leave it out")]
    Empty,
    /// A name is no test's.
    #[error("there is no test '{name}'; {choose}")]
    Unknown {
        /// The name.
        name: String,
        /// The names to choose from.
        choose: UnknownWord,
    },
}

prazo_core::words!(Test:
    Gfb => "GFB",
    Bak => "BAK",
    Bcl => "BCL",
    Load => "LOAD",
    FfDbf => "FF-DBF",
    Bar => "BAR",
    Bcli => "BCLI",
    Rta => "RTA",
);

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
