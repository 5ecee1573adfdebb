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
    let output = desk.prazo("sched simulate --batch sets.jsonl").expect_code(2).stdout;
    let lines: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (&lines[0]["id"], &lines[0]["first_miss_us"], &lines[0]["max_tardiness_us"]),
        (&json!("dhall"), &json!(11.0), &json!(1.0))
    );
    // Eight releases, dispatches and completions, but what would begin at the horizon.
    assert_eq!((&lines[1]["first_miss_us"], &lines[1]["events"]), (&Value::Null, &json!(24)));
    assert!(lines[2]["error"].as_str().unwrap().contains("give at least one task") && lines[2]["events"].is_null());
}

/// Sets of very different length, so that later ones overtake earlier ones; the bad lines keep their place.
#[test]
fn a_batch_is_the_same_bytes_on_one_processor_and_on_all() {
    let desk = desk();
    let line = |number: u64| match number % 10 {
        3 => format!("{{\"id\":{number},\"t\":[[1,0]]}}\n"),
        7 => "not a record\n".to_owned(),
        _ => format!(
            "{{\"id\":{number},\"m\":2,\"t\":[[2,10],[3,{}]],\"horizon_us\":{}}}\n",
            11 + number,
            10 + 40_000 / (number + 1)
        ),
    };
    desk.write("sets.jsonl", (0..200).map(line).collect::<String>());
    let all = desk.prazo("sched simulate --batch sets.jsonl").expect_code(2).stdout;
    let one = std::process::Command::new("taskset")
        .args(["-c", &first_processor(), env!("CARGO_BIN_EXE_prazo"), "sched", "simulate", "--batch", "sets.jsonl"])
        .current_dir(desk.path("."))
        .output()
        .expect("taskset runs");
    assert_eq!(String::from_utf8(one.stdout).unwrap(), all);
    let lines: Vec<Value> = all.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (lines.len(), &lines[42]["id"], &lines[3]["id"], &lines[7]["id"]),
        (200, &json!(42), &json!(3), &Value::Null)
    );
    assert!(lines[3]["error"].is_string() && lines[7]["error"].is_string() && lines[8]["error"].is_null());
}

/// The lowest processor that this process may use.
fn first_processor() -> String {
    let status = std::fs::read_to_string("/proc/self/status").expect("the status of this process");
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("a list of processors");
    list.trim().chars().take_while(char::is_ascii_digit).collect()
}

/// The set of ours in which a served task takes more than it promised, and the same without its server.
fn overrun(desk: &Desk) {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/overrun-server.toml");
    let text = std::fs::read_to_string(file).expect("a scenario");
    let alone: Vec<&str> = text.lines().filter(|line| !line.starts_with("server_")).collect();
    desk.write("served.toml", &text);
    desk.write("alone.toml", alone.join("\n"));
}

#[test]
fn a_server_keeps_an_overrun_to_its_own_task() {
    let desk = desk();
    overrun(&desk);
    let misses =
        |document: &Value| [0, 1, 2].map(|task: usize| document["tasks"][task]["misses"].as_u64().unwrap() > 0);
    let served =
        desk.prazo("sched simulate served.toml -D 2s --json --gantt a.svg --trace a.json --csv a.csv").expect_code(1);
    let alone = desk.prazo("sched simulate alone.toml -D 2s --json").expect_code(1).json();
    assert_eq!((misses(&served.json()), misses(&alone)), ([false, false, true], [true, true, true]));
    assert!(served.json()["postponements"].as_u64() > Some(100) && alone["postponements"] == json!(0));
    assert!(read(&desk, "a.svg").contains("budget used up at 9 ms: deadline postponed to 32 ms"));
    assert!(read(&desk, "a.csv").contains("9000000,budget_exhaustion,video,0,\n9000000,replenishment,video,0,\n"));
    assert!(read(&desk, "a.json").contains("\"absolute_deadline_us\":32000.0"));
}

#[test]
fn servers_need_deadlines_to_rank_by() {
    let desk = desk();
    overrun(&desk);
    let refused = desk.prazo("sched simulate served.toml --policy rm").expect_code(2);
    assert!(refused.stderr.contains("earliest deadline first"), "{}", refused.stderr);
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
    assert!(refused.stderr.contains("name a file that ends with .svg or .html"));
}

#[test]
fn a_part_of_the_schedule_is_shown_by_a_chart_or_by_a_report() {
    let desk = desk();
    desk.prazo("sched simulate dhall.toml --shape global --from 5ms --span 10ms --report a.html --gantt a.svg")
        .expect_code(1);
    assert!(read(&desk, "a.html").contains("Schedule from 5 ms to 15 ms") && desk.path("a.svg").exists());
    let refused = desk.prazo("sched simulate dhall.toml --from 5ms").expect_code(2);
    assert!(refused.stderr.contains("--gantt") && refused.stderr.contains("--report"), "{}", refused.stderr);
}

#[test]
fn a_chart_that_would_be_empty_is_refused() {
    let desk = desk();
    for (window, said) in [
        ("--from 1h", "--from 3600s: the schedule ends at 110ms, so the chart would be empty; give an earlier start"),
        ("--from 110ms", "--from 110ms: the schedule ends at 110ms"),
        ("--span 0s", "--span 0: a chart without duration is empty"),
    ] {
        let refused =
            desk.prazo(&format!("sched simulate dhall.toml --shape global --gantt a.svg {window}")).expect_code(2);
        assert!(refused.stderr.contains(said) && !desk.path("a.svg").exists(), "{window}: {}", refused.stderr);
    }
    desk.prazo("sched simulate dhall.toml --shape global --gantt a.svg --from 109ms").expect_code(1);
    assert!(desk.path("a.svg").exists());
}

#[test]
fn what_cannot_be_simulated_is_refused_with_a_remedy() {
    let desk = desk();
    for (words, said) in [
        ("sched simulate nowhere.toml", "nowhere.toml"),
        ("sched simulate --batch nowhere.jsonl", "nowhere.jsonl"),
        ("sched simulate dhall.toml --shape round", "round"),
        ("sched simulate dhall.toml -D 0s", "--duration"),
        ("sched simulate dhall.toml -D 3000000000s", "73 years"),
        ("sched simulate dhall.toml -m 70 --shape global", "1 to 64 processors"),
        ("sched simulate dhall.toml --arrivals sometimes", "write periodic"),
        ("sched simulate dhall.toml --execution overrun=0.5", "uniform=0.5"),
        ("sched simulate dhall.toml --policy rr --quantum 0ms", "quantum"),
        ("sched simulate", "FILE"),
    ] {
        let refused = desk.prazo(words).expect_code(2);
        assert!(refused.stderr.contains(said), "{words}: {}", refused.stderr);
    }
}
