//! How an experiment's TOML writes a method: the tests, the heuristics and when overheads are charged.

use prazo_analysis::gedf::Test;
use prazo_analysis::partition::{Heuristic, Order, Strategy};
use prazo_analysis::question::{self, Inflate, Packing};
use prazo_core::words::UnknownWord;
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use std::str::FromStr;

/// One `[[method]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Method {
    /// Its name in curves.
    pub id: toml::Spanned<String>,
    /// What it is, in one sentence.
    #[serde(default)]
    pub text: String,
    /// Tests for global EDF, by their usual names; all where none is named.
    #[serde(default = "all_tests", deserialize_with = "tests")]
    pub tests: Vec<Test>,
    /// Packing heuristics.
    #[serde(default = "usual_fits", deserialize_with = "each_word")]
    pub heuristics: Vec<Heuristic>,
    /// The order in which they take tasks.
    #[serde(default = "decreasing_utilization", deserialize_with = "word")]
    pub order: Order,
    /// When overheads are charged.
    #[serde(default = "per_bin", deserialize_with = "word")]
    pub inflate: Inflate,
    /// When the test of a cluster is asked.
    #[serde(default = "both", deserialize_with = "word")]
    pub packing: Packing,
    /// Look for a miss where nothing proves a set: tells disproven from unknown, never changes what is accepted.
    #[serde(default)]
    pub disprove: bool,
    /// Work for a search through all assignments where the heuristics fail; none where it is not named.
    #[serde(default)]
    pub search: u64,
}

fn all_tests() -> Vec<Test> {
    Test::VALUES.to_vec()
}

fn usual_fits() -> Vec<Heuristic> {
    Heuristic::USUAL.to_vec()
}

fn decreasing_utilization() -> Order {
    Order::DecreasingUtilization
}

fn per_bin() -> Inflate {
    Inflate::PerBin
}

fn both() -> Packing {
    Packing::Both
}

/// A value by its word.
fn word<'de, D: Deserializer<'de>, T: FromStr<Err = UnknownWord>>(deserializer: D) -> Result<T, D::Error> {
    let word = String::deserialize(deserializer)?;
    word.parse().map_err(|choose| D::Error::custom(format!("'{word}' is not known; {choose}")))
}

/// Several values, each by its word.
fn each_word<'de, D: Deserializer<'de>, T: FromStr<Err = UnknownWord>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?;
    let value =
        |word: &String| word.parse().map_err(|choose| D::Error::custom(format!("'{word}' is not known; {choose}")));
    words.iter().map(value).collect()
}

fn tests<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Test>, D::Error> {
    let named = Vec::<String>::deserialize(deserializer)?;
    Test::find_all(&named).map_err(D::Error::custom)
}

impl Method {
    /// The method as the analysis takes it.
    pub fn of_analysis(&self, budget: u64) -> question::Method {
        let strategy = |heuristic: &Heuristic| Strategy { heuristic: *heuristic, order: self.order };
        question::Method {
            tests: self.tests.clone(),
            all_tests: false,
            heuristics: self.heuristics.iter().map(strategy).collect(),
            inflate: self.inflate,
            packing: self.packing,
            budget,
            disprove: self.disprove,
            search: self.search,
            // Curves are of the published tests.
            states: 0,
            ..question::Method::default()
        }
    }
}
