//! The commands, one file each.

pub(crate) mod board;
mod check;
mod compare;
mod cost;
mod evaluate;
mod export;
mod gate;
mod generate;
mod import;
mod lab;
mod load;
mod measure;
mod measure_event;
mod measure_interrupt;
mod measure_latmon;
mod measure_noise;
mod measure_overheads;
mod measure_plan;
mod measure_serial;
mod measure_timer;
mod measure_wakeup;
mod measure_xenomai;
mod outlet;
mod report;
mod sched;
mod study;
mod trigger;
mod tune;
mod watch;

use crate::exit::{Exit, Failure};
use crate::note::note;
use crate::{help, out};
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

/// Will it make the deadline? Measure a platform, analyse a task set, and get a verdict with its evidence
#[derive(Parser, Debug)]
#[command(name = "prazo", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Command {
    /// Overwrite existing files; existing run files are overwritten only when files are copied back from a board
    #[arg(long, global = true, help_heading = "Output", hide_short_help = true)]
    force: bool,
    #[command(subcommand)]
    verb: Verb,
}

const EXAMPLES: &str = "\
Examples:
  prazo evaluate --deadline 1ms            three minutes, a verdict and a report
  prazo check                              settings that harm real-time work
  prazo watch 812 -D 1min                  a running program against its deadline
  prazo measure timer -D 1h --load udp-flood=50000
  prazo sched test examples/crane.toml -m 4
  prazo import examples/cyclictest.json -o runs

Exit status: 0 pass, 1 fail, 2 usage, 3 inconclusive, 4 could not measure.
`prazo COMMAND --help` explains every flag; -h only the common ones.";

#[derive(Subcommand, Debug)]
enum Verb {
    /// Evaluate this machine against a deadline: a verdict and a report
    Evaluate(evaluate::Args),
    /// Check whether this machine is fit for real-time work
    Check(check::Args),
    /// Change the settings that `check` found, reversibly
    Tune(tune::Args),
    /// Measure latency or overheads once
    Measure(measure::Args),
    /// Watch any program against its deadline, with the cause of each miss
    Watch(watch::Args),
    /// Send triggers to a machine that measures events
    Trigger(trigger::Args),
    /// Measure the cost of a command: time, waits, switches, page faults
    Cost(cost::Args),
    /// Run loads without measuring
    Load(load::Args),
    /// Run studies from files: platforms, loads, probes and claims
    Study(study::Args),
    /// Compare a kernel's latencies with a baseline, in virtual machines
    Gate(gate::Args),
    /// Analyse, simulate, run and deploy task sets
    Sched(sched::Args),
    /// Fetch, list and boot deterministic virtual machines
    Lab(lab::Args),
    /// Compare runs
    Compare(compare::Args),
    /// Show runs, or write a report of them
    Report(report::Args),
    /// Fetch the results that a command left on a board
    Fetch(board::Fetch),
    /// Convert other tools' output to run files
    Import(import::Args),
    /// Convert a run file to another tool's format
    Export(export::Args),
    /// Generate manual pages, shell completions and JSON schemas
    Generate(generate::Args),
}

/// The list of all flags.
pub fn command() -> clap::Command {
    board::with_flags(Command::command())
}

/// Does what a command line asks, here or on boards; the outer error is about the words themselves.
pub(crate) fn run(words: &[OsString]) -> Result<Result<Exit, Failure>, clap::Error> {
    let mut command = command();
    let matches = match command.try_get_matches_from_mut(words) {
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            return help::asked_for(&command, words).map_or(Err(error), |help| Ok(shown(&help)));
        }
        parsed => parsed?,
    };
    let parsed = Command::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    Ok(match board::request(&command, &matches, words, parsed.force) {
        Ok(Some(request)) => {
            prazo::output::set_force(parsed.force);
            board::run(&request)
        }
        Ok(None) => {
            for undone in prazo::tune::remove_leftovers() {
                note(format_args!("prazo: cannot undo a change made by a killed prazo process: {undone}"));
            }
            parsed.run()
        }
        Err(failure) => Err(failure),
    })
}

fn shown(help: &str) -> Result<Exit, Failure> {
    out::text(help.trim_end())?;
    Ok(Exit::Pass)
}

impl Command {
    /// Does what was asked.
    fn run(self) -> Result<Exit, Failure> {
        prazo::output::set_force(self.force);
        match self.verb {
            Verb::Evaluate(args) => args.run(),
            Verb::Check(args) => args.run(),
            Verb::Tune(args) => args.run(),
            Verb::Measure(args) => args.run(),
            Verb::Watch(args) => args.run(),
            Verb::Trigger(args) => args.run(),
            Verb::Cost(args) => args.run(),
            Verb::Load(args) => args.run(),
            Verb::Study(args) => args.run(),
            Verb::Gate(args) => args.run(),
            Verb::Sched(args) => args.run(),
            Verb::Lab(args) => args.run(),
            Verb::Compare(args) => args.run(),
            Verb::Report(args) => args.run(),
            Verb::Fetch(args) => args.run(self.force),
            Verb::Import(args) => args.run(),
            Verb::Export(args) => args.run(),
            Verb::Generate(args) => args.run(command()),
        }
    }
}
