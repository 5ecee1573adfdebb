//! The gate for kernels and the spread over seeds, on guests that are made up: what moved, what may differ, what is refused,
//! and how a claim over several seeds is decided.

mod support;

use prazo_lab::platform::Kernel;
use prazo_platform::fingerprint::{Fact, Fingerprint};
use prazo_run::{Plan, Run, Severity};
use prazo_study::gate::{self, Baseline, Condition, Direction, GateOutcome, GateResult, Movement, Question};
use prazo_study::{FileStorage, Finished, Measure, MeasureError, RemoteTarget, Runner, Study, StudyStep};
use prazo_verdict::claim::ClaimOutcome;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use support::{MemoryShelf, here, synthetic};

const GUESTS: &str = r#"
[study]
name = "guests"
title = "Two kernels"
question = "Did it move?"
seed = 3
[[platform]]
id = "std"
on = "lab:standard-full"
[[platform]]
id = "rt"
on = "lab:rt-full"
[[load]]
id = "idle"
[[probe]]
id = "fifo"
policy = "fifo"
length = "2s"
[[measure]]
repeats = 4
[[claim]]
id = "narrow"
text = "no wake-up of rt takes more than 11 us"
check.max-below = { cells = ["rt.idle.fifo"], below = "11us" }
"#;

/// A laboratory: latencies depend on the platform's words and on the seed, and a kernel file on its content.
#[derive(Default)]
struct Guests {
    disk: support::Disk,
    /// Added to every latency above the median.
    tail_ns: i64,
    measured: usize,
}

impl Measure for Guests {
    fn measure(&mut self, plan: &Plan, into: &Path, step: &StudyStep) -> Result<Run, MeasureError> {
        let platform = step.on.as_ref().and_then(RemoteTarget::guest).expect("every platform is a guest");
        let kernel = match &platform.kernel {
            Kernel::Given { file, .. } => std::fs::read_to_string(file).unwrap(),
            Kernel::Fetched { release, .. } => release.clone(),
            Kernel::Built { recipe, .. } => recipe.clone(),
        };
        let facts = [("shift", "3".to_owned()), ("kernel_sha256", kernel), ("command_line", platform.words.join(" "))];
        let fact = |value: String| Fact { value: Some(value), source: "test".into() };
        let facts = facts.into_iter().map(|(name, value)| (format!("lab.{name}"), fact(value))).collect();
        let mut run = Run { platform_before: Some(Fingerprint { facts }), ..synthetic(plan) };
        let jitter = i64::try_from(plan.seed % 500).unwrap();
        for series in &mut run.series {
            let cells: Vec<_> = series.histogram.cells().collect();
            series.histogram = prazo_run::Histogram::new();
            for (ns, count) in cells {
                let tail = if ns > 10_050 { self.tail_ns } else { 0 };
                series.histogram.add(ns + jitter + tail, count);
            }
        }
        self.measured += 1;
        self.disk.borrow_mut().insert(into.to_owned(), run.clone());
        Ok(run)
    }
}

/// A study's outcome in a lab of its own.
fn run_as(text: &str, tail_ns: i64, change: impl FnOnce(&mut Study)) -> Finished {
    let mut study = Study::parse("test.toml", text).unwrap();
    change(&mut study);
    let mut shelf = MemoryShelf::default();
    let mut guests = Guests { disk: shelf.disk.clone(), tail_ns, measured: 0 };
    let folder = tempfile::tempdir().unwrap();
    let mut runner = Runner::new(&study, &here(), folder.path(), &mut shelf).unwrap();
    runner.run(&mut guests, &mut |_| ()).unwrap()
}

fn baseline(finished: &Finished) -> Baseline {
    Baseline::of("guests", &finished.runs)
}

/// Nothing may differ, every movement counts.
fn asked() -> Question<'static> {
    static NONE: BTreeSet<String> = BTreeSet::new();
    Question { name: "before", cells: &NONE, may_differ: &[], direction: Direction::Either, floor_ns: None }
}

fn judged(before: &Finished, now: &Finished, may_differ: &[Condition], direction: Direction) -> GateResult {
    let question = Question { may_differ, direction, ..asked() };
    gate::judge(&baseline(before), &baseline(now), &question).unwrap()
}

/// The study with its platforms' words changed.
fn with_words(words: &'static str) -> impl FnOnce(&mut Study) {
    move |study| {
        for entry in &mut study.platforms {
            let mut platform = entry.guest().unwrap();
            platform.words = vec![words.into()];
            entry.instead = Some(platform);
        }
    }
}

fn with_seed(seed: u64) -> impl FnOnce(&mut Study) {
    move |study| study.head.seed = seed
}

