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
mod measure_wakeup;
mod measure_xenomai;
mod outlet;
mod python;
mod reference;
mod report;
mod sched;
mod schema;
mod study;
mod trigger;
mod tune;
mod watch;

use crate::exit::{Exit, Failure};
use crate::{help, out};
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

/// Will it make the deadline? Measure a platform, analyse a task set, and get a verdict with its evidence
#[derive(Parser, Debug)]
#[command(name = "prazo", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Command {
    /// Overwrite existing files
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
    /// Measure the cost of a command: time, waits, switches, faults
    Cost(cost::Args),
    /// Run loads without measuring
    Load(load::Args),
    /// Run experiments from files: platforms, loads, probes and claims
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
    /// Fetch the results of a command that continued on a board
    Fetch(board::Fetch),
    /// Convert other tools' output to run files
    Import(import::Args),
    /// Convert a run file to another tool's format
    Export(export::Args),
    /// Generate manual pages, shell completions and JSON schemas
    Generate(generate::Args),
}

/// The list of all flags.
pub(crate) fn command() -> clap::Command {
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
            crate::leftovers::remove();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_flags_is_sound() {
        command().debug_assert();
    }

    /// Every command with the words that name it, subcommands included.
    fn all(command: clap::Command) -> Vec<(String, clap::Command)> {
        fn add(command: &clap::Command, words: &str, found: &mut Vec<(String, clap::Command)>) {
            for one in command.get_subcommands().filter(|one| one.get_name() != "help") {
                add(one, &format!("{words} {}", one.get_name()), found);
            }
            found.push((words.to_owned(), command.clone()));
        }
        let (mut command, mut found) = (command, Vec::new());
        command.build();
        add(&command, "prazo", &mut found);
        found
    }

    #[test]
    fn short_help_fits_one_screen() {
        for (name, mut command) in all(command()) {
            let help = help::short(&mut command);
            let lines: Vec<&str> = help.lines().collect();
            assert!(lines.len() <= help::LINES, "`{name} -h` has {} lines:\n{help}", lines.len());
            let is_named = |flag: &clap::Arg| {
                let long = flag.get_long().filter(|long| !["help", "version"].contains(long));
                long.is_none_or(|long| help.contains(&format!("--{long}")))
            };
            let common = |flag: &&clap::Arg| !flag.is_hide_set() && !flag.is_hide_short_help_set();
            let lost: Vec<_> = command.get_arguments().filter(common).filter(|flag| !is_named(flag)).collect();
            assert!(command.has_subcommands() || lost.is_empty(), "`{name} -h` does not name {lost:?}:\n{help}");
            let wide = lines.iter().find(|line| line.chars().count() > 80);
            assert_eq!(wide, None, "`{name} -h` is at most 80 columns wide");
        }
    }

    /// One letter is one thing in every command.
    #[test]
    fn a_letter_means_the_same_in_every_command() {
        let mut meanings: std::collections::BTreeMap<char, String> = std::collections::BTreeMap::new();
        for (name, command) in all(command()) {
            for flag in command.get_arguments() {
                let (Some(short), Some(long)) = (flag.get_short(), flag.get_long()) else { continue };
                // One processor, where only one is possible.
                let long = if long == "cpu" { "cpus" } else { long };
                let first = meanings.entry(short).or_insert_with(|| long.to_owned());
                assert_eq!(first, long, "-{short} in `{name}`");
            }
        }
        let known: String = meanings.keys().collect();
        assert!("DVbcfhimnopsa".chars().all(|letter| known.contains(letter)), "{known}");
    }

    /// Examples name commands and flags that there are; a shell's words behind a pipe or an `&&` are not read.
    #[test]
    fn the_examples_of_help_parse() {
        let mut count = 0;
        for (name, command) in all(command()) {
            let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default().replace("\\\n", " ");
            for line in examples.lines().filter_map(|line| line.strip_prefix("  prazo ")) {
                // Two spaces end the command; what follows explains it.
                let line = line.split("    ").next().unwrap_or(line);
                let text = line.split("  ").next().unwrap_or(line);
                crate::doc_commands::assert_parses(&format!("prazo {text}"), &format!("`{name} -h`"));
                count += 1;
            }
        }
        assert!(count > 60, "the examples are found: {count}");
    }
}
