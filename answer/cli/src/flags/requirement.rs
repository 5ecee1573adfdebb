//! `--deadline`, `--kind` and `--quantile`: what is asked of the platform.

use crate::exit::Failure;
use clap::{Args, ValueEnum};
use prazo_core::time::Duration;
use prazo_verdict::{Kind, Requirement, RequirementError};

/// What is asked of the platform.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Requirement")]
pub(crate) struct RequirementFlags {
    /// Every activation shall run within this of being due, e.g. 200us
    #[arg(long, value_name = "TIME")]
    pub deadline: Option<Duration>,
    /// What a miss means: it invalidates the system (hard), the answer (firm), or devalues it (soft)
    #[arg(long, value_enum, value_name = "KIND")]
    pub kind: Option<KindFlag>,
    /// Share of due activations that must meet the deadline [default: firm 0.999, soft 0.99]
    #[arg(long, value_name = "SHARE")]
    pub quantile: Option<f64>,
}

/// `hard`, `firm` or `soft`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindFlag {
    /// A miss invalidates the system: the maximum counts.
    Hard,
    /// A miss invalidates the answer.
    Firm,
    /// A miss devalues the answer.
    Soft,
}

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
        let kind = match self.kind {
            Some(KindFlag::Hard) => Kind::Hard,
            Some(KindFlag::Firm) | None => Kind::Firm,
            Some(KindFlag::Soft) => Kind::Soft,
        };
        Requirement::new(deadline, kind, self.quantile).map_err(refused)
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
