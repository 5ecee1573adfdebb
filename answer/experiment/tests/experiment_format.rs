//! What can be wrong with an experiment's TOML is told with file, line, key and remedy, before anything is drawn.

#[path = "support/experiment.rs"]
mod support;

use prazo_experiment::{Curve, Experiment, builtin};
use support::SMALL;

/// The error after `from` became `to`.
fn error(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "{from}");
    Experiment::parse("a.toml", &SMALL.replacen(from, to, 1)).unwrap_err().to_string()
}

fn line_of(part: &str) -> usize {
    SMALL.lines().position(|line| line.contains(part)).unwrap() + 1
}

#[test]
fn the_experiments_that_the_program_carries_can_be_read() {
    for one in builtin::BUILTIN {
        assert_eq!(one.experiment().name(), one.name);
    }
}

#[test]
fn errors_name_line_key_and_remedy() {
    let cases = [
        ("sets = 120", "sets = 0", "sets: an experiment needs at least one set per point; set `sets` to 1 or more"),
        (
            "processors = 4",
            "processors = 0",
            "processors: the number of processors is out of range; write a number from 1 to 4096",
        ),
        ("id = \"heavy\"", "id = \"light\"", "id: the family 'light' is defined twice; rename one of them"),
        (
            "id = \"heavy\"",
            "id = \"he.avy\"",
            "id: an id must not contain a dot, which separates the parts of a curve's name; write '-' instead of '.'",
        ),
        ("from = 1.5, to", "from = 5, to", "from 5 to 3.9 in steps of 0.3 contains no point"),
        ("seed = 7", "sede = 7", "unknown field `sede`"),
        ("kind = \"uniform\", range", "kind = \"flat\", range", "unknown variant `flat`"),
        ("clusters = [3, 1]", "clusters = [3, 2]", "do not add up to the experiment's 4 processors; give sizes"),
        ("shape = \"global\"", "shape = \"global\"\nclusters = [4]", "the shape is not clustered"),
        ("id = \"plain\"", "id = \"plain\"\ntests = []", "no test is named"),
        ("id = \"plain\"", "id = \"plain\"\ntests = [\"GFP\"]", "there is no test 'GFP'; choose one of GFB, BAK"),
        (
            "id = \"plain\"",
            "id = \"plain\"\nheuristics = [\"best\"]",
            "'best' is not known; choose one of first-fit, worst-fit, best-fit, next-fit",
        ),
        ("id = \"plain\"", "id = \"plain\"\npacking = \"one\"", "'one' is not known; choose one of capacity-then-test"),
        (
            "curve = \"light.plain.P.none\"",
            "curve = \"light.plain.Q.none\"",
            "there is no curve 'light.plain.Q.none'; choose one of",
        ),
        ("id = \"light\"", "id = \"light\"\nmethods = [\"plane\"]", "there is no method 'plane'; choose one of plain"),
    ];
    for (from, to, wanted) in cases {
        let found = error(from, to);
        assert!(found.starts_with("a.toml:") && found.contains(wanted), "{wanted}\n{found}");
    }
    assert!(error("sets = 120", "sets = 0").starts_with(&format!("a.toml:{}: sets:", line_of("sets = 120"))));
    let points = "from = 1.5, to = 3.9, step";
    assert!(error(points, "from = 4, to = 3.9, step").contains(&format!(":{}: points:", line_of(points))));
}

#[test]
fn a_platform_is_free_for_all_schedulers_or_for_none() {
    let table = |id: &str| {
        format!("id = \"none\"\n[platform.overheads.{id}]\nrelease = {{ constant = \"1us\", source = \"s\" }}")
    };
    assert!(
        error("id = \"none\"", &table("P"))
            .contains("has no overheads for the scheduler 'C'; add [platform.overheads.C]")
    );
    assert!(
        error("id = \"none\"", &table("Q"))
            .contains("names 'Q', which is not a scheduler of this experiment; choose one of P, C, G")
    );
}

#[test]
fn a_platform_may_be_judged_under_those_schedulers_alone_that_it_was_measured_under() {
    let with = |schedulers: &str| {
        let costs = "[platform.overheads.C]\nrelease = { constant = \"1us\", source = \"s\" }";
        Experiment::parse(
            "a.toml",
            &format!("{SMALL}\n[[platform]]\nid = \"part\"\nschedulers = {schedulers}\n{costs}\n"),
        )
    };
    let experiment = with("[\"C\"]").unwrap();
    let ids: Vec<String> = Curve::all(&experiment).map(|curve| curve.id(&experiment)).collect();
    let of_part: Vec<_> = ids.iter().filter(|id| id.ends_with(".part")).collect();
    assert!(!of_part.is_empty() && of_part.iter().all(|id| id.contains(".C.")), "{ids:?}");
    assert!(with("[\"C\", \"P\"]").unwrap_err().to_string().contains("has no overheads for the scheduler 'P'"));
    assert!(with("[\"Q\"]").unwrap_err().to_string().contains("'Q', which is not a scheduler"));
}

#[test]
fn a_study_is_no_experiment() {
    let error = Experiment::parse("b.toml", "[study]\nname = \"x\"").unwrap_err().to_string();
    assert!(error.contains("this file is not an experiment; begin the file with kind = \"schedulability\""), "{error}");
    let error =
        Experiment::parse("c.toml", &SMALL.replace("\"schedulability\"", "\"latency\"")).unwrap_err().to_string();
    assert!(error.contains("kind: 'latency' is not a kind of experiment"), "{error}");
}
