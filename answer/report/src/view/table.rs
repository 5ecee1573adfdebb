//! A table as every sink can show it: caption, columns, cells of text with a tone, and notes.

use crate::words::{self, Unit};
use serde::Serialize;

/// A table. Invariant: every row has as many cells as there are columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Table {
    /// What it shows, with the unit where all cells share one.
    pub caption: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
    /// Sentences below it: why a figure is missing, what a column means.
    pub notes: Vec<String>,
    /// True for details that few readers open.
    pub folded: bool,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// True for figures, which are aligned to the right.
    pub figures: bool,
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cell {
    /// Its text.
    pub text: String,
    /// How it is meant.
    pub tone: Tone,
    /// Sentences behind it, which a page folds away and a brief text leaves out.
    pub more: Vec<String>,
    /// The latency that the text is of, in nanoseconds: a table gives all of them one unit.
    #[serde(skip)]
    pub ns: Option<f64>,
    /// Of a range of latencies, its other end.
    #[serde(skip)]
    pub to_ns: Option<f64>,
    /// True where it is at least that.
    #[serde(skip)]
    pub is_least: bool,
}

/// How a text is meant; sinks that have colours use one, and never colour alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// As it stands.
    #[default]
    Plain,
    /// In favour.
    Good,
    /// Against.
    Bad,
    /// Neither.
    Unsure,
    /// Of little weight, or missing.
    Quiet,
    /// A name, a path or a command.
    Code,
}

impl Table {
    /// A table of texts and figures; a column whose name begins with `#` holds figures (the `#` is not shown).
    pub fn new(caption: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|name| Column::new(name)).collect();
        Self { caption: caption.into(), columns, ..Self::default() }
    }

    /// Adds a row.
    pub fn push(&mut self, row: Vec<Cell>) {
        assert_eq!(
            row.len(),
            self.columns.len(),
            "a row of table '{}' has as many cells as it has columns",
            self.caption
        );
        self.rows.push(row);
    }

    /// With these rows.
    pub fn with(mut self, rows: impl IntoIterator<Item = Vec<Cell>>) -> Self {
        rows.into_iter().for_each(|row| self.push(row));
        self
    }

    /// With a note below, once.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        let note = note.into();
        if !note.is_empty() && !self.notes.contains(&note) {
            self.notes.push(note);
        }
        self
    }

    /// With several notes below.
    pub fn notes(self, notes: impl IntoIterator<Item = String>) -> Self {
        notes.into_iter().fold(self, Table::note)
    }

    /// With all latencies in one unit, which the caption names, to three significant digits.
    pub fn in_one_unit(mut self) -> Self {
        let latencies = || self.rows.iter().flatten().flat_map(|cell| [cell.ns, cell.to_ns]).flatten();
        let Some(unit) = Unit::of_all(latencies()) else { return self };
        for cell in self.rows.iter_mut().flatten() {
            if let Some(text) = cell.latency_as(|ns| unit.shown(ns)) {
                (cell.text, cell.ns, cell.to_ns) = (text, None, None);
            }
        }
        self.caption = format!("{}, in {}", self.caption, unit.name());
        self
    }

    /// As a detail that few readers open.
    pub fn folded(mut self) -> Self {
        self.folded = true;
        self
    }
}

impl Column {
    fn new(name: &str) -> Self {
        let figures = name.starts_with('#');
        let name = name.strip_prefix('#').unwrap_or(name);
        Self { name: name.to_owned(), figures }
    }
}

impl Cell {
    /// A text with a tone.
    pub fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone, ..Self::default() }
    }

    /// With sentences behind it.
    pub fn with_more(self, more: Vec<String>) -> Self {
        Self { more, ..self }
    }

    /// A name, path or command.
    pub fn code(text: impl Into<String>) -> Self {
        Self::toned(text, Tone::Code)
    }

    /// What is missing; the table's notes say why.
    pub fn absent() -> Self {
        Self::toned(words::ABSENT, Tone::Quiet)
    }

    /// A latency, or what is missing.
    pub fn latency(ns: Option<i64>) -> Self {
        Self::mean(ns.map(|ns| ns as f64))
    }

    /// A mean or a deviation, or what is missing.
    pub fn mean(ns: Option<f64>) -> Self {
        let shown = |ns: f64| Self { ns: Some(ns), ..words::latency_f64(ns).into() };
        ns.filter(|ns| ns.is_finite()).map_or_else(Self::absent, shown)
    }

    /// A range of latencies, one latency where both ends are the same, or what is missing.
    pub fn range(ends_ns: Option<(f64, f64)>) -> Self {
        match ends_ns {
            Some((low, high)) if low != high => {
                let text = format!("{} to {}", words::latency_f64(low), words::latency_f64(high));
                Self { ns: Some(low), to_ns: Some(high), ..text.into() }
            }
            one => Self::mean(one.map(|(ns, _)| ns)),
        }
    }

    /// The text of its latency, or of its range of latencies, with each end as `shown` writes it; `None` where it has none.
    pub fn latency_as(&self, shown: impl Fn(f64) -> String) -> Option<String> {
        let from = shown(self.ns?);
        let to = self.to_ns.map(shown).filter(|to| *to != from).map_or_else(String::new, |to| format!(" to {to}"));
        Some(format!("{}{from}{to}", if self.is_least { "≥ " } else { "" }))
    }

    /// A count, or what is missing.
    pub fn count(count: Option<u64>) -> Self {
        count.map_or_else(Self::absent, |count| words::count(count).into())
    }

    /// A share, or what is missing.
    pub fn share(share: Option<f64>) -> Self {
        share.map_or_else(Self::absent, |share| words::share(share).into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::toned(text, Tone::Plain)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_of_one_table_share_a_unit_and_lose_no_leading_digit() {
        let mut table = Table::new("Latencies", &["Run", "#Mean", "#Max"]);
        table.push(vec!["a".into(), Cell::mean(Some(8_904.4)), Cell::latency(Some(25_816_000))]);
        table.push(vec!["b".into(), Cell::mean(Some(112.0)), Cell::latency(None)]);
        table.push(vec!["c".into(), Cell::range(Some((1_500.0, 2_500_000.0))), Cell::range(Some((7.0, 7.0)))]);
        let table = table.in_one_unit();
        let texts: Vec<&str> = table.rows.iter().flatten().map(|cell| cell.text.as_str()).collect();
        assert_eq!(table.caption, "Latencies, in µs");
        let all = ["a", "8.90", "25,816", "b", "0.112", words::ABSENT, "c", "1.50 to 2,500", "0.007"];
        assert_eq!(texts, all);
    }
}
