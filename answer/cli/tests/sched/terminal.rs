//! What people read: never wider than the terminal, and with nothing in it that a terminal would act upon.

use crate::checkout;
use crate::scenarios::{SCHEDULERS, files, flags};
use crate::support::{Answer, Desk, PRAZO};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// Names that would clear a screen, run right to left, or take a line of their own.
const NAMES: [&str; 6] = [
    "\\u001B[2J\\u001B[31mred",
    "line\\nbreak\\ttab\\u0007",
    "a-name-that-is-far-longer-than-any-column-of-any-table-and-then-goes-on-for-a-while-without-a-single-space",
    "\u{6642}\u{9593}\u{306B}\u{9593}\u{306B}\u{5408}\u{3046}\u{4ED5}\u{4E8B}\u{306E}\u{540D}\u{524D}\u{6642}\u{9593}\u{306B}\u{9593}\u{306B}\u{5408}\u{3046}",
    "\u{1F980}\u{1F980}\u{200D}\u{1F980} e\u{301}\u{301}\u{301}",
    "\\u202Egnirahs\\u2066",
];

/// A set of so many tasks with these names; every cost in whole milliseconds of a period of 20.
fn named(names: &[&str], cost_ms: u32) -> String {
    names.iter().fold(
        "processors = 2\nname = \"\\u001B[1mbold\"\norigin = \"\\u001B]0;title\\u0007\"\n".into(),
        |mut text, name| {
            write!(text, "[task.\"{name}\"]\ncost = \"{cost_ms}ms\"\nperiod = \"20ms\"\n").unwrap();
            text
        },
    )
}

fn told(desk: &Desk, words: &str, columns: usize) -> String {
    let output =
        desk.command(PRAZO).args(words.split_whitespace()).env("COLUMNS", columns.to_string()).output().unwrap();
    let answer = Answer::of(output);
    assert!(matches!(answer.code, Some(0 | 1 | 3)), "{words}: {:?} {}", answer.code, answer.stderr);
    answer.stdout
}

/// No line of `text` is wider than `columns` unless it is one word that is too long by itself, and no character acts.
#[track_caller]
fn fits(text: &str, columns: usize, question: &str) {
    for line in text.lines() {
        let is_word = !line.trim().contains(' ');
        assert!(is_word || line.width() <= columns, "{question}: {} columns, not {columns}: {line}", line.width());
    }
    let acts = |c: &char| {
        (c.is_control() && *c != '\n') || ('\u{202a}'..='\u{202e}').contains(c) || ('\u{2066}'..='\u{2069}').contains(c)
    };
    let acting: Vec<_> = text.chars().filter(acts).collect();
    assert!(acting.is_empty(), "{question}: {acting:?} reached the terminal");
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let desk = Desk::new();
    // Short names: where a file lies is not ours to shorten.
    std::os::unix::fs::symlink(checkout("scenarios"), desk.path("s")).unwrap();
    for file in files() {
        let (tied, name) = (flags(&file), file.file_name().unwrap().to_str().unwrap());
        for (_, scheduler) in SCHEDULERS {
            let flags = if tied.is_empty() { scheduler } else { tied };
            // The narrowest terminal is the hardest; the others for the answer that has the most columns.
            for (command, widths) in [("test --all-tests", &[60, 80, 120][..]), ("test", &[60]), ("partition", &[60])] {
                for columns in widths {
                    let words = format!("sched {command} s/{name} {flags}");
                    fits(&told(&desk, &words, *columns), *columns, &words);
                }
            }
        }
    }
}

#[test]
fn no_line_about_the_edge_is_wider_than_the_terminal() {
    let desk = Desk::new();
    std::os::unix::fs::symlink(checkout("scenarios"), desk.path("s")).unwrap();
    for columns in [60, 80, 120] {
        for name in ["with-overheads", "baker-2003-density", "small-periods"] {
            let words = format!("sched test s/{name}.toml --sensitivity");
            fits(&told(&desk, &words, columns), columns, &words);
        }
    }
}

