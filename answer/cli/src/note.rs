//! What is said beside the results.

use prazo_core::text::printable;
use prazo_report::terminal::wrapped;
use std::fmt::Display;
use std::io::Write;

/// Prints one line on standard error, on a terminal wrapped between words. Names and texts in it may be foreign: none of them
/// begins a line of its own or acts on the terminal. A standard error that is closed is no reason to stop.
pub(crate) fn note(text: impl Display) {
    let text = text.to_string();
    let line = match width() {
        Some(width) => wrapped(&text, width, ""),
        None => format!("{}\n", printable(&text)),
    };
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

/// How many characters a line of standard error's terminal has; `None` where it is none.
pub(crate) fn width() -> Option<usize> {
    prazo_sys::terminal::width(&std::io::stderr())
}
