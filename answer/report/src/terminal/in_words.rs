//! How every answer of the library becomes text for a terminal.

use super::columns::{Side, columns_that_fit};
use super::style::Style;
use crate::view::Cell;
use prazo_core::text::printable;
use std::fmt::Display;

/// An answer that a person reads on a terminal.
///
/// An answer of sentences is [`Display`]; one with tables has to know how wide the terminal is.
pub trait InWords {
    /// Writes its lines and tables.
    fn write(&self, to: &mut Words<'_>);

    /// The text, its last line without an end.
    fn in_words(&self, style: &Style) -> String {
        let mut words = Words { style, text: String::new() };
        self.write(&mut words);
        words.text.truncate(words.text.trim_end_matches('\n').len());
        words.text
    }
}

impl<T: Display> InWords for T {
    fn write(&self, to: &mut Words<'_>) {
        to.block(&self.to_string());
    }
}

/// Lines and tables for a terminal.
pub struct Words<'a> {
    /// The terminal.
    pub style: &'a Style,
    text: String,
}

impl Words<'_> {
    /// Adds a line. Names in it may be foreign: none begins a line of its own or acts on the terminal.
    pub fn line(&mut self, text: impl Display) {
        self.text += &format!("{}\n", printable(&text.to_string()));
    }

    /// Adds lines.
    pub fn lines<T: Display>(&mut self, texts: impl IntoIterator<Item = T>) {
        texts.into_iter().for_each(|text| self.line(text));
    }

    /// Adds lines that are printable already.
    pub fn block(&mut self, text: &str) {
        self.text += text.trim_end_matches('\n');
        self.text.push('\n');
    }

    /// Adds a table: texts to the left, figures to the right, the names of the columns first unless there are none.
    pub fn table(&mut self, sides: &[Side], names: &[&str], rows: impl IntoIterator<Item = Vec<Cell>>) {
        self.block(&table(sides, names, rows, &[], self.style));
    }
}

/// The table that [`Words::table`] adds, on a narrow terminal without what is expendable.
pub(super) fn table(
    sides: &[Side],
    names: &[&str],
    rows: impl IntoIterator<Item = Vec<Cell>>,
    expendable: &[usize],
    style: &Style,
) -> String {
    let names = (!names.is_empty()).then(|| names.iter().map(|name| Cell::from(*name)).collect());
    let rows: Vec<Vec<Cell>> = names.into_iter().chain(rows).collect();
    columns_that_fit(sides, &rows, expendable, style)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Answer;

    impl InWords for Answer {
        fn write(&self, to: &mut Words<'_>) {
            to.line("a\nforeign \u{1b}[2J name");
            to.line("");
            to.table(&[Side::Left, Side::Right], &["name", "count"], [vec!["b".into(), "12".into()]]);
        }
    }

    #[test]
    fn a_foreign_name_begins_no_line() {
        let expected = "a foreign  [2J name\n\nname  count\nb        12";
        assert_eq!(Answer.in_words(&Style::default()), expected);
        assert_eq!("one\ntwo\n".in_words(&Style::default()), "one\ntwo");
    }
}
