//! What the command's exit status says: 0 pass, 1 fail, 2 usage, 3 inconclusive or unknown, 4 could not measure.
//!
//! `cost` alone ends as env(1) does: with the status of the command that it ran, or 125, 126, 127.

use crate::note::note;
use crate::starter;
use clap::error::ContextKind;
use prazo_verdict::Outcome;
use std::error::Error;
use std::ffi::OsString;
use std::fmt::Display;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It did what was asked; where something was judged, it passed.
    Pass,
    /// What was judged failed.
    Fail,
    /// The evidence does not suffice.
    Inconclusive,
    /// No answer about this commit, to `git bisect run`.
    CannotTell,
    /// A command that was run ended with this status.
    Command(u8),
}

/// Why a command did not end as it should.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The user asked for something that cannot be: names the flag or field and the remedy.
    Usage(String),
    /// The world did not let us: names what was asked, what came back, what to do.
    World(String),
    /// A command could not be run: the status is env(1)'s.
    Command {
        /// 125, 126 or 127.
        status: u8,
        /// What went wrong.
        line: String,
    },
}

impl Exit {
    /// The exit status.
    pub(crate) fn status(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Fail => 1,
            Self::Inconclusive => 3,
            Self::CannotTell => BISECT_SKIPS,
            Self::Command(status) => status,
        }
    }
}

impl Failure {
    /// A usage error.
    pub(crate) fn usage(error: impl Display) -> Self {
        Self::Usage(error.to_string())
    }

    /// An error of the world.
    pub(crate) fn world(error: impl Display) -> Self {
        Self::World(error.to_string())
    }

    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::World(_) => 4,
            Self::Command { status, .. } => *status,
        }
    }

    /// What went wrong, in one line.
    pub(crate) fn line(&self) -> &str {
        match self {
            Self::Usage(line) | Self::World(line) | Self::Command { line, .. } => line,
        }
    }

    /// The same failure with the status that env(1) has for it, so that it is not taken for the command's own.
    pub(crate) fn into_env(self) -> Self {
        match self {
            Self::Usage(line) | Self::World(line) => Self::Command { status: ENV_FAILED, line },
            other @ Self::Command { .. } => other,
        }
    }
}

/// A field of a request is a flag here: `inflate_once` is `--inflate-once`.
impl From<prazo::Error> for Failure {
    fn from(error: prazo::Error) -> Self {
        match error {
            prazo::Error::Refused(prazo::BadRequest { field: Some(field), value, cause, remedy }) => {
                let flag = format!("--{}", field.replace('_', "-"));
                let value = value.map_or(String::new(), |value| format!(" {value}"));
                let remedy = remedy.map_or(String::new(), |remedy| format!("; {remedy}"));
                Self::Usage(format!("{flag}{value}: {cause}{remedy}"))
            }
            prazo::Error::Refused(refusal) => Self::usage(refusal),
            other => Self::world(other),
        }
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

/// What env(1) ends with when it fails itself.
const ENV_FAILED: u8 = 125;

/// What git-bisect(1) takes as "this commit cannot be judged".
const BISECT_SKIPS: u8 = 125;

/// An answer for `git bisect run`: whatever is no answer about this commit skips it, with the reason printed. So does a panic,
/// whose own status would call the commit bad.
pub(crate) fn for_bisect(answer: impl FnOnce() -> Result<Exit, Failure>) -> Result<Exit, Failure> {
    // Nothing that it touched is looked at again.
    let Ok(result) = catch_unwind(AssertUnwindSafe(answer)) else { return Ok(Exit::CannotTell) };
    match result {
        Ok(Exit::Pass | Exit::Fail) => result,
        Ok(Exit::Inconclusive | Exit::CannotTell | Exit::Command(_)) => Ok(Exit::CannotTell),
        Err(failure) => {
            warn(&failure);
            Ok(Exit::CannotTell)
        }
    }
}

/// Prints what went wrong, in one line, and turns it into the status.
pub(crate) fn report(result: Result<Exit, Failure>) -> ExitCode {
    ExitCode::from(match result {
        Ok(exit) => exit.status(),
        Err(failure) => {
            warn(&failure);
            failure.status()
        }
    })
}

/// Prints what went wrong with one thing of several, in one line.
pub(crate) fn warn(failure: &Failure) {
    note(format_args!("prazo: {}", failure.line()));
}

/// Prints clap's own answers, help and errors.
pub(crate) fn print(error: clap::Error) {
    let error = in_words(error);
    match starter::usage_line(&error) {
        Some(line) => note(line),
        // A standard error that is closed is no reason to stop.
        None => drop(error.print()),
    }
}

/// An error of a word that is no number, in a reader's words; any other as it is.
fn in_words(error: clap::Error) -> clap::Error {
    let problem = match error.source() {
        Some(source) if source.is::<ParseFloatError>() => "not a number",
        Some(source) => match source.downcast_ref::<ParseIntError>().map(ParseIntError::kind) {
            Some(IntErrorKind::PosOverflow) => "the number is too large",
            Some(IntErrorKind::NegOverflow) => "the number is too small",
            Some(IntErrorKind::Zero) => "the number is zero",
            Some(_) => "not a whole number",
            None => return error,
        },
        None => return error,
    };
    let of = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let (word, flag) = (of(ContextKind::InvalidValue), of(ContextKind::InvalidArg));
    let text = format!("invalid value '{word}' for '{flag}': {problem}\n\nFor more information, try '--help'.\n");
    clap::Error::raw(error.kind(), text)
}

/// The status of clap's own answers: help and version are no errors, and `cost` fails as env(1) does. To `git bisect run` 2
/// would say that a commit is bad.
pub(crate) fn usage(error: &clap::Error, words: &[OsString]) -> ExitCode {
    let (is_bisect, is_cost) =
        (words.iter().any(|word| word == "--bisect"), words.get(1).is_some_and(|word| word == "cost"));
    ExitCode::from(match error.use_stderr() {
        true if is_cost => ENV_FAILED,
        true if is_bisect => BISECT_SKIPS,
        true => 2,
        false => 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_no_number_is_told_in_words() {
        let whole = clap::Arg::new("count").long("count").value_parser(clap::value_parser!(u64));
        let command = clap::Command::new("prazo").arg(whole);
        let said = |words: &[&str]| in_words(command.clone().try_get_matches_from(words).unwrap_err()).to_string();
        for (word, wanted) in [
            ("x", "error: invalid value 'x' for '--count <count>': not a whole number\n"),
            ("", "not a whole number"),
            ("99999999999999999999", "the number is too large"),
            ("invalid digit found in string", "invalid value 'invalid digit found in string' for"),
        ] {
            let printed = said(&["prazo", "--count", word]);
            assert!(printed.contains(wanted) && printed.contains("--help"), "{printed}");
        }
        assert!(said(&["prazo", "--what"]).contains("unexpected argument"));
    }

    #[test]
    fn a_panic_is_no_answer_about_a_commit() {
        let ended = for_bisect(|| panic!("on purpose, for a test"));
        assert_eq!(ended.unwrap(), Exit::CannotTell);
        assert_eq!(for_bisect(|| Ok(Exit::Fail)).unwrap(), Exit::Fail);
    }
}
