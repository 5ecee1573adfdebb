//! The writer against the file system: what was appended is what is opened, even when the world fails.

#[allow(dead_code)] // Each program of tests needs a part of it.
#[path = "support/synthetic.rs"]
mod synthetic;

use prazo_run::run::{Ending, Origin, Quantity};
use prazo_run::split::{SplitCounts, Splitter, Unsplit};
use prazo_run::store::{self, Closing, Recorded, SampleReader, SeriesOpening, SeriesSecond, StoreError, Writer};
use prazo_run::{Histogram, Run};
use rusqlite::Connection;
use std::path::Path;
use synthetic::Shape;

const SHAPE: Shape = Shape { hz: 1_000, cpus: 2, seconds: 150, warm_up_s: 2, raw: false };

fn is_stored(recorded: &Recorded) -> bool {
    matches!(recorded, Recorded::Stored)
}

fn batches(shape: Shape) -> Vec<Vec<SeriesSecond>> {
    let mut sources = shape.sources(1);
    (0..shape.seconds).map(|at_s| sources.iter_mut().map(|source| source.second(at_s)).collect()).collect()
}

/// The slow, obvious twin of the writer: all samples in memory.
fn histogram(batches: &[Vec<SeriesSecond>], series: usize, warm_up: bool) -> Histogram {
    let mut histogram = Histogram::new();
    let seconds = batches.iter().flatten().filter(|second| second.series == series && second.warm_up == warm_up);
    for sample in seconds.flat_map(|second| &second.samples) {
        match sample.latency_ns <= 10_000_000 {
            true => histogram.add(sample.latency_ns, 1),
            false => histogram.add_overflow(1),
        }
    }
    histogram
}

fn assert_is_all_of(run: &Run, batches: &[Vec<SeriesSecond>]) {
    for (id, series) in run.series.iter().enumerate() {
        assert_eq!(series.histogram, histogram(batches, id, false), "histogram of series {id}");
        assert_eq!(series.warm_up, histogram(batches, id, true), "warm-up of series {id}");
        let measured = || batches.iter().flatten().filter(|second| second.series == id && !second.warm_up);
        let served: u64 = measured().map(|second| second.samples.len() as u64 + second.lost).sum();
        let skipped: u64 = measured().map(|second| second.skipped).sum();
        assert_eq!((series.activations.served, series.activations.skipped), (served, Some(skipped)));
        assert_eq!(series.activations.due, Some(served + skipped + series.activations.outstanding));
        assert_eq!(series.activations.missed, Some(measured().map(|second| second.missed).sum()));
    }
}

fn write(path: &Path, shape: Shape) -> Vec<Vec<SeriesSecond>> {
    let mut writer = Writer::create(path, &shape.opening(Vec::new())).unwrap();
    let batches = batches(shape);
    assert!(batches.iter().all(|batch| is_stored(&writer.append(batch))));
    let closing = Closing { outstanding: vec![1, 0], ..Closing::default() };
    let finished = writer.finish(&closing).unwrap();
    assert_eq!((finished.path.as_path(), finished.caveats.as_slice()), (path, [].as_slice()));
    batches
}

/// A run with parts as a probe writes it: the interrupt latency is a third of each response.
fn split_opening(shape: Shape) -> store::Opening {
    let mut opening = shape.opening(Vec::new());
    let parts = opening.series.iter().enumerate().map(|(whole, of)| SeriesOpening {
        quantity: Quantity::InterruptLatency,
        part_of: Some(whole),
        ..*of
    });
    opening.series = opening.series.iter().copied().chain(parts).collect();
    opening.split_by = Some(Splitter::Bpf);
    opening
}

fn with_parts(mut batch: Vec<SeriesSecond>) -> Vec<SeriesSecond> {
    let wholes = batch.len();
    for of in batch.clone() {
        let third = |sample: &store::Sample| store::Sample { latency_ns: sample.latency_ns / 3, ..*sample };
        let samples = of.samples.iter().skip(1).map(third).collect();
        batch.push(SeriesSecond { series: of.series + wholes, samples, skipped: 0, missed: 0, ..of });
    }
    batch
}

