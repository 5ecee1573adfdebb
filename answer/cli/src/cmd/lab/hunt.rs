//! `prazo lab hunt`: the boot of a guest with the largest latency, and what makes it late.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::load::parse_load;
use crate::flags::plan::{POLICIES, PolicyName, policy};
use crate::flags::words;
use crate::{out, paper};
use prazo::lab::hunt::{Budget, CauseDocument, HuntRequest, Hunted, hunt};
use prazo_core::time::Duration;
use prazo_report::terminal::Side;
use prazo_report::view::Cell;
use prazo_study::hunt::{Method, Task};
use std::path::PathBuf;

/// What to search.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo lab hunt --platform lab:standard-full --load compile --budget 24 -o hunt
  prazo lab hunt --platform lab:rt-full --load scheduler --load udp-flood --budget 60s --workers 2 -o hunt
  prazo lab explain hunt/worst.prazo         the worst activation, function by function
  prazo study run hunt/worst.toml            the same boot again, bit for bit
  prazo gate hunt/worst.toml --kernel bzImage --append preempt=full

prazo varies seeds, phases, rates and pauses; the task is fixed. The same
command continues where it was interrupted.")]
pub(crate) struct Args {
    /// Platform of the lab with one processor under counted time, such as lab:standard-full
    #[arg(long, value_name = "PLATFORM")]
    platform: String,
    /// Load made by prazo itself; can be repeated; a given rate is fixed
    #[arg(long = "load", value_name = "NAME[=RATE]", value_parser = parse_load, required = true)]
    loads: Vec<(String, Option<f64>)>,
    /// Scheduling policy of the measured task
    #[arg(long, short, value_name = "POLICY", default_value = "fifo", value_parser = words(POLICIES))]
    policy: PolicyName,
    /// Real-time priority under fifo and rr, 1 to 99
    #[arg(long, value_name = "N", default_value_t = 90, value_parser = clap::value_parser!(u8).range(1..=99))]
    priority: u8,
    /// Period of the activations
    #[arg(long, short = 'i', value_name = "TIME", default_value = "1ms")]
    period: Duration,
    /// Duration of the measurement in each boot
    #[arg(long, short = 'D', value_name = "TIME", default_value = "1s")]
    duration: Duration,
    /// Shortest time that the loads run before measuring starts
    #[arg(long, value_name = "TIME", default_value = "200ms", hide_short_help = true)]
    lead_in: Duration,
    /// Size of the search: a number of boots, or measured guest time, such as 60s
    #[arg(long, value_name = "BOOTS|TIME", default_value = "24")]
    budget: Budget,
    /// Method of choosing boots: at random, or bred from the worst so far
    #[arg(long, value_name = "METHOD", default_value = "evolution", value_parser = words(METHODS))]
    method: Method,
    /// Seed of everything that is drawn
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Number of guests at once, 1 to 8; it does not change the result
    #[arg(long, value_name = "N", default_value_t = 1)]
    workers: usize,
    /// Search only; do not test which loads cause the latency
    #[arg(long)]
    no_cause: bool,
    /// Elapsed time after which a guest is terminated [default: 5m, plus a minute for each measured second]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    timeout: Option<Duration>,
    /// Folder for the results; the same search continues there
    #[arg(long, short, value_name = "FOLDER", default_value = "prazo-results/hunt")]
    output: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How boots are chosen.
const METHODS: &[crate::flags::Word<Method>] = &[
    ("evolution", "Bred from the boots with the largest latencies so far", Method::Evolution),
    ("random", "Drawn at random, independent of earlier boots", Method::Random),
];

impl Args {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let request = HuntRequest {
            platform: self.platform.clone(),
            task: Task {
                policy: policy(self.policy, self.priority, None, self.period),
                period: self.period,
                length: self.duration,
            },
            lead_in: self.lead_in,
            loads: self.loads.clone(),
            method: self.method,
            seed: self.seed,
            budget: self.budget,
            workers: self.workers,
            proves: !self.no_cause,
            timeout: self.timeout,
            folder: self.output.clone(),
        };
        let hunted = hunt(&request, &mut Console::default())?;
        if self.json {
            out::json(&hunted)?;
        } else {
            print(&hunted)?;
        }
        Ok(Exit::Pass)
    }
}

fn print(hunted: &Hunted) -> Result<(), Failure> {
    out::text_line(&hunted.sentence)?;
    out::text_line("")?;
    let sides = [Side::Right, Side::Right];
    let rises = hunted.rises.iter().map(|rise| vec![Cell::from(rise.boot.to_string()), micros(rise.latency_ns)]);
    paper::table(&sides, &["boot", "largest latency so far, µs"], rises)?;
    if let Some(cause) = &hunted.cause {
        out::text_line("")?;
        causes(cause)?;
    }
    out::text_line("")?;
    out::text_line(&format!("again:   prazo study run {}", hunted.worst.study))?;
    out::text_line(&format!("explain: prazo lab explain {}", hunted.worst.run))
}

/// What was left out, and what remained.
fn causes(cause: &CauseDocument) -> Result<(), Failure> {
    let sides = [Side::Left, Side::Right, Side::Left];
    let late = |is_late: bool| Cell::from(if is_late { "late" } else { "not late" });
    let controls = cause
        .controls
        .iter()
        .map(|one| vec![Cell::from("nothing"), micros(one.latency_ns), late(one.latency_ns >= cause.late_from_ns)]);
    let without =
        cause.without.iter().map(|one| vec![Cell::from(one.loads.join(", ")), micros(one.latency_ns), late(one.late)]);
    paper::table(&sides, &["left out", "largest latency, µs", ""], controls.chain(without))?;
    match &cause.reason {
        Some(why) => out::text_line(&format!("The last instant at which ending a load helps is unknown: {why}.")),
        None => Ok(()),
    }
}

fn micros(ns: i64) -> Cell {
    Cell::from(format!("{:.3}", ns as f64 / 1e3))
}
