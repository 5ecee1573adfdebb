//! The commands that make this evidence again.

use super::{Cell, Section, Table};
use crate::evidence::Evidence;

/// The report's command and each run's.
pub fn section(evidence: &Evidence) -> Section {
    let report = [("this report", evidence.command.as_str())];
    let runs = evidence.runs.iter().map(|run| (run.run.name.as_str(), run.run.command.as_str()));
    let all = report.into_iter().chain(runs).filter(|(_, command)| !command.is_empty());
    let rows = all.map(|(name, command)| vec![name.into(), Cell::code(command)]);
    Section::new("repeat", "How to repeat this").show(Table::new("Commands", &["For", "Command"]).with(rows))
}
