//! The built-in study of Blaess 2014: every claim comes out as the data has it, on the tables that the program carries and
//! on the files that the paper's author published.

mod support;

use prazo_run::Run;
use prazo_study::builtin::find;
use prazo_study::run_storage::Table;
use prazo_study::{Finished, Runner};
use prazo_testing::data;
use prazo_verdict::claim::ClaimOutcome;
use std::path::Path;
use support::{MemoryShelf, here, original, sparse};

fn carried(table: &Table) -> Result<Run, String> {
    match table {
        Table::Embedded { text, .. } => Ok(sparse(text)),
        Table::File(path) => Err(format!("the study carries its tables and needs no {}", path.display())),
    }
}

/// The original file behind a table.
fn published(table: &Table) -> Result<Run, String> {
    let Table::Embedded { name, .. } = table else { return Err("the study carries its tables".into()) };
    let stem = name.strip_prefix("blaess-2014-").and_then(|name| name.strip_suffix(".csv")).ok_or("no name")?;
    Ok(original(&data::text(&format!("blaess-2014/{stem}.txt"))))
}

fn shown(import: fn(&Table) -> Result<Run, String>) -> Finished {
    let study = find("blaess-2014").unwrap();
    let mut shelf = MemoryShelf { import, ..MemoryShelf::default() };
    Runner::new(&study, &here(), Path::new("/nowhere"), &mut shelf).unwrap().show()
}

/// What the data bears out.
const HELD: &[&str] = &[
    "setitimer-worse-typically",
    "clock-nanosleep-best-typically",
    "grid-complete",
    "grid-incomplete",
    "nanosleep-drifts",
    "fifo-rr-equivalent-vanilla",
    "other-is-not-real-time",
    "rr-setitimer-lines",
    "other-sleeps-at-best",
    "other-timer-at-best",
    "other-pays-timer-slack",
    "timer-method-pays-no-slack",
    "fifo-better-than-rr-rt",
    "vanilla-exceeds-a-millisecond",
    "rt-barely-above-hundred",
    "rt-better-than-vanilla",
    "rt-timer-method-floor",
    "rt-timer-method-favours-other",
    "rt-fifo-max",
    "rt-other-max",
    "rt-rr-max",
    "xenomai-max",
    "xenomai-well-below-hundred",
    "xenomai-twelve-hours",
    "xenomai-typically-better",
    "means-recompute",
    "totals-recompute",
    "few-milliseconds-vanilla-mostly",
    "hundreds-of-microseconds-rt-sleeping",
    "tens-of-microseconds-xenomai",
    "below-ten-not-linux",
];

/// What it does not, with a part of the evidence that shows it.
const NOT_HELD: &[(&str, &str)] = &[
    (
        "setitimer-worse-everywhere",
        "first at 133us; largest difference: 3,760 of 6,846,166 against 1,869 of 7,198,742 samples lie above 194us",
    ),
    ("clock-nanosleep-best-everywhere", "145 of 7,200,000 against 17 of 6,846,166 samples lie above 3.119ms"),
    ("fifo-better-than-rr-rt-nanosleep", "quantile 0.99: 80us against 80us"),
    ("rt-barely-above-hundred-all-calls", "observed maximum 1.198ms"),
    ("rt-rarely-above-hundred", "183,460 samples above 100us, 2.55 %"),
    ("rt-better-at-best", "32us against 29us"),
    ("xenomai-thread-line", "states 86,400,000 samples, and contains 43,200,000 in the histogram's range"),
    ("xenomai-mean-line", "states a mean of 8.000 µs, and its samples give 17.073 µs"),
    ("fifteen-hours-vanilla", "in 17.96 h"),
    ("fifteen-hours-rt16", "in 17.95 h"),
    ("other-one-hour", "in 5.99 h"),
    ("few-milliseconds-vanilla", "observed maximum 25.816ms"),
    ("hundreds-of-microseconds-rt", "rt16.fifo.setitimer: observed maximum 1.126ms"),
];

#[test]
fn every_claim_of_the_paper_comes_out_as_its_data_has_it() {
    let finished = shown(carried);
    assert!(finished.result.complete);
    for claim in &finished.result.claims {
        let refuted = NOT_HELD.iter().find(|(id, _)| *id == claim.id);
        let wanted = match (refuted, HELD.contains(&claim.id.as_str())) {
            (Some(_), _) => ClaimOutcome::NotHeld,
            (None, true) => ClaimOutcome::Held,
            (None, false) => ClaimOutcome::Undecidable,
        };
        assert_eq!(claim.outcome, wanted, "{claim}");
        assert!(claim.evidence.contains(refuted.map_or("", |(_, part)| part)), "{claim}");
    }
    let known: Vec<_> = HELD.iter().chain(NOT_HELD.iter().map(|(id, _)| id)).collect();
    let open: Vec<_> = finished.result.claims.iter().filter(|claim| !known.contains(&&claim.id.as_str())).collect();
    assert_eq!(finished.result.claims.len(), known.len() + open.len());
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].id, "which-timer-call");
    assert!(open[0].evidence.contains("most likely a POSIX timer's"));
}

#[test]
fn the_published_files_say_the_same_as_the_carried_tables() {
    assert_eq!(shown(published).result, shown(carried).result);
}

#[test]
fn the_cells_show_the_files_own_figures() {
    let finished = shown(carried);
    let cell = |id: &str| finished.result.cells.iter().find(|cell| cell.id == id).unwrap();
    assert_eq!(finished.result.cells.len(), 19);
    let fifo = cell("rt16.fifo.clock-nanosleep");
    assert_eq!((fifo.count, fifo.min_ns, fifo.max_ns), (Some(7_200_000), Some(14_000), Some(109_000)));
    assert_eq!((fifo.median_ns, fifo.q999_ns, fifo.overflow), (Some(32_000), Some(77_000), Some(0)));
    let rr = cell("vanilla.rr.setitimer");
    assert_eq!((rr.count, rr.overflow, rr.max_ns), (Some(7_199_165), Some(3), Some(19_085_000)));
    assert!(finished.runs.contains_key("xenomai"));
}

#[test]
fn the_outcome_reads_as_a_table() {
    let finished = shown(carried);
    let text = finished.result.to_string();
    assert!(text.contains("45 claims: 31 held, 13 did not, 1 could not be decided"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 140), "{text}");
}
