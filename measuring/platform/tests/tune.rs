//! What readiness finds on a laptop is put right and taken back.

mod common;

use common::Fixture;
use prazo_platform::readiness::{CheckOutcome, Scenario, check};
use prazo_platform::tunable::Journal;
use prazo_platform::tune;

const RT: &str = "1,3";

fn scenario() -> Scenario {
    Scenario { rt_cpus: Some(RT.parse().unwrap()), ..Scenario::default() }
}

#[test]
fn what_is_applied_is_effective_and_what_is_undone_is_as_before() {
    let (laptop, state) = (Fixture::build("laptop"), tempfile::tempdir().unwrap());
    let root = laptop.root();
    let journal = Journal::open_in(&state.path().join("state"), &root).unwrap();
    let before = check(&root, &scenario());
    let plan = tune::plan(&before);
    assert!(plan.len() > 10, "{plan:?}");
    let old: Vec<String> = plan.iter().map(|change| root.read(&change.knob).unwrap()).collect();

    let applied = tune::apply(&plan, &journal).unwrap();
    assert!(applied.iter().all(|one| one.problem.is_none()), "{applied:?}");
    let after = check(&root, &scenario());
    for change in &plan {
        let result = after.iter().find(|result| result.id == change.check).unwrap();
        assert!(
            matches!(result.outcome, CheckOutcome::Ok | CheckOutcome::NotApplicable),
            "{}: {}",
            result.id,
            result.found
        );
    }
    assert_eq!(tune::plan(&after), [], "nothing is left to do");

    let undone = tune::undo(&journal).unwrap();
    assert!(undone.len() == plan.len() && undone.iter().all(|one| one.is_restored()), "{undone:?}");
    let new: Vec<String> = plan.iter().map(|change| root.read(&change.knob).unwrap()).collect();
    for (change, (old, new)) in plan.iter().zip(old.iter().zip(&new)) {
        assert!(prazo_platform::tunable::same_value(&change.knob, old, new), "{}: {old}, {new}", change.knob);
    }
}

#[test]
fn a_risky_change_is_made_only_when_it_is_asked_for_by_name() {
    let results = check(&Fixture::build("laptop").root(), &scenario());
    let is_throttling = |change: &prazo_platform::readiness::Change| change.check == "rt-throttling";
    assert!(!tune::plan(&results).iter().any(is_throttling));
    let requested = tune::plan_with(&results, &["rt-throttling"]);
    let change = requested.iter().find(|change| is_throttling(change)).unwrap();
    assert_eq!((change.to.as_str(), change.risk.is_some()), ("-1", true));
}

#[test]
fn a_refused_change_is_told_and_the_others_are_made() {
    let (laptop, state) = (Fixture::build("laptop"), tempfile::tempdir().unwrap());
    let root = laptop.root();
    let journal = Journal::open_in(&state.path().join("state"), &root).unwrap();
    let mut plan = tune::plan(&check(&root, &scenario()));
    plan.truncate(2);
    plan[0].knob = "/proc/sys/none".into();
    let mut outside = plan[1].clone();
    outside.knob = "/etc/passwd".into();
    plan.push(outside);
    let applied = tune::apply(&plan, &journal).unwrap();
    assert!(applied[0].problem.as_ref().unwrap().contains("/proc/sys/none does not exist"));
    assert!(applied[1].record.as_ref().unwrap().took_effect());
    assert_eq!(applied[2].problem.as_deref(), Some("/etc/passwd is not a setting that prazo changes"));
    assert_eq!(journal.entries().unwrap().len(), 1);
}
