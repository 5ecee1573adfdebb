//! The flags of a triggering station: the period and the number of triggers.

use crate::exit::Failure;
use crate::flags::measuring::length;
use clap::Args;
use prazo::measure::event::TriggerSeries;
use prazo_core::time::Duration;
use prazo_run::defaults;

/// The series of triggers.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Triggers")]
pub(crate) struct SeriesFlags {
    /// Period of the triggers
    ///
    /// Regnier 2008 uses 50ms.
    #[arg(long, short = 'i', value_name = "TIME", default_value_t = defaults::PERIOD)]
    pub(crate) period: Duration,
    /// Random delay of each trigger, from 0 to this value [default: a tenth of the period]
    #[arg(long, hide_short_help = true, value_name = "TIME")]
    pub(crate) jitter: Option<Duration>,
    /// Duration of the series of triggers
    #[arg(long, short = 'D', value_name = "TIME", default_value_t = defaults::DURATION, conflicts_with = "count")]
    pub(crate) duration: Duration,
    /// Send this many triggers, instead of a duration
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) count: Option<u64>,
}

impl SeriesFlags {
    /// As the library takes it.
    pub(crate) fn series(&self) -> Result<TriggerSeries, Failure> {
        Ok(TriggerSeries::new(self.period, self.jitter, length(self.count, self.duration))?)
    }
}