#[test]
fn strange_names_neither_act_nor_burst_the_tables() {
    let desk = Desk::new();
    for cost in [1, 9, 15] {
        desk.write("strange.toml", named(&NAMES, cost));
        for columns in [60, 80, 120] {
            for command in
                ["test", "test --all-tests --sensitivity", "test --shape partitioned", "partition --policy fp"]
            {
                let words = format!("sched {command} strange.toml");
                fits(&told(&desk, &words, columns), columns, &words);
            }
        }
    }
}

/// Narrower than any table can be: it must still not panic.
#[test]
fn a_terminal_of_a_few_columns_is_no_crash() {
    let desk = Desk::new();
    desk.write("strange.toml", named(&NAMES, 9));
    for columns in [0, 1, 10, 20, 10_000] {
        told(&desk, "sched test strange.toml --all-tests --sensitivity", columns);
    }
}

#[test]
fn errors_show_strange_names_without_acting() {
    let desk = Desk::new();
    desk.write("strange.toml", named(&NAMES[..1], 0));
    let answer = desk.prazo("sched test strange.toml").expect_code(2);
    assert!(!answer.stderr.trim_end().contains(char::is_control), "{:?}", answer.stderr);
}

/// A name that would clear the screen, turn its line around, and add a line that says what nobody found.
const FORGER: &str = "\\u001B[2J\\u202E\\u009B31m\\nPROVEN";

/// No character of `text` acts, and none of its lines is one that a name began.
#[track_caller]
fn is_harmless(text: &str, command: &str) {
    let acting: Vec<_> = text.chars().filter(|c| *c != '\n' && prazo_core::text::acts(*c)).collect();
    assert!(acting.is_empty(), "{command}: {acting:?} reached the terminal in {text:?}");
    assert!(!text.lines().any(|line| line.starts_with("PROVEN")), "{command}: a name began a line of {text}");
}

#[test]
fn no_command_about_a_task_set_lets_a_name_act() {
    let desk = Desk::new();
    let task = |name: &str, cost_ms: u32| format!("[task.\"{name}\"]\ncost = \"{cost_ms}ms\"\nperiod = \"20ms\"\n");
    let named = |cost_ms| {
        format!(
            "processors = 1\nname = \"set{FORGER}\"\norigin = \"{FORGER}\"\n{}{}",
            task(FORGER, cost_ms),
            task("b", 9)
        )
    };
    desk.write("late.toml", named(15));
    desk.write("fine.toml", named(5));
    desk.write("sets.jsonl", "{\"id\":\"\u{202e}\u{9b}2J\u{7f}\",\"m\":1,\"t\":[[1,2]],\"horizon_us\":10}\n");
    desk.prazo("sched test fine.toml --certificate proof.json").expect_code(0);
    for words in [
        "sched test late.toml",
        "sched test fine.toml --json",
        "sched partition late.toml",
        "sched simulate late.toml",
        "sched simulate late.toml --json",
        "sched simulate fine.toml",
        "sched simulate --batch sets.jsonl",
        "sched test --batch sets.jsonl",
        "sched verify proof.json",
        "sched verify proof.json --json",
        "sched deploy fine.toml --shape partitioned-edf --dry-run",
        "sched deploy late.toml --shape partitioned-fp --dry-run",
        "sched deploy fine.toml --shape partitioned-edf --pid a=1 --dry-run",
        "sched run late.toml -D 100ms -o run.prazo",
    ] {
        let answer = desk.prazo(words);
        is_harmless(&answer.stdout, words);
        is_harmless(&answer.stderr, words);
        assert!(!format!("{}{}", answer.stdout, answer.stderr).is_empty(), "{words} said nothing");
    }
}

#[test]
fn json_carries_a_name_as_it_is() {
    let desk = Desk::new();
    desk.write(
        "named.toml",
        format!("processors = 1\nname = \"{FORGER}\"\n[task.a]\ncost = \"1ms\"\nperiod = \"20ms\"\n"),
    );
    let name = desk.prazo("sched simulate named.toml --json").expect_code(0).json()["name"].clone();
    assert_eq!(name, "\u{1b}[2J\u{202e}\u{9b}31m\nPROVEN");
}
