//! What the command writes and reads beside run files: outputs that are not overwritten, imports of which some are bad, and
//! one deadline in everything that it shows of a run.

mod support;

use serde_json::Value;
use support::Desk;

const GOOD: &str = include_str!("../../../measuring/run/tests/foreign/cyclictest-old.txt");

#[test]
fn good_files_are_imported_whatever_stands_before_them() {
    for words in ["bad.txt good.txt", "good.txt bad.txt"] {
        let desk = Desk::new();
        desk.write("good.txt", GOOD);
        desk.write("bad.txt", "Dear diary\n");
        let answer = desk.prazo(&format!("import {words} -o runs --json")).expect_code(4);
        let imported = answer.json();
        assert_eq!(imported.as_array().unwrap().len(), 1);
        assert_eq!(imported[0]["file"], "good.txt");
        assert!(answer.stderr.contains("bad.txt"), "{}", answer.stderr);
        desk.prazo("report runs/good.prazo").expect_code(0);
    }
}

#[test]
fn every_bad_file_is_named() {
    let desk = Desk::new();
    desk.write("a.txt", "Dear diary\n");
    desk.write("b.txt", "Dear diary\n");
    desk.write("good.txt", GOOD);
    let answer = desk.prazo("import a.txt good.txt b.txt -o runs").expect_code(4);
    for word in ["a.txt", "b.txt", "2 of 3 files"] {
        assert!(answer.stderr.contains(word), "{word}: {}", answer.stderr);
    }
    assert!(answer.stdout.contains("runs/good.prazo"));
}

#[test]
fn outputs_are_not_overwritten_without_force_and_links_are_not_followed() {
    let desk = Desk::new();
    desk.write("good.txt", GOOD);
    desk.prazo("import good.txt -o runs").expect_code(0);
    for words in ["report runs/good.prazo -o", "export runs/good.prazo --format csv -o"] {
        let taken = desk.write("taken.html", "mine");
        desk.prazo(&format!("{words} taken.html")).expect_code(2).expect_error(&["taken.html", "--force"]);
        std::os::unix::fs::symlink(&taken, desk.path("link.html")).unwrap();
        desk.prazo(&format!("{words} link.html")).expect_code(2).expect_error(&["link.html", "--force"]);
        desk.prazo(&format!("{words} link.html --force")).expect_code(0);
        assert_eq!(std::fs::read_to_string(&taken).unwrap(), "mine", "the link was replaced, not followed");
        desk.prazo(&format!("{words} taken.html --force")).expect_code(0);
        assert_ne!(std::fs::read_to_string(&taken).unwrap(), "mine");
        std::fs::remove_file(desk.path("link.html")).unwrap();
    }
}

/// Measuring takes hours, so what cannot be written at its end is refused before.
#[test]
fn a_study_refuses_its_report_and_its_figures_before_it_begins() {
    let desk = Desk::new();
    desk.write("taken.html", "mine");
    std::fs::create_dir(desk.path("drawn")).unwrap();
    desk.write("drawn/interrupt-latency.svg", "mine");
    for (flag, file, remedy) in [
        ("--report", "taken.html", "--force"),
        ("--report", "x.pdf", ".html"),
        ("--figures", "taken.html", "a folder"),
        ("--figures", "drawn", "--force"),
    ] {
        for action in ["run", "show"] {
            let words = format!("study {action} blaess-2014 -o study {flag} {file}");
            desk.prazo(&words).expect_code(2).expect_error(&[file, remedy]);
            assert!(!desk.path("study").exists(), "{words}: nothing was begun");
            assert!(!desk.path("x.pdf").exists());
        }
    }
    desk.prazo("study show blaess-2014 -o study --report x.md");
    assert!(std::fs::read_to_string(desk.path("x.md")).unwrap().starts_with('#'), "the ending chooses the form");
}

