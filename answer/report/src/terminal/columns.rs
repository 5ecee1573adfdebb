//! Cells in columns within a width: the only table that is printed on a terminal.

use super::measure::wrapped;
use super::style::Style;
use crate::view::{Cell, Tone};
use comfy_table::{Attribute, CellAlignment, Color, ColumnConstraint, ContentArrangement, Row, Table, Width, presets};
use prazo_core::text::printable;
use unicode_width::UnicodeWidthStr;

/// Between two columns.
const GAP: u16 = 2;
/// Words longer than this may be cut; shorter ones keep their column wide enough.
const WORD_MAX: u16 = 28;
/// A column that may be cut keeps this much room, whatever the others want.
const CUT_LEAST: u16 = 12;

/// How a column's cells stand in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// To the left, in one piece.
    Left,
    /// To the right, in one piece: figures.
    Right,
    /// As [`Self::Right`], below a name in the first row that wraps.
    Named,
    /// To the left, in as many lines as the room asks for.
    Wrapped,
    /// To the left, in one line, cut to the room that the others leave.
    Cut,
}

/// Rows of as many cells as there are sides. Texts give way where the width is short, figures never do.
pub fn columns(sides: &[Side], rows: &[Vec<Cell>], style: &Style) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_truncation_indicator("…").set_width(narrow(style.width));
    table.set_content_arrangement(ContentArrangement::Dynamic);
    if style.colour {
        table.enforce_styling()
    } else {
        table.force_no_tty()
    };
    let is_cut = sides.contains(&Side::Cut);
    for row in rows {
        let mut drawn = Row::from(row.iter().map(|cell| dressed(cell, is_cut)).collect::<Vec<_>>());
        if is_cut {
            drawn.max_height(1);
        }
        table.add_row(drawn);
    }
    for (at, side) in sides.iter().enumerate() {
        let Some(column) = table.column_mut(at) else { break };
        let is_right = matches!(side, Side::Right | Side::Named);
        let gap = if at + 1 < sides.len() { GAP } else { 0 };
        column.set_padding((0, gap));
        column.set_cell_alignment(if is_right { CellAlignment::Right } else { CellAlignment::Left });
        column.set_constraint(match side {
            Side::Left | Side::Right => ColumnConstraint::ContentWidth,
            Side::Named | Side::Wrapped | Side::Cut => {
                ColumnConstraint::LowerBoundary(Width::Fixed(least(*side, rows, at) + gap))
            }
        });
    }
    let text: String = table.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    if rows.is_empty() { String::new() } else { text }
}

/// The same on a terminal that is too narrow for all columns: those in `expendable` are left out, the first of them first, until the
/// others find room. Their names, which stand in the first row, follow in a sentence.
pub(super) fn columns_that_fit(sides: &[Side], rows: &[Vec<Cell>], expendable: &[usize], style: &Style) -> String {
    let mut kept: Vec<usize> = (0..sides.len()).collect();
    let sides_of = |kept: &[usize]| kept.iter().map(|at| sides[*at]).collect::<Vec<_>>();
    let rows_of = |kept: &[usize]| {
        let cells = |row: &Vec<Cell>| kept.iter().filter_map(|at| row.get(*at).cloned()).collect::<Vec<_>>();
        rows.iter().map(cells).collect::<Vec<_>>()
    };
    for lost in expendable.iter().filter(|_| style.is_terminal) {
        if fits(&sides_of(&kept), &rows_of(&kept), style.width) {
            break;
        }
        kept.retain(|at| at != lost);
    }
    let names = rows.first().into_iter().flatten().enumerate().filter(|(at, _)| !kept.contains(at));
    let names: Vec<&str> = names.map(|(_, name)| name.text.as_str()).collect();
    let table = columns(&sides_of(&kept), &rows_of(&kept), style);
    match names.is_empty() {
        true => table,
        false => table + &wrapped(&format!("A wider terminal shows {}.", names.join(", ")), style.width, ""),
    }
}

/// Whether all columns find room without a figure or a word being broken.
pub(super) fn fits(sides: &[Side], rows: &[Vec<Cell>], width: usize) -> bool {
    let least = (0..sides.len()).map(|at| usize::from(least(sides[at], rows, at)));
    least.sum::<usize>() + usize::from(GAP) * sides.len().saturating_sub(1) <= width
}

/// The width below which a column cannot be read: its longest word, or its longest figure.
fn least(side: Side, rows: &[Vec<Cell>], at: usize) -> u16 {
    let cells = || rows.iter().filter_map(|row| row.get(at)).map(|cell| printable(&cell.text).to_string());
    let word = |text: String| text.split_whitespace().map(UnicodeWidthStr::width).max().unwrap_or(0);
    let whole = |text: String| text.width();
    match side {
        Side::Left | Side::Right => narrow(cells().map(whole).max().unwrap_or(0)),
        Side::Named => narrow(cells().take(1).map(word).chain(cells().skip(1).map(whole)).max().unwrap_or(0)),
        Side::Wrapped => narrow(cells().map(word).max().unwrap_or(0)).min(WORD_MAX),
        Side::Cut => narrow(cells().map(whole).max().unwrap_or(0)).min(CUT_LEAST),
    }
}

fn narrow(width: usize) -> u16 {
    u16::try_from(width).unwrap_or(u16::MAX)
}

/// A cell with what stands behind it in lines of their own, and with the colour of its tone.
fn dressed(cell: &Cell, is_cut: bool) -> comfy_table::Cell {
    let one_line = |text: &str| printable(text).to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    let behind = cell.more.iter().filter(|_| !is_cut).map(|line| one_line(line));
    let text = if is_cut { one_line(&cell.text) } else { printable(&cell.text).to_string() };
    let drawn = comfy_table::Cell::new(std::iter::once(text).chain(behind).collect::<Vec<_>>().join("\n"));
    match cell.tone {
        Tone::Plain | Tone::Code => drawn,
        Tone::Good => drawn.fg(Color::DarkGreen),
        Tone::Bad => drawn.fg(Color::DarkRed),
        Tone::Unsure => drawn.fg(Color::DarkYellow),
        Tone::Quiet => drawn.add_attribute(Attribute::Dim),
    }
}
