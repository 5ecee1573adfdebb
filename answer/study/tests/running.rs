//! Running a study: what is measured, reused, measured again, resumed, refused, and what its claims then say.

mod support;

use prazo_run::run::Ending;
use prazo_run::{Caveat, Run, Severity};
use prazo_study::measure::Doing;
use prazo_study::run_storage::Table;
use prazo_study::study::Tables;
use prazo_study::{CellState, Finished, Here, Runner, RunnerError, Study, StudyStep};
use prazo_verdict::claim::ClaimOutcome;
use std::path::Path;
use support::{CellMeasurer, MemoryShelf, here, series};

const TWO: &str = r#"
[study]
name = "two"
title = "Two policies"
question = "Which?"
seed = 5
[[platform]]
id = "here"
[[load]]
id = "idle"
[[probe]]
id = "fifo"
policy = "fifo"
length = "10s"
[[probe]]
id = "other"
policy = "other"
length = "10s"
[[claim]]
id = "fifo-better"
text = "fifo is better"
check.quantile-less = { a = "here.idle.fifo", b = "here.idle.other", q = [0.5, 0.99] }
[[claim]]
id = "other-exact"
text = "other is at best 60 us"
check.figures-equal = { cell = "here.idle.other", min = "60us" }
"#;

struct Bench {
    folder: tempfile::TempDir,
    shelf: MemoryShelf,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), shelf: MemoryShelf::default() }
    }

    fn run(&mut self, text: &str, prepare: impl FnOnce(&mut CellMeasurer)) -> (Finished, CellMeasurer) {
        self.run_as(text, &here(), prepare)
    }

    fn run_as(&mut self, text: &str, here: &Here, prepare: impl FnOnce(&mut CellMeasurer)) -> (Finished, CellMeasurer) {
        let mut study = Study::parse("test.toml", text).unwrap();
        study.tables = Tables::Folder(self.folder.path().join("tables"));
        let mut engine = CellMeasurer::on(&self.shelf);
        prepare(&mut engine);
        let mut runner = Runner::new(&study, here, self.folder.path(), &mut self.shelf).unwrap();
        let finished = runner.run(&mut engine, &mut |_| ()).unwrap();
        (finished, engine)
    }
}

fn states(finished: &Finished) -> Vec<CellState> {
    finished.result.cells.iter().map(|cell| cell.state).collect()
}

fn outcomes(finished: &Finished) -> Vec<ClaimOutcome> {
    finished.result.claims.iter().map(|claim| claim.outcome).collect()
}

#[test]
fn everything_is_measured_once_and_then_reused() {
    let mut bench = Bench::new();
    let (first, engine) = bench.run(TWO, |_| ());
    assert_eq!(engine.measured, ["here.idle.fifo.prazo", "here.idle.other.prazo"]);
    assert_eq!(states(&first), [CellState::Measured; 2]);
    assert_eq!(outcomes(&first), [ClaimOutcome::Held; 2]);
    let (second, engine) = bench.run(TWO, |_| ());
    assert!(engine.measured.is_empty());
    assert_eq!(states(&second), [CellState::Reused; 2]);
    assert_eq!(second.result.claims, first.result.claims);
}

#[test]
fn a_changed_plan_is_measured_again_and_the_old_run_is_kept_aside() {
    let mut bench = Bench::new();
    bench.run(TWO, |_| ());
    let changed = TWO.replacen("length = \"10s\"", "length = \"11s\"", 1);
    let (finished, engine) = bench.run(&changed, |_| ());
    assert_eq!(engine.measured, ["here.idle.fifo.prazo"]);
    assert_eq!(states(&finished), [CellState::Measured, CellState::Reused]);
    assert_eq!(bench.shelf.aside, [bench.folder.path().join("here.idle.fifo.prazo")]);
}

#[test]
fn a_run_file_that_was_lost_is_measured_again() {
    let mut bench = Bench::new();
    bench.run(TWO, |_| ());
    bench.shelf.disk.borrow_mut().remove(&bench.folder.path().join("here.idle.other.prazo"));
    let (_, engine) = bench.run(TWO, |_| ());
    assert_eq!(engine.measured, ["here.idle.other.prazo"]);
}