#[test]
fn what_is_looked_at_has_a_page_and_a_markdown_for_a_review() {
    let desk = Desk::new();
    desk.write("good.txt", GOOD);
    desk.prazo("import good.txt -o runs").expect_code(0);
    std::fs::rename(desk.path("runs/good.prazo"), desk.path("good.prazo")).unwrap();
    desk.write("set.toml", "processors = 1\n[task.arm]\ncost = \"2ms\"\nperiod = \"20ms\"\n");
    let commands = [
        ("compare good.prazo good.prazo", "Compared", "Neither run is clearly worse at any latency."),
        ("sched test set.toml", "Proven", "every job meets its deadline under EDF on one processor"),
        ("sched simulate set.toml", "No deadline missed", "so these periodic tasks never miss"),
    ];
    for (at, (words, outcome, said)) in commands.into_iter().enumerate() {
        let name = |ending: &str| format!("{at}.{ending}");
        desk.prazo(&format!("{words} --report {}", name("html"))).expect_code(0);
        let page = std::fs::read_to_string(desk.path(&name("html"))).unwrap();
        assert!(page.starts_with("<!doctype html>") && page.contains(outcome) && page.contains(said), "{words}");
        assert!(page.contains(&format!("prazo {words} --report")), "{words}: how to repeat it");
        desk.prazo(&format!("{words} --report {}", name("md"))).expect_code(0);
        let text = std::fs::read_to_string(desk.path(&name("md"))).unwrap();
        assert!(text.contains(&format!("**{outcome}.**")) && text.contains("\n| ---"), "{text}");
        desk.prazo(&format!("{words} --report {}", name("html"))).expect_code(2).expect_error(&["--force"]);
        desk.prazo(&format!("{words} --report a.doc")).expect_code(2).expect_error(&["a.doc", ".html"]);
    }
    desk.write("other.toml", "[task.arm]\ncost = \"2ms\"\nperiod = \"20ms\"\n");
    desk.prazo("sched test set.toml other.toml --report c.html").expect_code(2).expect_error(&["--report", "single"]);
}

/// The figure of misses in everything that is shown of a run.
#[test]
fn one_deadline_gives_one_count_of_misses_everywhere() {
    let desk = Desk::new();
    desk.prazo("measure timer -D 3s -i 1ms -p other --deadline 60us --plain -o r.prazo");
    for asked in ["", " --deadline 20us", " --deadline 60us", " --deadline 1s"] {
        let report = desk.prazo(&format!("report r.prazo --format json{asked}")).json();
        let missed = sum(&report["runs"][0]["series"], "missed");
        let skipped = sum(&report["runs"][0]["series"], "skipped");
        assert_eq!(report["runs"][0]["misses"]["missed"], missed + skipped, "{asked}");
        let export = desk.prazo(&format!("export r.prazo --json{asked}")).expect_code(0).json();
        assert_eq!(sum(&export["series"], "missed"), missed, "{asked}");
        let by_second = export["series"].as_array().unwrap().iter().flat_map(|one| one["timeline"].as_array().unwrap());
        let by_second = by_second.filter(|second| second["warm_up"] == false).map(|of| of["missed"].as_u64().unwrap());
        // A second keeps its extremes alone: for a deadline that was not counted while measuring, its misses are a lower bound.
        let is_own = asked.is_empty() || asked.ends_with("60us");
        let by_second = by_second.sum::<u64>();
        assert!(if is_own { by_second == missed } else { by_second <= missed }, "{asked}: {by_second}, {missed}");
        let junit = desk.prazo(&format!("export r.prazo --format junit{asked}")).expect_code(0).stdout;
        let number = |text: &str| text.split(' ').next()?.replace(',', "").parse::<u64>().ok();
        let failed: u64 = junit.split("message=\"").skip(1).filter_map(number).sum();
        if missed + skipped > 0 {
            assert_eq!(failed, missed, "{junit}");
        }
    }
    let view = desk.prazo("report r.prazo").expect_code(0).stdout;
    let words = view.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("shown without a verdict; the measurement had a deadline of 60"), "{view}");
    let compared = desk.prazo("compare r.prazo r.prazo --json");
    assert_eq!(compared.code, Some(0));
}

fn sum(series: &Value, figure: &str) -> u64 {
    series.as_array().unwrap().iter().map(|one| one["activations"][figure].as_u64().expect(figure)).sum()
}
