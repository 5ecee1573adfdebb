//! `--load NAME[=RATE]`: the disturbance applied while measuring.

use clap::Args;
use prazo_core::time::Duration;
use prazo_run::defaults;
use prazo_run::plan::{LoadPlan, Plan, Rhythm};

/// Loads and their rhythm.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Loads")]
pub(crate) struct LoadFlags {
    /// Apply this load; repeat the flag for several loads
    ///
    /// `prazo load --list` names the loads and the units of their rates.
    #[arg(long = "load", value_name = "NAME[=RATE]", value_parser = parse_load)]
    pub(crate) loads: Vec<(String, Option<f64>)>,
    /// Run the loads for this long before measuring
    #[arg(long, value_name = "TIME", default_value_t = defaults::LEAD_IN, hide_short_help = true)]
    pub(crate) lead_in: Duration,
    /// Pause the loads in cycles of about this length; they run for 50 to 83 % of each cycle (Blaess 2014: 30s)
    #[arg(long, value_name = "TIME", conflicts_with = "steady", hide_short_help = true)]
    pub(crate) cycle: Option<Duration>,
    /// Never pause the loads
    #[arg(long, hide_short_help = true)]
    pub(crate) steady: bool,
    /// Seed of all random choices, such as the loads' pauses; the same seed repeats them
    #[arg(long, value_name = "NUMBER", default_value_t = 1, hide_short_help = true)]
    pub(crate) seed: u64,
}

pub(crate) fn parse_load(text: &str) -> Result<(String, Option<f64>), String> {
    let Some((name, rate)) = text.split_once('=') else { return Ok((text.to_owned(), None)) };
    match rate.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => Ok((name.to_owned(), Some(rate))),
        _ => Err(format!("the rate of load '{name}' must be a number above 0, as in udp-flood=50000; found '{rate}'")),
    }
}

impl LoadFlags {
    /// The plan with these loads beside it.
    pub(crate) fn beside(&self, plan: Plan) -> Plan {
        let lead_in = if self.loads.is_empty() { Duration::ZERO } else { self.lead_in };
        Plan { lead_in, loads: self.plans(), seed: self.seed, ..plan }
    }

    /// The plans of the loads, each with a rhythm of its own.
    pub(crate) fn plans(&self) -> Vec<LoadPlan> {
        let cycle = self.cycle.filter(|_| !self.steady);
        let rhythm = |index| cycle.map(|cycle| Rhythm::of_cycle(cycle, index));
        let plan = |(index, (name, rate)): (u64, &(String, Option<f64>))| LoadPlan {
            name: name.clone(),
            rate: *rate,
            rhythm: rhythm(index),
        };
        (0..).zip(&self.loads).map(plan).collect()
    }
}