#[test]
fn the_same_kernel_with_other_seeds_did_not_move() {
    for seed in 10..30 {
        let (before, now) = (run_as(GUESTS, 0, |_| ()), run_as(GUESTS, 0, with_seed(seed)));
        let answer = judged(&before, &now, &[], Direction::Either);
        assert_eq!(answer.outcome, GateOutcome::Unmoved, "seed {seed}: {answer}");
        assert!(answer.compared.len() == 10 && answer.left.is_empty(), "{answer}");
    }
}

#[test]
fn a_longer_tail_is_told_by_probe_platform_and_quantile() {
    let (before, now) = (run_as(GUESTS, 0, |_| ()), run_as(GUESTS, 3_000, with_seed(10)));
    let answer = judged(&before, &now, &[], Direction::Either);
    assert_eq!(answer.outcome, GateOutcome::Moved);
    let told = answer.to_string();
    assert!(told.contains("rt.idle.fifo: 99 % of response latency: ") && told.contains("worse"), "{told}");
    assert!(told.contains("std.idle.fifo: maximum of response latency"), "{told}");
    let median = answer.compared.iter().find(|one| one.figure == "median").unwrap();
    assert_eq!(median.movement, Movement::None, "the median did not move");
}

#[test]
fn a_direction_that_is_not_asked_for_does_not_count() {
    let (before, now) = (run_as(GUESTS, 3_000, |_| ()), run_as(GUESTS, 0, with_seed(10)));
    assert_eq!(judged(&before, &now, &[], Direction::Better).outcome, GateOutcome::Moved);
    assert_eq!(judged(&before, &now, &[], Direction::Worse).outcome, GateOutcome::Unmoved);
}

#[test]
fn what_differs_and_must_not_is_refused_by_name() {
    let (before, now) = (run_as(GUESTS, 0, |_| ()), run_as(GUESTS, 0, with_words("threadirqs")));
    let question = Question { may_differ: &[Condition::Kernel], ..asked() };
    let refused = gate::judge(&baseline(&before), &baseline(&now), &question).unwrap_err();
    assert!(refused.iter().all(|one| one.condition == Condition::CommandLine), "{refused:?}");
    assert_eq!(refused.len(), 2);
    let told = gate::differing(&refused).join("; ");
    assert!(told.contains("threadirqs") && told.contains("std.idle.fifo"), "{told}");
    let allowed = judged(&before, &now, &[Condition::CommandLine], Direction::Either);
    assert_eq!((allowed.outcome, allowed.differs.len()), (GateOutcome::Unmoved, 2));
}

/// A study whose first run of each cell is changed.
fn with_first_run(change: fn(&mut Run)) -> Finished {
    let mut finished = run_as(GUESTS, 0, with_seed(10));
    finished.runs.values_mut().for_each(|runs| change(&mut runs[0]));
    finished
}

/// A thread that sleeps through nine tenths of its wake-ups and then goes on as before.
fn stall(run: &mut Run) {
    for series in &mut run.series {
        let cells: Vec<_> = series.histogram.cells().collect();
        series.histogram = prazo_run::Histogram::new();
        cells.iter().step_by(10).for_each(|(ns, count)| series.histogram.add(*ns, *count));
        series.activations.served = series.histogram.total();
        series.activations.skipped = Some(900);
    }
}

#[test]
fn a_seed_that_stalls_does_not_pass() {
    let (before, now) = (run_as(GUESTS, 0, |_| ()), with_first_run(stall));
    let answer = judged(&before, &now, &[], Direction::Worse);
    assert_eq!(answer.outcome, GateOutcome::Undecidable, "{answer}");
    assert!(answer.to_string().contains("some seeds may have skipped activations that others served"), "{answer}");
    let mut all = run_as(GUESTS, 0, with_seed(10));
    all.runs.values_mut().flatten().for_each(stall);
    let answer = judged(&before, &all, &[], Direction::Worse);
    assert!(answer.outcome == GateOutcome::Moved && answer.to_string().contains("time skipped"), "{answer}");
}

#[test]
fn what_threatens_a_run_leaves_the_answer_open_and_is_named() {
    let before = run_as(GUESTS, 0, |_| ());
    let told = |change: fn(&mut Run)| {
        let answer = judged(&before, &with_first_run(change), &[], Direction::Either);
        assert_eq!(answer.outcome, GateOutcome::Undecidable, "{answer}");
        answer.to_string()
    };
    let fatal = told(|run| run.caveats.push(prazo_run::Caveat::new("no-timer", Severity::Fatal, "none", "")));
    assert!(fatal.contains("not completely compared: rt.idle.fifo") && fatal.contains("no-timer"), "{fatal}");
    assert!(fatal.contains("no figure was compared") && !fatal.contains("probability"), "{fatal}");
    assert!(told(|run| run.series[0].activations.lost = 7).contains("lost the records of 7 wake-ups"));
    assert!(told(|run| run.series.clear()).contains("has no response latency"));
    let uncounted = told(|run| run.series[0].activations.skipped = None);
    assert!(uncounted.contains("time skipped: at least one run has no count of skipped activations"), "{uncounted}");
}