#[test]
fn an_interrupted_study_goes_on_where_it_stopped() {
    let mut bench = Bench::new();
    let (stopped, _) = bench.run(TWO, |engine| engine.stop_after = Some(1));
    assert!(!stopped.result.complete);
    assert_eq!(states(&stopped), [CellState::Measured, CellState::Missing]);
    assert_eq!(outcomes(&stopped), [ClaimOutcome::Undecidable; 2]);
    let (finished, engine) = bench.run(TWO, |_| ());
    assert_eq!(engine.measured, ["here.idle.other.prazo"]);
    assert!(finished.result.complete);
    assert_eq!(outcomes(&finished), [ClaimOutcome::Held; 2]);
}

#[test]
fn a_run_that_was_cut_short_stops_the_study_and_is_measured_again() {
    let mut bench = Bench::new();
    let (stopped, engine) = bench.run(TWO, |engine| engine.ending = Ending::Interrupted);
    assert_eq!(engine.measured.len(), 1);
    assert!(!stopped.result.complete);
    let (_, engine) = bench.run(TWO, |_| ());
    assert_eq!(engine.measured.len(), 2);
    assert_eq!(bench.shelf.aside.len(), 1, "the cut one is kept aside");
}

#[test]
fn a_replaced_file_is_not_vouched_for_before_it_is_whole() {
    let mut bench = Bench::new();
    bench.run(TWO, |_| ());
    let changed = TWO.replacen("length = \"10s\"", "length = \"11s\"", 1);
    bench.run(&changed, |engine| engine.stop_after = Some(0));
    let half = bench.folder.path().join("here.idle.fifo.prazo");
    bench.shelf.disk.borrow_mut().insert(half, Run::default());
    let (_, engine) = bench.run(TWO, |_| ());
    assert_eq!(
        engine.measured,
        ["here.idle.fifo.prazo"],
        "the old answer went aside, so the old question is asked again"
    );
}

#[test]
fn a_file_that_no_journal_vouches_for_is_not_believed() {
    let mut bench = Bench::new();
    let path = bench.folder.path().join("here.idle.fifo.prazo");
    bench.shelf.disk.borrow_mut().insert(path.clone(), Run::default());
    let (_, engine) = bench.run(TWO, |_| ());
    assert_eq!(engine.measured.len(), 2);
    assert_eq!(bench.shelf.aside, [path]);
}

#[test]
fn a_refused_cell_leaves_its_claims_open_and_is_tried_again() {
    let mut bench = Bench::new();
    let (finished, _) = bench.run(TWO, |engine| engine.refuse.push("here.idle.fifo.prazo"));
    assert!(finished.result.complete);
    assert_eq!(states(&finished), [CellState::Failed, CellState::Measured]);
    assert_eq!(outcomes(&finished), [ClaimOutcome::Undecidable, ClaimOutcome::Held]);
    let evidence = &finished.result.claims[0].evidence;
    assert_eq!(evidence, "cell here.idle.fifo has no figures: EPERM: fifo needs CAP_SYS_NICE");
    assert_eq!(finished.result.cells[0].count, None, "a figure that was not measured is null");
    let (again, engine) = bench.run(TWO, |_| ());
    assert_eq!(engine.measured, ["here.idle.fifo.prazo"]);
    assert_eq!(outcomes(&again), [ClaimOutcome::Held; 2]);
}

#[test]
fn a_run_that_died_counts_as_failed() {
    let mut bench = Bench::new();
    let (finished, _) = bench.run(TWO, |engine| engine.ending = Ending::Died);
    assert_eq!(states(&finished), [CellState::Failed; 2]);
    assert!(finished.result.cells[0].reason.as_ref().unwrap().contains("ended early"));
}

#[test]
fn a_fatal_caveat_leaves_claims_open() {
    let mut bench = Bench::new();
    let caveat = Caveat::new("not-real-time", Severity::Fatal, "the policy was not granted", "run as root");
    let (finished, _) = bench.run(TWO, |engine| engine.caveats.push(caveat));
    assert_eq!(outcomes(&finished), [ClaimOutcome::Undecidable; 2]);
    assert!(finished.result.claims[0].evidence.contains("not-real-time: the policy was not granted"));
    assert_eq!(finished.result.cells[0].caveats, ["not-real-time"]);
}

