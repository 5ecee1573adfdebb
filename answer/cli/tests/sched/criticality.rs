//! Two criticalities: the answer names the mode of each failed condition, each bound and each disproof, and so does a certificate.

use crate::support::Desk;
use serde_json::{Value, json};

/// Three tasks, `brake`, `display` and `control` by deadline; `display` alone is of low criticality.
fn set(display: &str, control: &str) -> String {
    format!(
        "processors = 1\npolicy = 'fixed-priority'\n\
         [task.brake]\ncriticality = 'high'\ncost = '2ms'\ncost_high = '2ms'\nperiod = '6ms'\n\
         [task.display]\ncost = '{display}'\nperiod = '7ms'\n\
         [task.control]\ncriticality = 'high'\ncost = '1ms'\ncost_high = '{control}'\nperiod = '12ms'\ndeadline = '8ms'\n"
    )
}

/// The bounds of each mode in milliseconds: the task, in low mode, in both modes.
fn bounds(document: &Value) -> Vec<(u64, Value, Value)> {
    let tick = document["ns_per_tick"].as_u64().unwrap();
    let in_ms = |value: &Value| value.as_u64().map_or(Value::Null, |ticks| json!(ticks * tick / 1_000_000));
    let row = |row: &Value| (row["task"].as_u64().unwrap(), in_ms(&row["low"]), in_ms(&row["high"]));
    document["response_by_mode"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn a_miss_in_high_mode_is_disproven_and_text_json_page_and_certificate_name_the_mode() {
    let desk = Desk::new();
    desk.write("set.toml", set("1ms", "5ms"));
    let answer = desk.prazo("sched test set.toml --json --certificate set.cert").expect_code(1);
    let document = &answer.json()[0];
    assert_eq!((&document["verdict"], &document["decided_by"]), (&json!("disproven"), &json!("response time")));
    let [amc, decisive] = [0, 1].map(|test| &document["tests"][test]);
    assert_eq!(
        (&amc["name"], &amc["reason"], &amc["mode"]),
        (&json!("AMC-rtb"), &json!("does-not-hold"), &json!("high"))
    );
    assert_eq!((&decisive["mode"], &decisive["missed"]["task"]), (&json!("high"), &json!(2)));
    let expected = [(0, json!(2), json!(2)), (1, json!(3), Value::Null), (2, json!(4), Value::Null)];
    assert_eq!(bounds(document), expected);
    let text = desk.prazo("sched test set.toml --report set.html").expect_code(1).stdout;
    for part in [
        "DISPROVEN in high mode: some job of high criticality misses its deadline under fixed priorities",
        "in high mode, if each job of high criticality runs for its cost_high and no other job arrives: job 0 of 'control'",
        "when all tasks of high criticality arrive at 0",
        "does not hold at 'control' in high mode",
        "Response times in each mode",
        "in both modes",
    ] {
        assert!(joined(&text).contains(part), "{part}: {text}");
    }
    let page = std::fs::read_to_string(desk.path("set.html")).unwrap();
    assert!(page.contains("Response times in each mode") && page.contains("in high mode, if each job"));
    let verified = desk.prazo("sched verify set.cert --against set.toml --json").expect_code(0).json();
    assert_eq!((&verified["verdict"], &verified["mode"]), (&json!("disproven"), &json!("high")));
    let text = desk.prazo("sched verify set.cert --against set.toml").expect_code(0).stdout;
    assert!(text.contains("disproven in high mode: "), "{text}");
    desk.write("other.toml", set("1ms", "6ms"));
    desk.prazo("sched verify set.cert --against other.toml").expect_code(1);
}

#[test]
fn a_demand_in_low_mode_disproves_under_edf_too() {
    let desk = Desk::new();
    desk.write("set.toml", set("5ms", "5ms"));
    for (policy, under) in [("edf", "EDF"), ("dm", "fixed priorities")] {
        let asked = format!("sched test set.toml --policy {policy}");
        let document = desk.prazo(&format!("{asked} --json")).expect_code(1).json();
        let tests = document[0]["tests"].as_array().unwrap();
        let last = tests.last().unwrap();
        assert_eq!(
            (&last["name"], &last["mode"], &last["verdict"]),
            (&json!("demand"), &json!("low"), &json!("disproven"))
        );
        let text = desk.prazo(&asked).expect_code(1).stdout;
        let headline = format!("DISPROVEN in low mode: some job misses its deadline under {under}");
        assert!(joined(&text).contains(&headline), "{text}");
        let why =
            "in low mode, if each job runs for its cost: the long-run demand exceeds the capacity of the processors";
        assert!(joined(&text).contains(why), "{text}");
    }
}

#[test]
fn what_only_a_change_of_mode_may_break_is_unknown_and_what_is_proven_has_all_bounds() {
    let desk = Desk::new();
    desk.write("set.toml", set("1ms", "4ms"));
    let text = desk.prazo("sched test set.toml").expect_code(3).stdout;
    assert!(joined(&text).contains("does not hold at 'control' in high mode"), "{text}");
    desk.write("set.toml", set("1ms", "3ms"));
    let document = &desk.prazo("sched test set.toml --json").expect_code(0).json()[0];
    let expected = [(0, json!(2), json!(2)), (1, json!(3), Value::Null), (2, json!(4), json!(6))];
    assert_eq!((bounds(document).as_slice(), &document["tests"][0]["mode"]), (&expected[..], &Value::Null));
}

#[test]
fn activated_tasks_and_chains_say_that_mixed_criticality_is_in_the_way() {
    let desk = Desk::new();
    let chain = "[chain.steer]\ntasks = ['display', 'control']\n";
    desk.write("read.toml", format!("{}{chain}", set("1ms", "3ms")));
    let document = &desk.prazo("sched test read.toml --json").json()[0];
    let reason = document["chains"][0]["reaction"]["reason"].as_str().unwrap();
    assert_eq!(reason, "the tasks have two criticalities, and jobs may be dropped in high mode");
    // A task that a dropped job would activate need not arrive: with 12 ms, the utilization of 4/3 in high mode disproves nothing here.
    for cost_high in ["3ms", "12ms"] {
        let of_one_period = set("1ms", cost_high).replace("'7ms'", "'12ms'").replace("'8ms'", "'12ms'");
        desk.write("set.toml", format!("{of_one_period}{chain}activated = ['control']\n"));
        let text = joined(&desk.prazo("sched test set.toml").expect_code(3).stdout);
        assert!(text.contains("tasks that other tasks activate are not covered with mixed criticality"), "{text}");
        let remark = "'display' activates 'control', which is not covered with mixed criticality";
        assert!(text.contains(remark), "{text}");
        desk.write("alone.toml", of_one_period);
        desk.prazo("sched test alone.toml").expect_code(i32::from(cost_high == "12ms"));
    }
}

/// A text without its line breaks.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
