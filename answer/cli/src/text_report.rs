//! A report printed as text on standard output.

use crate::exit::Failure;
use crate::out;
use prazo_report::ReportContent;
use prazo_report::schedulability::Dossier;
use prazo_report::terminal;

/// Prints a report on standard output, with colours where that is a terminal and NO_COLOR is not set.
pub(crate) fn print(content: &ReportContent) -> Result<(), Failure> {
    out::rendered(&terminal::render(content, &out::style()))
}

/// Prints the same with all that a page shows as text.
pub(crate) fn print_all(content: &ReportContent) -> Result<(), Failure> {
    out::rendered(&terminal::render(content, &terminal::Style { details: true, ..out::style() }))
}

/// Prints the answer about a task set.
pub(crate) fn print_schedulability(dossier: &Dossier<'_>) -> Result<(), Failure> {
    out::rendered(&terminal::schedulability::render(dossier, &out::style()))
}
