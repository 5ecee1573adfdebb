//! From runs and a requirement to everything a report shows: summaries, misses, verdict, comparisons.

use prazo_platform::readiness::{CheckResult, Outcome};
use prazo_report::{Evidence, ReadinessOutcome, ReadinessRow, RunEvidence, SeedRow, SpreadRow};
use prazo_run::run::Quantity;
use prazo_run::{Caveat, Run};
use prazo_stats::{RunSummary, compare_all, miss_rate, summarise};
use prazo_study::Seeds;
use prazo_study::result::{CellResult, QuantityResult};
use prazo_study::seeds::{Ends, RunFigures};
use prazo_verdict::{Finding, Requirement, Verdict, judge};

/// Each caveat once, as the first has it.
pub fn each_once<'a>(caveats: impl IntoIterator<Item = &'a Caveat>) -> Vec<Caveat> {
    let mut all: Vec<Caveat> = Vec::new();
    for caveat in caveats {
        if !all.iter().any(|one| one.id == caveat.id) {
            all.push(caveat.clone());
        }
    }
    all
}

/// A report's evidence on these runs; a requirement adds misses and the verdict over all of them.
pub fn of_runs(title: &str, runs: Vec<Run>, requirement: Option<Requirement>) -> Evidence {
    let runs: Vec<RunEvidence> = runs.into_iter().map(|run| of_run(run, requirement)).collect();
    Evidence {
        title: title.to_owned(),
        verdict: requirement.map(|requirement| verdict(&runs.iter().collect::<Vec<_>>(), &[], requirement)),
        comparisons: compare_all(&runs.iter().map(|evidence| &evidence.run).collect::<Vec<_>>()),
        runs,
        command: crate::cmd::command_line(),
        made_at: made_at(),
        ..Evidence::default()
    }
}

/// One run with the figures computed from it.
pub fn of_run(run: Run, requirement: Option<Requirement>) -> RunEvidence {
    let summary = summarise(&run);
    let misses = requirement.map(|requirement| miss_rate(&run, requirement.deadline));
    RunEvidence { run, summary, misses }
}

/// The verdict over runs that all speak for the requirement.
pub fn verdict(runs: &[&RunEvidence], checks: &[CheckResult], requirement: Requirement) -> Verdict {
    let pairs: Vec<(&Run, &RunSummary)> = runs.iter().map(|evidence| (&evidence.run, &evidence.summary)).collect();
    let findings = findings(checks);
    judge(&prazo_verdict::Evidence { runs: &pairs, findings: &findings, requirement })
}

/// Findings that weigh enough to touch a verdict.
fn findings(checks: &[CheckResult]) -> Vec<Finding> {
    let found = checks.iter().filter(|check| check.outcome == Outcome::Finding);
    found
        .map(|check| Finding {
            id: check.id.clone(),
            severity: check.severity,
            text: format!("{}: found {}, wanted {}", check.title, check.found, check.wanted),
        })
        .collect()
}

/// A check as the report's row.
pub fn readiness_row(check: &CheckResult) -> ReadinessRow {
    ReadinessRow {
        id: check.id.clone(),
        title: check.title.clone(),
        outcome: match check.outcome {
            Outcome::Ok => ReadinessOutcome::Ok,
            Outcome::Finding => ReadinessOutcome::Finding,
            Outcome::NotApplicable => ReadinessOutcome::NotApplicable,
            Outcome::Unknown => ReadinessOutcome::Unknown,
        },
        severity: check.severity,
        found: Some(check.found.clone()),
        wanted: check.wanted.clone(),
        source: check.source.clone(),
        why: check.why.clone(),
        fix: check.fix.clone(),
    }
}

/// The spread over the runs of a study's cells as the report's rows, where there is more than one run's word.
pub fn spread_rows(cells: &[CellResult]) -> Vec<SpreadRow> {
    let own = |cell: &CellResult| Some(spread_row(&cell.id, Quantity::ResponseLatency, cell.seeds.as_ref()?));
    let part = |cell: &CellResult, of: &QuantityResult| Some(spread_row(&cell.id, of.quantity, of.seeds.as_ref()?));
    let parts = |cell: &CellResult| cell.quantities.iter().filter_map(|of| part(cell, of)).collect::<Vec<_>>();
    let rows = cells.iter().flat_map(|cell| own(cell).into_iter().chain(parts(cell)).collect::<Vec<_>>());
    let has_samples = |row: &SpreadRow| row.runs.iter().any(|run| run.count > 0);
    rows.filter(|row| has_samples(row) && (row.counted || row.runs.len() > 1)).collect()
}

fn spread_row(cell: &str, quantity: Quantity, seeds: &Seeds) -> SpreadRow {
    let ends = |ends: Option<Ends>| ends.map(|ends| (ends.low_ns, ends.high_ns));
    SpreadRow {
        cell: cell.to_owned(),
        quantity,
        counted: seeds.counted,
        runs: seeds.runs.iter().map(seed_row).collect(),
        mean_ns: ends(seeds.mean),
        median_ns: ends(seeds.median),
        q99_ns: ends(seeds.q99),
        q999_ns: ends(seeds.q999),
        q99999_ns: ends(seeds.q99999),
        max_ns: ends(seeds.max),
    }
}

fn seed_row(run: &RunFigures) -> SeedRow {
    SeedRow {
        seed: run.seed,
        count: run.count,
        mean_ns: run.mean_ns,
        median_ns: run.median_ns,
        q99_ns: run.q99_ns,
        q999_ns: run.q999_ns,
        q99999_ns: run.q99999_ns,
        max_ns: run.max_ns,
    }
}

/// The moment of the report, in universal time.
pub fn made_at() -> String {
    let stamp = crate::cmd::files::stamp();
    let (date, clock) = (&stamp[..8], &stamp[9..]);
    format!("{}-{}-{} {}:{} UTC", &date[..4], &date[4..6], &date[6..], &clock[..2], &clock[2..4])
}
