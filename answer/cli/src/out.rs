//! Standard output carries results only; everything else goes to standard error.

use crate::exit::Failure;
use prazo_core::text::printable;
use prazo_report::json;
use prazo_report::terminal::{InWords, Style, wrapped};
use serde::Serialize;
use std::fmt::Display;
use std::io::{self, IsTerminal, StdoutLock, Write};

pub(crate) use crate::note::note;

/// Prints one JSON document and a newline.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    rendered(&json::printable(serde_json::to_string_pretty(value).map_err(Failure::world)?))
}

/// Prints one JSON document on one line.
pub(crate) fn json_line(value: &impl Serialize) -> Result<(), Failure> {
    rendered(&json::printable(serde_json::to_string(value).map_err(Failure::world)?))
}

/// Prints an answer: as JSON, or in words.
pub(crate) fn answer(as_json: bool, answer: &(impl Serialize + InWords)) -> Result<(), Failure> {
    if as_json { json(answer) } else { words(answer) }
}

/// Prints an answer in words, which have no colours: [`text`] lets no escape sequence pass.
pub(crate) fn words(answer: &impl InWords) -> Result<(), Failure> {
    text(&answer.in_words(&Style { colour: false, ..style() }))
}

/// Prints the rows of a list: as JSON, or a line each, the names in a column of their own.
pub(crate) fn list(as_json: bool, rows: &[impl Serialize + Display]) -> Result<(), Failure> {
    if as_json { json(&rows) } else { named(rows).iter().try_for_each(|row| text_line(row)) }
}

/// Rows that each begin with a name, which has no blank, with their texts in one column, however long the names are.
fn named(rows: &[impl Display]) -> Vec<String> {
    let rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
    let split = |row: &'_ str| row.find(' ').unwrap_or(row.len());
    let width = rows.iter().map(|row| row[..split(row)].chars().count()).max().unwrap_or(0);
    let aligned = |row: &String| {
        let (name, text) = row.split_at(split(row));
        format!("{name:<width$}  {}", text.trim_start()).trim_end().to_owned()
    };
    rows.iter().map(aligned).collect()
}

/// Prints one line. Names and texts in it may be foreign: none of them begins a line of its own or acts on the terminal.
pub(crate) fn text_line(text: &str) -> Result<(), Failure> {
    rendered(&within_terminal(text))
}

/// One line; on a terminal that is narrower, broken between words and indented as far as it is.
fn within_terminal(line: &str) -> String {
    match terminal_width() {
        Some(width) if line.chars().count() > width => {
            let indent: String = line.chars().take_while(|c| *c == ' ').take(width / 4).collect();
            wrapped(line, width, &indent).trim_end_matches('\n').to_owned()
        }
        _ => printable(line).to_string(),
    }
}

fn terminal_width() -> Option<usize> {
    prazo_sys::terminal::width(&io::stdout())
}

/// Prints lines. Foreign texts in them cannot act on the terminal; the caller passes them through [`printable`] where they
/// shall not begin a line of their own either.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    rendered(&text.split('\n').map(within_terminal).collect::<Vec<_>>().join("\n"))
}

/// As wide as the terminal, or as COLUMNS says.
pub(crate) fn style() -> Style {
    let is_terminal = io::stdout().is_terminal();
    let colour = is_terminal && std::env::var_os("NO_COLOR").is_none();
    let width = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).or_else(terminal_width).unwrap_or(100);
    Style { width, colour, details: false, is_terminal }
}

/// Standard output for what is written piece by piece; it remembers a reader that went away early (`| head`), which is no error.
pub(crate) struct Pieces {
    to: StdoutLock<'static>,
    reader_left: bool,
}

impl Pieces {
    /// Takes standard output until it is dropped.
    pub(crate) fn new() -> Self {
        Self { to: std::io::stdout().lock(), reader_left: false }
    }

    /// True where there is nobody left to write for.
    pub(crate) const fn reader_left(&self) -> bool {
        self.reader_left
    }

    fn heard<T>(&mut self, answer: io::Result<T>) -> io::Result<T> {
        self.reader_left |= matches!(&answer, Err(error) if error.kind() == io::ErrorKind::BrokenPipe);
        answer
    }
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let answer = self.to.write(bytes);
        self.heard(answer)
    }

    fn flush(&mut self) -> io::Result<()> {
        let answer = self.to.flush();
        self.heard(answer)
    }
}

/// Writes bytes as they are, such as an export.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = Pieces::new();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(_) if out.reader_left() => Ok(()),
        other => other.map_err(|error| Failure::world(format!("cannot write to standard output: {error}"))),
    }
}

/// Prints what a form of the report wrote, colours included: it has made foreign texts printable itself.
///
/// A reader that went away early (`| head`) is no error.
pub(crate) fn rendered(text: &str) -> Result<(), Failure> {
    bytes(format!("{text}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_its_texts_in_one_column() {
        let rows = ["gate           Regression gate", "priority-inversion Locks of tasks", "alone"];
        assert_eq!(
            named(&rows),
            ["gate                Regression gate", "priority-inversion  Locks of tasks", "alone"]
        );
    }
}
