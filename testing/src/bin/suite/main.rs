//! Runs the test programs behind `./test` and adds up what they report.
//!
//! ```text
//! suite clear                          forget the results of an earlier call
//! suite programs MESSAGES [PART]       run what `cargo test --no-run --message-format=json` built; of it, PART is `alone`: what
//!                                      runs alone and needs no guest; `computed`: what only computes; `guests`: all others, but
//!                                      for `deep`: those that boot guests for minutes
//! suite quick MESSAGES                 the same without guests and without what must run alone
//! suite count NAME COMMAND...          run a command that tests, and count what it reports
//! suite check NAME COMMAND...          run a command that is no test, and count its failure
//! suite skip NAME REASON               count one skipped test; a failure with CI=true, which must provide what is missing
//! suite summary                        print the totals; fails if anything failed
//! ```
//!
//! Cargo runs test programs one after the other. Here those that neither measure time nor change the machine run in parallel, one
//! for each processor, and the rest alone. Behind those, `./test` builds, checks and runs what only computes, at idle priority.

#![forbid(unsafe_code)]

mod ending;
mod lanes;
mod output;
mod programs;
mod results;

use ending::{Ending, wait};
use programs::Program;
use results::{Results, Tested};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let folder = std::env::var_os("PRAZO_TEST_RUN").map_or_else(|| "target/test-run".into(), PathBuf::from);
    let results = Results::at(folder);
    match words[..] {
        ["clear"] => results.clear(),
        ["programs", messages] => lanes::run(&programs_of(messages), &results),
        ["programs", messages, part @ ("alone" | "computed" | "guests")] => {
            let chosen = |program: &Program| program.part().name() == part;
            let programs = programs_of(messages).into_iter().filter(chosen).map(Program::shallow);
            lanes::run(&programs.collect::<Vec<_>>(), &results);
        }
        ["programs", messages, "deep"] => {
            lanes::run(&programs_of(messages).into_iter().filter_map(Program::deeper).collect::<Vec<_>>(), &results);
        }
        ["quick", messages] => {
            let quick = |program: &Program| program.is_side_by_side() && !program.is_long();
            lanes::run(&programs_of(messages).into_iter().filter(quick).collect::<Vec<_>>(), &results);
        }
        ["skip", name, reason] => results.skip(name, reason),
        ["count", name, ref command @ ..] if !command.is_empty() => count(&results, name, command),
        ["check", name, ref command @ ..] if !command.is_empty() => check(&results, name, command),
        ["summary"] => return results.summary(),
        _ => {
            eprintln!(
                "usage: suite clear | programs MESSAGES [alone|computed|guests|deep] | quick MESSAGES | skip NAME REASON | count NAME COMMAND... | check NAME COMMAND... | summary"
            );
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn programs_of(messages: &str) -> Vec<Program> {
    let text = std::fs::read_to_string(messages).unwrap_or_else(|error| panic!("{messages}: {error}"));
    programs::of_messages(&text)
}

/// Runs a command that tests and counts what its harness reports.
fn count(results: &Results, name: &str, command: &[&str]) {
    let (ending, text, seconds) = logged(results, name, command);
    let tested = output::read(&text, ending.succeeded);
    results.add(&Tested { seconds, processor_seconds: ending.processor_seconds, ..named(name, tested) }, &text);
}

/// Runs a command that is no test; only its failure counts.
fn check(results: &Results, name: &str, command: &[&str]) {
    let (ending, text, seconds) = logged(results, name, command);
    let failed = usize::from(!ending.succeeded);
    let processor_seconds = ending.processor_seconds;
    results.add(&named(name, Tested { failed, seconds, processor_seconds, ..Tested::default() }), &text);
}

fn named(name: &str, tested: Tested) -> Tested {
    Tested { name: name.to_owned(), program: name.to_owned(), ..tested }
}

/// How the command ended, what it printed, and the elapsed time.
fn logged(results: &Results, name: &str, command: &[&str]) -> (Ending, String, f64) {
    let (log, begun) = (results.log(name), Instant::now());
    let file = std::fs::File::create(&log).unwrap_or_else(|error| panic!("{}: {error}", log.display()));
    let to_log = || Stdio::from(file.try_clone().expect("a file descriptor is left"));
    let mut started = Command::new(command[0]);
    started.args(&command[1..]).stdin(Stdio::null()).stdout(to_log()).stderr(to_log());
    let child = started.env(prazo_testing::SKIPS, results.skips()).spawn();
    let ending = child.map(|child| wait(child, None)).unwrap_or_default();
    let text = String::from_utf8_lossy(&std::fs::read(&log).unwrap_or_default()).into_owned();
    (ending, text, begun.elapsed().as_secs_f64())
}
