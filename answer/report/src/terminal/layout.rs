//! A report's table within the terminal's width.
//!
//! Where the figures alone are too wide the table is turned by a quarter, and where that is too wide as well each row
//! becomes a block of `name: value` lines.

use super::columns::{Side, columns, fits};
use super::measure::wrapped;
use super::style::{Style, paint};
use crate::view::{Cell, Table};

/// The table with its caption and notes.
pub(super) fn table(table: &Table, style: &Style) -> String {
    let mut text = wrapped(&format!("{}:", table.caption), style.width, "");
    text.push_str(&body(table, style));
    table.notes.iter().for_each(|note| text.push_str(&wrapped(&format!("* {note}"), style.width, "  ")));
    text + "\n"
}

fn body(table: &Table, style: &Style) -> String {
    let upright = grid(table);
    let sides: Vec<Side> = table.columns.iter().map(|column| side(column.figures)).collect();
    if fits(&sides, &upright, style.width) {
        return columns(&sides, &upright, style);
    }
    let turned: Vec<Vec<Cell>> =
        (0..table.columns.len()).map(|at| upright.iter().map(|row| row[at].clone()).collect()).collect();
    let sides: Vec<Side> = (0..upright.len()).map(|at| side(at > 0)).collect();
    match fits(&sides, &turned, style.width) {
        true => columns(&sides, &turned, style),
        false => table.rows.iter().map(|row| block(table, row, style)).collect::<Vec<_>>().join("\n"),
    }
}

fn side(figures: bool) -> Side {
    if figures { Side::Named } else { Side::Wrapped }
}

/// The names of the columns, and the rows below them.
fn grid(table: &Table) -> Vec<Vec<Cell>> {
    let names = table.columns.iter().map(|column| Cell::from(column.name.as_str())).collect();
    std::iter::once(names).chain(table.rows.iter().cloned()).collect()
}

fn block(table: &Table, row: &[Cell], style: &Style) -> String {
    let said = row.iter().zip(&table.columns).filter(|(cell, _)| !cell.text.is_empty());
    said.map(|(cell, column)| {
        let line = wrapped(&format!("  {}: {}", column.name, cell.text), style.width, "    ");
        let behind = cell.more.iter().map(|line| wrapped(&format!("    {line}"), style.width, "      "));
        paint(&line, cell.tone, style) + &behind.collect::<String>()
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_wrap_and_figures_do_not() {
        let mut table = Table::new("Sample", &["Name", "What", "#Count"]);
        table.push(vec!["a".into(), "a sentence that is rather long".into(), "1,234".into()]);
        let style = Style { width: 30, ..Style::default() };
        let text = body(&table, &style);
        assert_eq!(text, "Name  What               Count\na     a sentence that    1,234\n      is rather long\n");
    }

    #[test]
    fn too_many_figures_are_turned() {
        let mut table = Table::new("Wide", &["Run", "#One", "#Two", "#Three"]);
        table.push(vec!["a".into(), "11111111".into(), "22222222".into(), "33333333".into()]);
        let style = Style { width: 20, ..Style::default() };
        assert_eq!(body(&table, &style), "Run           a\nOne    11111111\nTwo    22222222\nThree  33333333\n");
    }
}
