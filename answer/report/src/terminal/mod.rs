//! The answer on a terminal: compact tables and a histogram of characters, as wide as it is told.
//!
//! Colour only if asked for. Control characters from runs never reach the terminal.

mod bars;
mod layout;

pub use bars::bars;

use crate::chart::Charts;
use crate::evidence::Evidence;
use crate::view::{self, Headline, Section, Table, Tone, headline};

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

/// The whole report: warnings, verdict and reasons first, then the tables that most readers want.
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
    tables.iter().for_each(|shown| text.push_str(&layout::table(shown, style)));
    if tables.is_empty() { text + "\n" } else { text }
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

/// The lines of [`wrapped`].
fn lines(text: &str, width: usize) -> Vec<String> {
    wrapped(text, width, "").lines().map(str::to_owned).collect()
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
