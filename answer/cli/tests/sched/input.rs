//! Input that cannot be right: every message names the file, the field and what to do, and nothing is printed beside it.

use crate::support::{Answer, Desk, PRAZO};
use crate::{batch, checkout, lines, record};
use serde_json::{Value, json};
use std::process::Stdio;

/// Content that is no task set, in a file of this name, and the words that its message must hold.
const NO_SETS: [(&str, &[u8], &[&str]); 17] = [
    ("broken.toml", b"task = [", &["broken.toml:1", "correct the TOML"]),
    (
        "zero-cost.toml",
        b"[task.a]\ncost = \"0ms\"\nperiod = \"4ms\"\n",
        &["zero-cost.toml:2", "cost of task 'a'", "zero"],
    ),
    (
        "zero-period.toml",
        b"[task.a]\ncost = \"1ms\"\nperiod = \"0ms\"\n",
        &["zero-period.toml:3", "period of task 'a'"],
    ),
    ("typo.toml", b"[task.a]\ncsot = \"1ms\"\nperiod = \"4ms\"\n", &["typo.toml:2", "csot", "did you mean 'cost'"]),
    (
        "key.toml",
        b"procesors = 2\n[task.a]\ncost = \"1ms\"\nperiod = \"4ms\"\n",
        &["key.toml:1", "did you mean 'processors'"],
    ),
    ("no-period.toml", b"[task.a]\ncost = \"1ms\"\n", &["no-period.toml", "task 'a'", "period"]),
    ("no-cost.toml", b"[task.a]\nperiod = \"1ms\"\n", &["no-cost.toml", "task 'a'", "cost"]),
    ("no-unit.toml", b"[task.a]\ncost = 1\nperiod = \"4ms\"\n", &["no-unit.toml:2", "cost of task 'a'", "200us"]),
    ("no-task.toml", b"task = []\n", &["no-task.toml", "there is no task", "give at least one task"]),
    ("empty.toml", b"", &["empty.toml", "there is no task"]),
    ("empty.csv", b"", &["empty.csv", "there is no task"]),
    ("empty.json", b"{}", &["empty.json", "there is no task"]),
    (
        "huge.toml",
        b"unit=\"none\"\n[task.a]\ncost = 1\nperiod = 9223372036854775807\n",
        &["huge.toml:4", "2^48", "divide all times of the set by the same factor"],
    ),
    ("long.toml", b"[task.a]\ncost = \"1ms\"\nperiod = \"9999999999s\"\n", &["long.toml:3", "2^48", "coarser"]),
    (
        "none.toml",
        b"processors = 0\n[task.a]\ncost = \"1ms\"\nperiod = \"4ms\"\n",
        &["none.toml", "processors", "1 to 1024"],
    ),
    ("bytes.toml", b"\xff\xfe\x00", &["bytes.toml", "UTF-8"]),
    ("bytes.csv", b"name,cost\n\xff\xfe\x00", &["bytes.csv", "UTF-8"]),
];

#[test]
fn what_is_no_task_set_is_refused_by_name_with_a_remedy() {
    let desk = Desk::new();
    for (file, content, words) in NO_SETS {
        desk.write(file, content);
        for command in ["test", "test --json", "partition"] {
            desk.prazo(&format!("sched {command} {file}")).expect_code(2).expect_error(words);
        }
    }
}

#[test]
fn what_is_no_file_is_refused_by_name() {
    let desk = Desk::new();
    for command in ["test", "partition", "verify"] {
        desk.prazo(&format!("sched {command} absent")).expect_code(2).expect_error(&["absent", "name a"]);
        desk.prazo(&format!("sched {command} .")).expect_code(2).expect_error(&[".: ", "directory", "name a"]);
    }
    desk.prazo("sched test --batch absent").expect_code(2).expect_error(&["--batch absent", "JSON Lines"]);
}

/// Each record says these itself.
#[test]
fn a_batch_refuses_what_only_its_records_decide() {
    let desk = Desk::new();
    desk.write("sets.jsonl", batch(&[record("one", 1, &[[1, 4, 4]])]));
    for flags in ["--shape global", "-m 2", "--priorities rm", "--overheads none"] {
        for command in ["test", "simulate"] {
            let words = format!("sched {command} --batch sets.jsonl {flags}");
            desk.prazo(&words).expect_code(2).expect_error(&["--batch", "cannot be used with"]);
        }
    }
    desk.prazo("sched test --batch sets.jsonl --policy rm").expect_code(2).expect_error(&["--policy"]);
    desk.prazo("sched simulate --batch sets.jsonl --policy rm").expect_code(0);
}

