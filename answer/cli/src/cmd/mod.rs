//! The commands, one file each.

mod check;
mod compare;
mod cost;
mod evaluate;
mod export;
mod generate;
mod import;
mod lab;
mod load;
mod measure;
mod measure_event;
mod measure_interrupt;
mod measure_latmon;
mod measure_overheads;
mod measure_xenomai;
mod outlet;
mod reference;
mod report;
mod sched;
mod schema;
mod study;
mod trigger;
mod tune;
mod view;

use crate::exit::{Exit, Failure};
use clap::{Parser, Subcommand};

/// Will it make the deadline? Measures what a platform costs and answers with evidence.
#[derive(Parser, Debug)]
#[command(name = "prazo", version, propagate_version = true, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Command {
    /// Overwrite files that exist already
    #[arg(long, global = true)]
    force: bool,
    #[command(subcommand)]
    verb: Verb,
}

const EXAMPLES: &str = "\
Examples:
  prazo evaluate                                  three minutes, a verdict and an HTML report
  prazo evaluate --deadline 200us --kind hard     the same against your own deadline
  prazo check                                     is this machine fit for real-time work?
  prazo measure timer -p fifo -D 1h --load udp-flood=50000
  prazo sched test tasks.toml -m 4                will these tasks meet their deadlines?
  prazo cost --runs 20 -- ./control --once        what it costs: time, waits, switches, faults
  prazo import cyclictest.txt -o runs && prazo report runs/*.prazo

Exit status: 0 pass, 1 fail, 2 usage, 3 inconclusive or unknown, 4 could not measure.";

#[derive(Subcommand, Debug)]
enum Verb {
    /// Readiness, latency with and without load, a verdict and an HTML report
    Evaluate(evaluate::Args),
    /// Is this machine fit for real-time work? Every finding with its source and remedy
    Check(check::Args),
    /// Change what `check` found, reversibly
    Tune(tune::Args),
    /// One run
    Measure(measure::Args),
    /// The other station of an event run: paced triggers over UDP or raw Ethernet
    Trigger(trigger::Args),
    /// What a platform costs a program: time, waits, switches, faults
    Cost(cost::Args),
    /// The loads alone
    Load(load::Args),
    /// Studies: platforms, loads and probes as data, with claims about the outcome
    Study(study::Args),
    /// Schedulability: a task set in, a verdict with its reason out
    Sched(sched::Args),
    /// Virtual machines that repeat themselves: fetch the emulator, list the machines, boot one
    Lab(lab::Args),
    /// Two or more runs side by side
    Compare(compare::Args),
    /// Runs as an HTML page, Markdown, text or JSON
    Report(report::Args),
    /// Other tools' outputs into run files
    Import(import::Args),
    /// A run file into another tool's format
    Export(export::Args),
    /// Look at a run in the terminal
    View(view::Args),
    /// Manual pages, shell completions and schemas
    #[command(hide = true)]
    Generate(generate::Args),
}

impl Command {
    /// Does what was asked.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        prazo::output::set_force(self.force);
        match self.verb {
            Verb::Evaluate(args) => args.run(),
            Verb::Check(args) => args.run(),
            Verb::Tune(args) => args.run(),
            Verb::Measure(args) => args.run(),
            Verb::Trigger(args) => args.run(),
            Verb::Cost(args) => args.run(),
            Verb::Load(args) => args.run(),
            Verb::Study(args) => args.run(),
            Verb::Sched(args) => args.run(),
            Verb::Lab(args) => args.run(),
            Verb::Compare(args) => args.run(),
            Verb::Report(args) => args.run(),
            Verb::Import(args) => args.run(),
            Verb::Export(args) => args.run(),
            Verb::View(args) => args.run(),
            Verb::Generate(args) => args.run(<Self as clap::CommandFactory>::command()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_list_of_flags_is_sound() {
        Command::command().debug_assert();
    }
}