#[test]
fn parts_are_stored_beside_their_whole_and_given_back_inside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prazo");
    let shape = Shape { seconds: 5, ..SHAPE };
    let mut writer = Writer::create(&path, &split_opening(shape)).unwrap();
    let batches = batches(shape);
    assert!(batches.iter().all(|batch| is_stored(&writer.append(&with_parts(batch.clone())))));
    let counts =
        SplitCounts { by: Splitter::Bpf, split: 2_997, never_slept: 2, unsplit: [(Unsplit::NoStamps, 1)].into() };
    let closing = Closing { splits: vec![(1, counts.clone(), Vec::new())], ..Closing::default() };
    writer.finish(&closing).unwrap();
    let run = store::open(&path).unwrap();
    assert_is_all_of(&run, &batches);
    assert_eq!(run.series.len(), 2, "parts are no series of the run");
    let split = run.series[1].split.as_deref().unwrap();
    assert_eq!(split.counts, counts);
    let part = &split.parts[0];
    assert_eq!((part.quantity, part.cpu), (Quantity::InterruptLatency, run.series[1].cpu));
    assert_eq!(part.histogram.total(), run.series[1].histogram.total() - 3, "one less in each of three seconds");
    assert_eq!((part.activations.due, part.activations.skipped, part.activations.missed), (None, None, None));
    assert_eq!(part.worst[0].latency_ns, run.series[1].worst[0].latency_ns / 3);
}

#[test]
fn a_run_that_died_keeps_its_parts_and_says_that_the_rest_was_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("a.prazo"), folder.path().join("b.prazo"));
    let shape = Shape { seconds: 5, ..SHAPE };
    let mut writer = Writer::create(&path, &split_opening(shape)).unwrap();
    assert!(batches(shape).iter().all(|batch| is_stored(&writer.append(&with_parts(batch.clone())))));
    std::fs::copy(&path, &copy).unwrap();
    std::fs::copy(folder.path().join("a.prazo-wal"), folder.path().join("b.prazo-wal")).unwrap();
    let run = store::open(&copy).unwrap();
    let split = run.series[0].split.as_deref().unwrap();
    assert_eq!(run.ending, Ending::Died);
    assert_eq!(split.counts.unsplit, [(Unsplit::NotCounted, 3)].into());
    assert_eq!(split.counts.served(), run.series[0].histogram.total());
}

fn files(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn what_was_appended_is_what_is_opened_and_one_file_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prazo");
    let batches = write(&path, SHAPE);
    assert_eq!(files(folder.path()), ["a.prazo"]);
    let run = store::open(&path).unwrap();
    assert_is_all_of(&run, &batches);
    assert_eq!((run.name.as_str(), &run.origin, &run.ending), ("a", &Origin::Synthetic, &Ending::Complete));
    assert_eq!(run.plan, Some(SHAPE.plan()));
    assert_eq!(run.series[0].activations.outstanding, 1);
    assert_eq!(run.series[0].timeline.len(), 150);
    assert_eq!(run.series[0].blocks.len(), 148, "one a second, without the warm-up");
    assert!(store::samples(&path, |_, _| panic!("no raw samples were asked for")).is_ok());
}

#[test]
fn the_worst_samples_are_exact_also_beyond_the_bound() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prazo");
    let batches = write(&path, SHAPE);
    let series = &store::open(&path).unwrap().series[1];
    let measured = batches.iter().flatten().filter(|second| second.series == 1 && !second.warm_up);
    let mut latencies: Vec<i64> = measured.flat_map(|second| &second.samples).map(|sample| sample.latency_ns).collect();
    latencies.sort_unstable_by(|a, b| b.cmp(a));
    let worst: Vec<i64> = series.worst.iter().map(|sample| sample.latency_ns).collect();
    assert_eq!(worst, latencies[..1_000]);
    assert!(series.worst.iter().all(|sample| sample.at_ns == sample.activation as i64 * 1_000_000));
}

