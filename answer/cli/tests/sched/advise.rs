//! What would make a set fit, and the arrivals of a disproof: both are files that the other commands take.

use crate::support::Desk;
use crate::{checkout, list};

#[test]
fn every_advice_is_a_scenario_that_is_proven_with_a_certificate_that_holds() {
    let desk = Desk::new();
    let set = checkout("scenarios/dhall-effect.toml");
    let answer = desk.prazo(&format!("sched advise {} --shape global -o advice --json", set.display())).expect_code(0);
    let advised = answer.json();
    assert_eq!(advised["verdict"], "disproven");
    let changes = list(&advised["changes"]);
    let kinds: Vec<&str> = changes.iter().map(|change| change["kind"].as_str().unwrap()).collect();
    for kind in ["scheduler", "costs", "processors"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    for change in changes {
        let (file, certificate) = (change["file"].as_str().unwrap(), change["certificate"].as_str());
        desk.prazo(&format!("sched test {file}")).expect_code(0);
        let certificate = certificate.unwrap_or_else(|| panic!("no certificate of {change}"));
        desk.prazo(&format!("sched verify {certificate} --against {file}")).expect_code(0);
    }
    // What fits needs no advice.
    let fits = desk.prazo(&format!("sched advise {}", changes[0]["file"].as_str().unwrap())).expect_code(0);
    assert!(fits.stdout.contains("proven as it is"), "{}", fits.stdout);
}

#[test]
fn an_order_of_priorities_is_found_where_the_usual_one_fails() {
    let desk = Desk::new();
    // Under deadline-monotonic priorities the last task waits for both others and misses.
    desk.write("set.toml", "unit = \"none\"\nprocessors = 2\npolicy = \"fixed-priority\"\npriorities = \"deadline-monotonic\"\ntask = [\n  { name = \"a\", cost = 2, period = 10 },\n  { name = \"b\", cost = 2, period = 10 },\n  { name = \"c\", cost = 10, period = 11 },\n]\n");
    let answer = desk.prazo("sched advise set.toml --tolerance 0").expect_code(0);
    assert!(answer.stdout.contains("most urgent first: 'c'"), "{}", answer.stdout);
}

#[test]
fn what_no_change_serves_ends_with_status_3() {
    let desk = Desk::new();
    // A task with release jitter up to its deadline cannot meet it, whatever else changes.
    desk.write("set.toml", "unit = \"none\"\nprocessors = 1\npolicy = \"edf\"\ntask = [{ name = \"a\", cost = 1, period = 10, deadline = 3, jitter = 3 }]\n");
    let advised = desk.prazo("sched advise set.toml --json").expect_code(3).json();
    assert!(list(&advised["changes"]).is_empty());
    assert!(!list(&advised["in_vain"]).is_empty());
}

#[test]
fn the_arrivals_of_a_disproof_are_a_set_that_the_simulator_shows_to_miss() {
    let desk = Desk::new();
    let set = checkout("scenarios/between-ticks.toml");
    let tested = desk.prazo(&format!("sched test {} --pattern late.toml --json", set.display())).expect_code(1).json();
    let pattern = &list(&tested[0]["tests"]).last().unwrap()["pattern"];
    assert_eq!(pattern["parts"], 2, "{pattern}");
    assert_eq!(pattern["late"]["task"], 3);
    let simulated = desk.prazo("sched simulate late.toml").expect_code(1);
    assert!(simulated.stdout.contains("d-0"), "{}", simulated.stdout);
}
