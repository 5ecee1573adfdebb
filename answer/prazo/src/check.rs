//! Is this machine fit for real-time work?

use crate::error::Error;
use prazo_core::text::counted;
use prazo_platform::readiness::{self, CheckOutcome, CheckResult, Scenario};
use prazo_platform::root::Root;
use prazo_run::Severity;
use prazo_verdict::Outcome;
use std::fmt;
use std::path::Path;

/// What every check found.
#[derive(Clone, Debug)]
pub struct CheckAnswer {
    /// One for each check.
    pub results: Vec<CheckResult>,
}

/// Runs every check on this machine, or on a copied tree of another one's /proc, /sys and /boot.
///
/// # Errors
/// The copied tree is no folder.
pub fn check(tree: Option<&Path>, scenario: &Scenario) -> Result<CheckAnswer, Error> {
    if let Some(tree) = tree.filter(|tree| !tree.is_dir()) {
        let remedy = "name a folder with copies of /proc, /sys and /boot";
        return Err(Error::field("root", "it is not a folder").with_value(tree.display()).with_remedy(remedy));
    }
    let root = tree.map_or_else(Root::system, Root::at);
    Ok(CheckAnswer { results: readiness::check(&root, scenario) })
}

impl CheckAnswer {
    /// Fail where something fatal or high was found, inconclusive where such a thing is unknown.
    pub fn outcome(&self) -> Outcome {
        let weighs = |result: &&CheckResult| result.severity >= Severity::High;
        let any = |outcome| self.results.iter().filter(weighs).any(|result| result.outcome == outcome);
        match (any(CheckOutcome::Finding), any(CheckOutcome::Unknown)) {
            (true, _) => Outcome::Fail,
            (false, true) => Outcome::Inconclusive,
            (false, false) => Outcome::Pass,
        }
    }

    /// What was found, and what could not be found out.
    pub fn findings(&self) -> impl Iterator<Item = &CheckResult> {
        let matters = |one: &&CheckResult| matches!(one.outcome, CheckOutcome::Finding | CheckOutcome::Unknown);
        self.results.iter().filter(matters)
    }
}

/// How many checks ended how: "77 checks: 20 ok, 12 findings, 5 unknown, 40 not applicable here".
impl fmt::Display for CheckAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |outcome| self.results.iter().filter(|result| result.outcome == outcome).count();
        write!(
            f,
            "{}: {} ok, {}, {} unknown, {} not applicable here",
            counted(self.results.len() as u64, "check"),
            count(CheckOutcome::Ok),
            counted(count(CheckOutcome::Finding) as u64, "finding"),
            count(CheckOutcome::Unknown),
            count(CheckOutcome::NotApplicable)
        )
    }
}