#[test]
fn raw_samples_are_kept_and_folded_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prazo");
    let shape = Shape { seconds: 70, raw: true, ..SHAPE };
    let batches = write(&path, shape);
    assert_is_all_of(&store::open(&path).unwrap(), &batches);
    let mut kept = vec![Vec::new(); 2];
    store::samples(&path, |series, samples| kept[series].extend_from_slice(samples)).unwrap();
    let (mut reader, mut one_by_one) = (SampleReader::open(&path).unwrap(), vec![Vec::new(); 2]);
    while let Some((series, samples)) = reader.next_second().unwrap() {
        // The file is not in use meanwhile.
        assert!(one_by_one[series].len() > 1_000 || store::open(&path).is_ok());
        one_by_one[series].extend(samples);
    }
    assert_eq!(one_by_one, kept);
    for (id, kept) in kept.into_iter().enumerate() {
        let all =
            batches.iter().flatten().filter(|second| second.series == id).flat_map(|second| second.samples.clone());
        assert!(kept.into_iter().eq(all), "raw samples of series {id}");
    }
}

#[test]
fn a_second_that_comes_in_parts_is_one_second() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prazo");
    let mut writer = Writer::create(&path, &SHAPE.opening(Vec::new())).unwrap();
    let mut batches = batches(Shape { seconds: 4, ..SHAPE });
    let late = SeriesSecond { samples: batches[3][0].samples.split_off(600), at_s: 3, ..SeriesSecond::default() };
    batches.push(vec![late]);
    assert!(batches.iter().all(|batch| is_stored(&writer.append(batch))));
    writer.finish(&Closing::default()).unwrap();
    let run = store::open(&path).unwrap();
    assert_is_all_of(&run, &batches);
    assert_eq!(run.series[0].timeline.len(), 4);
}

#[test]
fn an_existing_file_is_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prazo");
    std::fs::write(&path, "precious").unwrap();
    assert!(matches!(Writer::create(&path, &SHAPE.opening(Vec::new())), Err(StoreError::Exists { .. })));
    assert!(matches!(store::save(&Run::default(), &path), Err(StoreError::Exists { .. })));
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
}

#[test]
fn a_lock_held_for_a_while_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prazo");
    let mut writer = Writer::create(&path, &SHAPE.opening(Vec::new())).unwrap();
    let batches = batches(Shape { seconds: 6, ..SHAPE });
    assert!(is_stored(&writer.append(&batches[0])));
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    for (waiting, batch) in (1..).zip(&batches[1..4]) {
        match writer.append(batch) {
            Recorded::Waiting { seconds, given_up: 0, why: StoreError::Locked { .. } } => assert_eq!(seconds, waiting),
            other => panic!("{other:?}"),
        }
    }
    drop(other);
    assert!(batches[4..].iter().all(|batch| is_stored(&writer.append(batch))));
    assert_eq!(writer.finish(&Closing::default()).unwrap().caveats[0].id, "store-waited");
    let run = store::open(&path).unwrap();
    assert_is_all_of(&run, &batches);
    assert!(run.has_caveat("store-waited"));
}

#[test]
fn a_removed_file_is_made_anew_with_everything_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prazo");
    let mut writer = Writer::create(&path, &SHAPE.opening(Vec::new())).unwrap();
    let batches = batches(Shape { seconds: 90, ..SHAPE });
    assert!(batches[..70].iter().all(|batch| is_stored(&writer.append(batch))));
    std::fs::remove_file(&path).unwrap();
    assert!(batches[70..].iter().all(|batch| is_stored(&writer.append(batch))));
    assert_eq!(writer.finish(&Closing::default()).unwrap().caveats[0].id, "run-file-moved");
    assert_eq!(files(folder.path()), ["a.prazo"]);
    assert_is_all_of(&store::open(&path).unwrap(), &batches);
}

