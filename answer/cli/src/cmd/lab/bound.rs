//! `prazo lab bound`: a bound on the latency of runs, beside what they observed.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::{out, paper};
use prazo::guest::GuestOptions;
use prazo::lab::bound::{BoundRequest, Bounded, SectionDocument, bound};
use prazo::lab::explain::LabRun;
use prazo_core::text::grouped;
use prazo_report::terminal::Side;
use prazo_report::view::Cell;
use std::path::PathBuf;

/// What to bound.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure timer --platform lab:rt-full -D 1s --load compile -o run.prazo
  prazo lab bound run.prazo
  prazo lab bound seed-1.prazo seed-2.prazo hunt/worst.prazo --json

Each run's guest is booted again with a plugin that records when interrupts and
preemption go off and on. The bound holds for every combination of the sections
that were seen; it proves nothing for others.")]
pub(crate) struct Args {
    /// Runs that were measured in the lab, on one kernel
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// Skip the boot that names the functions of the longest sections
    #[arg(long)]
    no_names: bool,
    /// Platform of the runs, where it is a TOML file (lab:FILE.toml)
    #[arg(long, value_name = "PLATFORM")]
    platform: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let platform = GuestOptions { platform: self.platform.clone(), ..GuestOptions::default() }.resolve()?;
        let runs = self.runs.iter().map(|file| LabRun { file: file.clone(), platform: platform.clone() }).collect();
        let bounded = bound(&BoundRequest { runs, names: !self.no_names }, &mut Console::default())?;
        if self.json {
            out::json(&bounded)?;
        } else {
            print(&bounded)?;
        }
        Ok(if bounded.bound_ns.is_some() { Exit::Pass } else { Exit::Inconclusive })
    }
}

fn print(bounded: &Bounded) -> Result<(), Failure> {
    out::text_line(&bounded.sentence)?;
    out::text_line("")?;
    terms(bounded)?;
    out::text_line("")?;
    let sides = [Side::Left, Side::Right, Side::Right, Side::Wrapped];
    let heads = ["longest sections", "µs", "seen", "where"];
    paper::table(
        &sides,
        &heads,
        bounded
            .sections
            .iter()
            .map(|one| vec![Cell::from(one.kind), micros(one.ns), number(one.seen), Cell::from(place(one))]),
    )?;
    out::text_line("")?;
    out::text_line(&format!("Bound: {}.", bounded.formula))
}

/// What the bound adds up.
fn terms(bounded: &Bounded) -> Result<(), Failure> {
    let sides = [Side::Left, Side::Right, Side::Right, Side::Right];
    let once =
        |name: &str, ns: u64, seen: u64| vec![Cell::from(name.to_owned()), micros(ns), Cell::from("1"), number(seen)];
    let timer = std::iter::once(once("timer", bounded.timer_ns, bounded.timer_activations));
    let terms = bounded.terms.iter().map(|term| once(term.kind, term.ns, term.seen));
    let seen = bounded.interference.iter().map(|one| one.seen).sum();
    let carried = std::iter::once(once("an interrupt and softirqs under way", bounded.carried_in_ns, seen));
    let interference =
        bounded.interference.iter().filter(|one| one.arrivals > 0).map(|one| {
            vec![Cell::from(one.name.clone()), micros(one.longest_ns), number(one.arrivals), number(one.seen)]
        });
    let rows = timer.chain(terms).chain(carried).chain(interference);
    paper::table(&sides, &["in the bound", "longest, µs", "times", "seen"], rows)
}

fn place(section: &SectionDocument) -> String {
    match &section.name {
        Some(name) => {
            let thread = name.thread.as_ref().map(|thread| format!(" of {thread}")).unwrap_or_default();
            format!("{}{}{thread}", name.function, name.callers.replace('`', ""))
        }
        None => format!("{} to {}", section.begins, section.ends),
    }
}

fn micros(ns: u64) -> Cell {
    Cell::from(format!("{:.3}", ns as f64 / 1e3))
}

fn number(count: u64) -> Cell {
    Cell::from(grouped(count).to_string())
}
