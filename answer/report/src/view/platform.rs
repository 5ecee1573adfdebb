//! The machine: what a stranger needs to rebuild it, what changed during a run, and what differs between runs.

use super::{Cell, Section, Table, Tone};
use crate::content::{ReportContent, RunEvidence};
use prazo_platform::fingerprint::{Difference, Fingerprint};

/// The tables of the platform.
pub fn section(content: &ReportContent) -> Section {
    Section::new("platform", "Platform")
        .show(during(content))
        .show(between(content))
        .show(tunables(content))
        .show(facts(content))
}

fn before(run: &RunEvidence) -> Option<&Fingerprint> {
    run.run.platform_before.as_ref()
}

fn during(content: &ReportContent) -> Table {
    let changed = |run: &RunEvidence| Some(before(run)?.drift(run.run.platform_after.as_ref()?));
    let rows = content.runs.iter().flat_map(|run| {
        let changes = changed(run).unwrap_or_default();
        changes.into_iter().map(|change| difference(&run.run.name, change)).collect::<Vec<_>>()
    });
    Table::new("Settings that changed during a run but should not have", &["Run", "Fact", "Before", "After"])
        .with(rows)
        .folded()
}

/// Each run's platform against the first one's; what moves by itself is no difference.
fn between(content: &ReportContent) -> Table {
    let Some((first, others)) = content.runs.split_first() else { return Table::default() };
    let Some(reference) = before(first) else { return Table::default() };
    let rows = others.iter().flat_map(|run| {
        let differences = before(run).map(|platform| reference.drift(platform)).unwrap_or_default();
        differences.into_iter().map(|change| difference(&run.run.name, change)).collect::<Vec<_>>()
    });
    let columns = ["Run", "Fact", "In the first run", "In this run"];
    Table::new(format!("Platforms that differ from that of run '{}'", first.run.name), &columns).with(rows).folded()
}

fn difference(run: &str, difference: Difference) -> Vec<Cell> {
    vec![run.into(), Cell::code(difference.fact), value(difference.before), value(difference.after)]
}

fn value(value: Option<String>) -> Cell {
    value.map_or_else(|| Cell::toned("could not be read", Tone::Quiet), Cell::from)
}

fn tunables(content: &ReportContent) -> Table {
    let columns = ["Run", "Knob", "Before", "Requested", "Effective", "Restored"];
    let rows = content.runs.iter().flat_map(|run| {
        run.run.tunables.iter().map(|tunable| {
            vec![
                run.run.name.as_str().into(),
                Cell::code(&tunable.knob),
                value(tunable.before.clone()),
                tunable.requested.as_str().into(),
                effective(&tunable.requested, tunable.effective.as_deref()),
                if tunable.restored { "yes".into() } else { Cell::toned("no", Tone::Unsure) },
            ]
        })
    });
    Table::new("Settings that were made for the runs, with the values read back", &columns).with(rows).folded()
}

fn effective(requested: &str, effective: Option<&str>) -> Cell {
    match effective {
        None => Cell::toned("cannot be read back", Tone::Unsure),
        Some(same) if same == requested => Cell::toned(same, Tone::Good),
        Some(other) => Cell::toned(other, Tone::Unsure),
    }
}

fn facts(content: &ReportContent) -> Table {
    let Some(run) = content.runs.iter().find(|run| before(run).is_some_and(|platform| !platform.facts.is_empty()))
    else {
        return Table::default();
    };
    let all = before(run).into_iter().flat_map(|platform| &platform.facts);
    let rows = all.map(|(name, fact)| vec![Cell::code(name), value(fact.value.clone()), Cell::code(&fact.source)]);
    Table::new(format!("The platform before run '{}'", run.run.name), &["Fact", "Value", "Read from"])
        .with(rows)
        .folded()
}
