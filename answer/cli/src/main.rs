//! The `prazo` command: flags and glue. Every sentence about a result is made further left, in verdict and report.

mod cmd;
mod console;
mod exit;
mod flags;
mod in_guest;
mod live;
mod out;
mod paper;

use clap::Parser;
use prazo::output;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<std::ffi::OsString> = std::env::args_os().collect();
    // The probe, the loads and the accounts start this very program again for their children, told apart by a hidden first word.
    if let Some(code) = prazo_probe::child_main(&words).or_else(|| prazo_cost::companion::child_main(&words)) {
        return code;
    }
    match cmd::Command::try_parse_from(&words) {
        Ok(command) => exit::report(command.run()),
        Err(error) => {
            let _ = error.print();
            exit::usage(&error, &words)
        }
    }
}
