//! A table within the terminal's width: texts wrap, figures never do.
//!
//! Where the figures alone are too wide the table is turned by a quarter, and where that is too wide as well each row
//! becomes a block of `name: value` lines.

use super::measure::{columns_of, left, right, split};
use super::{Style, lines, paint, wrapped};
use crate::view::{Cell, Table};
use prazo_core::text::printable;

/// Between two columns.
const GAP: &str = "  ";
/// Words longer than this may be cut; shorter ones keep their column wide enough.
const WORD_MAX: usize = 28;

/// The table with its caption and notes.
pub(super) fn table(table: &Table, style: &Style) -> String {
    let mut text = wrapped(&format!("{}:", table.caption), style.width, "");
    text.push_str(&body(table, style));
    table.notes.iter().for_each(|note| text.push_str(&wrapped(&format!("* {note}"), style.width, "  ")));
    text + "\n"
}

fn body(table: &Table, style: &Style) -> String {
    if let Some(widths) = fitted(table, style.width) {
        return columns(table, &widths, style);
    }
    let turned = turned(table);
    match fitted(&turned, style.width) {
        Some(widths) => columns(&turned, &widths, style),
        None => table.rows.iter().map(|row| block(table, row, style)).collect::<Vec<_>>().join("\n"),
    }
}

/// Widths of the columns that together fit into `width`: the widest texts give way first; `None` where that is not enough.
fn fitted(table: &Table, width: usize) -> Option<Vec<usize>> {
    let least: Vec<usize> = (0..table.columns.len()).map(|at| least(table, at)).collect();
    let mut widths: Vec<usize> = (0..table.columns.len()).map(|at| natural(table, at)).collect();
    let room = width.checked_sub(GAP.len() * table.columns.len().saturating_sub(1))?;
    while widths.iter().sum::<usize>() > room {
        let shrinkable = widths.iter_mut().zip(&least).filter(|(width, least)| **width > **least);
        *shrinkable.map(|(width, _)| width).max()? -= 1;
    }
    Some(widths)
}

/// The width that a column would like to have.
fn natural(table: &Table, at: usize) -> usize {
    let cells = table.rows.iter().map(|row| length(&row[at].text));
    cells.chain([length(&table.columns[at].name)]).max().unwrap_or(0)
}

/// The width below which a column cannot be read: its longest word, or its longest figure.
fn least(table: &Table, at: usize) -> usize {
    let longest = |text: &str| text.split_whitespace().map(length).max().unwrap_or(0).min(WORD_MAX);
    let cell = |text: &str| if table.columns[at].figures { length(text) } else { longest(text) };
    let cells = table.rows.iter().map(|row| cell(&row[at].text));
    cells.chain([longest(&table.columns[at].name)]).max().unwrap_or(0)
}

fn length(text: &str) -> usize {
    columns_of(&printable(text).to_string())
}

/// The table with its rows as columns; their headings are the texts of the first column.
fn turned(table: &Table) -> Table {
    let figures = table.rows.iter().map(|row| format!("#{}", row[0].text));
    let names: Vec<String> = table.columns.iter().take(1).map(|first| first.name.clone()).chain(figures).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let rows = table.columns.iter().enumerate().skip(1).map(|(at, column)| {
        let cells = table.rows.iter().map(|row| row[at].clone());
        std::iter::once(Cell::from(column.name.as_str())).chain(cells).collect()
    });
    Table::new(table.caption.clone(), &names).with(rows)
}

fn columns(table: &Table, widths: &[usize], style: &Style) -> String {
    let names: Vec<Cell> = table.columns.iter().map(|column| Cell::from(column.name.as_str())).collect();
    let rows = table.rows.iter().map(|cells| row(table, cells, widths, style) + &behind(cells, style));
    std::iter::once(row(table, &names, widths, style)).chain(rows).collect()
}

/// The sentences behind a row's cells, a line each.
fn behind(row: &[Cell], style: &Style) -> String {
    row.iter().flat_map(|cell| &cell.more).map(|line| wrapped(&format!("    {line}"), style.width, "      ")).collect()
}

/// One row, as many lines high as its highest cell.
fn row(table: &Table, row: &[Cell], widths: &[usize], style: &Style) -> String {
    let cells: Vec<Vec<String>> = row.iter().zip(widths).map(|(cell, width)| broken(&cell.text, *width)).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |at: usize| {
        let parts = cells.iter().enumerate().map(|(column, cell)| {
            let text = cell.get(at).map_or("", String::as_str);
            let width = widths[column];
            let padded = if table.columns[column].figures { right(text, width) } else { left(text, width) };
            paint(&padded, row[column].tone, style)
        });
        format!("{}\n", parts.collect::<Vec<_>>().join(GAP).trim_end())
    };
    (0..height).map(line).collect()
}

/// A text in lines of at most `width`; a word that is longer is cut, so that the columns stay in place.
fn broken(text: &str, width: usize) -> Vec<String> {
    lines(text, width).iter().flat_map(|line| pieces(line, width.max(2))).collect()
}

fn pieces(mut line: &str, width: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    loop {
        let (piece, rest) = split(line, width);
        pieces.push(piece.to_owned());
        if rest.is_empty() {
            return pieces;
        }
        line = rest;
    }
}

fn block(table: &Table, row: &[Cell], style: &Style) -> String {
    let said = row.iter().zip(&table.columns).filter(|(cell, _)| !cell.text.is_empty());
    said.map(|(cell, column)| {
        let line = wrapped(&format!("  {}: {}", column.name, cell.text), style.width, "    ");
        paint(&line, cell.tone, style) + &behind(std::slice::from_ref(cell), style)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut table = Table::new("Sample", &["Name", "What", "#Count"]);
        table.push(vec!["a".into(), "a sentence that is rather long".into(), "1,234".into()]);
        table
    }

    #[test]
    fn texts_wrap_and_figures_do_not() {
        let style = Style { width: 30, ..Style::default() };
        let text = body(&sample(), &style);
        assert_eq!(text, "Name  What               Count\na     a sentence that    1,234\n      is rather long\n");
    }

    #[test]
    fn too_many_figures_are_turned() {
        let mut table = Table::new("Wide", &["Run", "#One", "#Two", "#Three"]);
        table.push(vec!["a".into(), "11111111".into(), "22222222".into(), "33333333".into()]);
        let style = Style { width: 20, ..Style::default() };
        assert_eq!(body(&table, &style), "Run           a\nOne    11111111\nTwo    22222222\nThree  33333333\n");
    }

    #[test]
    fn a_word_longer_than_its_column_is_cut() {
        assert_eq!(broken("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
    }
}
