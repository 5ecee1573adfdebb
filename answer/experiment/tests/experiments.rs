//! Experiments are the same however they are run: alone or whole, on one thread or two, at once or resumed after a kill.

#[path = "support/experiment.rs"]
mod support;

use prazo_analysis::question::Shape;
use prazo_experiment::chunk::{Chunk, ChunkResult, points};
use prazo_experiment::folder::FILE;
use prazo_experiment::{Curve, Experiment, ExperimentError, Progress, Runner};
use prazo_verdict::claim::ClaimOutcome;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use support::{SMALL, answer, run, small};

fn lines(folder: &std::path::Path) -> Vec<String> {
    std::fs::read_to_string(folder.join(FILE)).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn two_threads_find_what_one_finds() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let result = run(&small(), one.path(), 1);
    assert_eq!(result, run(&small(), two.path(), 2));
    assert!(result.complete);
    let (mut left, mut right) = (lines(one.path()), lines(two.path()));
    left.sort();
    right.sort();
    assert_eq!(left, right);
}

#[test]
fn a_chunk_made_alone_is_the_chunk_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = small();
    run(&experiment, folder.path(), 2);
    let points = points(&experiment);
    for line in &lines(folder.path())[1..] {
        let kept: ChunkResult = serde_json::from_str(line).unwrap();
        let alone = Chunk::at(kept.chunk, &points, &experiment).unwrap().run(&experiment, &answer).unwrap();
        assert_eq!(alone, kept);
    }
}

#[test]
fn every_set_of_every_point_is_in_exactly_one_chunk() {
    let experiment = small();
    let points = points(&experiment);
    let total = Chunk::total(&experiment);
    let mut sets: BTreeMap<(usize, String), Vec<u64>> = BTreeMap::new();
    for chunk in (0..total).map(|number| Chunk::at(number, &points, &experiment).unwrap()) {
        let place = (chunk.family, chunk.utilization.to_string());
        sets.entry(place).or_default().extend(chunk.first..chunk.first + chunk.sets);
    }
    assert_eq!((total, sets.len()), (39, 13));
    assert!(sets.values().all(|found| *found == (0..120).collect::<Vec<u64>>()));
    assert_eq!(Chunk::at(total, &points, &experiment), None);
}

#[test]
fn all_schedulers_of_a_point_judge_the_same_sets() {
    let experiment = small();
    let seen: Mutex<BTreeMap<String, Vec<Vec<prazo_analysis::Task>>>> = Mutex::default();
    let look = |question: &prazo_analysis::question::Question<'_>, method: &_| {
        let shape = match question.shape {
            Shape::Global { .. } => "global".to_owned(),
            Shape::Clusters(sizes) => format!("{sizes:?}"),
        };
        seen.lock().unwrap().entry(shape).or_default().push(question.tasks.to_vec());
        answer(question, method)
    };
    Chunk::at(3, &points(&experiment), &experiment).unwrap().run(&experiment, &look).unwrap();
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen.keys().collect::<Vec<_>>(), ["[1, 1, 1, 1]", "[3, 1]", "global"]);
    assert!(seen.values().all(|sets| sets.len() == 50 && *sets == seen["global"]));
}

#[test]
fn another_point_leaves_all_other_sets_as_they_are() {
    let more = SMALL.replace("{ from = 3.0, to = 3.9, step = 0.3 }", "{ from = 3.0, to = 3.9, step = 0.1 }");
    let (few, more) = (small(), Experiment::parse("more.toml", &more).unwrap());
    let at = |experiment: &Experiment, utilization: &str| {
        let points = points(experiment);
        let chunks = (0..points.len() as u64).filter_map(|number| Chunk::at(number, &points, experiment));
        let found = chunks.into_iter().find(|chunk| chunk.family == 0 && chunk.utilization.to_string() == utilization);
        found.unwrap().draw(experiment, 17)
    };
    assert_eq!(at(&few, "18/5"), at(&more, "18/5"));
    assert_ne!(few.fingerprint, more.fingerprint);
}

#[test]
fn a_killed_run_goes_on_where_it_was_cut() {
    let (whole, cut) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let experiment = small();
    let wanted = run(&experiment, whole.path(), 1);
    let text = std::fs::read_to_string(whole.path().join(FILE)).unwrap();
    let header = text.find('\n').unwrap();
    for end in [0, 5, header, header + 1, text.len() / 2, text.len() - 1, text.len()] {
        std::fs::write(cut.path().join(FILE), &text[..end]).unwrap();
        let mut first = None;
        let runner = Runner { experiment: &experiment, answering: &answer, threads: 2, should_stop: &|| false };
        let result = runner.run(cut.path(), &mut |progress| _ = first.get_or_insert(progress)).unwrap();
        assert_eq!(result, wanted, "cut after {end} bytes");
        let kept = text[..end].matches('\n').count().saturating_sub(1) as u64;
        assert_eq!(first, Some(Progress { total: 39, found: kept, made: 0 }));
        assert_eq!(lines(cut.path()).len(), 40);
    }
}

