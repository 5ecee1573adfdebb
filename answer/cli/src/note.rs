//! What is said beside the results.

use prazo_core::text::printable;
use prazo_report::terminal::wrapped;
use std::fmt::Display;
use std::io::{IsTerminal, Write};

/// Prints one line on standard error, on a terminal wrapped between words. Names and texts in it may be foreign: none of them
/// begins a line of its own or acts on the terminal. A standard error that is closed is no reason to stop.
pub(crate) fn note(text: impl Display) {
    let (text, stderr) = (text.to_string(), std::io::stderr());
    let width = ratatui::crossterm::terminal::size().ok().filter(|_| stderr.is_terminal()).map(|(width, _)| width);
    let line = match width {
        Some(width) => wrapped(&text, usize::from(width), ""),
        None => format!("{}\n", printable(&text)),
    };
    let _ = stderr.lock().write_all(line.as_bytes());
}
