//! What the full and the brief text share: the head, a reason, a section.

use super::layout;
use super::measure::wrapped;
use super::style::{Style, heading, paint};
use crate::content::ReportContent;
use crate::view::headline::Reason;
use crate::view::{Headline, Section, Tone};
use prazo_core::text::printable;

/// Warnings, the outcome, its sentence and what was asked.
pub(super) fn head(content: &ReportContent, headline: &Headline, style: &Style) -> String {
    let mut text = String::new();
    for warning in &headline.warnings {
        text.push_str(&paint(&wrapped(&format!("! {warning}"), style.width, "  "), Tone::Unsure, style));
    }
    let colon = if content.title.ends_with('?') { "" } else { ":" };
    let title = if content.title.is_empty() { String::new() } else { format!("{}{colon} ", printable(&content.title)) };
    text.push_str(&format!("{title}{}\n", paint(&headline.outcome.to_uppercase(), headline.tone, style)));
    text.push_str(&wrapped(&headline.sentence, style.width, ""));
    if !headline.asked.is_empty() {
        text.push_str(&wrapped(&format!("Requirement: {}.", headline.asked), style.width, "  "));
    }
    text
}

/// A reason with the part it plays.
pub(super) fn reason(reason: &Reason, style: &Style) -> String {
    wrapped(&format!("- {}: {}", reason.role, reason.text), style.width, "  ")
}

/// A section with its sentences and tables.
pub(super) fn section(section: &Section, style: &Style) -> String {
    let mut text = heading(section.heading, style);
    section.sentences.iter().for_each(|sentence| text.push_str(&wrapped(sentence, style.width, "")));
    section.tables.iter().for_each(|shown| text.push_str(&layout::table(shown, style)));
    if section.tables.is_empty() { text + "\n" } else { text }
}