#[test]
fn a_stopped_run_keeps_what_it_won_and_decides_no_claim() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = small();
    let left = AtomicU64::new(5);
    let should_stop = || left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_err();
    let runner = Runner { experiment: &experiment, answering: &answer, threads: 1, should_stop: &should_stop };
    let result = runner.run(folder.path(), &mut |_| {}).unwrap();
    assert!(!result.complete);
    assert_eq!(lines(folder.path()).len(), 6);
    assert!(result.claims.iter().all(|claim| claim.outcome == ClaimOutcome::Undecidable));
    assert_eq!(runner.look(folder.path()).unwrap(), result);
    assert_eq!(result.curves.iter().flat_map(|curve| &curve.points).filter(|point| point.share.is_none()).count(), 24);
    assert!(run(&experiment, folder.path(), 1).complete);
}

#[test]
fn chunks_of_another_experiment_are_refused_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    run(&small(), folder.path(), 1);
    let before = lines(folder.path());
    let other = Experiment::parse("other.toml", &SMALL.replace("seed = 7", "seed = 8")).unwrap();
    let runner = Runner { experiment: &other, answering: &answer, threads: 1, should_stop: &|| false };
    let error = runner.run(folder.path(), &mut |_| {}).unwrap_err().to_string();
    assert!(error.contains("contains chunks of experiment 'small (fnv1a-"), "{error}");
    assert!(runner.look(folder.path()).is_err());
    assert_eq!(lines(folder.path()), before);
}

#[test]
fn a_better_text_is_still_the_same_experiment() {
    let text = SMALL.replace("A small experiment", "A smaller experiment").replace("by = 0.1", "by = 0.2");
    assert_eq!(Experiment::parse("small.toml", &text).unwrap().fingerprint, small().fingerprint);
    let text = SMALL.replace("sets = 120", "sets = 121");
    assert_ne!(Experiment::parse("small.toml", &text).unwrap().fingerprint, small().fingerprint);
}

#[test]
fn a_damaged_line_is_named() {
    let folder = tempfile::tempdir().unwrap();
    run(&small(), folder.path(), 1);
    let whole = lines(folder.path());
    let chunk = whole[3].clone();
    let wrong = [
        ("{}".to_owned(), "missing field"),
        (chunk.replace("\"chunk\":2", "\"chunk\":39"), "no chunk with this number"),
        (chunk.replacen("\"sets\":50,\"accepted\"", "\"sets\":49,\"accepted\"", 1), "contradict each other"),
    ];
    for (line, cause) in wrong {
        let mut text = whole.clone();
        text[3] = line;
        std::fs::write(folder.path().join(FILE), text.join("\n") + "\n").unwrap();
        let experiment = small();
        let runner = Runner { experiment: &experiment, answering: &answer, threads: 1, should_stop: &|| false };
        let error = runner.run(folder.path(), &mut |_| {}).unwrap_err().to_string();
        assert!(error.contains("chunks.jsonl:4:") && error.contains(cause), "{error}");
    }
}

#[test]
fn two_processes_do_not_write_into_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = small();
    let (held, mut busy) = (folder.path().to_owned(), None);
    let runner = Runner { experiment: &experiment, answering: &answer, threads: 1, should_stop: &|| false };
    runner.run(folder.path(), &mut |_| _ = busy.get_or_insert_with(|| runner.run(&held, &mut |_| {}))).unwrap();
    assert!(matches!(busy, Some(Err(ExperimentError::Busy { .. }))));
}

#[test]
fn a_folder_that_cannot_be_written_says_so() {
    let experiment = small();
    let runner = Runner { experiment: &experiment, answering: &answer, threads: 1, should_stop: &|| false };
    let error = runner.run(std::path::Path::new("/proc/nothing"), &mut |_| {}).unwrap_err().to_string();
    assert!(
        error.contains("choose another results folder, or give this one read and write access and free space"),
        "{error}"
    );
}

#[test]
fn sets_that_a_family_cannot_draw_are_in_no_share() {
    let text =
        SMALL.replace("{ kind = \"uniform\", range = [0.5, 0.9] }", "{ kind = \"uunifast-discard\", tasks = 2 }");
    let folder = tempfile::tempdir().unwrap();
    let result = run(&Experiment::parse("few.toml", &text).unwrap(), folder.path(), 1);
    let point = |utilization: &str| {
        let curve = result.curves.iter().find(|curve| curve.id == "heavy.plain.G.none").unwrap();
        curve.points.iter().find(|point| point.utilization == utilization).unwrap().clone()
    };
    assert_eq!((point("1.5").sets, point("2.1").sets, point("2.1").share), (120, 0, None));
}

#[test]
fn claims_of_a_whole_experiment_are_decided() {
    let folder = tempfile::tempdir().unwrap();
    let result = run(&small(), folder.path(), 2);
    let outcomes: Vec<ClaimOutcome> = result.claims.iter().map(|claim| claim.outcome).collect();
    assert_eq!(outcomes, [ClaimOutcome::Held, ClaimOutcome::Held], "{:#?}", result.claims);
    assert_eq!(result.curves.len(), Curve::all(&small()).count());
}
