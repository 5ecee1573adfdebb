//! The program that started this command and reads its answer, such as a Python process: the command ends with it.

use clap::error::ErrorKind;
use prazo_sys::poll::wait_readable;
use prazo_sys::process::{ProcessHandle, ask_self_to_end};
use std::os::fd::AsFd;
use std::os::unix::process::parent_id;

/// The variable in which Python's package names its process.
const STARTER: &str = "PRAZO_STARTER";

/// Ends this command as Ctrl-C does once the process that started it is gone, also where that was killed.
///
/// The death signal would not do: it comes when the starting thread ends, and a thread may hand its command to another.
pub(crate) fn follow() {
    let Some(starter) = named() else { return };
    let handle = ProcessHandle::open(starter);
    // A number that is taken again is that of a stranger; this process then has another parent.
    if parent_id() != starter {
        end();
    } else if let Ok(handle) = handle {
        std::thread::spawn(move || {
            while !wait_readable([handle.as_fd()], None)[0] {}
            end();
        });
    }
}

fn end() {
    // A process may always send itself a signal.
    let _ = ask_self_to_end();
}

/// The starter. A process further up is none: what it started is between.
fn named() -> Option<u32> {
    let named = std::env::var(STARTER).ok()?.parse().ok()?;
    (parent_id() == named).then_some(named)
}

/// An error about flags in one line, where a program started this command; `None` if a person did, or if it is no error.
pub(crate) fn usage_line(error: &clap::Error) -> Option<String> {
    let is_error = !matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    (is_error && named().is_some()).then(|| in_one_line(&error.to_string()))
}

/// Without the usage and the advice to read the help.
fn in_one_line(text: &str) -> String {
    let about_the_words = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let lines = about_the_words.filter(|line| !line.is_empty() && !line.starts_with("For more information"));
    let joined = lines.fold(String::new(), |said, line| match said.as_str() {
        "" => line.trim_start_matches("error: ").to_owned(),
        heading if heading.ends_with(':') => format!("{said} {line}"),
        _ => format!("{said}; {line}"),
    });
    format!("prazo: {joined}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, Command};

    #[test]
    fn an_error_of_the_words_is_one_line_that_names_what_is_wrong() {
        let policy = Arg::new("policy").long("policy").value_parser(["fifo", "other"]);
        let command = Command::new("prazo").arg(policy).arg(Arg::new("file").value_name("FILE").required(true));
        let said = |words: &[&str]| in_one_line(&command.clone().try_get_matches_from(words).unwrap_err().to_string());
        assert_eq!(
            said(&["prazo", "run", "--policy", "xyz"]),
            "prazo: invalid value 'xyz' for '--policy <policy>'; [possible values: fifo, other]"
        );
        let line = said(&["prazo", "run", "--bogus"]);
        assert!(line.starts_with("prazo: unexpected argument '--bogus' found; tip: "), "{line}");
        assert_eq!(said(&["prazo"]), "prazo: the following required arguments were not provided: <FILE>");
    }
}
