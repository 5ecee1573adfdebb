//! The flags that `sched simulate` and `sched run` share: what varies.

use super::one_of;
use prazo_sim::Variation;
use prazo_sim::execution::Distribution;
use prazo_sim::model::{Arrivals, Offsets};

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
    /// Execution times, such as bound or uniform=0.5
    ///
    /// bound: each job executes for its whole bound. uniform=0.5: each job executes for a random time from half its
    /// bound to the whole bound. bimodal=0.3: each job executes for 30 % of its bound, and one job in 100 for the whole
    /// bound. overrun=1.5: each job executes for its bound, and one job in 100 for 1.5 times its bound.
    #[arg(long, value_name = "TIMES", default_value = "bound")]
    execution: Distribution,
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
