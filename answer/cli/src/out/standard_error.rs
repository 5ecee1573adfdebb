//! What is said beside the results.

use prazo_core::text::printable;
use std::fmt::Display;
use std::io::Write;

/// Prints one line on standard error. Names and texts in it may be foreign: none of them begins a line of its own or acts on
/// the terminal. A standard error that is closed is no reason to stop.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{}", printable(&text.to_string()));
}
