//! How much a question costs, in evaluated terms, and that an answer depends on nothing but the question.
//!
//! Terms, not seconds: the same on every machine, so that a limit here is about the analysis and never about the weather.

use crate::support::{Answer, Desk, PRAZO, possible};
use crate::{batch, lines, sched};
use prazo_testing::{Need, or_skip};
use serde_json::{Value, json};

/// Tasks with utilizations around `share` of a processor, drawn by a fixed rule.
fn tasks(count: u64, share: f64, seed: u64) -> Value {
    let mut random = seed;
    let mut draw = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let mut task = |_| {
        let period = 3_000 + draw(30_000);
        let cost = (period as f64 * share * (50 + draw(100)) as f64 / 100.0) as u64;
        json!([cost.max(1), period])
    };
    Value::from((0..count).map(&mut task).collect::<Vec<_>>())
}

/// 200 tasks on 16 processors, from light to more than there is.
fn large_sets() -> String {
    let set = |load: u64| json!({"id": load, "m": 16, "t": tasks(200, load as f64 / 200.0, load)});
    batch(&[4, 8, 12, 14, 15, 16, 17].map(set))
}

#[test]
fn two_hundred_tasks_on_sixteen_processors_cost_few_terms() {
    let desk = Desk::new();
    desk.write("sets.jsonl", large_sets());
    for flags in ["", "--all-tests"] {
        let answers = lines(&desk.prazo(&format!("sched test --batch sets.jsonl {flags}")).expect_code(0).stdout);
        for answer in &answers {
            let work = answer["work"].as_u64().unwrap();
            eprintln!("load {} {flags}: {} after {work} terms", answer["id"], answer["verdict"]);
            assert!(work < 2_000_000, "load {}: {work} terms", answer["id"]);
        }
    }
}

#[test]
fn a_budget_bounds_the_work_of_each_test() {
    let desk = Desk::new();
    desk.write("sets.jsonl", large_sets());
    for budget in [0, 1_000, 100_000] {
        let words = format!("sched test --batch sets.jsonl --all-tests --simulate 0 --budget {budget}");
        for answer in lines(&desk.prazo(&words).expect_code(0).stdout) {
            let tests = answer["tests"].as_array().unwrap().len() as u64;
            assert!(answer["work"].as_u64().unwrap() <= (tests + 1) * budget, "{budget}: {answer}");
        }
    }
}

/// What is proven with less is proven with more, and what is decided stays.
#[test]
fn a_larger_budget_changes_no_verdict_but_unknown() {
    let desk = Desk::new();
    desk.write("sets.jsonl", large_sets());
    let verdicts = |budget: u64| {
        let answer = desk.prazo(&format!("sched test --batch sets.jsonl --budget {budget}")).expect_code(0);
        lines(&answer.stdout).iter().map(|answer| answer["verdict"].clone()).collect::<Vec<_>>()
    };
    let (small, large) = (verdicts(500), verdicts(10_000_000));
    for (small, large) in small.iter().zip(&large) {
        assert!(small == "unknown" || small == large, "{small} became {large}");
    }
    assert_ne!(small, large, "500 terms decide everything");
}

#[test]
fn one_processor_and_all_give_the_same_bytes() {
    or_skip!(possible(Need::Program("taskset"), &["taskset", "-c", "0", "true"]));
    let desk = Desk::new();
    let small = (0..700).map(|seed| json!({"id": seed, "m": 2, "t": tasks(6, 0.3, seed)}));
    desk.write("sets.jsonl", batch(&small.collect::<Vec<_>>()) + &large_sets());
    // The budget bounds the search of all states, which would take minutes for so many small sets.
    let words = ["sched", "test", "--batch", "sets.jsonl", "--all-tests", "--budget", "20000"];
    let one = desk.command("taskset").args(["-c", "0", PRAZO]).args(words).output().unwrap();
    let all = desk.command(PRAZO).args(words).output().unwrap();
    let (one, all) = (Answer::of(one).expect_code(0).stdout, Answer::of(all).expect_code(0).stdout);
    assert_eq!(one.lines().count(), 707);
    assert!(one == all, "the answers depend on the processors");
}

#[test]
fn a_file_is_answered_alike_each_time() {
    let file = crate::checkout("scenarios/with-overheads.toml");
    let ask = || sched(&format!("test {} --all-tests --sensitivity --json", file.display())).expect_code(0).stdout;
    assert!(ask() == ask(), "the answer depends on more than the question");
}