/// A CSV of so many tasks.
fn tasks(count: usize) -> String {
    let rows: String = (0..count).map(|number| format!("t{number},1us,4s\n")).collect();
    format!("name,cost,period\n{rows}")
}

#[test]
fn sets_of_65536_tasks_are_answered_and_of_one_more_refused() {
    let desk = Desk::new();
    desk.write("most.csv", tasks(65_536));
    desk.write("more.csv", tasks(65_537));
    desk.prazo("sched test most.csv").expect_code(0);
    desk.prazo("sched test more.csv").expect_code(2).expect_error(&["more.csv", "65537", "at most 65536"]);
}

/// About a set that is in order.
fn asked(flags: &str) -> Answer {
    let file = checkout("scenarios/dhall-effect.toml");
    Desk::new().prazo(&format!("sched test {} {flags}", file.display()))
}

#[test]
fn flags_that_make_no_sense_are_refused_by_name() {
    for shape in ["0", "0x2", "2x0", "2,,2", "a,b", "99999", "4294967296x1", "cache=x", "partitioned,2"] {
        asked(&format!("--shape {shape}")).expect_code(2).expect_error(&["--shape", shape]);
    }
    for flags in ["-m 0", "-m 1025", "-m 4000000000", "-m 1025 --shape partitioned", "--shape 1024x1024"] {
        asked(flags).expect_code(2).expect_error(&["processors", "1024"]);
    }
    asked("-m -1").expect_code(2).expect_error(&["-1"]);
    asked("--tests nope").expect_code(2).expect_error(&["--tests", "nope", "FF-DBF"]);
    asked("--overheads absent").expect_code(2).expect_error(&["--overheads absent", "readable overheads table"]);
    asked("--priorities given").expect_code(2).expect_error(&["priority", "--priorities dm"]);
}

#[test]
fn one_certificate_is_of_one_set() {
    let file = checkout("scenarios/jitter.toml");
    let answer = asked(&format!("{} --certificate both.cert", file.display())).expect_code(2);
    answer.expect_error(&["--certificate", "a single file"]);
}

/// What a record is refused for, the field that its message must name, and the record.
fn wrong_records() -> Vec<(&'static str, String)> {
    let with = |field: &str, value: Value| {
        let mut record = json!({"id": "wrong", "m": 2, "t": [[1, 4], [2, 6]]});
        record[field] = value;
        record.to_string()
    };
    vec![
        ("JSON", "{\"id\": \"wrong\", \"m\": 2".into()),
        ("JSON", "no JSON at all".into()),
        ("JSON", "[]".into()),
        ("JSON", with("t", json!([[1]]))),
        ("JSON", with("t", json!([[1, 2, 3, 4, 5]]))),
        ("JSON", with("t", json!([[1.5, 2]]))),
        ("JSON", with("t", json!([[-1, 2]]))),
        ("2^48", with("t", json!([[1, u64::MAX]]))),
        ("C of task '0'", with("t", json!([[0, 2]]))),
        ("t: ", with("t", json!([]))),
        ("m: ", with("m", json!(0))),
        ("m: ", with("m", json!(1_025))),
        ("clusters", with("clusters", json!([2, 0]))),
        ("clusters", with("clusters", json!([2, 1]))),
        ("shape", with("shape", json!("round"))),
        ("policy", with("policy", json!("lottery"))),
        ("no test is named", with("tests", json!([]))),
        ("no test 'nope'", with("tests", json!(["nope"]))),
        ("id", with("id", json!({"a": 1}))),
    ]
}

#[test]
fn a_wrong_record_is_answered_in_its_place_and_the_others_as_ever() {
    let desk = Desk::new();
    let right = record("right", 2, &[[1, 4, 4], [2, 6, 6]]);
    for (word, wrong) in wrong_records() {
        desk.write("sets.jsonl", format!("{right}\n{wrong}\n\n{right}"));
        let answer = desk.prazo("sched test --batch sets.jsonl").expect_code(2);
        assert!(answer.stderr.contains("1 of 3 records refused"), "{}", answer.stderr);
        let answers = lines(&answer.stdout);
        assert_eq!(answers.len(), 3, "an empty line is no record");
        let error = answers[1]["error"].as_str().unwrap_or_else(|| panic!("{wrong} is no error"));
        assert!(error.contains(word) && error.contains("; "), "{wrong}: {error}");
        assert_eq!(answers[1]["verdict"], "error");
        assert_eq!(answers[0], answers[2]);
        assert_eq!((&answers[0]["verdict"], &answers[0]["error"]), (&json!("proven"), &Value::Null));
    }
}

