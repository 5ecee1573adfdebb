//! The command line that repeats this command, for run files and reports.

use prazo_sys::shell::quoted;

/// The command that this process was started with, as a shell would need it.
pub(crate) fn command_line() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("prazo".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}
