//! Evidence on the terminal.

use crate::exit::Failure;
use crate::out;
use prazo_report::Evidence;
use prazo_report::schedulability::Dossier;
use prazo_report::terminal;
use std::io::IsTerminal;

/// Prints a report on standard output, with colours where that is a terminal and NO_COLOR is not set.
pub(crate) fn print(evidence: &Evidence) -> Result<(), Failure> {
    out::rendered(&terminal::render(evidence, &style()))
}

/// As [`print`], with all that a page shows as text.
pub(crate) fn print_all(evidence: &Evidence) -> Result<(), Failure> {
    out::rendered(&terminal::render(evidence, &terminal::Style { details: true, ..style() }))
}

/// Prints the answer about a task set.
pub(crate) fn print_schedulability(dossier: &Dossier<'_>) -> Result<(), Failure> {
    out::rendered(&terminal::schedulability::render(dossier, &style()))
}

/// As wide as the terminal, or as COLUMNS says.
pub(crate) fn style() -> terminal::Style {
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let width = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).or_else(terminal_width).unwrap_or(100);
    terminal::Style { width, colour, details: false }
}

fn terminal_width() -> Option<usize> {
    let is_terminal = std::io::stdout().is_terminal();
    let size = ratatui::crossterm::terminal::size().ok().filter(|_| is_terminal)?;
    Some(usize::from(size.0))
}