#[test]
fn repeats_are_measured_abba_with_one_seed_a_round() {
    let mut bench = Bench::new();
    let (finished, engine) = bench.run(&format!("{TWO}\n[[measure]]\nrepeats = 2\n"), |_| ());
    let order = ["here.idle.fifo.prazo", "here.idle.other.prazo", "here.idle.other.2.prazo", "here.idle.fifo.2.prazo"];
    assert_eq!(engine.measured, order);
    assert_eq!(finished.result.order, order);
    let seeds: Vec<u64> = engine.plans.iter().map(|plan| plan.seed).collect();
    assert_eq!((seeds[0], seeds[2]), (seeds[1], seeds[3]), "each policy meets the same rhythm");
    assert_ne!(seeds[0], seeds[2]);
    assert!(seeds.iter().all(|seed| *seed < 1 << 53));
    assert_eq!(finished.result.cells[0].count, Some(2 * 2 * 1_000), "repeats and processors together");
    assert_eq!(finished.result.cells[0].files.len(), 2);
}

#[test]
fn a_cell_that_lacks_a_repeat_is_not_decided_on_the_others() {
    let mut bench = Bench::new();
    let text = format!("{TWO}\n[[measure]]\nrepeats = 2\n");
    let (finished, _) = bench.run(&text, |engine| engine.refuse.push("here.idle.fifo.2.prazo"));
    assert_eq!(states(&finished), [CellState::Failed, CellState::Measured]);
    assert_eq!(outcomes(&finished), [ClaimOutcome::Undecidable, ClaimOutcome::Held]);
}

#[test]
fn a_cell_of_which_one_run_is_measured_now_is_measured_now() {
    let mut bench = Bench::new();
    let text = format!("{TWO}\n[[measure]]\nrepeats = 2\n");
    bench.run(&text, |engine| engine.refuse.push("here.idle.fifo.2.prazo"));
    let (second, _) = bench.run(&text, |_| ());
    assert_eq!(states(&second), [CellState::Measured, CellState::Reused]);
}

#[test]
fn what_several_cells_lack_is_told_once() {
    let mut bench = Bench::new();
    let both = ["here.idle.fifo.prazo", "here.idle.other.prazo"];
    let (finished, _) = bench.run(TWO, |engine| engine.refuse.extend(both));
    assert_eq!(states(&finished), [CellState::Failed; 2]);
    let text = finished.result.to_string();
    let cells = text.split("\n\n").nth(1).unwrap();
    assert_eq!(cells.matches("EPERM").count(), 1, "{text}");
    assert!(cells.contains("for the same reason as here.idle.fifo"), "{text}");
}

#[test]
fn those_who_watch_hear_of_every_step_and_of_the_time_left() {
    let study = Study::parse("test.toml", TWO).unwrap();
    let mut bench = Bench::new();
    let mut engine = CellMeasurer::on(&bench.shelf);
    engine.refuse.push("here.idle.other.prazo");
    let mut steps: Vec<StudyStep> = vec![];
    let mut runner = Runner::new(&study, &here(), bench.folder.path(), &mut bench.shelf).unwrap();
    runner.run(&mut engine, &mut |step| steps.push(step.clone())).unwrap();
    let seen: Vec<_> = steps.iter().map(|step| (step.number, step.of, step.remaining.as_s_f64())).collect();
    assert_eq!(seen, [(1, 2, 20.0), (2, 2, 10.0), (2, 2, 10.0)]);
    assert_eq!(steps[0].doing, Doing::Measuring);
    assert!(matches!(&steps[2].doing, Doing::Failed(reason) if reason.starts_with("EPERM")));
}

#[test]
fn another_machines_cells_are_brought_as_files() {
    let text = TWO.replace("id = \"here\"", "id = \"here\"\n[[platform]]\nid = \"board\"");
    let as_platform = |id: &str| Here { platform: Some(id.to_owned()), ..here() };
    let mut board = Bench::new();
    board.run_as(&text, &as_platform("board"), |_| ());
    let mut desk = Bench::new();
    let (alone, engine) = desk.run_as(&text, &as_platform("here"), |_| ());
    assert_eq!(engine.measured.len(), 2);
    assert_eq!(states(&alone)[2..], [CellState::Missing; 2]);
    assert!(alone.result.cells[2].reason.as_ref().unwrap().contains("platform 'board' is another machine"));
    for (path, run) in board.shelf.disk.borrow().iter() {
        let brought = desk.folder.path().join(path.file_name().unwrap());
        desk.shelf.disk.borrow_mut().insert(brought, run.clone());
    }
    let (both, engine) = desk.run_as(&text, &as_platform("here"), |_| ());
    assert!(engine.measured.is_empty());
    assert_eq!(states(&both), [CellState::Reused; 4]);
}

