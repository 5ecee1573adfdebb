//! What readiness finds on a laptop is put right and taken back.

mod common;

use common::Fixture;
use prazo_platform::Root;
use prazo_platform::readiness::{Change, CheckOutcome, Scenario, check};
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

fn change(knob: &str, to: &str) -> Change {
    Change { check: "a test".into(), knob: knob.into(), from: "1".into(), to: to.into(), risk: None }
}

#[test]
fn a_setting_that_cannot_be_read_is_told_and_left_alone() {
    let (denied, folder) = ("/proc/sys/kernel/timer_migration", "/proc/sys/vm/stat_interval");
    let (tree, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::create_dir_all(tree.path().join("proc/sys/kernel")).unwrap();
    std::fs::create_dir_all(tree.path().join(&folder[1..])).unwrap();
    std::fs::write(tree.path().join(&denied[1..]), "1\n").unwrap();
    std::fs::write(tree.path().join(prazo_platform::root::DENIED_LIST), denied).unwrap();
    let journal = Journal::open_in(&state.path().join("state"), &Root::at(tree.path())).unwrap();
    let applied = tune::apply(&[change(denied, "0"), change(folder, "10")], &journal).unwrap();
    let problems: Vec<_> = applied.iter().map(|one| one.problem.as_deref()).collect();
    let of_denied = format!("cannot set {denied} to '0': {denied}: permission denied");
    let of_folder = format!("cannot set {folder} to '10': {folder}: is not a regular file");
    assert_eq!(problems, [Some(of_denied.as_str()), Some(of_folder.as_str())]);
    assert!(applied.iter().all(|one| one.record.is_none()), "{applied:?}");
    assert_eq!(journal.entries().unwrap(), []);
    assert_eq!(std::fs::read_to_string(tree.path().join(&denied[1..])).unwrap(), "1\n");
}

/// Files of this process and of the kernel's version: nothing else on the machine is touched.
#[test]
fn what_the_kernel_refuses_is_told_with_its_reason() {
    let state = tempfile::tempdir().unwrap();
    let journal = Journal::open_in(&state.path().join("state"), &Root::system()).unwrap();
    let (nonsense, readonly) = ("/proc/self/oom_score_adj", "/proc/version");
    let applied = tune::apply(&[change(nonsense, "many"), change(readonly, "1")], &journal).unwrap();
    let problem = |index: usize| applied[index].problem.as_deref().unwrap();
    assert!(
        problem(0).starts_with(&format!("cannot set {nonsense} to 'many': {nonsense}: Invalid argument")),
        "{applied:?}"
    );
    assert!(problem(1).starts_with(&format!("cannot set {readonly} to '1': {readonly}: ")), "{applied:?}");
    assert!(applied.iter().all(|one| one.record.is_none()), "{applied:?}");
    assert_eq!(journal.entries().unwrap(), []);
}
