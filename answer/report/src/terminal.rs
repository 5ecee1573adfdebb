//! The answer on a terminal: compact tables and a histogram of characters, as wide as it is told.
//!
//! Colour only if asked for. Control characters from runs never reach the terminal.

use crate::chart::Charts;
use crate::evidence::Evidence;
use crate::view::{self, Cell, Headline, Section, Table, Tone, headline};
use crate::words;

/// How the terminal shall be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns; narrower than 40 is taken as 40.
    pub width: usize,
    /// Whether to use colours.
    pub colour: bool,
    /// Whether to print the tables that few readers open.
    pub details: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { width: 100, colour: false, details: false }
    }
}

const WIDTH_MIN: usize = 40;

/// The whole report. The verdict comes first, and again nothing after it: the tables in between scroll away.
pub fn render(evidence: &Evidence, style: &Style) -> String {
    let style = Style { width: style.width.max(WIDTH_MIN), ..*style };
    let mut text = head(evidence, &headline::headline(evidence), &style);
    view::opening(evidence).iter().for_each(|part| text.push_str(&section(part, &style)));
    if let Some(charts) = Charts::of(evidence) {
        text.push_str(&heading("Histogram", &style));
        text.push_str(&bars(&charts, style.width));
        text.push('\n');
    }
    let body = view::body(evidence);
    let shown = body.iter().filter(|part| style.details || part.id != "method");
    shown.for_each(|part| text.push_str(&section(part, &style)));
    text
}

fn head(evidence: &Evidence, headline: &Headline, style: &Style) -> String {
    let mut text = String::new();
    for warning in &headline.warnings {
        text.push_str(&paint(&wrapped(&format!("! {warning}"), style.width, "  "), Tone::Unsure, style));
    }
    let title = if evidence.title.is_empty() { String::new() } else { format!("{}: ", safe(&evidence.title)) };
    text.push_str(&format!("{title}{}\n", paint(&headline.outcome.to_uppercase(), headline.tone, style)));
    text.push_str(&wrapped(&headline.sentence, style.width, ""));
    if !headline.asked.is_empty() {
        text.push_str(&wrapped(&format!("Asked: {}.", headline.asked), style.width, "  "));
    }
    let reasons = headline.reasons.iter();
    text.extend(reasons.map(|reason| wrapped(&format!("- {}: {}", reason.speaks_for, reason.text), style.width, "  ")));
    text + "\n"
}

fn heading(heading: &str, style: &Style) -> String {
    match style.colour {
        true => format!("\x1b[1m{heading}\x1b[0m\n"),
        false => format!("{heading}\n{}\n", "-".repeat(heading.chars().count())),
    }
}

fn section(section: &Section, style: &Style) -> String {
    let tables: Vec<&Table> = section.tables.iter().filter(|table| style.details || !table.folded).collect();
    if tables.is_empty() && section.sentences.is_empty() {
        return String::new();
    }
    let mut text = heading(section.heading, style);
    section.sentences.iter().for_each(|sentence| text.push_str(&wrapped(sentence, style.width, "")));
    tables.iter().for_each(|shown| text.push_str(&table(shown, style)));
    if tables.is_empty() { text + "\n" } else { text }
}

/// A table in columns where they fit, else as one block of `name: value` lines for each row.
fn table(table: &Table, style: &Style) -> String {
    let widths: Vec<usize> = (0..table.columns.len()).map(|at| column_width(table, at)).collect();
    let width = widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
    let mut text = wrapped(&format!("{}:", table.caption), style.width, "");
    match width <= style.width {
        true => text.push_str(&columns(table, &widths, style)),
        false => text.push_str(&blocks(table, style)),
    }
    table.notes.iter().for_each(|note| text.push_str(&wrapped(&format!("* {note}"), style.width, "  ")));
    text + "\n"
}

fn column_width(table: &Table, at: usize) -> usize {
    let cells = table.rows.iter().map(|row| safe(&row[at].text).chars().count());
    cells.chain([table.columns[at].name.chars().count()]).max().unwrap_or(0)
}

fn columns(table: &Table, widths: &[usize], style: &Style) -> String {
    let names = table.columns.iter().map(|column| Cell::from(column.name.as_str())).collect::<Vec<_>>();
    let rows = std::iter::once(&names).chain(&table.rows);
    rows.map(|row| columns_row(table, row, widths, style)).collect()
}

