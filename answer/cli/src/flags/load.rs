//! `--load NAME[=RATE]`: the disturbance applied while measuring.

use clap::Args;
use prazo_core::time::Duration;
use prazo_run::plan::{LoadPlan, Rhythm};

/// Loads and their rhythm.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Loads")]
pub(crate) struct LoadFlags {
    /// A load to apply, with its rate where it has one; may be given several times. `prazo load --list` names them
    #[arg(long = "load", value_name = "NAME[=RATE]", value_parser = parse_load)]
    pub loads: Vec<(String, Option<f64>)>,
    /// How long the loads run before measuring starts
    #[arg(long, value_name = "TIME", default_value = "2s")]
    pub lead_in: Duration,
    /// Loads pause in their own seeded rhythm: on for 50 to 83 % of each cycle of about this length (Blaess 2014: 30s)
    #[arg(long, value_name = "TIME", conflicts_with = "steady")]
    pub cycle: Option<Duration>,
    /// Loads never pause
    #[arg(long)]
    pub steady: bool,
    /// Seeds the loads' rhythms, so that a run can be repeated
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
}

fn parse_load(text: &str) -> Result<(String, Option<f64>), String> {
    let Some((name, rate)) = text.split_once('=') else { return Ok((text.to_owned(), None)) };
    match rate.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => Ok((name.to_owned(), Some(rate))),
        _ => Err(format!("the rate of load '{name}' is a number above 0, as in udp-flood=50000; found '{rate}'")),
    }
}

impl LoadFlags {
    /// The plans of the loads, each with a cycle of its own length, so that they do not move in step (Blaess 2014).
    pub(crate) fn plans(&self) -> Vec<LoadPlan> {
        let numbered = self.loads.iter().enumerate();
        numbered
            .map(|(index, (name, rate))| LoadPlan {
                name: name.clone(),
                rate: *rate,
                rhythm: self.rhythm(index as u64),
            })
            .collect()
    }

    /// Blaess 2014: on for 15 to 25 s in every 30 s. Each further load's cycle is 7 % longer than the one before.
    fn rhythm(&self, index: u64) -> Option<Rhythm> {
        let cycle = self.cycle.filter(|_| !self.steady)?.as_ns() / 100 * (100 + 7 * index);
        Some(Rhythm {
            cycle: Duration::from_ns(cycle),
            on_min: Duration::from_ns(cycle / 2),
            on_max: Duration::from_ns(cycle / 6 * 5),
        })
    }
}
