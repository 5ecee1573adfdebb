//! The flags of a triggering station: the period and the number of triggers, and its policy.

use crate::exit::Failure;
use crate::flags::plan::PolicyName;
use clap::Args;
use prazo::measure::event::TriggerSeries;
use prazo_core::time::Duration;
use prazo_run::plan::Policy;

/// The series of triggers.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Triggers")]
pub(crate) struct SeriesFlags {
    /// Period of the triggers
    ///
    /// The papers use 50ms.
    #[arg(long, short = 'i', value_name = "TIME", default_value = "1ms")]
    pub(crate) period: Duration,
    /// Random delay of each trigger, from 0 to this [default: a tenth of the period]
    #[arg(long, hide_short_help = true, value_name = "TIME")]
    pub(crate) jitter: Option<Duration>,
    /// Duration of the series
    #[arg(long, short = 'D', value_name = "TIME", default_value = "30s", conflicts_with = "count")]
    pub(crate) duration: Duration,
    /// Send this many triggers, instead of a duration
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) count: Option<u64>,
}

impl SeriesFlags {
    /// As the library takes it.
    pub(crate) fn series(&self) -> Result<TriggerSeries, Failure> {
        let period = self.period;
        if period.is_zero() {
            return Err(Failure::usage("--period 0: the period must be above 0; give at least 10us"));
        }
        let jitter = self.jitter.unwrap_or(Duration::from_ns(period.as_ns() / 10));
        let count = self.count.unwrap_or(self.duration.as_ns() / period.as_ns());
        Ok(TriggerSeries { period, jitter, count })
    }
}

/// The policy that the flags name; not deadline, because triggers do not keep the kernel's period.
pub(crate) fn policy(name: PolicyName, priority: u8) -> Result<Policy, Failure> {
    match name {
        PolicyName::Other => Ok(Policy::Other),
        PolicyName::Fifo => Ok(Policy::Fifo { priority }),
        PolicyName::Rr => Ok(Policy::Rr { priority }),
        PolicyName::Deadline => Err(Failure::usage(
            "--policy deadline: a deadline task needs a period and a budget, and this probe's threads have none; choose fifo or rr",
        )),
    }
}
