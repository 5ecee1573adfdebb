//! One task set's answer on a terminal: the verdict first, then why, then the tables.

use super::measure::wrapped;
use super::parts::section;
use super::style::{Style, paint};
use crate::schedulability::Dossier;
use crate::schedulability::sections::{headline, sections, tone};
use prazo_core::text::printable;

/// The answer as text, ending with an empty line.
pub fn render(dossier: &Dossier<'_>, style: &Style) -> String {
    let mut text = format!("{}\n", printable(&dossier.title));
    text.push_str(&paint(&wrapped(&headline(dossier), style.width, "  "), tone(dossier.answer.verdict), style));
    dossier.notes.iter().for_each(|note| text.push_str(&wrapped(note, style.width, "")));
    text.push('\n');
    sections(dossier).iter().for_each(|part| text.push_str(&section(part, style)));
    text
}
