//! `prazo sched simulate`: what it prints, what it draws, and that the same seed gives the same bytes.

mod support;

use serde_json::{Value, json};
use support::Desk;

const DHALL: &str = "processors = 2\nname = \"dhall\"\n\
    [task.light-1]\ncost = \"2ms\"\nperiod = \"10ms\"\n\
    [task.light-2]\ncost = \"2ms\"\nperiod = \"10ms\"\n\
    [task.heavy]\ncost = \"10ms\"\nperiod = \"11ms\"\n";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("dhall.toml", DHALL);
    desk
}

fn read(desk: &Desk, name: &str) -> String {
    std::fs::read_to_string(desk.path(name)).expect("the file was written")
}

#[test]
fn global_edf_misses_where_partitioned_edf_does_not() {
    let desk = desk();
    let global = desk.prazo("sched simulate dhall.toml --shape global --json").expect_code(1).json();
    assert_eq!((&global["first_miss_ns"], &global["max_tardiness_ns"]), (&json!(11_000_000), &json!(1_000_000)));
    assert_eq!((&global["misses"], &global["missed"][0]["task"]), (&json!(1), &json!("heavy")));
    assert_eq!(global["tasks"][2]["response_time"]["max_ns"], json!(12_000_000));
    let kinds: Vec<&str> =
        global["missed"][0]["around"].as_array().unwrap().iter().map(|e| e["event"].as_str().unwrap()).collect();
    assert_eq!((kinds.first(), kinds.last(), kinds.contains(&"miss")), (Some(&"arrival"), Some(&"completion"), true));
    let partitioned = desk.prazo("sched simulate dhall.toml --shape partitioned --json").expect_code(0).json();
    assert_eq!((&partitioned["misses"], &partitioned["repeats"]["period_ns"]), (&json!(0), &json!(110_000_000)));
    assert!(partitioned["proof"].as_str().unwrap().contains("never miss"));
}

#[test]
fn late_jobs_are_aborted_or_cost_the_next_one_its_turn() {
    let desk = desk();
    let late = |how: &str| {
        let words = format!(
            "sched simulate dhall.toml --shape global -D 100ms --late {how} --json --csv {how}.csv --gantt {how}.svg"
        );
        desk.prazo(&words).expect_code(1).json()
    };
    let (aborted, skipped) = (late("abort"), late("skip-next"));
    assert_eq!((&aborted["aborted"], &aborted["skipped"]), (&aborted["misses"], &json!(0)));
    assert_eq!((&skipped["aborted"], &skipped["skipped"]), (&json!(0), &skipped["misses"]));
    assert!(read(&desk, "abort.csv").contains("11000000,abortion,heavy,0,\n"));
    assert!(read(&desk, "skip-next.csv").contains(",skip,heavy,1,\n"));
}

#[test]
fn a_batch_answers_each_record_in_its_order() {
    let desk = desk();
    desk.write(
        "sets.jsonl",
        "{\"id\":\"dhall\",\"m\":2,\"t\":[[2,10],[2,10],[10,11]],\"horizon_us\":100}\n\
         {\"id\":2,\"t\":[[1,2],[1,2]],\"horizon_us\":8}\n{\"id\":3,\"t\":[]}\n",
    );
    let output = desk.prazo("sched simulate --batch sets.jsonl").expect_code(0).stdout;
    let lines: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (&lines[0]["id"], &lines[0]["first_miss_us"], &lines[0]["max_tardiness_us"]),
        (&json!("dhall"), &json!(11.0), &json!(1.0))
    );
    // Eight releases, dispatches and completions, but what would begin at the horizon.
    assert_eq!((&lines[1]["first_miss_us"], &lines[1]["events"]), (&Value::Null, &json!(24)));
    assert!(lines[2]["error"].as_str().unwrap().contains("name at least one") && lines[2]["events"].is_null());
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let desk = desk();
    let words = |seed: u32, to: &str| {
        format!(
            "sched simulate dhall.toml -D 1s --arrivals sporadic=0.5 --execution uniform=0.5 --seed {seed} --json --csv {to}.csv --trace {to}.json --gantt {to}.svg"
        )
    };
    let run = |seed, to| {
        (desk.prazo(&words(seed, to)).stdout, ["csv", "json", "svg"].map(|end| read(&desk, &format!("{to}.{end}"))))
    };
    let (one, again, other) = (run(7, "a"), run(7, "b"), run(8, "c"));
    assert_eq!(one, again);
    assert_ne!(one.1[0], other.1[0]);
    assert!(serde_json::from_str::<Value>(&one.1[1]).unwrap()["traceEvents"].as_array().unwrap().len() > 100);
}

#[test]
fn a_chart_shows_lanes_arrows_and_the_miss() {
    let desk = desk();
    desk.prazo("sched simulate dhall.toml --shape global --gantt a.html").expect_code(1);
    let page = read(&desk, "a.html");
    for part in ["CPU 1", "heavy", "class=\"late-bar\"", "class=\"missed\"", "deadline missed", "22 ms"] {
        assert!(page.contains(part), "{part}");
    }
    let refused = desk.prazo("sched simulate dhall.toml --gantt a.txt").expect_code(2);
    assert!(refused.stderr.contains("name it .svg or .html"));
}

#[test]
fn what_cannot_be_simulated_is_refused_with_a_remedy() {
    let desk = desk();
    for (words, said) in [
        ("sched simulate dhall.toml -D 0s", "--horizon"),
        ("sched simulate dhall.toml -m 70 --shape global", "1 to 64 processors"),
        ("sched simulate dhall.toml --arrivals sometimes", "write periodic"),
        ("sched simulate dhall.toml --policy rr --quantum 0ms", "quantum"),
        ("sched simulate", "FILE"),
    ] {
        let refused = desk.prazo(words).expect_code(2);
        assert!(refused.stderr.contains(said), "{words}: {}", refused.stderr);
    }
}