fn columns_row(table: &Table, row: &[Cell], widths: &[usize], style: &Style) -> String {
    let cells = row.iter().zip(&table.columns).zip(widths).map(|((cell, column), width)| {
        let text = safe(&cell.text);
        let padded = if column.figures { format!("{text:>width$}") } else { format!("{text:<width$}") };
        paint(&padded, cell.tone, style)
    });
    format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
}

fn blocks(table: &Table, style: &Style) -> String {
    table.rows.iter().map(|row| block(table, row, style)).collect::<Vec<_>>().join("\n")
}

fn block(table: &Table, row: &[Cell], style: &Style) -> String {
    let said = row.iter().zip(&table.columns).filter(|(cell, _)| !cell.text.is_empty());
    said.map(|(cell, column)| {
        let line = wrapped(&format!("  {}: {}", column.name, cell.text), style.width, "    ");
        paint(&line, cell.tone, style)
    })
    .collect()
}

fn paint(text: &str, tone: Tone, style: &Style) -> String {
    let code = match tone {
        _ if !style.colour => return text.to_owned(),
        Tone::Plain | Tone::Code => return text.to_owned(),
        Tone::Good => "32",
        Tone::Bad => "31",
        Tone::Unsure => "33",
        Tone::Quiet => "2",
    };
    let line_end = if text.ends_with('\n') { "\n" } else { "" };
    format!("\x1b[{code}m{}\x1b[0m{line_end}", text.trim_end_matches('\n'))
}

/// Text without control characters: a run's name cannot move the cursor.
fn safe(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Words in lines of at most `width`, the later ones behind `indent`; ends with a line end.
fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let first = safe(text);
    let mut line: String = first.chars().take_while(|c| *c == ' ').collect();
    let mut lines = Vec::new();
    for word in first.split_whitespace() {
        let fits = line.chars().count() + 1 + word.chars().count() <= width;
        if !fits && !line.trim().is_empty() {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
        }
        if !line.trim().is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.join("\n") + "\n"
}

/// Rows that the histogram of characters has at most.
const BARS_MAX: usize = 32;

/// A histogram of characters for each line; the bars' lengths are logarithmic, so that a single sample is seen.
pub fn bars(charts: &Charts, width: usize) -> String {
    let lines = &charts.histograms.lines;
    let step = charts.histograms.edges_ns.len().div_ceil(BARS_MAX).max(1);
    let mut text = String::new();
    for line in lines {
        text.push_str(&format!("{} ({}), bars logarithmic\n", safe(&line.label), words::counted(line.total, "sample")));
        let merged: Vec<u64> = line.counts.chunks(step).map(|bins| bins.iter().sum()).collect();
        text.push_str(&bars_of(&merged, |at| charts.histograms.edges_ns[at * step], width));
        if line.beyond > 0 {
            text.push_str(&format!("{:>12}  {}\n", "beyond", words::count(line.beyond)));
        }
    }
    text
}

fn bars_of(counts: &[u64], from: impl Fn(usize) -> i64, width: usize) -> String {
    let most = counts.iter().max().copied().unwrap_or(0).max(1) as f64;
    let room = width.saturating_sub(30).max(8) as f64;
    let first = counts.iter().position(|count| *count > 0).unwrap_or(0);
    let last = counts.iter().rposition(|count| *count > 0).unwrap_or(0);
    let rows = counts.iter().enumerate().take(last + 1).skip(first);
    rows.map(|(at, count)| {
        let length = ((*count as f64 + 1.0).ln() / (most + 1.0).ln() * room).round() as usize;
        let length = if *count > 0 { length.max(1) } else { 0 };
        format!("{:>12}  {:>13} {}\n", words::latency(from(at)), words::count(*count), "█".repeat(length))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_wrap_behind_their_indent() {
        assert_eq!(wrapped("- one two three", 9, "  "), "- one two\n  three\n");
        assert_eq!(wrapped("unbreakable", 4, ""), "unbreakable\n");
    }

    #[test]
    fn colour_comes_only_when_asked_for() {
        let style = Style { colour: true, ..Style::default() };
        assert_eq!(paint("x", Tone::Bad, &style), "\x1b[31mx\x1b[0m");
        assert_eq!(paint("x", Tone::Bad, &Style::default()), "x");
    }
}