#[test]
fn a_cell_that_neither_side_has_is_missed() {
    let finished = run_as(GUESTS, 0, |_| ());
    let (cells, both) = (["rt.loaded.fifo".to_owned()].into(), baseline(&finished));
    let answer = gate::judge(&both, &both, &Question { cells: &cells, ..asked() }).unwrap();
    assert_eq!(answer.outcome, GateOutcome::Undecidable);
    assert_eq!(answer.left[0].cell, "rt.loaded.fifo");
    let wanted = [("rt.idle.fifo".to_owned(), 4), ("rt.loaded.fifo".to_owned(), 4)].into();
    assert_eq!(both.lacks(&wanted), ["rt.loaded.fifo (0 of 4 runs)"]);
}

#[test]
fn a_side_of_two_kernels_is_refused_whatever_may_differ() {
    let before = run_as(GUESTS, 0, |_| ());
    let mixed = with_first_run(|run| {
        let facts = &mut run.platform_before.as_mut().unwrap().facts;
        facts.get_mut("lab.kernel_sha256").unwrap().value = Some("another".into());
    });
    let question = Question { may_differ: Condition::VALUES, ..asked() };
    let refused = gate::judge(&baseline(&before), &baseline(&mixed), &question).unwrap_err();
    assert!(refused.iter().all(|one| one.mixed && one.condition == Condition::Kernel), "{refused:?}");
}

#[test]
fn too_few_seeds_and_a_cell_that_is_missing_decide_nothing() {
    let one = GUESTS.replace("repeats = 4", "repeats = 1");
    let (before, now) = (run_as(&one, 0, |_| ()), run_as(&one, 9_000, |_| ()));
    let answer = judged(&before, &now, &[], Direction::Either);
    assert_eq!(answer.outcome, GateOutcome::Undecidable);
    assert!(answer.to_string().contains("a spread needs at least"), "{answer}");
    let alone = run_as(GUESTS, 0, |study| study.platforms.truncate(1));
    let answer = judged(&run_as(GUESTS, 0, |_| ()), &alone, &[], Direction::Either);
    assert_eq!(answer.outcome, GateOutcome::Undecidable);
    assert_eq!(answer.left[0].cell, "rt.idle.fifo");
    let kept = baseline(&run_as(GUESTS, 0, |_| ())).of_cells(&["std.idle.fifo".to_owned()].into());
    let answer = gate::judge(&kept, &baseline(&alone), &asked()).unwrap();
    assert_eq!(answer.outcome, GateOutcome::Unmoved, "what was left out on purpose is not missing");
    let nothing =
        gate::judge(&Baseline::of("guests", &BTreeMap::new()), &Baseline::of("guests", &BTreeMap::new()), &asked());
    assert_eq!(nothing.unwrap().outcome, GateOutcome::Undecidable);
}

#[test]
fn the_same_seed_twice_is_one_seed() {
    let finished = run_as(&GUESTS.replace("repeats = 4", "repeats = 2"), 0, |_| ());
    let doubled =
        finished.runs.iter().map(|(cell, runs)| (cell.clone(), [runs.clone(), runs.clone()].concat())).collect();
    let both = Baseline::of("guests", &doubled);
    let answer = gate::judge(&both, &both, &asked()).unwrap();
    assert_eq!((answer.outcome, answer.compared[0].seeds), (GateOutcome::Undecidable, [2, 2]));
}

#[test]
fn a_baseline_survives_its_file_and_refuses_what_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("before.json");
    let before = baseline(&run_as(GUESTS, 0, |_| ()));
    before.save(&file).unwrap();
    assert_eq!(Baseline::open(&file, "guests").unwrap(), before);
    assert!(Baseline::open(&file, "gate").unwrap_err().to_string().contains("belongs to study 'guests'"));
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"version\": 3", "\"version\": 9, \"method\": \"shifts\"")).unwrap();
    let newer = Baseline::open(&file, "guests").unwrap_err().to_string();
    assert!(newer.contains("version 9"), "{newer}");
    let mut bytes = text.clone().into_bytes();
    bytes[text.find("guests").unwrap()] = 0xff;
    std::fs::write(&file, bytes).unwrap();
    let not_text = Baseline::open(&file, "guests").unwrap_err().to_string();
    assert!(not_text.contains("is damaged") && !not_text.contains("cannot be read"), "{not_text}");
    std::fs::write(&file, &text[..text.len() / 2]).unwrap();
    let truncated = Baseline::open(&file, "guests").unwrap_err().to_string();
    assert!(truncated.contains("is damaged") && truncated.contains("the file ends in line"), "{truncated}");
    assert!(truncated.contains("`prazo gate --save` wrote: save the baseline again"), "{truncated}");
    std::fs::write(&file, text.replacen(':', "", 1)).unwrap();
    let garbled = Baseline::open(&file, "guests").unwrap_err().to_string();
    assert!(garbled.contains("is damaged") && garbled.contains("line 2"), "{garbled}");
    assert!(Baseline::open(&folder.path().join("none"), "guests").is_err());
}

