//! Standard output carries results only; everything else goes to standard error.

pub(crate) mod measure;
pub(crate) mod overheads;
pub(crate) mod standard_error;

use crate::exit::Failure;
use prazo_core::text::printable;
use prazo_report::json;
use serde::Serialize;
use std::io::Write;

pub(crate) use standard_error::note;

/// Prints one JSON document and a newline.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    rendered(&json::printable(serde_json::to_string_pretty(value).map_err(Failure::world)?))
}

/// Prints one JSON document on one line.
pub(crate) fn json_line(value: &impl Serialize) -> Result<(), Failure> {
    rendered(&json::printable(serde_json::to_string(value).map_err(Failure::world)?))
}

/// Prints one line. Names and texts in it may be foreign: none of them begins a line of its own or acts on the terminal.
pub(crate) fn text_line(text: &str) -> Result<(), Failure> {
    rendered(&printable(text).to_string())
}

/// Prints lines. Foreign texts in them cannot act on the terminal; the caller passes them through [`printable`] where they
/// shall not begin a line of their own either.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    rendered(&text.split('\n').map(|line| printable(line).to_string()).collect::<Vec<_>>().join("\n"))
}

/// Prints what a form of the report wrote, colours included: it has made foreign texts printable itself.
///
/// A reader that went away early (`| head`) is no error.
pub(crate) fn rendered(text: &str) -> Result<(), Failure> {
    match writeln!(std::io::stdout().lock(), "{text}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| Failure::world(format!("cannot write to standard output: {error}"))),
    }
}
