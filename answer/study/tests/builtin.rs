//! The studies that the program carries can be read, and `evaluate` keeps its promise of three minutes.

mod support;

use prazo_core::time::Duration;
use prazo_run::plan::Policy;
use prazo_study::builtin::{BUILTIN, find};
use prazo_study::{Runner, Way, matrix};
use prazo_verdict::claim::ClaimOutcome;
use support::{Engine, MemoryShelf, here};

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
        let Way::Measure { plans, .. } = &cell.way else { panic!("{cell:?}") };
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
    let mut engine = Engine::on(&shelf);
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
