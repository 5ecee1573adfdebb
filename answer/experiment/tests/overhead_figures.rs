//! Figures 3 to 6 of epos-2013: what prazo's kernel and stock Linux were measured to cost, beside the tables of the other platforms.

use prazo_analysis::question;
use prazo_experiment::overhead_figures::FigureResult;
use prazo_experiment::{Experiment, ExperimentResult, Runner, builtin};
use prazo_verdict::claim::ClaimOutcome;

/// What is known before any set was judged.
fn looked_at(experiment: &Experiment) -> ExperimentResult {
    let folder = tempfile::tempdir().unwrap();
    let runner = Runner { experiment, answering: &question::answer, threads: 1, should_stop: &|| true };
    runner.run(&folder.path().join("results"), &mut |_| {}).unwrap()
}

fn line_ids(figure: &FigureResult) -> Vec<&str> {
    figure.lines.iter().map(|line| line.id.as_str()).collect()
}

#[test]
fn each_figure_has_the_measured_systems_beside_the_tables_that_have_its_overhead() {
    let result = looked_at(&builtin::find("epos-2013").unwrap());
    let ids: Vec<&str> = result.figures.iter().map(|figure| figure.id.as_str()).collect();
    assert_eq!(ids, ["figure-3", "figure-4", "figure-5", "figure-6"]);
    for figure in &result.figures {
        let measured = figure.lines.iter().filter(|line| line.measured).count();
        let quantities =
            [("figure-3", 2), ("figure-5", 3)].iter().find(|(id, _)| *id == figure.id).map_or(1, |found| found.1);
        let of_linux = if figure.id == "figure-5" { 2 } else { 1 };
        assert_eq!(measured, 4 * quantities + 3 * of_linux, "{}: four shapes, three of Linux", figure.id);
        assert_eq!(figure.lines.len() - measured, 6, "{}: two platforms, three schedulers", figure.id);
        for line in &figure.lines {
            let threads: Vec<u64> = line.points.iter().map(|point| point.threads).collect();
            assert_eq!(threads, [5, 15, 25, 50, 75, 100, 125], "{}", line.id);
            assert!(!line.source.is_empty() && line.points.iter().all(|point| point.count.is_some() == line.measured));
        }
    }
    assert!(line_ids(&result.figures[0]).contains(&"C-EDF.linux"));
    let written = result.figures[0].lines.iter().find(|line| line.id == "C-EDF.linux").unwrap();
    assert!((written.points[0].amount_us - 12.3).abs() < 1e-9 && (written.points[6].amount_us - 37.4).abs() < 1e-9);
}

#[test]
fn the_papers_statements_about_overheads_have_outcomes_for_our_kernel() {
    let result = looked_at(&builtin::find("epos-2013").unwrap());
    let outcome = |id: &str| {
        let claim = result.claims.iter().find(|claim| claim.id == id).unwrap_or_else(|| panic!("no claim {id}"));
        (claim.outcome, claim.evidence.clone())
    };
    use ClaimOutcome::{Held, NotHeld, Undecidable};
    for (id, wanted, with) in [
        ("figure-3-switch-below-linux", Held, "n = 23,194"),
        ("figure-3-switch-flat", Held, "n = 31,894"),
        (
            "figure-4-global-grows-after-75",
            NotHeld,
            "0.382 µs at 75 threads (n = 184,115) to 0.429 µs at 125 threads (n = 296,370)",
        ),
        ("figure-4-global-grows-after-75-median", NotHeld, "0.078 µs"),
        ("figure-4-scheduling-flat", Undecidable, "to compare maxima"),
        ("figure-4-scheduling-flat-median", Held, "0.078 µs"),
        ("figure-4-partitioned-hardly-varies", Undecidable, "to compare maxima"),
        ("figure-4-partitioned-hardly-varies-median", Held, "0.088 µs"),
        ("figure-4-clustered-near-partitioned", NotHeld, "0.394 µs at 15 threads"),
        ("figure-4-clustered-near-partitioned-median", Held, "0.088 µs"),
        (
            "figure-5-release-grows",
            Held,
            "2.001 µs at 25 threads (n = 27,606) to 11.873 µs at 125 threads (n = 29,996)",
        ),
        ("figure-5-release-grows-from-5", Undecidable, "to compare maxima"),
        ("figure-5-release-grows-less-1-percent", Held, "0.671 µs at 5 threads"),
        ("figure-5-release-grows-without-tick", NotHeld, "0.508 µs at 125 threads"),
        ("figure-5-release-flat", Undecidable, "to compare maxima"),
        ("figure-5-release-flat-median", Held, "0.279 µs"),
        ("figure-5-schedulers-alike", NotHeld, "2.628 µs at 75 threads"),
        ("figure-5-schedulers-alike-median", Held, "0.285 µs"),
        ("figure-6-tick-constant", Undecidable, "n = 7"),
        ("figure-6-tick-constant-of-partitioned-queues", Undecidable, "to compare maxima"),
        ("figure-6-tick-constant-of-partitioned-queues-median", Held, "0.066 µs"),
        ("figure-6-tick-constant-of-shared-queues", NotHeld, "14.115 µs at 125 threads (n = 88,667)"),
        ("figure-6-tick-constant-of-shared-queues-median", NotHeld, "3.803 µs"),
        ("ipi-latency", Undecidable, "turn"),
    ] {
        let (found, evidence) = outcome(id);
        assert_eq!(found, wanted, "{id}: {evidence}");
        assert!(evidence.contains(with), "{id}: {evidence}");
    }
}

#[test]
fn a_line_that_no_figure_has_is_answered_with_those_there_are() {
    let text =
        builtin::BUILTIN[0].text.replacen("line = \"figure-3.one-processor", "line = \"figure-3.two-processors", 1);
    let files = |name: &str| {
        let found = builtin::BUILTIN[0].files.iter().find(|(path, _)| *path == name);
        found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| std::io::Error::from(std::io::ErrorKind::NotFound))
    };
    let error = Experiment::parse_with("a.toml", &text, &files).unwrap_err().to_string();
    let wanted = "no figure has a line 'figure-3.two-processors.context-switch-overhead'";
    assert!(error.contains(wanted), "{error}");
    assert!(error.contains("figure-3.one-processor.context-switch-of-pair"), "{error}");
    let nothing = |_: &str| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let error = Experiment::parse_with("a.toml", builtin::BUILTIN[0].text, &nothing).unwrap_err().to_string();
    assert!(error.contains("overheads/") && error.contains("cannot be read"), "{error}");
}

#[test]
fn measured_amounts_change_the_digest_and_figures_do_not() {
    let builtin = &builtin::BUILTIN[0];
    let with = |text: &str, change: &dyn Fn(&str, String) -> String| {
        let files = |name: &str| {
            let (_, text) = builtin.files.iter().find(|(path, _)| *path == name).expect("all files are carried");
            Ok(change(name, (*text).to_owned()))
        };
        Experiment::parse_with("a.toml", text, &files).unwrap().fingerprint
    };
    let as_it_is = with(builtin.text, &|_, text| text);
    assert_eq!(as_it_is, builtin.experiment().fingerprint);
    let retitled = builtin.text.replace("title = \"Tick (Vitor 2013, figure 6)\"", "title = \"Ticks\"");
    assert_ne!(retitled, builtin.text);
    assert_eq!(with(&retitled, &|_, text| text), as_it_is);
    let dearer = |name: &str, text: String| if name.contains("global") { text.replace("281ns", "282ns") } else { text };
    assert_ne!(with(builtin.text, &dearer), as_it_is);
}
