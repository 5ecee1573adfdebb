//! The built-in study of Regnier 2008: its tables are the paper's own, and every claim comes out as they have it.

mod support;

use prazo_run::source::Source;
use prazo_study::builtin::find;
use prazo_study::{CellResult, CellSource, Finished, Runner, Study, matrix};
use prazo_testing::data;
use prazo_verdict::claim::ClaimOutcome;
use std::collections::BTreeSet;
use std::path::Path;
use support::{MemoryShelf, here};

fn shown() -> Finished {
    let study = find("regnier-2008").unwrap();
    let mut shelf = MemoryShelf::default();
    Runner::new(&study, &here(), Path::new("/nowhere"), &mut shelf).unwrap().show()
}

/// What the paper says and its tables do not.
const NOT_HELD: &[&str] = &["paper-within-20-us"];

#[test]
fn what_the_paper_says_of_its_tables_holds_but_for_one_claim() {
    let claims = shown().result.claims;
    let of_paper: Vec<_> = claims.iter().filter(|claim| claim.id.starts_with("paper-")).collect();
    assert!(of_paper.len() >= 20);
    for claim in of_paper {
        let expected = if NOT_HELD.contains(&claim.id.as_str()) { ClaimOutcome::NotHeld } else { ClaimOutcome::Held };
        assert_eq!(claim.outcome, expected, "{}: {}", claim.id, claim.evidence);
    }
}

#[test]
fn within_20_us_is_answered_with_the_table_s_own_figure() {
    let claims = shown().result.claims;
    let within = claims.iter().find(|claim| claim.id == "paper-within-20-us").unwrap();
    for figure in ["35.8", "20.8", "n = 12,000"] {
        assert!(within.evidence.contains(figure), "{}", within.evidence);
    }
}

/// Two tables of one cell, the second in the place of a measured one.
const PAIR: &str = r#"[study]
name = "pair"
title = "Two tables"
question = "Are they alike?"

[[stated]]
id = "theirs"
origin = "one table"
repeated_by = "ours"
figures = [
  { quantity = "interrupt-latency", mean = "21.5us", max = "45.1us" },
  { quantity = "activation-latency", mean = "2.1us" },
]

[[stated]]
id = "ours"
origin = "another table"
count = 6000
figures = [{ quantity = "interrupt-latency", mean = "30.7us", max = "105us" }]

[[claim]]
id = "alike"
text = "They are alike."
check.statistic-ratio = { quantity = "interrupt-latency", statistic = "mean", a = "ours", b = ["theirs"], at_most = 2.0 }
"#;

#[test]
fn a_papers_figures_stand_beside_those_of_the_cell_that_repeats_them() {
    let (study, mut shelf) = (Study::parse("pair.toml", PAIR).unwrap(), MemoryShelf::default());
    let result = Runner::new(&study, &here(), Path::new("/nowhere"), &mut shelf).unwrap().show().result;
    let rows = result.stated_and_measured();
    assert_eq!(rows.len(), 1, "activation latency was not measured again");
    assert_eq!((rows[0].theirs.mean_ns, rows[0].ours.mean_ns), (Some(21_500.0), Some(30_700.0)));
    assert_eq!((rows[0].stated.id.as_str(), rows[0].cell.id.as_str()), ("theirs", "ours"));
    let told = result.to_string();
    assert!(told.contains("Compared with the paper") && told.contains("30.700"), "{told}");
}

#[test]
fn a_cell_that_repeats_a_papers_must_be_there() {
    let error = Study::parse("pair.toml", &PAIR.replace("by = \"ours\"", "by = \"our\"")).unwrap_err().to_string();
    assert!(error.starts_with("pair.toml:9: repeated_by: there is no cell 'our'"), "{error}");
}

#[test]
fn set_up_1_is_measured_on_five_platforms_without_and_with_load_with_three_seeds_each() {
    let study = find("regnier-2008").unwrap();
    let cells = matrix::cells(&study, &here());
    let irq: Vec<_> = cells.iter().filter(|cell| cell.id.ends_with(".irq")).collect();
    assert_eq!(irq.len(), 5 * 2 + 3, "three of the platforms also with the packets alone");
    for cell in irq {
        let CellSource::Measure { plans, on: Some(_), .. } = &cell.source else { panic!("{cell:?}") };
        let seeds: BTreeSet<u64> = plans.iter().map(|plan| plan.seed & u64::from(u32::MAX)).collect();
        assert_eq!(seeds.len(), 3, "{}: each repeat is another trajectory", cell.id);
        assert!(plans.iter().all(|plan| matches!(plan.source, Source::Interrupt(_))));
    }
}

/// The paper's word for a platform or load, and the study's.
const WORDS: &[(&str, &str)] = &[
    ("std", "std"),
    ("prt", "rt"),
    ("prt_nodelay", "rt-not-threaded"),
    ("xenomai", "xenomai"),
    ("none", "idle"),
    ("full", "loaded"),
];

fn word(paper: &str) -> &'static str {
    WORDS.iter().find(|(word, _)| *word == paper).unwrap().1
}

/// The figures of one line of a table, as a cell of the study has them: mean, deviation, minimum, maximum in ns.
fn stated(cells: &[CellResult], id: &str, quantity: &str) -> [f64; 4] {
    let cell = cells.iter().find(|cell| cell.id == id).unwrap_or_else(|| panic!("no cell {id}"));
    let is_it = |row: &&prazo_study::result::QuantityResult| serde_json::to_value(row.quantity).unwrap() == quantity;
    let row = cell.quantities.iter().find(is_it).unwrap();
    [row.mean_ns, row.deviation_ns, row.min_ns, row.max_ns].map(Option::unwrap)
}

#[test]
fn the_stated_cells_are_the_paper_s_tables() {
    let cells = shown().result.cells;
    for setup in 1..=2 {
        for line in data::text(&format!("regnier-2008/setup{setup}.csv")).lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let id = format!("paper{setup}.{}.{}", word(fields[0]), word(fields[1]));
            let published: Vec<f64> = fields[3..].iter().map(|us| us.parse::<f64>().unwrap() * 1e3).collect();
            let ours = stated(&cells, &id, &format!("{}-latency", fields[2]));
            let is_same = ours.iter().zip(&published).all(|(ours, published)| (ours - published).abs() < 0.5);
            assert!(is_same && published.len() == 4, "{line}: {ours:?}");
        }
    }
}
