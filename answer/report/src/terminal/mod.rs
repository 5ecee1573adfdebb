//! The answer on a terminal: compact tables and a histogram of characters, as wide as it is told.
//!
//! Colour only if asked for. Control characters from runs never reach the terminal.

mod bars;
mod brief;
mod columns;
mod in_words;
mod layout;
mod measure;
mod parts;
pub mod schedulability;
mod style;
pub mod watched;

pub use bars::bars;
pub use columns::{Side, columns};
pub use in_words::{InWords, Words};
pub use measure::wrapped;
pub use style::Style;

use crate::chart::Charts;
use crate::content::ReportContent;
use crate::view::{self, headline};
use parts::{head, reason, section};
use style::heading;

const WIDTH_MIN: usize = 40;

/// The report: everything, or as much as a screen holds; warnings, verdict and reasons first in both.
pub fn render(content: &ReportContent, style: &Style) -> String {
    let style = Style { width: style.width.max(WIDTH_MIN), ..*style };
    let content = &content.with_short_names();
    if style.details { full(content, &style) } else { brief::render(content, &style) }
}

fn full(content: &ReportContent, style: &Style) -> String {
    let headline = headline::headline(content);
    let mut text = head(content, &headline, style);
    text.extend(headline.reasons.iter().chain(&headline.others).map(|one| reason(one, style)));
    text.push('\n');
    view::opening(content).iter().for_each(|part| text.push_str(&section(part, style)));
    if let Some(charts) = Charts::of(content) {
        text.push_str(&heading("Histogram", style));
        text.push_str(&bars(&charts, style.width));
        text.push('\n');
    }
    view::body(content).iter().for_each(|part| text.push_str(&section(part, style)));
    text
}
