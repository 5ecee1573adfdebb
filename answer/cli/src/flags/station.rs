//! The flags of a triggering station: how often, how many, as whom.

use crate::exit::Failure;
use crate::flags::plan::PolicyFlag;
use clap::Args;
use prazo_core::time::Duration;
use prazo_run::plan::Policy;

/// The series of triggers.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Triggers")]
pub(crate) struct SeriesFlags {
    /// Distance of two triggers; the papers' is 50ms
    #[arg(long, short = 'i', value_name = "TIME", default_value = "1ms")]
    pub period: Duration,
    /// A trigger leaves up to this long after its instant, so that it is in step with nothing [default: a tenth of the period]
    #[arg(long, value_name = "TIME")]
    pub jitter: Option<Duration>,
    /// How long to trigger: 30s, 2h
    #[arg(long, short = 'D', value_name = "TIME", default_value = "30s", conflicts_with = "count")]
    pub duration: Duration,
    /// Send this many triggers instead
    #[arg(long, short = 'n', value_name = "N")]
    pub count: Option<u64>,
}

impl SeriesFlags {
    /// How many triggers these are.
    pub(crate) fn count(&self) -> Result<u64, Failure> {
        if self.period.is_zero() {
            return Err(Failure::usage("--period 0 is no distance; give at least 10us"));
        }
        Ok(self.count.unwrap_or(self.duration.as_ns() / self.period.as_ns()))
    }

    /// How far a trigger is put off at most.
    pub(crate) fn jitter(&self) -> Duration {
        self.jitter.unwrap_or(Duration::from_ns(self.period.as_ns() / 10))
    }
}

/// A policy out of its flags; a deadline has no place at a station or behind an event, whose period is not the kernel's.
pub(crate) fn policy(flag: PolicyFlag, priority: u8) -> Result<Policy, Failure> {
    match flag {
        PolicyFlag::Other => Ok(Policy::Other),
        PolicyFlag::Fifo => Ok(Policy::Fifo { priority }),
        PolicyFlag::Rr => Ok(Policy::Rr { priority }),
        PolicyFlag::Deadline => Err(Failure::usage(
            "--policy deadline paces by the kernel's own period, which no trigger keeps; choose fifo or rr",
        )),
    }
}
