//! The answer on a terminal: compact tables and a histogram of characters, as wide as it is told.
//!
//! Colour only if asked for. Control characters from runs never reach the terminal.

mod bars;
mod brief;
mod layout;
mod measure;
pub mod schedulability;

pub use bars::bars;

use crate::chart::Charts;
use crate::evidence::Evidence;
use crate::view::headline::{self, Reason};
use crate::view::{self, Headline, Section, Tone};
use measure::{columns_of, lines, wrapped};
use prazo_core::text::printable;

/// How the terminal shall be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns; narrower than 40 is taken as 40.
    pub width: usize,
    /// Whether to use colours.
    pub colour: bool,
    /// Whether to print everything; else a screenful.
    pub details: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { width: 100, colour: false, details: false }
    }
}

const WIDTH_MIN: usize = 40;

/// The report: everything, or as much as a screen holds; warnings, verdict and reasons first in both.
pub fn render(evidence: &Evidence, style: &Style) -> String {
    let style = Style { width: style.width.max(WIDTH_MIN), ..*style };
    if style.details { full(evidence, &style) } else { brief::render(evidence, &style) }
}

fn full(evidence: &Evidence, style: &Style) -> String {
    let headline = headline::headline(evidence);
    let mut text = head(evidence, &headline, style);
    text.extend(headline.reasons.iter().chain(&headline.others).map(|one| reason(one, style)));
    text.push('\n');
    view::opening(evidence).iter().for_each(|part| text.push_str(&section(part, style)));
    if let Some(charts) = Charts::of(evidence) {
        text.push_str(&heading("Histogram", style));
        text.push_str(&bars(&charts, style.width));
        text.push('\n');
    }
    view::body(evidence).iter().for_each(|part| text.push_str(&section(part, style)));
    text
}

/// Warnings, the outcome, its sentence and what was asked.
fn head(evidence: &Evidence, headline: &Headline, style: &Style) -> String {
    let mut text = String::new();
    for warning in &headline.warnings {
        text.push_str(&paint(&wrapped(&format!("! {warning}"), style.width, "  "), Tone::Unsure, style));
    }
    let title = if evidence.title.is_empty() { String::new() } else { format!("{}: ", printable(&evidence.title)) };
    text.push_str(&format!("{title}{}\n", paint(&headline.outcome.to_uppercase(), headline.tone, style)));
    text.push_str(&wrapped(&headline.sentence, style.width, ""));
    if !headline.asked.is_empty() {
        text.push_str(&wrapped(&format!("Asked: {}.", headline.asked), style.width, "  "));
    }
    text
}

fn reason(reason: &Reason, style: &Style) -> String {
    wrapped(&format!("- {}: {}", reason.role, reason.text), style.width, "  ")
}

fn heading(heading: &str, style: &Style) -> String {
    let heading = printable(heading).to_string();
    match style.colour {
        true => format!("\x1b[1m{heading}\x1b[0m\n"),
        false => format!("{heading}\n{}\n", "-".repeat(columns_of(&heading))),
    }
}

fn section(section: &Section, style: &Style) -> String {
    let mut text = heading(section.heading, style);
    section.sentences.iter().for_each(|sentence| text.push_str(&wrapped(sentence, style.width, "")));
    section.tables.iter().for_each(|shown| text.push_str(&layout::table(shown, style)));
    if section.tables.is_empty() { text + "\n" } else { text }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_comes_only_when_asked_for() {
        let style = Style { colour: true, ..Style::default() };
        assert_eq!(paint("x", Tone::Bad, &style), "\x1b[31mx\x1b[0m");
        assert_eq!(paint("x", Tone::Bad, &Style::default()), "x");
    }
}