#[test]
fn with_several_platforms_somebody_must_say_which_this_is() {
    let text = TWO.replace("id = \"here\"", "id = \"here\"\n[[platform]]\nid = \"board\"");
    let study = Study::parse("test.toml", &text).unwrap();
    let mut shelf = MemoryShelf::default();
    let refused = Runner::new(&study, &here(), Path::new("/tmp"), &mut shelf).err().unwrap();
    assert!(matches!(refused, RunnerError::WhichPlatform { .. }));
    assert!(refused.to_string().contains("has the platforms here, board"), "{refused}");
    let elsewhere = Here { platform: Some("bord".into()), ..here() };
    let unknown = Runner::new(&study, &elsewhere, Path::new("/tmp"), &mut shelf).err().unwrap();
    let why = "study 'two' has no platform 'bord' for this machine; choose one of here, board";
    assert!(unknown.to_string().contains(why), "{unknown}");
    let text = TWO.replace("id = \"here\"", "id = \"here\"\non = \"lab:rt-full\"");
    let guests = Study::parse("test.toml", &text).unwrap();
    let guest = Here { platform: Some("here".into()), ..here() };
    let unknown = Runner::new(&guests, &guest, Path::new("/tmp"), &mut shelf).err().unwrap();
    assert!(unknown.to_string().contains("for this machine; omit --platform, because every"), "{unknown}");
}

const TABLES: &str = r#"
[study]
name = "tables"
title = "A table"
question = "What does it say?"
[[import]]
id = "a"
file = "a.csv"
origin = "nobody"
period = "1ms"
due = 120
[[claim]]
id = "fewer"
text = "it served fewer than were due"
check.served-fewer-than-due = { cells = ["a"] }
"#;

fn hundred(_: &Table) -> Result<Run, String> {
    let mut series = series(0..100);
    series.activations.due = None;
    Ok(Run { series: vec![series], ..Run::default() })
}

#[test]
fn a_table_is_imported_once_and_what_the_study_knows_of_it_counts() {
    let mut bench = Bench::new();
    bench.shelf.import = hundred;
    let (first, _) = bench.run(TABLES, |_| ());
    assert_eq!(states(&first), [CellState::Imported]);
    assert_eq!(first.result.claims[0].evidence, "a: 100 activations served of 120 due, 20 fewer");
    assert_eq!(first.runs["a"][0].series[0].activations.due, None, "the run says only what its file said");
    let (second, _) = bench.run(TABLES, |_| ());
    assert_eq!(states(&second), [CellState::Reused]);
    assert_eq!(second.result.claims, first.result.claims);
}

#[test]
fn a_table_that_cannot_be_read_leaves_its_claims_open() {
    let mut bench = Bench::new();
    let (finished, _) = bench.run(TABLES, |_| ());
    assert_eq!(states(&finished), [CellState::Failed]);
    assert_eq!(outcomes(&finished), [ClaimOutcome::Undecidable]);
    assert!(finished.result.claims[0].evidence.contains("tables/a.csv"));
}

#[test]
fn an_embedded_study_without_its_table_says_so() {
    let study = Study::parse("test.toml", TABLES).unwrap();
    let mut shelf = MemoryShelf { import: hundred, ..MemoryShelf::default() };
    let finished = Runner::new(&study, &here(), Path::new("/nowhere"), &mut shelf).unwrap().show();
    assert_eq!(states(&finished), [CellState::Failed]);
    assert!(finished.result.claims[0].evidence.contains("the study contains no table 'a.csv'"));
}

#[test]
fn a_table_of_an_interrupted_measurement_is_reused_all_the_same() {
    let mut bench = Bench::new();
    bench.shelf.import = |table| Ok(Run { ending: Ending::Interrupted, ..hundred(table)? });
    bench.run(TABLES, |_| ());
    let (second, _) = bench.run(TABLES, |_| ());
    assert_eq!(states(&second), [CellState::Reused]);
}

