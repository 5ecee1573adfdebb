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
    /// Execution times: bound, uniform=0.5 ...
    ///
    /// bound, uniform=0.5, bimodal=0.3 or overrun=1.5. bound: each job executes its whole bound. uniform=0.5: from half the bound to all of it. bimodal=0.3: 30 % of the bound,
    /// and one job in 100 all of it. overrun=1.5: the bound, and one job in 100 exceeds it by half.
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
