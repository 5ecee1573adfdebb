//! Arrivals that a set does not allow: those of activated tasks, and distances that are longer than it says.

use crate::list;
use crate::support::Desk;

/// Two processors; the end of 'a' activates 'b', which may then be released up to 2 after its arrival.
const ACTIVATED: &str = r#"unit = "none"
processors = 2
policy = "fixed-priority"
priorities = "given"
task = [
  { name = "a", cost = 2, period = 10, priority = 0 },
  { name = "b", cost = 3, period = 10, deadline = 4, priority = 1 },
]
chain = [{ name = "c", tasks = ["a", "b"], activated = ["b"] }]
"#;

#[test]
fn advice_knows_of_activated_tasks_what_a_test_does() {
    let desk = Desk::new();
    desk.write("set.toml", ACTIVATED);
    let tested = desk.prazo("sched test set.toml --json").expect_code(3).json();
    assert_eq!(tested[0]["verdict"], "unknown");
    let advised = desk.prazo("sched advise set.toml --json -o advice").json();
    assert_eq!(advised["verdict"], "unknown");
    for change in list(&advised["changes"]) {
        desk.prazo(&format!("sched test {}", change["file"].as_str().unwrap())).expect_code(0);
    }
}

#[test]
fn bursts_of_bounded_distance_are_not_disproven_by_arrivals_that_are_further_apart() {
    let desk = Desk::new();
    let set = |more: &str| {
        format!(
            "unit = \"none\"\nprocessors = 1\npolicy = \"edf\"\n\
             task = [{{ name = \"a\", cost = 5, deadline = 12, burst = 5, within = 50{more} }}]\n"
        )
    };
    desk.write("any.toml", set(""));
    desk.write("bounded.toml", set(", max_inter_arrival = 12"));
    assert_eq!(desk.prazo("sched test any.toml --json").expect_code(1).json()[0]["verdict"], "disproven");
    assert_eq!(desk.prazo("sched test bounded.toml --json").expect_code(3).json()[0]["verdict"], "unknown");
}

#[test]
fn a_certificate_of_the_set_without_activation_is_not_about_the_set_with_it() {
    let desk = Desk::new();
    desk.write("set.toml", ACTIVATED);
    desk.write("plain.toml", ACTIVATED.split("chain =").next().unwrap());
    desk.prazo("sched test plain.toml --certificate plain.cert").expect_code(0);
    desk.prazo("sched verify plain.cert --against plain.toml").expect_code(0);
    let verified = desk.prazo("sched verify plain.cert --against set.toml").expect_code(1);
    assert!(verified.stdout.contains("jitter of task 1"), "{}", verified.stdout);
}
