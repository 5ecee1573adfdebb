//! The `prazo` command: flags and glue. Every sentence about a result is made further left, in verdict, report and prazo.
//!
//! A library, so that the list of flags ([`command`]) also makes the book's pages and Python's functions (`cargo xtask`).
#![forbid(unsafe_code)]
// Whatever is printed passes `out`, which keeps foreign texts from acting on the terminal.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod cmd;
mod command_line;
mod console;
mod exit;
mod flags;
mod gauge;
mod help;
mod live;
mod note;
mod out;
mod starter;
mod text_report;

pub use cmd::command;

use std::process::ExitCode;

/// Does what the words of the command line ask.
pub fn main() -> ExitCode {
    let words: Vec<std::ffi::OsString> = std::env::args_os().collect();
    // The probe, the loads and the accounts start this very program again for their children, told apart by a hidden first word.
    let child = prazo_probe::child_main(&words).or_else(|| prazo_cost::companion::child_main(&words));
    if let Some(code) = child.or_else(|| prazo_board::guard::child_main(words.get(1..)?)) {
        return code;
    }
    starter::follow();
    match cmd::run(&words) {
        Ok(result) => exit::report(result),
        Err(error) => {
            let status = exit::usage(&error, &words);
            exit::print(error);
            status
        }
    }
}