#[test]
fn a_folder_is_a_baseline_only_by_what_its_journal_vouches_for() {
    let folder = tempfile::tempdir().unwrap();
    let study = Study::parse("test.toml", GUESTS).unwrap();
    let error = Baseline::of_folder(&study, &here(), folder.path(), &FileStorage).unwrap_err().to_string();
    assert!(error.contains("contains no run of this study under counted time"), "{error}");
}

#[test]
fn another_kernel_under_the_same_name_is_measured_again() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = folder.path().join("bzImage");
    let mut shelf = MemoryShelf::default();
    let mut measured = Vec::new();
    for content in ["good", "good", "bad"] {
        std::fs::write(&kernel, content).unwrap();
        let mut study = Study::parse("test.toml", GUESTS).unwrap();
        for entry in &mut study.platforms {
            let platform = entry.guest().unwrap();
            let given = prazo_lab::Platform::given(kernel.clone(), None);
            entry.instead = Some(prazo_lab::Platform { kernel: given.kernel, ..platform });
        }
        let mut guests = Guests { disk: shelf.disk.clone(), ..Guests::default() };
        Runner::new(&study, &here(), folder.path(), &mut shelf).unwrap().run(&mut guests, &mut |_| ()).unwrap();
        measured.push(guests.measured);
    }
    assert_eq!(measured, [8, 0, 8]);
}

#[test]
fn a_claim_over_several_seeds_holds_only_if_each_holds_and_tells_their_spread() {
    let finished = run_as(GUESTS, 0, |_| ());
    let seeds = finished.result.cells.iter().find(|cell| cell.id == "rt.idle.fifo").unwrap().seeds.clone().unwrap();
    let max = seeds.max.unwrap();
    assert!(seeds.counted && seeds.runs.len() == 4 && max.width() > 0.0, "{seeds:?}");
    let check = |below_ns: f64| {
        let text = GUESTS.replace("below = \"11us\"", &format!("below = \"{below_ns}ns\""));
        run_as(&text, 0, |_| ()).result.claims[0].clone()
    };
    let held = check(max.high_ns + 1.0);
    assert_eq!(held.outcome, ClaimOutcome::Held);
    assert!(held.evidence.starts_with("holds for each of 4 seeds; "), "{}", held.evidence);
    assert!(held.evidence.contains(&format!("maximum {max}")), "{}", held.evidence);
    let refuted = check(max.high_ns);
    assert_eq!(refuted.outcome, ClaimOutcome::NotHeld);
    assert!(refuted.evidence.starts_with("does not hold for 1 of 4 seeds; "), "{}", refuted.evidence);
}

#[test]
fn seeds_of_plans_and_of_machines_differ_from_repeat_to_repeat() {
    for seed in [0, 1, 7, u64::MAX] {
        let text = GUESTS.replace("repeats = 4", "repeats = 200");
        let mut study = Study::parse("test.toml", &text).unwrap();
        study.head.seed = seed;
        let cells = prazo_study::matrix::cells(&study, &here());
        let prazo_study::CellSource::Measure { plans, on: Some(RemoteTarget::Guest(platform)), .. } = &cells[0].source
        else {
            panic!("{cells:?}")
        };
        let machine = |plan: &Plan| prazo_study::guest::machine(platform, plan).unwrap().seed;
        let machines: std::collections::BTreeSet<u32> = plans.iter().map(machine).collect();
        let of_plans: std::collections::BTreeSet<u64> = plans.iter().map(|plan| plan.seed).collect();
        assert_eq!((machines.len(), of_plans.len()), (200, 200), "study seed {seed}");
    }
}

#[test]
fn cells_that_the_baseline_does_not_have_are_known_before_anything_is_measured() {
    let study = Study::parse("test.toml", GUESTS).unwrap();
    let whole = baseline(&run_as(GUESTS, 0, |_| ()));
    assert!(gate::lacks_now(&whole, &study, &here()).is_empty());
    let half = whole.of_cells(&["std.idle.fifo".to_owned()].into());
    assert_eq!(gate::lacks_now(&half, &study, &here()), ["rt.idle.fifo"]);
}