#[test]
fn a_table_that_changed_is_imported_again() {
    let mut bench = Bench::new();
    bench.shelf.import = hundred;
    std::fs::create_dir(bench.folder.path().join("tables")).unwrap();
    for content in ["one", "two"] {
        std::fs::write(bench.folder.path().join("tables/a.csv"), content).unwrap();
        let (finished, _) = bench.run(TABLES, |_| ());
        assert_eq!(states(&finished), [CellState::Imported], "{content}");
    }
    assert_eq!(bench.shelf.aside.len(), 1);
}

#[test]
fn showing_a_study_measures_nothing_and_writes_nothing() {
    let study = Study::parse("test.toml", TWO).unwrap();
    let mut shelf = MemoryShelf::default();
    let folder = tempfile::tempdir().unwrap();
    let finished = Runner::new(&study, &here(), &folder.path().join("none"), &mut shelf).unwrap().show();
    assert_eq!(states(&finished), [CellState::Missing; 2]);
    assert!(finished.result.cells[0].reason.as_ref().unwrap().contains("prazo study run two"));
    let file = folder.path().join("my-board.toml");
    std::fs::write(&file, TWO).unwrap();
    let study = Study::open(&file).unwrap();
    let finished = Runner::new(&study, &here(), &folder.path().join("none"), &mut shelf).unwrap().show();
    let reason = finished.result.cells[0].reason.as_ref().unwrap();
    assert!(reason.contains(&format!("`prazo study run {}`", file.display())), "{reason}");
    assert!(!folder.path().join("none").exists());
}

#[test]
fn showing_a_study_says_why_a_run_file_cannot_be_read() {
    let mut bench = Bench::new();
    bench.run(TWO, |_| ());
    bench.shelf.unreadable = true;
    let study = Study::parse("test.toml", TWO).unwrap();
    let finished = Runner::new(&study, &here(), bench.folder.path(), &mut bench.shelf).unwrap().show();
    assert_eq!(states(&finished), [CellState::Failed; 2]);
    assert!(finished.result.cells[0].reason.as_ref().unwrap().contains("not a run file"));
}

/// Two studies in one folder would measure everything twice, and each would take the other's runs for outdated ones.
#[test]
fn a_folder_that_another_process_measures_into_is_refused_before_measuring() {
    let mut bench = Bench::new();
    let other = std::fs::File::open(bench.folder.path()).unwrap();
    other.lock().unwrap();
    let study = Study::parse("test.toml", TWO).unwrap();
    let mut engine = CellMeasurer::on(&bench.shelf);
    let mut runner = Runner::new(&study, &here(), bench.folder.path(), &mut bench.shelf).unwrap();
    let refused = runner.run(&mut engine, &mut |_| ()).unwrap_err();
    assert!(matches!(&refused, RunnerError::Busy { path } if path == bench.folder.path()), "{refused}");
    assert!(engine.measured.is_empty());
    drop(other);
    assert_eq!(states(&runner.run(&mut engine, &mut |_| ()).unwrap()), [CellState::Measured; 2]);
}

#[test]
fn a_folder_that_cannot_be_made_stops_the_study_before_measuring() {
    let study = Study::parse("test.toml", TWO).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let mut shelf = MemoryShelf::default();
    let mut engine = CellMeasurer::on(&shelf);
    let refused = Runner::new(&study, &here(), &folder.path().join("file/results"), &mut shelf)
        .and_then(|mut runner| runner.run(&mut engine, &mut |_| ()));
    assert!(refused.is_err_and(|error| error.to_string().contains("choose another results folder")));
    assert!(engine.measured.is_empty());
}

#[test]
fn the_result_is_the_json_that_scripts_read() {
    let mut bench = Bench::new();
    let (finished, _) = bench.run(TWO, |engine| engine.refuse.push("here.idle.fifo.prazo"));
    let json = serde_json::to_value(&finished.result).unwrap();
    assert_eq!(json["claims"][0]["outcome"], "undecidable");
    assert_eq!(json["claims"][1]["outcome"], "held");
    assert_eq!(json["claims"][1]["id"], "other-exact");
    assert!(json["claims"][1]["text"].is_string() && json["claims"][1]["evidence"].is_string());
    assert_eq!(json["cells"][0]["state"], "failed");
    assert!(json["cells"][0]["max_ns"].is_null());
    let schema = serde_json::to_value(schemars::schema_for!(prazo_study::StudyResult)).unwrap();
    assert!(schema["properties"]["claims"].is_object());
}
