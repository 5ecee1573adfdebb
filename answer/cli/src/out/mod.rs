//! Standard output carries results only; everything else goes to standard error.

pub mod measure;
pub mod overheads;

use crate::exit::Failure;
use serde::Serialize;
use std::io::Write;

/// Prints one JSON document and a newline.
pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::world)?;
    text_line(&text)
}

/// Prints text and a newline; a reader that went away early (`| head`) is no error.
pub fn text_line(text: &str) -> Result<(), Failure> {
    match writeln!(std::io::stdout().lock(), "{text}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| Failure::world(format!("cannot write to standard output: {error}"))),
    }
}
