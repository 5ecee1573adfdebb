//! A TOML table walked in the order it was written, each entry with its place.

use crate::error::{Problem, ReadError};
use std::borrow::Cow;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// One key with its value.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'a> {
    /// The key.
    pub key: &'a str,
    /// Byte offset of the key.
    pub at: usize,
    /// The value.
    pub value: &'a DeValue<'a>,
}

/// A problem with the byte offset where it stands.
pub(crate) type Located = (Problem, usize);

/// What may stand in a text.
pub(crate) type Checked<T> = Result<T, Located>;

impl<'a> Entry<'a> {
    /// A problem of this entry.
    pub(crate) fn problem(&self, problem: impl Into<String>, remedy: impl Into<String>) -> Located {
        self.located(Problem::new(problem, remedy))
    }

    /// `problem`, here.
    pub(crate) fn located(&self, problem: Problem) -> Located {
        (problem.of(self.key), self.at)
    }

    /// A text.
    pub(crate) fn text(&self) -> Checked<&'a str> {
        self.value.as_str().ok_or_else(|| self.problem("expected text", "write the value in quotation marks"))
    }

    /// A text or a number, as it was written.
    pub(crate) fn scalar(&self) -> Checked<Cow<'a, str>> {
        scalar(self.value).ok_or_else(|| self.problem("expected text or a number", "write one value, as in \"2ms\""))
    }

    /// A whole number of at least zero.
    pub(crate) fn whole(&self) -> Checked<u64> {
        const WANTED: &str = "expected a whole number of at least zero";
        if let Some(text) = self.value.as_str() {
            return Err(self.problem(
                format!("{WANTED}, found the text '{text}'"),
                "write a whole number without quotation marks, as in 4",
            ));
        }
        let number = self.scalar()?;
        number.parse().map_err(|_| self.problem(format!("{WANTED}, found {number}"), "write the number as in 4"))
    }

    /// `true` or `false`.
    pub(crate) fn flag(&self) -> Checked<bool> {
        self.value.as_bool().ok_or_else(|| self.problem("expected true or false", "write true or false"))
    }

    /// A list.
    pub(crate) fn list(&self) -> Checked<&'a [Spanned<DeValue<'a>>]> {
        let array =
            self.value.as_array().ok_or_else(|| self.problem("expected a list", "write the list in brackets"))?;
        Ok(array.as_ref())
    }

    /// The entries of a table.
    pub(crate) fn entries(&self) -> Checked<Vec<Entry<'a>>> {
        self.value.as_table().map(entries).ok_or_else(|| self.problem("expected a table", "write the table in braces"))
    }
}

/// Text or number as it was written; `None` for anything else.
pub(crate) fn scalar<'a>(value: &'a DeValue<'a>) -> Option<Cow<'a, str>> {
    match value {
        DeValue::String(text) => Some(Cow::Borrowed(text)),
        DeValue::Float(number) => Some(Cow::Borrowed(number.as_str())),
        DeValue::Integer(number) if number.radix() == 10 => Some(Cow::Borrowed(number.as_str())),
        DeValue::Integer(number) => {
            i128::from_str_radix(number.as_str(), number.radix()).ok().map(|number| Cow::Owned(number.to_string()))
        }
        _ => None,
    }
}

/// The entries of `table` as they follow each other in the text.
pub(crate) fn entries<'a>(table: &'a DeTable<'a>) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry<'a>> = table
        .iter()
        .map(|(key, value)| Entry { key: key.get_ref(), at: key.span().start, value: value.get_ref() })
        .collect();
    entries.sort_by_key(|entry| entry.at);
    entries
}

/// Walks the whole of `text` with `walk`; every problem gets its line in `file`.
pub(crate) fn read<T>(file: &str, text: &str, walk: impl FnOnce(&[Entry<'_>]) -> Checked<T>) -> Result<T, ReadError> {
    let table = DeTable::parse(text).map_err(|cause| {
        let line = cause.span().map(|span| line_of(text, span.start));
        Problem::new(cause.message().trim(), "correct the TOML on this line").at(file, line)
    })?;
    walk(&entries(table.get_ref())).map_err(|(problem, at)| problem.at(file, Some(line_of(text, at))))
}

/// The line of the byte at `at`, counted from one.
fn line_of(text: &str, at: usize) -> u32 {
    let before = &text.as_bytes()[..at.min(text.len())];
    1 + before.iter().filter(|byte| **byte == b'\n').count() as u32
}
