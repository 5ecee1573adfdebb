//! Busy loops that look for gaps: figures that add up, a run that every reader opens, and refusals that name the flag.

mod support;

use support::{Desk, caveats};

/// An ordinary loop on one processor, which needs no privilege and disturbs nobody.
const QUIET: &str = "measure noise -p other -c 0 --threshold 1us --warm-up 0s --plain --json";

#[test]
fn a_loop_leaves_a_run_that_reports_open() {
    let desk = Desk::new();
    let measured = desk.prazo(&format!("{QUIET} --runtime 100ms -D 500ms -o noise.prazo")).expect_code(0).json();
    let [loop_of_0] = &measured["noise"].as_array().unwrap()[..] else { panic!("{measured}") };
    assert_eq!((loop_of_0["cpu"].as_u64(), loop_of_0["gaps"].as_u64()), (Some(0), measured["served"].as_u64()));
    let ns = |name: &str| loop_of_0[name].as_u64().unwrap();
    assert!(ns("lost_ns") <= ns("observed_ns") && ns("observed_ns") > 0, "{loop_of_0}");
    let share = loop_of_0["share"].as_f64().unwrap();
    assert!((share * ns("observed_ns") as f64 - ns("lost_ns") as f64).abs() < 1_000.0, "{loop_of_0}");
    for figure in ["observed_ns", "gaps", "lost_ns", "share", "longest_ns"] {
        assert_eq!(measured["noise_total"][figure], loop_of_0[figure], "{figure} of the only processor is the total");
    }
    // Unknown is null with a reason; a counted 0 is a figure.
    assert_eq!(loop_of_0["smis"].is_null(), !measured["smis_unknown"].is_null());
    assert!(caveats(&measured).contains(&"not-real-time"));
    let report = desk.prazo("report noise.prazo --format text").expect_code(0).stdout;
    assert!(report.contains("Time lost to noise") && report.contains("busy loop for"), "{report}");
    assert!(report.contains("Time lost to each source of noise, all processors together"), "{report}");
    let page = desk.prazo("report noise.prazo -o noise.html").expect_code(0);
    assert_eq!(page.stderr.matches("panicked").count(), 0);
    let json = desk.prazo("report noise.prazo --format json").expect_code(0).json();
    assert_eq!(json["runs"][0]["noise"][0]["gaps"], loop_of_0["gaps"]);
    assert_eq!(json["runs"][0]["noise_total"], measured["noise_total"]);
    let again = desk.prazo("measure plan noise.prazo -c 0 --plain --json -o again.prazo").expect_code(0).json();
    assert_eq!(again["noise"].as_array().unwrap().len(), 1, "the plan is in the file");
}

#[test]
fn without_a_split_there_are_gaps_only() {
    let desk = Desk::new();
    let measured = desk.prazo(&format!("{QUIET} --no-split -D 200ms -o gaps.prazo")).expect_code(0).json();
    assert_eq!((measured["noise_by"].as_array().unwrap().len(), measured["parts"].as_array().unwrap().len()), (0, 0));
    assert!(!caveats(&measured).contains(&"not-split"), "nothing was asked for");
    assert_eq!(measured["noise"].as_array().unwrap().len(), 1);
}

#[test]
fn a_deadline_fails_at_a_longer_gap_and_never_passes() {
    let desk = Desk::new();
    let judged = |deadline: &str, code| {
        let words = format!(
            "{QUIET} --no-split --runtime 100ms -D 500ms --deadline {deadline} --kind hard -o {deadline}.prazo"
        );
        desk.prazo(&words).expect_code(code).json()["verdict"].clone()
    };
    // A busy processor has ticks, which are longer.
    let failed = judged("1001ns", 1);
    assert!(failed["sentence"].as_str().unwrap().contains("were longer than the deadline of"), "{failed}");
    let open = judged("1h", 3);
    let reasons = open["reasons"].as_array().unwrap();
    let only_noise = reasons.iter().find(|reason| reason["id"] == "only-noise").expect("it is a reason");
    assert!(only_noise["text"].as_str().unwrap().contains("noise is only a part of the response"), "{only_noise}");
}

#[test]
fn what_cannot_be_asked_for_is_a_usage_error_that_names_the_flag() {
    let desk = Desk::new();
    for (words, named) in [
        ("--threshold 0us", "--threshold"),
        ("--runtime 200ms", "--runtime"),
        ("--runtime 95ms", "--policy other"),
        ("--runtime 1us", "--runtime"),
        ("-p deadline", "--policy deadline"),
        ("-c 1023", "--cpus"),
        ("-D 0s", "--duration"),
    ] {
        desk.prazo(&format!("measure noise {words} --plain")).expect_code(2).expect_error(&[named]);
    }
}
