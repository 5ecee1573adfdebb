//! What threatens the result, weightiest first, each with what to do about it.

use super::{Cell, Section, Table, Tone};
use crate::evidence::Evidence;
use crate::words;
use prazo_run::{Caveat, Severity};

/// The caveats of all runs; the same caveat of several runs is one row.
pub fn section(evidence: &Evidence) -> Section {
    let columns = ["Weight", "What was found", "What to do", "Runs", "Name"];
    Section::new("caveats", "What threatens this result").show(Table::new("Caveats", &columns).with(rows(evidence)))
}

fn rows(evidence: &Evidence) -> Vec<Vec<Cell>> {
    let mut grouped: Vec<(&Caveat, Vec<&str>)> = Vec::new();
    for (caveat, run) in all(evidence) {
        match grouped.iter_mut().find(|(known, _)| *known == caveat) {
            Some((_, runs)) => runs.push(run),
            None => grouped.push((caveat, vec![run])),
        }
    }
    grouped.sort_by_key(|(caveat, _)| std::cmp::Reverse(caveat.severity));
    grouped.into_iter().map(|(caveat, runs)| row(caveat, &runs.join(", "))).collect()
}

fn all(evidence: &Evidence) -> impl Iterator<Item = (&Caveat, &str)> {
    evidence.runs.iter().flat_map(|run| run.run.caveats.iter().map(|caveat| (caveat, run.run.name.as_str())))
}

fn row(caveat: &Caveat, runs: &str) -> Vec<Cell> {
    let (what, remedy) = (caveat.what.as_str().into(), caveat.remedy.as_str().into());
    vec![severity(caveat.severity), what, remedy, runs.into(), Cell::code(&caveat.id)]
}

/// A severity with its tone.
pub fn severity(severity: Severity) -> Cell {
    let tone = match severity {
        Severity::Fatal => Tone::Bad,
        Severity::High => Tone::Unsure,
        Severity::Medium => Tone::Plain,
        Severity::Info => Tone::Quiet,
    };
    Cell::toned(words::severity(severity), tone)
}
