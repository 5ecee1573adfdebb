//! Sufficient tests for global EDF on identical processors, one file each, and their combination, cheapest first.

pub mod bar;
mod descent;
pub mod ffdbf;
pub mod load;
mod scope;

use crate::{Budget, Finding, TaskSet};

/// One of the eight tests that papers/004 combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Test {
    /// Goossens, Funk, Baruah 2003, density form.
    Gfb,
    /// Baker 2003.
    Bak,
    /// Bertogna, Cirinei, Lipari 2005.
    Bcl,
    /// Baker, Baruah 2009: load.
    Load,
    /// Bertogna, Cirinei, Lipari 2009: iterative slack.
    Bcli,
    /// Bertogna, Cirinei 2007: response times.
    Rta,
    /// Baruah, Bonifaci, Marchetti-Spaccamela, Stiller 2009: forced-forward demand.
    FfDbf,
    /// Baruah 2007.
    Bar,
}

impl Test {
    /// All of them, cheapest first.
    pub const ALL: [Test; 8] =
        [Test::Gfb, Test::Bak, Test::Bcl, Test::Load, Test::Bcli, Test::Rta, Test::FfDbf, Test::Bar];

    /// As the literature calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gfb => "GFB",
            Self::Bak => "BAK",
            Self::Bcl => "BCL",
            Self::Load => "LOAD",
            Self::Bcli => "BCLI",
            Self::Rta => "RTA",
            Self::FfDbf => "FF-DBF",
            Self::Bar => "BAR",
        }
    }
}

/// What `test` says of `tasks` on `processors` processors.
pub fn apply(test: Test, tasks: TaskSet<'_>, processors: u32, budget: &mut Budget) -> Finding {
    let _ = (test, tasks, processors, budget);
    todo!("being built")
}
