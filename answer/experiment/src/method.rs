//! How an experiment's TOML writes a method: the tests, the heuristics and when overheads are charged.

use prazo_analysis::gedf::Test;
use prazo_analysis::partition::{Heuristic, Order, PlacedBy, Strategy};
use prazo_analysis::question;
use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// One `[[method]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Method {
    /// Its name in curves.
    pub id: toml::Spanned<String>,
    /// What it is, in one sentence.
    #[serde(default)]
    pub text: String,
    /// Tests for global EDF, by their usual names; all eight where none is named.
    #[serde(default = "all_tests", deserialize_with = "tests")]
    pub tests: Vec<Test>,
    /// Packing heuristics.
    #[serde(default = "three_fits")]
    pub heuristics: Vec<Fit>,
    /// The order in which they take tasks.
    #[serde(default)]
    pub order: TakeOrder,
    /// When overheads are charged.
    #[serde(default)]
    pub inflate: Inflate,
    /// When the test of a cluster is asked.
    #[serde(default)]
    pub packing: Packing,
    /// Look for a miss where nothing proves a set: tells disproven from unknown, never changes what is accepted.
    #[serde(default)]
    pub disprove: bool,
    /// Work for a search through all assignments where the heuristics fail; none where it is not named.
    #[serde(default)]
    pub search: u64,
}

/// A packing heuristic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// The first that takes it.
    FirstFit,
    /// The emptiest.
    WorstFit,
    /// The fullest.
    BestFit,
    /// The last used, or the next.
    NextFit,
}

/// In which order tasks are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TakeOrder {
    /// As they were drawn.
    AsGiven,
    /// Largest C/T first.
    #[default]
    DecreasingUtilization,
    /// Largest C/min(D,T) first.
    DecreasingDensity,
    /// Shortest deadline first.
    IncreasingDeadline,
    /// Shortest period first.
    IncreasingPeriod,
}

/// When overheads are charged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inflate {
    /// For each bin, by the tasks in it.
    #[default]
    PerBin,
    /// Once, as if all tasks shared one queue.
    WholeSetOnce,
}

/// When the test of a cluster is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Packing {
    /// When all tasks are placed.
    CapacityThenTest,
    /// Before each task is placed.
    TestEachStep,
    /// The first way, and where it fails the second.
    #[default]
    Both,
}

fn all_tests() -> Vec<Test> {
    Test::ALL.to_vec()
}

fn three_fits() -> Vec<Fit> {
    vec![Fit::FirstFit, Fit::WorstFit, Fit::BestFit]
}

fn tests<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Test>, D::Error> {
    let named = Vec::<String>::deserialize(deserializer)?;
    named.iter().map(|name| test(name).ok_or_else(|| D::Error::custom(unknown(name)))).collect()
}

fn test(name: &str) -> Option<Test> {
    Test::ALL.into_iter().find(|test| test.name().eq_ignore_ascii_case(name))
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = Test::ALL.iter().map(|test| test.name()).collect();
    format!("there is no test '{name}'; choose among {}", known.join(", "))
}

impl Method {
    /// The method as the analysis takes it.
    pub fn of_analysis(&self, budget: u64) -> question::Method {
        let order = self.order.into();
        question::Method {
            tests: self.tests.clone(),
            all_tests: false,
            heuristics: self.heuristics.iter().map(|fit| Strategy { heuristic: (*fit).into(), order }).collect(),
            inflate: self.inflate.into(),
            packing: self.packing.into(),
            budget,
            disprove: self.disprove,
            search: self.search,
            ..question::Method::default()
        }
    }
}

impl From<Fit> for Heuristic {
    fn from(fit: Fit) -> Self {
        match fit {
            Fit::FirstFit => Self::FirstFit,
            Fit::WorstFit => Self::WorstFit,
            Fit::BestFit => Self::BestFit,
            Fit::NextFit => Self::NextFit,
        }
    }
}

impl From<TakeOrder> for Order {
    fn from(order: TakeOrder) -> Self {
        match order {
            TakeOrder::AsGiven => Self::AsGiven,
            TakeOrder::DecreasingUtilization => Self::DecreasingUtilization,
            TakeOrder::DecreasingDensity => Self::DecreasingDensity,
            TakeOrder::IncreasingDeadline => Self::IncreasingDeadline,
            TakeOrder::IncreasingPeriod => Self::IncreasingPeriod,
        }
    }
}

impl From<Inflate> for question::Inflate {
    fn from(inflate: Inflate) -> Self {
        match inflate {
            Inflate::PerBin => Self::PerBin,
            Inflate::WholeSetOnce => Self::WholeSetOnce,
        }
    }
}

impl From<Packing> for question::Packing {
    fn from(packing: Packing) -> Self {
        match packing {
            Packing::CapacityThenTest => Self::CapacityThenTest,
            Packing::TestEachStep => Self::TestEachStep,
            Packing::Both => Self::Both,
        }
    }
}

/// For readers, who chose the bins.
pub fn chooser(placed_by: PlacedBy) -> &'static str {
    match placed_by {
        PlacedBy::Heuristic(strategy) => strategy.heuristic.name(),
        PlacedBy::Search => "search",
        PlacedBy::Author => "as given",
    }
}
