//! What `prazo check` found, weightiest first; what could not be found out is never taken for ok.

use super::{Cell, Section, Table, caveats};
use crate::content::ReportContent;
use crate::words;
use prazo_core::text::counted;
use prazo_platform::readiness::{CheckOutcome, CheckResult};
use prazo_run::Severity;

/// The tables of findings, one for each severity, then what is unknown, ok or not applicable.
pub fn section(content: &ReportContent) -> Section {
    let section = Section::new("readiness", "Is this machine ready?");
    if content.readiness.is_empty() {
        return section;
    }
    let severities = [Severity::Fatal, Severity::High, Severity::Medium, Severity::Info];
    let section = section.say(tally(content));
    let section = severities.into_iter().fold(section, |section, severity| section.show(findings(content, severity)));
    section
        .show(others(content, CheckOutcome::Unknown, "Unknown: could not be read"))
        .show(others(content, CheckOutcome::Ok, "As it should be"))
        .show(others(content, CheckOutcome::NotApplicable, "Not applicable here"))
}

fn of(content: &ReportContent, outcome: CheckOutcome) -> impl Iterator<Item = &CheckResult> {
    content.readiness.iter().filter(move |row| row.outcome == outcome)
}

/// `77 checks: 12 findings, 20 ok, 5 unknown, 40 not applicable.`
pub fn tally(content: &ReportContent) -> String {
    let number = |outcome| of(content, outcome).count() as u64;
    format!(
        "{}: {}, {} ok, {} unknown, {} not applicable.",
        counted(content.readiness.len() as u64, "check"),
        counted(number(CheckOutcome::Finding), "finding"),
        number(CheckOutcome::Ok),
        number(CheckOutcome::Unknown),
        number(CheckOutcome::NotApplicable)
    )
}

fn findings(content: &ReportContent, severity: Severity) -> Table {
    let shown = of(content, CheckOutcome::Finding).filter(|row| row.severity == severity);
    let columns = ["Severity", "Check", "Found", "Wanted", "Why it matters", "What to do", "Read from"];
    let table = Table::new(format!("Findings of severity '{}'", words::severity(severity)), &columns);
    let table = table.with(shown.map(finding));
    if severity == Severity::Fatal { table } else { table.folded() }
}

fn finding(row: &CheckResult) -> Vec<Cell> {
    vec![
        caveats::severity(row.severity),
        row.title.as_str().into(),
        found(row),
        row.wanted.as_str().into(),
        row.why.as_str().into(),
        row.fix.as_str().into(),
        Cell::code(&row.source),
    ]
}

fn others(content: &ReportContent, outcome: CheckOutcome, caption: &str) -> Table {
    let rows = of(content, outcome)
        .map(|row| vec![row.title.as_str().into(), found(row), row.wanted.as_str().into(), Cell::code(&row.source)]);
    Table::new(caption, &["Check", "Found", "Wanted", "Read from"]).with(rows).folded()
}

fn found(row: &CheckResult) -> Cell {
    row.found.as_str().into()
}
