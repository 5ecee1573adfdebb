//! How a question is to be answered, as a request says it: which tests and heuristics, and how far each is followed.

use crate::error::Error;
use prazo_analysis::gedf::{self, UnknownTests};
use prazo_analysis::partition::{Heuristic, Order, Strategy};
use prazo_analysis::question::{Inflate, Method};

/// Jobs of the schedule of synchronous arrivals that each record of a batch has looked at for a miss, unless said otherwise: most misses come
/// early, and a batch has many sets to get through.
const SIMULATED_JOBS_OF_A_RECORD: u64 = 2_000;

/// Work that the search of all states may take for each record of a batch.
const STATES_OF_A_RECORD: u64 = 500_000;

/// How the method differs from the usual one; what is `None` is as usual.
#[derive(Clone, Debug, Default)]
pub struct MethodOptions {
    /// Tests for global EDF, these alone and in this order.
    pub tests: Option<Vec<gedf::Test>>,
    /// Run every test and heuristic, even after one has decided.
    pub all_tests: bool,
    /// Limit of the work of each test, in evaluated terms.
    pub budget: Option<u64>,
    /// How many jobs of the synchronous schedule to look at for a miss.
    pub simulated_jobs: Option<u64>,
    /// Packing heuristics.
    pub heuristics: Option<Vec<Heuristic>>,
    /// The order in which the heuristics place tasks.
    pub order: Order,
    /// When overheads are charged to tasks that are packed.
    pub inflate: Inflate,
    /// Split tasks over processors where no packing is proven.
    pub split: bool,
}

impl MethodOptions {
    /// The same with the tests of these names.
    ///
    /// # Errors
    /// There is no name, or one that is no test's.
    pub fn with_tests_named(self, names: &[String]) -> Result<Self, Error> {
        let tests = gedf::Test::find_all(names).map_err(|error| match error {
            UnknownTests::Unknown { name, choose } => Error::field("tests", choose).with_value(format!("'{name}'")),
            UnknownTests::Empty => Error::refused(error),
        })?;
        Ok(Self { tests: Some(tests), ..self })
    }

    /// As the analysis takes it.
    pub fn method(&self) -> Method {
        let heuristics = self.heuristics.as_deref().unwrap_or(&Heuristic::USUAL);
        let method = Method {
            all_tests: self.all_tests,
            heuristics: heuristics.iter().map(|&heuristic| Strategy { heuristic, order: self.order }).collect(),
            inflate: self.inflate,
            split: self.split,
            ..Method::default()
        };
        let method = method.with_budget(self.budget.unwrap_or(Method::BUDGET));
        let method = match &self.tests {
            Some(tests) => method.with_tests(tests.clone()),
            None => method,
        };
        Method { simulated_jobs: self.simulated_jobs.unwrap_or(method.simulated_jobs), ..method }
    }

    /// The same for each record of a batch, which has many to get through: unless said otherwise, fewer jobs are looked at.
    pub fn batch_method(&self) -> Method {
        let method = self.method();
        let simulated_jobs = self.simulated_jobs.unwrap_or(SIMULATED_JOBS_OF_A_RECORD);
        Method { simulated_jobs, states: method.states.min(STATES_OF_A_RECORD), ..method }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_is_as_usual() {
        assert_eq!(MethodOptions::default().method(), Method::default());
        let batch = Method { simulated_jobs: 2_000, states: 500_000, ..Method::default() };
        assert_eq!(MethodOptions::default().batch_method(), batch);
    }

    #[test]
    fn what_is_said_is_done() {
        let options = MethodOptions {
            tests: Some(vec![gedf::Test::Rta]),
            all_tests: true,
            budget: Some(1_000),
            simulated_jobs: Some(7),
            heuristics: Some(vec![Heuristic::NextFit]),
            order: Order::AsGiven,
            inflate: Inflate::WholeSetOnce,
            split: true,
        };
        let usual = Method::default();
        let asked = Method {
            tests: vec![gedf::Test::Rta],
            all_tests: true,
            heuristics: vec![Strategy { heuristic: Heuristic::NextFit, order: Order::AsGiven }],
            inflate: Inflate::WholeSetOnce,
            budget: 1_000,
            packing_budget: 1_000,
            simulated_jobs: 7,
            // Named tests leave out the search of all states.
            states: 0,
            split: true,
            ..usual
        };
        assert_eq!((options.method(), options.batch_method()), (asked.clone(), asked));
    }

    #[test]
    fn tests_are_named_in_capitals_or_small_letters_and_others_are_refused() {
        let named = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            MethodOptions::default().with_tests_named(&names)
        };
        assert_eq!(named(&["gfb", "RTA"]).unwrap().tests, Some(vec![gedf::Test::Gfb, gedf::Test::Rta]));
        let unknown = named(&["gfb", "gfx"]).unwrap_err().to_string();
        assert!(unknown.starts_with("tests 'gfx': choose one of GFB, "), "{unknown}");
        let empty = named(&[]).unwrap_err().to_string();
        assert_eq!(empty, "no test is named; name at least one, or omit `tests`");
    }
}
