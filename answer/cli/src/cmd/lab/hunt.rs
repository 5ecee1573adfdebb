//! `prazo lab hunt`: the boot of a guest with the largest latency, and what makes it late.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::load::parse_load;
use crate::flags::measuring::PolicyFlags;
use crate::flags::words;
use crate::out;
use prazo::lab::hunt::{Budget, HuntRequest, hunt};
use prazo_core::time::Duration;
use prazo_run::defaults;
use prazo_study::hunt::{Method, Task};
use std::path::PathBuf;

/// What to search.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo lab hunt --platform lab:standard-full --load compile --budget 24 -o hunt
  prazo lab hunt --platform lab:rt-full --load scheduler --load udp-flood --budget 60s --workers 2 -o hunt
  prazo lab hunt --platform lab:rt-full --load cpu --scheduler tcp://host:8786 -o hunt
  prazo lab explain hunt/worst.prazo         the worst activation, function by function
  prazo study run hunt/worst.toml            the same boot again, bit for bit
  prazo gate hunt/worst.toml --kernel bzImage --append preempt=full

The boots differ in their seeds and in the phases, rates and pauses of the loads;
the measured task is always the same. After an interruption, the same command
continues the search.")]
pub(crate) struct Args {
    /// Platform of the lab with one processor and counted time (a clock that counts instructions), such as lab:standard-full
    #[arg(long, value_name = "PLATFORM")]
    platform: String,
    /// Load of prazo's own to apply; repeat the flag for several loads. A rate that is given here is not varied
    #[arg(long = "load", value_name = "NAME[=RATE]", value_parser = parse_load, required = true)]
    loads: Vec<(String, Option<f64>)>,
    #[command(flatten)]
    policy: PolicyFlags,
    /// Period of the activations
    #[arg(long, short = 'i', value_name = "TIME", default_value_t = defaults::PERIOD)]
    period: Duration,
    /// Duration of the measurement in each boot
    #[arg(long, short = 'D', value_name = "TIME", default_value = "1s")]
    duration: Duration,
    /// Minimum time for which the loads run before measuring starts
    #[arg(long, value_name = "TIME", default_value = "200ms", hide_short_help = true)]
    lead_in: Duration,
    /// Size of the search: a number of boots, or measured guest time, such as 60s
    #[arg(long, value_name = "BOOTS|TIME", default_value = "24")]
    budget: Budget,
    /// Method of choosing the next boot: at random, or by evolution from the worst boots so far
    #[arg(long, value_name = "METHOD", default_value = "evolution", value_parser = words(METHODS))]
    method: Method,
    /// Seed of all random choices
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Number of guests that run at the same time, 1 to 8; this number does not affect the result
    #[arg(long, value_name = "N", default_value_t = 1)]
    workers: usize,
    /// Dask scheduler whose workers run the boots of the search, such as tcp://host:8786
    ///
    /// With this option, prazo runs `python3` on this machine. That Python needs the package `prazo[dask]`; set
    /// PRAZO_PYTHON to use another Python. The workers need the same prazo and the same lab as this machine. This
    /// machine repeats the worst boot, and tests its cause.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "workers")]
    scheduler: Option<String>,
    /// Search only; do not test which loads cause the latency
    #[arg(long)]
    no_cause: bool,
    /// Elapsed time after which a guest is terminated [default: 5m, plus a minute for each measured second]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    timeout: Option<Duration>,
    /// Folder for the results; an interrupted search continues if the same folder is given
    #[arg(long, short, value_name = "FOLDER", default_value = "prazo-results/hunt")]
    output: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How boots are chosen.
const METHODS: &[crate::flags::Word<Method>] = &[
    ("evolution", "By evolution: variations of the boots with the largest latencies so far", Method::Evolution),
    ("random", "At random, independent of earlier boots", Method::Random),
];

impl Args {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let request = HuntRequest {
            platform: self.platform.clone(),
            task: Task { policy: self.policy.policy(self.period), period: self.period, length: self.duration },
            lead_in: self.lead_in,
            loads: self.loads.clone(),
            method: self.method,
            seed: self.seed,
            budget: self.budget,
            workers: self.workers,
            scheduler: self.scheduler.clone(),
            proves: !self.no_cause,
            timeout: self.timeout,
            folder: self.output.clone(),
        };
        let hunted = hunt(&request, &mut Console::default())?;
        out::answer(self.json, &hunted)?;
        Ok(Exit::Pass)
    }
}
