//! Split tasks from the flag to the certificate and the simulated pieces, and executors from their file to the verdict.

use crate::checkout;
use crate::support::Desk;

#[test]
fn a_split_set_has_a_certificate_and_pieces_that_the_simulator_plays() {
    let desk = Desk::new();
    let file = checkout("scenarios/three-two-thirds.toml").display().to_string();
    let asked = format!("sched test {file} --shape partitioned");
    desk.prazo(&asked).expect_code(1);
    let tested = desk.prazo(&format!("{asked} --split --json --certificate split.cert --pieces pieces.toml"));
    let document = &tested.expect_code(0).json()[0];
    assert_eq!((document["verdict"].as_str(), document["decided_by"].as_str()), (Some("proven"), Some("split")));
    assert_eq!(document["split"]["assignment"], serde_json::json!([0, 1, -1]));
    assert_eq!(document["split"]["pieces"][1]["offset"], 1);
    desk.prazo(&format!("sched verify split.cert --against {file}")).expect_code(0);
    desk.prazo("sched test pieces.toml").expect_code(0);
    desk.prazo("sched simulate pieces.toml --duration 1ms").expect_code(0);
    let text = desk.prazo(&format!("{asked} --split")).expect_code(0).stdout;
    assert!(text.contains("semi-partitioned EDF on 2 processors"), "{text}");
    desk.prazo(&format!("sched test {file} --shape global --split")).expect_code(2);
}

#[test]
fn executors_have_bounds_and_what_is_not_modelled_is_refused() {
    let desk = Desk::new();
    let file = checkout("scenarios/executors/move-base.toml");
    let asked = format!("sched executors {} --json", file.display());
    let document = desk.prazo(&asked).expect_code(0).json();
    assert_eq!(document["verdict"], "proven");
    assert_eq!(document["chains"][0]["callbacks"][2], "local_planner");
    let text = std::fs::read_to_string(&file).unwrap();
    desk.write("late.toml", text.replace("deadline = \"1500ms\"", "deadline = \"20ms\""));
    desk.prazo("sched executors late.toml").expect_code(1);
    desk.write("threads.toml", text.replace("[executor.local]", "[executor.local]\nkind = \"multi-threaded\""));
    let refused = desk.prazo("sched executors threads.toml").expect_code(2);
    assert!(refused.stderr.contains("the multi-threaded executor is not modelled"), "{}", refused.stderr);
}
