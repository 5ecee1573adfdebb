//! `--deadline`, `--kind` and `--quantile`: what is asked of the platform.

use super::{Meaning, named};
use crate::exit::Failure;
use clap::Args;
use prazo_core::time::Duration;
use prazo_verdict::{Kind, Requirement, RequirementError};

/// What is asked of the platform.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Requirement")]
pub(crate) struct RequirementFlags {
    /// Deadline of each activation, for example 200us
    ///
    /// An activation meets its deadline if the thread runs within this time after the activation was due.
    #[arg(long, value_name = "TIME")]
    pub(crate) deadline: Option<Duration>,
    /// Kind of the deadline [default: firm]
    #[arg(long, value_name = "KIND", value_parser = named(Kind::name, KINDS))]
    pub(crate) kind: Option<Kind>,
    /// Share of due activations that must meet the deadline [default: 0.999 firm, 0.99 soft]
    #[arg(long, hide_short_help = true, value_name = "SHARE")]
    pub(crate) quantile: Option<f64>,
}

const KINDS: &[Meaning<Kind>] = &[
    (Kind::Hard, "No activation may miss its deadline"),
    (Kind::Firm, "A late result is useless; 99.9 % must be in time"),
    (Kind::Soft, "A late result is worth less; 99 % must be in time"),
];

impl RequirementFlags {
    /// The requirement, if a deadline was given; usage errors name the flag.
    pub(crate) fn requirement(&self) -> Result<Option<Requirement>, Failure> {
        self.deadline.map(|deadline| self.with(deadline)).transpose()
    }

    /// The requirement, with `deadline` where none was given.
    pub(crate) fn or(&self, deadline: Duration) -> Result<Requirement, Failure> {
        self.with(self.deadline.unwrap_or(deadline))
    }

    fn with(&self, deadline: Duration) -> Result<Requirement, Failure> {
        Requirement::new(deadline, self.kind.unwrap_or(Kind::Firm), self.quantile).map_err(refused)
    }
}

/// The verdict knows no flags, so the one at fault is named here.
fn refused(error: RequirementError) -> Failure {
    let flag = match error {
        RequirementError::NoDeadline => "--deadline",
        RequirementError::Quantile(_) | RequirementError::HardQuantile(_) => "--quantile",
    };
    Failure::usage(format!("{flag}: {error}"))
}
