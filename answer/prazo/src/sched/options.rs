//! How a question differs from what its scenario says: processors, who shares them, who ranks jobs, what the platform costs.

use super::scheduler::SchedulerChoice;
use super::shape::ShapeChoice;
use crate::error::Error;
use prazo_core::time_model::TimeModel;
use prazo_scenario::{Criterion, Priorities, ReadError, Scenario, read};
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A task set, where it is.
#[derive(Clone, Debug)]
pub enum TaskSet {
    /// A file: TOML, CSV, or a file of another tool that is read.
    File(PathBuf),
    /// In memory.
    Given(Box<Scenario>),
}

impl TaskSet {
    /// The scenario, read if it is a file.
    pub(crate) fn read(&self) -> Result<Scenario, ReadError> {
        match self {
            Self::File(file) => read::file(file),
            Self::Given(scenario) => Ok((**scenario).clone()),
        }
    }

    /// What answers call it: the file as it was named, else the scenario's name.
    pub(crate) fn title(&self) -> String {
        match self {
            Self::File(file) => file.display().to_string(),
            Self::Given(scenario) => scenario.name.clone(),
        }
    }
}

impl From<PathBuf> for TaskSet {
    fn from(file: PathBuf) -> Self {
        Self::File(file)
    }
}

/// How the question differs from what the scenario says; what is `None` is the scenario's.
#[derive(Clone, Debug, Default)]
pub struct SchedulerOptions {
    /// Processors; by default the scenario's, else the fewest that the utilization needs.
    pub processors: Option<u32>,
    /// Who shares a ready queue.
    pub shape: Option<ShapeChoice>,
    /// Who ranks jobs.
    pub policy: Option<Criterion>,
    /// Where fixed priorities come from; wins over what `policy` says of that.
    pub priorities: Option<Priorities>,
    /// What the platform costs.
    pub overheads: Option<OverheadsChoice>,
    /// The arrivals that a proof must hold for.
    pub time: TimeModel,
}

impl SchedulerOptions {
    /// The same with a scheduler that one word names.
    ///
    /// # Errors
    /// The word names another policy than `policy`.
    pub fn with_scheduler(self, choice: SchedulerChoice) -> Result<Self, Error> {
        match (choice.criterion, self.policy) {
            (Some(named), Some(policy)) if named != policy => {
                let problem = format!("the scheduler already names the policy {named}");
                Err(Error::field("policy", problem).with_value(policy).with_remedy("name the policy only once"))
            }
            (named, policy) => Ok(Self { shape: choice.shape, policy: named.or(policy), ..self }),
        }
    }
}

/// What the platform costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OverheadsChoice {
    /// Nothing, whatever the scenario says.
    Nothing,
    /// What a table says (TOML).
    Table(PathBuf),
}

/// `none`, or a file.
impl FromStr for OverheadsChoice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "none" => Self::Nothing,
            file => Self::Table(Path::new(file).to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheduler_and_a_policy_that_disagree_are_refused() {
        let options = SchedulerOptions { policy: Some(Criterion::RateMonotonic), ..SchedulerOptions::default() };
        let refused = options.clone().with_scheduler("global-edf".parse().unwrap()).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "policy rm: the scheduler already names the policy edf; name the policy only once"
        );
        let agreed = options.with_scheduler("partitioned".parse().unwrap()).unwrap();
        assert_eq!(
            (agreed.policy, agreed.shape.unwrap().to_string()),
            (Some(Criterion::RateMonotonic), "partitioned".into())
        );
    }
}
