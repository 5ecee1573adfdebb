//! What the command's exit status says: 0 pass, 1 fail, 2 usage, 3 inconclusive or unknown, 4 could not measure.

use prazo_report::terminal::safe;
use prazo_verdict::Outcome;
use std::ffi::OsString;
use std::fmt::Display;
use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It did what was asked; where something was judged, it passed.
    Pass,
    /// What was judged failed.
    Fail,
    /// The evidence does not suffice.
    Inconclusive,
    /// No answer about this commit, to `git bisect run`.
    CannotTell,
}

/// Why a command did not end as it should.
#[derive(Debug)]
pub enum Failure {
    /// The user asked for something that cannot be: names the flag or field and the remedy.
    Usage(String),
    /// The world did not let us: names what was asked, what came back, what to do.
    World(String),
}

impl Failure {
    /// A usage error.
    pub fn usage(error: impl Display) -> Self {
        Self::Usage(error.to_string())
    }

    /// An error of the world.
    pub fn world(error: impl Display) -> Self {
        Self::World(error.to_string())
    }
}

impl From<Outcome> for Exit {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Pass => Self::Pass,
            Outcome::Fail => Self::Fail,
            Outcome::Inconclusive => Self::Inconclusive,
        }
    }
}

/// Prints what went wrong, in one line, and turns it into the status.
pub fn report(result: Result<Exit, Failure>) -> ExitCode {
    let (code, line) = match result {
        Ok(Exit::Pass) => (0, None),
        Ok(Exit::Fail) => (1, None),
        Ok(Exit::Inconclusive) => (3, None),
        Ok(Exit::CannotTell) => (125, None),
        Err(Failure::Usage(line)) => (2, Some(line)),
        Err(Failure::World(line)) => (4, Some(line)),
    };
    if let Some(line) = line {
        // A name out of a file must not act on the terminal.
        eprintln!("prazo: {}", safe(&line));
    }
    ExitCode::from(code)
}

/// The status of clap's own answers: help and version are no errors. To `git bisect run` 2 would say that a commit is bad.
pub fn usage(error: &clap::Error, words: &[OsString]) -> ExitCode {
    let is_bisect = words.iter().any(|word| word == "--bisect");
    ExitCode::from(if !error.use_stderr() {
        0
    } else if is_bisect {
        125
    } else {
        2
    })
}
