//! The flags that `sched simulate` and `sched run` share: what varies, and where the schedule goes.

use super::one_of;
use prazo::sched::ScheduleFiles;
use prazo_core::time::Duration;
use prazo_sim::Variation;
use prazo_sim::execution::Distribution;
use prazo_sim::model::{Arrivals, Offsets};
use std::path::PathBuf;

/// What varies.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct VariationFlags {
    /// Seed of all that is drawn; the same seed gives the same jobs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// When the first jobs arrive: all at once, or each somewhere in its first period
    #[arg(long, default_value = "synchronous", value_parser = one_of::<Offsets>(Offsets::NAMES))]
    offsets: Offsets,
    /// Later arrivals: periodic, or sporadic=0.5 for up to half a period more each time
    #[arg(long, value_name = "HOW", default_value = "periodic")]
    arrivals: Arrivals,
    /// Execution times: bound, uniform=0.5 for half the bound to all of it, bimodal=0.3 for a usual share and 1 in 100 all,
    /// overrun=1.5 for the bound and 1 in 100 half more
    #[arg(long, value_name = "HOW", default_value = "bound")]
    execution: Distribution,
}

/// Where the schedule goes.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct ScheduleFlags {
    /// Draw the schedule, around the first miss if there is one (.svg or .html)
    #[arg(long, value_name = "FILE")]
    gantt: Option<PathBuf>,
    /// Where the chart begins [default: chosen]
    #[arg(long, value_name = "TIME", requires = "gantt")]
    from: Option<Duration>,
    /// How much the chart shows [default: two of the longest periods]
    #[arg(long, value_name = "TIME", requires = "gantt")]
    span: Option<Duration>,
    /// Write the schedule for Perfetto or Chrome's trace viewer (JSON)
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write every event as a row
    #[arg(long, value_name = "FILE")]
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