#[test]
fn a_line_of_strange_bytes_is_answered_in_its_place() {
    let desk = Desk::new();
    let right = record("right", 1, &[[1, 4, 4]]).to_string();
    desk.write("sets.jsonl", [right.as_bytes(), b"\n\xff\xfe{\n", right.as_bytes()].concat());
    let answers = lines(&desk.prazo("sched test --batch sets.jsonl").expect_code(2).stdout);
    assert_eq!(answers.len(), 3);
    assert!(answers[1]["error"].as_str().unwrap().contains("UTF-8"), "{}", answers[1]);
    assert_eq!(answers[0], answers[2]);
}

/// The status says whether records were refused, and nothing about verdicts.
#[test]
fn a_batch_ends_with_2_if_a_record_was_refused_and_with_0_otherwise() {
    let desk = Desk::new();
    let (right, missing) =
        (record("right", 1, &[[1, 4, 4]]).to_string(), record("late", 1, &[[4, 4, 4], [4, 4, 4]]).to_string());
    let batches =
        [(format!("{right}\n{missing}\n"), 0), ("rubbish\n{}\n".to_owned(), 2), (format!("{right}\nrubbish\n"), 2)];
    for (batch, code) in batches {
        desk.write("sets.jsonl", &batch);
        for command in ["test", "simulate -D 1s"] {
            let answer = desk.prazo(&format!("sched {command} --batch sets.jsonl")).expect_code(code);
            assert_eq!(lines(&answer.stdout).len(), 2, "{command}: {batch}");
            assert_eq!(answer.stderr.contains("records refused"), code == 2, "{command}: {}", answer.stderr);
        }
    }
    desk.write("sets.jsonl", "rubbish\n{}\n");
    let answer = desk.prazo("sched run --batch sets.jsonl -D 100ms -o runs.prazo").expect_code(2);
    assert_eq!(lines(&answer.stdout).len(), 2, "{}", answer.stdout);
    assert!(!desk.path("runs.prazo").exists(), "a run of no set");
}

#[test]
fn an_empty_batch_has_no_answers() {
    let desk = Desk::new();
    for content in ["", "\n\n \n"] {
        desk.write("sets.jsonl", content);
        assert_eq!(desk.prazo("sched test --batch sets.jsonl").expect_code(0).stdout, "");
    }
}

#[test]
fn a_batch_can_come_through_a_pipe() {
    let desk = Desk::new();
    let set = desk.write("sets.jsonl", batch(&[record("one", 1, &[[1, 4, 4]])]));
    let from_file = desk.prazo("sched test --batch sets.jsonl").expect_code(0).stdout;
    let mut piped = desk.command(PRAZO);
    piped.args(["sched", "test", "--batch", "-"]).stdin(Stdio::from(std::fs::File::open(set).unwrap()));
    assert_eq!(Answer::of(piped.output().unwrap()).expect_code(0).stdout, from_file);
}

#[test]
fn records_say_which_tests_shape_and_policy() {
    let desk = Desk::new();
    let tasks = json!([[1, 4], [2, 6], [1, 5]]);
    let records = [
        json!({"id": 1, "t": tasks, "clusters": [1, 2], "strange": {"key": []}}),
        json!({"id": "two", "m": 2, "t": tasks, "shape": "partitioned"}),
        json!({"m": 2, "t": tasks, "tests": ["bcl"], "policy": "edf"}),
        json!({"id": 4, "m": 2, "t": tasks, "policy": "fp"}),
    ];
    desk.write("sets.jsonl", batch(&records));
    let answers = lines(&desk.prazo("sched test --batch sets.jsonl").expect_code(0).stdout);
    let told = |row: usize, field: &str| answers[row][field].clone();
    assert_eq!([told(0, "shape"), told(1, "shape"), told(2, "shape")], ["clustered", "partitioned", "global"]);
    assert_eq!(
        (told(0, "clusters"), told(1, "clusters"), told(2, "clusters")),
        (json!([1, 2]), json!([1, 1]), json!([2]))
    );
    assert_eq!((told(0, "id"), told(1, "id"), told(2, "id")), (json!(1), json!("two"), Value::Null));
    assert_eq!(told(2, "tests")[0]["name"], "BCL");
    assert_eq!((told(2, "policy"), told(3, "policy")), (json!("edf"), json!("fp")));
}
