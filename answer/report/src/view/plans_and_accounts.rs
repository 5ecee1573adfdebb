//! The runs themselves: what was planned, how long it took, and whether the activations add up.

use super::{Cell, Section, Table, Tone};
use crate::content::{ReportContent, RunEvidence};
use crate::words;
use prazo_run::Series;
use prazo_run::plan::{Plan, Policy, WhenLate};
use prazo_run::run::Activations;
use prazo_run::source::Source;

/// The tables of runs and activations.
pub fn section(content: &ReportContent) -> Section {
    Section::new("runs", "Runs").show(plans(content)).show(activations(content)).show(lengths(content))
}

/// What each run's length allows to say of rarer events; the longest run's is said above, with the meaning.
fn lengths(content: &ReportContent) -> Table {
    let told = content.runs.iter().filter(|run| !run.summary.length_allows.is_empty() && !run.is_cost_alone());
    let rows = told.map(|run| vec![run.run.name.as_str().into(), run.summary.length_allows.as_str().into()]);
    Table::new("What each run's length shows about rarer events", &["Run", "What it shows"]).with(rows).folded()
}

/// The table of more runs is folded away.
const RUNS_OPEN: usize = 3;

fn plans(content: &ReportContent) -> Table {
    let columns = ["Run", "Origin", "Method", "Policy", "When late", "#Lasted", "End", "#Longest recorder delay"];
    let table = Table::new("Runs", &columns).with(content.runs.iter().map(plan)).note(format!(
        "{} marks a value that the run's file does not state, or that does not apply to a run of workloads alone.",
        words::ABSENT
    ));
    if content.runs.len() > RUNS_OPEN { table.folded() } else { table }
}

fn plan(evidence: &RunEvidence) -> Vec<Cell> {
    let run = &evidence.run;
    let measured = run.plan.as_ref().filter(|_| !evidence.is_cost_alone());
    let planned = |text: fn(&Plan) -> String| measured.map_or_else(Cell::absent, |plan| text(plan).into());
    vec![
        run.name.as_str().into(),
        words::origin(&run.origin).into(),
        planned(method),
        planned(|plan| policy(&plan.policy)),
        planned(|plan| when_late(plan.when_late).into()),
        run.elapsed.map_or_else(Cell::absent, |elapsed| words::length(elapsed).into()),
        words::ending(&run.ending).into(),
        run.recorder_delay_max.map_or_else(Cell::absent, |delay| words::length(delay).into()),
    ]
}

fn method(plan: &Plan) -> String {
    match &plan.source {
        Source::Watch(watched) => format!("watched {}", watched.target),
        Source::Wakeup(wakeup) => wakeup.name(),
        Source::Noise(noise) => noise.name(plan.threads.first().map(|thread| thread.period)),
        _ => plan.method.name().into(),
    }
}

fn policy(policy: &Policy) -> String {
    match policy {
        Policy::Other => "other".into(),
        Policy::Fifo { priority } | Policy::Rr { priority } => format!("{} {priority}", policy.name()),
        Policy::Deadline { runtime } => format!("deadline, runtime {}", words::length(*runtime)),
    }
}

fn when_late(when_late: WhenLate) -> &'static str {
    match when_late {
        WhenLate::Skip => "skip",
        WhenLate::CatchUp => "catch up",
        WhenLate::RePhase => "re-phase",
    }
}

fn activations(content: &ReportContent) -> Table {
    let columns =
        ["Run", "Processor", "Quantity", "#Period", "#Due", "#Served", "#Skipped", "#Missed", "#Lost", "Counts add up"];
    let rows = content.runs.iter().flat_map(|run| run.run.series.iter().map(|series| row(run, series)));
    Table::new("Activations", &columns)
        .with(rows)
        .note("due = served + skipped, plus at most one outstanding; missed is a part of served.")
        .note(format!("{} marks a count that the source does not state; missed also needs a deadline.", words::ABSENT))
        .folded()
}

fn row(run: &RunEvidence, series: &Series) -> Vec<Cell> {
    let activations = &series.activations;
    vec![
        run.run.name.as_str().into(),
        words::carrier_of(series).into(),
        words::quantity(series.quantity).into(),
        series.period.map_or_else(Cell::absent, |period| words::length(period).into()),
        Cell::count(activations.due),
        Cell::count(Some(activations.served)),
        Cell::count(activations.skipped),
        Cell::count(activations.missed),
        Cell::count(Some(activations.lost)),
        adds_up(activations),
    ]
}

fn adds_up(activations: &Activations) -> Cell {
    let (Some(due), Some(skipped)) = (activations.due, activations.skipped) else {
        return Cell::toned("unknown", Tone::Quiet);
    };
    let sum = i128::from(activations.served) + i128::from(skipped) + i128::from(activations.outstanding);
    match i128::from(due) - sum {
        0 => Cell::toned("yes", Tone::Good),
        off => Cell::toned(format!("no, off by {off}"), Tone::Bad),
    }
}
