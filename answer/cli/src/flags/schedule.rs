//! The flags that `sched simulate` and `sched run` share: what varies, and the files of the schedule.

use super::one_of;
use prazo::sched::ScheduleFiles;
use prazo_core::time::Duration;
use prazo_sim::Variation;
use prazo_sim::execution::Distribution;
use prazo_sim::model::{Arrivals, Offsets};
use std::path::PathBuf;

/// What varies.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Jobs")]
pub(crate) struct VariationFlags {
    /// Seed of arrivals and execution times; the same seed gives the same jobs
    #[arg(long, value_name = "NUMBER", hide_short_help = true, default_value_t = 1)]
    seed: u64,
    /// First arrivals: all together, or each at random in its first period
    #[arg(long, hide_short_help = true, default_value = "synchronous", value_parser = one_of::<Offsets>(Offsets::NAMES))]
    offsets: Offsets,
    /// Arrivals: periodic, or sporadic=0.5
    ///
    /// sporadic=0.5 delays each arrival at random, by up to half a period.
    #[arg(long, value_name = "TIMES", default_value = "periodic")]
    arrivals: Arrivals,
    /// Execution times: bound, uniform=0.5 ...
    ///
    /// bound, uniform=0.5, bimodal=0.3 or overrun=1.5. bound: each job executes its whole bound. uniform=0.5: from half the bound to all of it. bimodal=0.3: 30 % of the bound,
    /// and one job in 100 all of it. overrun=1.5: the bound, and one job in 100 exceeds it by half.
    #[arg(long, value_name = "TIMES", default_value = "bound")]
    execution: Distribution,
}

/// The files of the schedule.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Schedule")]
pub(crate) struct ScheduleFlags {
    /// Draw the schedule as .svg or .html
    ///
    /// The chart is around the first miss if there is one.
    #[arg(long, value_name = "FILE")]
    gantt: Option<PathBuf>,
    /// Start of the chart [default: chosen]
    #[arg(long, hide_short_help = true, value_name = "TIME", requires = "gantt")]
    from: Option<Duration>,
    /// Duration that the chart shows [default: two of the longest periods]
    #[arg(long, hide_short_help = true, value_name = "TIME", requires = "gantt")]
    span: Option<Duration>,
    /// Write the schedule as a trace for Perfetto or Chrome (JSON)
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write every event as a row of CSV
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    csv: Option<PathBuf>,
}

impl VariationFlags {
    /// As the simulator takes it; late jobs go on.
    pub(crate) fn variation(&self) -> Variation {
        Variation {
            seed: self.seed,
            offsets: self.offsets,
            arrivals: self.arrivals,
            distribution: self.execution,
            ..Variation::default()
        }
    }
}

impl ScheduleFlags {
    /// As the library takes it.
    pub(crate) fn files(self) -> ScheduleFiles {
        let Self { gantt, from, span, trace, csv } = self;
        ScheduleFiles { gantt, from, span, trace, csv }
    }
}
