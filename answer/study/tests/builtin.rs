//! The studies that the program carries can be read, and `evaluate` keeps its promise of three minutes.

mod support;

use prazo_core::time::Duration;
use prazo_run::plan::Policy;
use prazo_study::builtin::{BUILTIN, find};
use prazo_study::{CellSource, Runner, matrix};
use prazo_verdict::claim::ClaimOutcome;
use support::{CellMeasurer, MemoryShelf, here};

#[test]
fn every_study_is_carried_under_its_own_name() {
    for builtin in BUILTIN {
        let study = builtin.study();
        assert_eq!(study.name(), builtin.name);
        assert!(!study.claims.is_empty());
        for generator in study.loads.iter().flat_map(|load| &load.generators) {
            let load = prazo_load::find(&generator.name);
            assert!(load.is_some_and(prazo_load::LoadKind::is_own), "{}", generator.name);
        }
    }
    assert!(find("evaluate").is_some());
    assert!(find("nothing").is_none());
}

#[test]
fn every_table_that_a_study_names_is_carried_and_named_once() {
    for builtin in BUILTIN {
        let mut named: Vec<String> = builtin.study().imports.into_iter().map(|import| import.file).collect();
        let mut carried: Vec<&str> = builtin.tables.iter().map(|(name, _)| *name).collect();
        named.sort();
        carried.sort_unstable();
        assert_eq!(named, carried, "{}", builtin.name);
    }
}

#[test]
fn evaluate_measures_for_at_most_three_minutes() {
    let study = find("evaluate").unwrap();
    let takes = matrix::measuring_time(&study, &here());
    assert!(takes <= Duration::from_s(180), "{takes}");
}

#[test]
fn evaluate_measures_fifo_and_other_without_and_with_loads() {
    let study = find("evaluate").unwrap();
    let cells = matrix::cells(&study, &here());
    let ids: Vec<&str> = cells.iter().map(|cell| cell.id.as_str()).collect();
    let loaded = ["here.loaded.fifo", "here.loaded.rr", "here.loaded.deadline", "here.loaded.other"];
    assert_eq!(ids[..2], ["here.idle.fifo", "here.idle.other"]);
    assert_eq!(ids[2..], loaded);
    for cell in &cells {
        let CellSource::Measure { plans, .. } = &cell.source else { panic!("{cell:?}") };
        let plan = &plans[0];
        assert!(plan.threads.iter().all(|thread| thread.period == Duration::from_ms(1)));
        assert!(plan.looks_for.is_none_or(|latency| Duration::from_ms(1) <= latency.checked_mul(2).unwrap()));
        assert_eq!(plan.loads.is_empty(), cell.id.contains("idle"));
        assert!(!matches!(plan.policy, Policy::Fifo { priority } if priority >= 99));
    }
}

#[test]
fn evaluate_ends_with_its_claims_on_a_machine_that_behaves() {
    let study = find("evaluate").unwrap();
    let mut shelf = MemoryShelf::default();
    let mut engine = CellMeasurer::on(&shelf);
    let folder = tempfile::tempdir().unwrap();
    let mut runner = Runner::new(&study, &here(), folder.path(), &mut shelf).unwrap();
    let finished = runner.run(&mut engine, &mut |_| ()).unwrap();
    let outcome = |id: &str| finished.result.claims.iter().find(|claim| claim.id == id).unwrap().outcome;
    assert_eq!(outcome("real-time-policy-pays"), ClaimOutcome::Undecidable, "a thousand samples do not support 0.999");
    assert_eq!(outcome("timer-slack"), ClaimOutcome::Held);
    assert_eq!(outcome("deadline-no-worse"), ClaimOutcome::Held);
    assert_eq!(outcome("starts-are-worst"), ClaimOutcome::Undecidable);
    assert_eq!(outcome("a-millisecond-holds"), ClaimOutcome::Held);
}

#[test]
fn the_papers_on_32_bit_arm_have_both_platforms_and_each_published_figure_has_the_cell_that_repeats_it() {
    for (name, paper) in [("blaess-2014-armv7", "blaess-2014"), ("marsal-2013-armv7", "marsal-2013")] {
        let study = find(name).unwrap();
        let cells: Vec<String> = matrix::cells(&study, &here()).into_iter().map(|cell| cell.id).collect();
        let on: Vec<String> = ["standard", "rt"]
            .map(|id| {
                let entry = study.platforms.iter().find(|entry| entry.id.get_ref() == id).unwrap();
                entry.guest().unwrap().name
            })
            .into();
        assert_eq!(on, ["armv7-standard", "armv7-rt"], "{name}");
        assert!(!study.stated.is_empty());
        for stated in &study.stated {
            let repeated_by = &stated.repeated_by.as_ref().unwrap().id;
            assert!(cells.contains(repeated_by), "{name}: {repeated_by} in {cells:?}");
            assert!(stated.row(prazo_run::run::Quantity::ResponseLatency).is_some(), "{name}");
        }
        // Both kernels are measured with and without load, so that the papers' orders can be judged in both.
        for kernel in ["standard", "rt"] {
            for load in ["idle", "loaded"] {
                assert!(cells.iter().any(|cell| cell.starts_with(&format!("{kernel}.{load}."))), "{name}: {cells:?}");
            }
        }
        // The paper's study names this one.
        let cites: Vec<String> = find(paper).unwrap().head.cites.iter().map(|one| one.get_ref().clone()).collect();
        assert!(cites.iter().any(|cited| cited == name), "{paper}: {cites:?}");
    }
}

#[test]
fn the_papers_on_32_bit_arm_are_judged_by_what_is_measured() {
    // The engine without a machine serves real-time threads alike on both kernels, and ordinary ones later.
    let held = [
        ("blaess-2014-armv7", ["rt-better-than-standard", "other-is-not-real-time"]),
        ("marsal-2013-armv7", ["rt-worst-is-least", "real-time-policy-pays-standard"]),
    ];
    for (name, held) in held {
        let study = find(name).unwrap();
        let mut shelf = MemoryShelf::default();
        let mut engine = CellMeasurer::on(&shelf);
        let folder = tempfile::tempdir().unwrap();
        let mut runner = Runner::new(&study, &here(), folder.path(), &mut shelf).unwrap();
        let finished = runner.run(&mut engine, &mut |_| ()).unwrap();
        let outcome = |id: &str| finished.result.claims.iter().find(|claim| claim.id == id).unwrap().outcome;
        assert_eq!(held.map(outcome), [ClaimOutcome::Held; 2], "{name}");
        let open = finished.result.claims.iter().filter(|claim| claim.outcome == ClaimOutcome::Undecidable).count();
        assert_eq!(open, 2, "{name}: what no guest can show");
        let beside = finished.result.stated_and_measured();
        assert_eq!(beside.len(), study.stated.len(), "{name}: each published figure has ours next to it");
        assert!(beside.iter().all(|row| row.ours.max_ns.is_some() && row.theirs.max_ns.is_some()), "{name}");
    }
}