#[test]
fn a_file_that_was_replaced_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prazo");
    let mut writer = Writer::create(&path, &SHAPE.opening(Vec::new())).unwrap();
    let batches = batches(Shape { seconds: 5, ..SHAPE });
    assert!(is_stored(&writer.append(&batches[0])));
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, "precious").unwrap();
    assert!(batches[1..].iter().all(|batch| is_stored(&writer.append(batch))));
    let finished = writer.finish(&Closing::default()).unwrap();
    assert_ne!(finished.path, path);
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
    assert_is_all_of(&store::open(&finished.path).unwrap(), &batches);
}

#[test]
fn a_folder_that_vanished_sends_the_run_to_the_folder_for_temporary_files() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let mut writer = Writer::create(&inner.join("vanished.prazo"), &SHAPE.opening(Vec::new())).unwrap();
    let batches = batches(Shape { seconds: 3, ..SHAPE });
    assert!(is_stored(&writer.append(&batches[0])));
    std::fs::remove_dir_all(&inner).unwrap();
    assert!(matches!(writer.append(&batches[1]), Recorded::Waiting { why: StoreError::Removed { .. }, .. }));
    assert!(matches!(writer.append(&batches[2]), Recorded::Waiting { seconds: 2, .. }));
    let finished = writer.finish(&Closing::default()).unwrap();
    let run = store::open(&finished.path);
    std::fs::remove_file(&finished.path).unwrap();
    assert_is_all_of(&run.unwrap(), &batches);
}

#[test]
fn a_run_that_is_being_written_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prazo");
    let writer = Writer::create(&path, &SHAPE.opening(Vec::new())).unwrap();
    assert!(matches!(store::open(&path), Err(StoreError::InUse { .. })));
    writer.finish(&Closing::default()).unwrap();
    assert!(store::open(&path).is_ok());
}

#[test]
fn a_reader_that_stays_does_not_stop_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prazo");
    let mut writer = Writer::create(&path, &SHAPE.opening(Vec::new())).unwrap();
    let batches = batches(Shape { seconds: 3, ..SHAPE });
    assert!(batches.iter().all(|batch| is_stored(&writer.append(batch))));
    let reader = Connection::open(&path).unwrap();
    let count = |sql| reader.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM timeline"), 6);
    assert_eq!(writer.finish(&Closing::default()).unwrap().path, path);
    drop(reader);
    assert_is_all_of(&store::open(&path).unwrap(), &batches);
    assert_eq!(files(folder.path()), ["a.prazo"]);
}

#[test]
fn a_high_rate_is_folded_as_fast_as_it_comes_and_leaves_no_unused_pages() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prazo");
    let shape = Shape { hz: 20_000, cpus: 2, seconds: 150, ..SHAPE };
    let mut writer = Writer::create(&path, &shape.opening(Vec::new())).unwrap();
    let mut sources = shape.sources(1);
    for at_s in 0..shape.seconds {
        let batch: Vec<_> = sources.iter_mut().map(|source| source.second(at_s)).collect();
        assert!(is_stored(&writer.append(&batch)));
    }
    let count = |sql| Connection::open(&path).unwrap().query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let unfolded = count("SELECT count(*) / 2 FROM packed");
    assert!(unfolded < 60, "a minute is 12 MB, three times what one fold takes; {unfolded} s were left");
    writer.finish(&Closing::default()).unwrap();
    assert_eq!(count("PRAGMA freelist_count"), 0);
}

#[test]
fn activations_add_up_and_the_same_seed_gives_the_same_second() {
    let shape = Shape { hz: 10_000, cpus: 1, seconds: 5, warm_up_s: 1, raw: false };
    let (mut a, mut b) = (shape.sources(7).remove(0), shape.sources(7).remove(0));
    let mut due = 0;
    for at_s in 0..shape.seconds {
        let second = a.second(at_s);
        assert_eq!(second, b.second(at_s));
        assert_eq!(second.warm_up, at_s == 0);
        due += second.samples.len() as u64 + second.skipped;
    }
    assert_eq!(due, a.next, "every activation up to the next is served or skipped");
    assert!(due >= 50_000);
}
