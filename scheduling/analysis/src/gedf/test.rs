//! The tests for global EDF by name, cheapest first.

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
    #[error("no test is named; name at least one, or omit `tests`")]
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
