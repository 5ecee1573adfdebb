//! `prazo gate` from outside: what it refuses, what it answers to `git bisect run`, and a bisection that finds
//! the commit that changed the kernel.

#[path = "../../../measuring/lab/tests/support/mod.rs"]
#[allow(dead_code)] // Not every helper is needed here.
mod guests;
mod support;

use prazo_lab::{Cache, Fetch, Lab, Part, Platform};
use prazo_testing::documents;
use prazo_testing::{Need, OrSkipped, Skipped, or_skip, program};
use serde_json::Value;
use std::path::{Path, PathBuf};
use support::{Answer, Desk, PRAZO};

/// Half a second of an idle guest, three seeds: what a bisection can afford.
const SMALL: &str = r#"
[study]
name = "small"
title = "A small gate"
question = "Did it move?"
[[platform]]
id = "std"
on = "lab:standard-full"
[[load]]
id = "idle"
[[probe]]
id = "fifo"
policy = "fifo"
length = "500ms"
[[measure]]
repeats = 3
"#;

fn usage(answer: Answer, words: &[&str]) {
    answer.expect_code(2).expect_error(words);
}

#[test]
fn what_cannot_be_compared_is_refused_before_anything_is_measured() {
    let desk = Desk::new();
    desk.write("small.toml", SMALL);
    desk.write("none.json", "{}");
    usage(desk.prazo("gate small.toml --baseline none.json"), &["none.json", "gate --save"]);
    usage(desk.prazo("gate small.toml --baseline nowhere"), &["nowhere"]);
    desk.write("other.json", r#"{"version": 2, "study": "small", "cells": {"rt.idle.fifo": []}}"#);
    usage(desk.prazo("gate small.toml --baseline other.json"), &["other.json has no run of std.idle.fifo", "--only"]);
    usage(desk.prazo("gate small.toml --only rt"), &["--only rt", "std"]);
    usage(desk.prazo("gate small.toml --kernel nowhere"), &["--kernel nowhere"]);
    usage(desk.prazo("gate small.toml --baseline none.json --may-differ kernels"), &["kernel, command-line"]);
    usage(desk.prazo("gate small.toml --kernel small.toml"), &["small.toml", "not a Linux kernel", "vmlinuz"]);
    usage(desk.prazo("gate evaluate --kernel small.toml"), &["need a platform of the lab", "is one"]);
    std::fs::create_dir_all(desk.path("prazo-results/small")).unwrap();
    usage(desk.prazo("gate small.toml --baseline prazo-results/small"), &["-o"]);
    usage(desk.prazo("gate small.toml --junit gate.xml"), &["--baseline"]);
    usage(desk.prazo("gate small.toml --direction up --baseline none.json"), &["either", "worse", "better"]);
    std::fs::create_dir(desk.path("empty")).unwrap();
    usage(desk.prazo("gate small.toml --baseline empty"), &["contains no run of this study"]);
}

#[test]
fn a_baseline_without_runs_cannot_be_explained_and_is_refused_before_anything_is_measured() {
    let desk = Desk::new();
    desk.write("small.toml", SMALL);
    desk.write("good.json", saved(101, 34_000));
    usage(
        desk.prazo("gate small.toml --baseline good.json --explain"),
        &["--explain", "good.json is a file", "--baseline FOLDER"],
    );
    usage(desk.prazo("gate small.toml --explain"), &["--baseline"]);
    usage(desk.prazo("gate small.toml --baseline good.json --baseline-kernel bzImage"), &["--explain"]);
    usage(desk.prazo("gate --history base --explain"), &["--explain"]);
    assert!(!desk.path("prazo-results").exists(), "nothing is measured");
}

#[test]
fn whatever_is_no_answer_skips_a_commit() {
    let desk = Desk::new();
    desk.write("small.toml", SMALL);
    let wrong = ["--baseline nowhere", "--baseline nowhere --kernel nowhere", "--baseline nowhere --no-such-flag"];
    for words in wrong {
        let answer = desk.prazo(&format!("gate small.toml --bisect {words}")).expect_code(125);
        assert!(!answer.stderr.is_empty(), "{words}: the reason is told");
    }
}

/// A baseline of one cell with three seeds on a release of a kernel.
fn saved(release: u32, median_ns: u32) -> String {
    let run = |seed: u32| {
        let ns = median_ns + 8 * ((release + seed) % 5);
        serde_json::json!({
            "seed": seed, "shift": 3, "skipped_ns": 0, "lost": 0, "fatal": null,
            "conditions": {"kernel": format!("kernel_sha256={release}"), "command-line": "quiet", "plan": "{}"},
            "figures": {"response-latency": {
                "seed": seed, "count": 1000, "mean_ns": ns, "median_ns": ns, "q99_ns": ns + 2_000, "q999_ns": null,
                "q99999_ns": null, "max_ns": ns + 9_000,
            }},
            "kernel_release": format!("6.12.{release}+deb13-rt-amd64"), "started_at_unix_ns": 1_795_228_055_000_000_000_u64,
        })
    };
    let runs: Vec<_> = (release..release + 3).map(run).collect();
    serde_json::json!({"version": 3, "study": "small", "cells": {"std.idle.fifo": runs}}).to_string()
}

/// Ten releases, the median shorter from 6.12.106 on, and a file that is no baseline.
fn ten_releases(desk: &Desk) {
    std::fs::create_dir(desk.path("base")).unwrap();
    for release in 101..111 {
        let median_ns = if release < 106 { 34_000 } else { 29_000 };
        desk.write(&format!("base/{}.json", 300 - release), saved(release, median_ns));
    }
    desk.write("base/README.md", "not a baseline");
}

#[test]
fn a_history_draws_each_figure_over_saved_baselines_and_names_where_its_level_changed() {
    let desk = Desk::new();
    ten_releases(&desk);
    let answer = desk.prazo("gate --history base --report page.html --markdown page.md").expect_code(0);
    for said in [
        "base, study small: 10 baselines: the level of 3 of 4 tested figures changed.",
        "std.idle.fifo, median of response latency: 6.12.105 to 6.12.106: 34.0",
        "shift -5.0",
        "std.idle.fifo: response latency by kernel release, in µs",
        "not read: README.md: ",
        "4 figures tested, each at 5 %",
    ] {
        assert!(answer.stdout.contains(said), "{said}:\n{}", answer.stdout);
    }
    let rows: Vec<&str> = answer.stdout.lines().filter(|line| line.starts_with("6.12.1")).collect();
    assert_eq!((rows.len(), rows[0].starts_with("6.12.101 ")), (10, true), "{}", answer.stdout);
    assert!(rows[5].trim_end().ends_with("median, 99 %, maximum"), "{rows:?}");
    let read = |name: &str| std::fs::read_to_string(desk.path(name)).unwrap();
    let (page, text) = (read("page.html"), read("page.md"));
    assert!(page.contains("Baselines by kernel release") && page.contains("prazo gate --history base"));
    assert!(text.starts_with("# History: small") && text.contains("| 6.12.105 | 6.12.106 |"), "{text}");
    let json = desk.prazo("gate --history base --json").expect_code(0);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let schema = std::fs::read_to_string(documents::root().join("docs/schema/gate-history.json")).unwrap();
    assert_eq!(support::schema::violation(&json, &serde_json::from_str(&schema).unwrap()), None);
    assert_eq!((&json["tested"], &json["not_read"][0]["file"]), (&4.into(), &"README.md".into()));
    assert_eq!(json["histories"][0]["changes"][0]["first"], "6.12.106");
}

#[test]
fn a_history_says_when_there_are_too_few_baselines_and_refuses_what_measures() {
    let desk = Desk::new();
    ten_releases(&desk);
    for release in 104..111 {
        std::fs::remove_file(desk.path(&format!("base/{}.json", 300 - release))).unwrap();
    }
    let few = desk.prazo("gate --history base").expect_code(3);
    assert!(few.stdout.contains("3 baselines are too few: even the clearest change"), "{}", few.stdout);
    desk.write("base/other.json", saved(1, 34_000).replace("small", "other"));
    usage(desk.prazo("gate --history base"), &["several studies", "other.json"]);
    std::fs::create_dir(desk.path("empty")).unwrap();
    usage(desk.prazo("gate --history empty"), &["has no baseline", "gate --save"]);
    usage(desk.prazo("gate --history nowhere"), &["nowhere"]);
    for flag in
        ["--junit a.xml", "--ktap a.ktap", "--lava a.lava", "--save a.json", "--kernel a", "--direction worse", "-o a"]
    {
        usage(desk.prazo(&format!("gate --history base {flag}")), &["--history", "cannot be used with"]);
    }
    usage(desk.prazo("gate small.toml --history base"), &["--history", "cannot be used with"]);
    usage(desk.prazo("gate --history base --report page.pdf"), &["page.pdf"]);
    usage(desk.prazo("gate --markdown a.md"), &["--history"]);
}

/// Two kernels of the lab, the first that of the study.
fn kernels() -> Result<[PathBuf; 2], Skipped> {
    guests::emulator()?;
    let fetch = || Fetch::new(Cache::of_user()?).part(Part::Kernels, &mut |_| {});
    let found = fetch().and_then(|()| Lab::find()).and_then(|_| {
        let cache = Cache::of_user()?;
        let image = |name: &str| Platform::find(name)?.image(&cache);
        Ok([image("standard-full")?, image("rt-full")?])
    });
    found.or_skipped(Need::Lab)
}

fn git(desk: &Desk, words: &[&str]) -> Answer {
    let who = ["-c", "user.name=prazo", "-c", "user.email=prazo@localhost", "-c", "init.defaultBranch=main"];
    let mut command = desk.command("git");
    command.current_dir(desk.path("tree")).args(who).args(words);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null").env("PRAZO", PRAZO);
    Answer::of(command.output().expect("git starts"))
}

/// A repository of four commits whose kernel changes with the third.
fn repository(desk: &Desk, [good, bad]: &[PathBuf; 2]) {
    std::fs::create_dir(desk.path("tree")).unwrap();
    git(desk, &["init", "-q"]).expect_code(0);
    for (number, kernel) in [good, good, bad, bad].into_iter().enumerate() {
        desk.write("tree/kernel", format!("{}\n", kernel.display()));
        desk.write("tree/number", format!("{number}\n"));
        git(desk, &["add", "."]).expect_code(0);
        git(desk, &["commit", "-q", "-m", &format!("commit {number}")]).expect_code(0);
    }
}

/// The script of examples/ci, by which jobs run the gate.
fn jobs_get_the_answer_in_their_formats(desk: &Desk, kernel: &Path) {
    let script = documents::root().join("examples/ci/gate.sh");
    let mut command = desk.command(script.to_str().unwrap());
    let programs = Path::new(PRAZO).parent().unwrap().display().to_string();
    command.env("PATH", format!("{programs}:{}", std::env::var("PATH").unwrap()));
    command.args([kernel.to_str().unwrap(), "good.json", "small.toml"]);
    let answer = Answer::of(command.output().expect("the script starts")).expect_code(1);
    let read = |name: &str| std::fs::read_to_string(desk.path(name)).unwrap();
    let (ktap, lava) = (read("gate.ktap"), read("gate.lava"));
    assert!(ktap.starts_with("KTAP version 1\n1.."), "{ktap}");
    let moved = |line: &&str| line.starts_with("not ok ") && line.contains("std.idle.fifo: median of response-latency");
    assert_eq!(ktap.lines().filter(moved).count(), 1, "{ktap}");
    assert!(lava.contains("TEST_CASE_ID=std.idle.fifo.median-of-response-latency RESULT=fail UNITS=us "), "{lava}");
    assert!(answer.stdout.ends_with(&lava), "the console shows what LAVA reads: {}", answer.stdout);
    assert!(read("gate.xml").contains("<failure type=\"moved\"") && read("gate.md").starts_with("**gate: failed: "));
}

/// A study and its baseline of three boots with the first kernel.
fn with_baseline(desk: &Desk, study: &str, kernels: &[PathBuf; 2]) {
    desk.write("small.toml", study);
    let baseline = format!("gate small.toml --kernel {} -o good --save good.json", kernels[0].display());
    desk.prazo(&baseline).expect_code(0);
}

/// Eleven boots: three for the baseline, three for the script of a job, and five for the explanation.
#[test]
fn another_kernel_fails_the_gate_in_guests_and_jobs_read_why_and_its_functions_are_named() {
    or_skip!(program("cc"));
    let (kernels, desk) = (or_skip!(kernels()), Desk::new());
    // The study's own kernel is that of the new runs. The baseline's is a file that only the user knows.
    with_baseline(&desk, &SMALL.replace("standard-full", "rt-full"), &kernels);
    let other = "gate small.toml --append prazo.word=1 --baseline good.json -o other --kernel";
    usage(desk.prazo(&format!("{other} {}", kernels[0].display())), &["command-line", "prazo.word=1", "std.idle.fifo"]);
    assert!(!desk.path("other").exists(), "it is refused before a guest is measured");
    jobs_get_the_answer_in_their_formats(&desk, &kernels[1]);

    let [good, other] = kernels.each_ref().map(|kernel| kernel.display());
    // The runs of the job are there already.
    let words = format!("gate small.toml --kernel {other} --baseline good --explain -o gate-results");
    usage(desk.prazo(&format!("{words} --baseline-kernel small.toml")), &["--baseline-kernel", "not a Linux kernel"]);
    let missing = desk.prazo(&words).expect_code(1);
    for said in ["not explained: std.idle.fifo: ", "name that image with --baseline-kernel"] {
        assert!(missing.stdout.contains(said) && missing.stderr.contains("is not explained: "), "{}", missing.stdout);
    }
    let explained = desk.prazo(&format!("{words} --baseline-kernel {good} --bisect")).expect_code(1);
    let said = "explained: std.idle.fifo: The worst activation of this run took ";
    assert!(explained.stdout.contains(said), "{}\n{}", explained.stdout, explained.stderr);
}

/// The same study with a load, under which preemption decides the largest latencies.
fn loaded() -> String {
    let generators = r#"[{ name = "scheduler" }, { name = "file-tree" }]"#;
    SMALL.replace("id = \"idle\"", &format!("id = \"loaded\"\nlead_in = \"200ms\"\ngenerators = {generators}"))
}

fn valid(answer: &Value) {
    let schema = std::fs::read_to_string(documents::root().join("docs/schema/study.json")).unwrap();
    assert_eq!(support::schema::violation(answer, &serde_json::from_str(&schema).unwrap()), None);
}

/// Eleven boots: three for each side, and five for the explanation.
#[test]
fn a_movement_is_explained_by_functions_and_the_exit_status_stays_in_guests() {
    or_skip!(program("cc"));
    or_skip!(kernels());
    let desk = Desk::new();
    desk.write("small.toml", loaded());
    desk.prazo("gate small.toml -o good").expect_code(0);
    let words = "gate small.toml --append preempt=none --may-differ command-line --baseline good -o other";
    let without = desk.prazo(&format!("{words} --json")).expect_code(1).json();
    let gate = &without["gate"];
    assert!(gate["explained"].is_null() && gate["not_explained"].is_null(), "{gate}");
    let answer = desk.prazo(&format!("{words} --explain --markdown gate.md --report gate.html --json"));
    let answer = answer.expect_code(1).json();
    valid(&answer);
    let explained = &answer["gate"]["explained"];
    assert!(explained["run"]["file"].as_str().unwrap().starts_with("other/std.loaded.fifo"), "{explained}");
    assert!(explained["against"]["file"].as_str().unwrap().starts_with("good/std.loaded.fifo"), "{explained}");
    let latency = |side: &str| explained[side]["latency_ns"].as_f64();
    let maximum = answer["gate"]["compared"].as_array().unwrap().iter().find(|one| one["figure"] == "maximum").unwrap();
    assert_eq!(latency("run"), maximum["found"]["high_ns"].as_f64(), "the worst over the seeds");
    assert_eq!(latency("against"), maximum["baseline"]["high_ns"].as_f64());
    let sentence = explained["sentence"].as_str().unwrap();
    assert!(sentence.starts_with("The worst activation of this run took "), "{sentence}");
    assert!(sentence.contains(" than that of the baseline ("), "{sentence}");
    let functions = explained["functions"].as_array().unwrap();
    assert_eq!(functions.len(), 10, "{explained}");
    let name = functions[0]["name"].as_str().unwrap();
    for file in ["gate.md", "gate.html"] {
        let text = std::fs::read_to_string(desk.path(file)).unwrap().replace("\\_", "_");
        assert!(text.contains("The worst activation of this run took ") && text.contains(name), "{name}: {text}");
    }
}

/// Nine boots: three for the baseline, three for each of the two commits that a bisection of four tries; and five that explain the bad one. The good one
/// is measured with other seeds than the baseline, so that its answer rests on the spread, not on repetition.
#[test]
fn git_bisect_finds_the_commit_that_changed_the_kernel_in_guests() {
    or_skip!(program("git"));
    or_skip!(program("cc"));
    let (kernels, desk) = (or_skip!(kernels()), Desk::new());
    repository(&desk, &kernels);
    with_baseline(&desk, SMALL, &kernels);
    let step = "\"$PRAZO\" gate ../small.toml --kernel \"$(cat kernel)\" --seed 77 -o ../steps --baseline ../good --bisect --explain";
    git(&desk, &["bisect", "start", "HEAD", "HEAD~3"]).expect_code(0);
    let answer = git(&desk, &["bisect", "run", "sh", "-c", step]).expect_code(0);
    let subject = git(&desk, &["show", "-s", "--format=%s", "refs/bisect/bad"]).expect_code(0).stdout;
    assert_eq!(subject.trim(), "commit 2", "{}\n{}", answer.stdout, answer.stderr);
    assert!(answer.stdout.contains("std.idle.fifo: median of response latency"), "{}", answer.stdout);
    let explained = "explained: std.idle.fifo: The worst activation of this run took ";
    assert_eq!(answer.stdout.matches(explained).count(), 1, "{}\n{}", answer.stdout, answer.stderr);
}
