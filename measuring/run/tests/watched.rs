//! Threads that are found while a run is written: their series, the counts that are known only at its end, and a kill.

use prazo_core::time::Duration;
use prazo_run::plan::{Length, Policy};
use prazo_run::run::{Activations, Ending, Origin, Quantity};
use prazo_run::source::{Source, WatchSource};
use prazo_run::split::{SplitCounts, Splitter, Unsplit};
use prazo_run::store::{
    self, ClosedSplit, ClosedThread, Closing, Opening, Recorded, Sample, SeriesOpening, SeriesSecond, ThreadOpening,
    WatchedClosing, Writer,
};
use prazo_run::watched::{
    MissCauses, MissesBy, SeriesThread, TakenBy, TimeTaken, WatchedAccount, WatchedAround, WatchedFigures,
    WatchedSlice, WatchedWorst,
};
use prazo_run::{Plan, Run};
use std::path::Path;

const PERIOD: Duration = Duration::from_ms(1);

fn plan() -> Plan {
    let source = Source::Watch(WatchSource { target: "ctl".into() });
    Plan::new(source, Policy::Other, Vec::new(), Length::Duration { length: Duration::from_s(10) })
}

fn begun(path: &Path) -> Writer {
    let opening = Opening {
        name: "ctl".into(),
        origin: Origin::Measured,
        plan: plan(),
        command: "prazo watch ctl".into(),
        started_at_unix_ns: None,
        platform_before: None,
        tunables: Vec::new(),
        caveats: Vec::new(),
        series: Vec::new(),
        split_by: None,
    };
    Writer::create(path, &opening).unwrap()
}

fn thread(thread_id: u32) -> SeriesThread {
    SeriesThread { thread_id, process_id: 7, name: "ctl".into(), ..SeriesThread::default() }
}

fn opening(thread_id: u32) -> ThreadOpening {
    let series = |quantity| SeriesOpening {
        cpu: None,
        quantity,
        period: Some(PERIOD),
        resolution: Duration::from_ns(1),
        part_of: None,
    };
    let quantities = [Quantity::ResponseTime, Quantity::ResponseLatency];
    ThreadOpening { thread: thread(thread_id), series: quantities.map(series).to_vec() }
}

fn second(series: usize, latency_ns: i64) -> SeriesSecond {
    let samples = (0..3).map(|activation| Sample { activation, due_ns: activation as i64 * 1_000_000, latency_ns });
    SeriesSecond { series, samples: samples.collect(), ..SeriesSecond::default() }
}

fn counts(served: u64, skipped: u64) -> Activations {
    Activations {
        due: Some(served + skipped),
        served,
        skipped: Some(skipped),
        missed: Some(1),
        ..Activations::default()
    }
}

fn closed(thread_id: u32, places: &[usize]) -> ClosedThread {
    let series = places.iter().map(|place| (*place, counts(3, 2))).collect();
    let thread = SeriesThread { name: "loop".into(), ..thread(thread_id) };
    let account = WatchedAccount { thread, figures: WatchedFigures::default() };
    ClosedThread { account, period: Some(PERIOD), series, split: None }
}

fn figures(run: &Run) -> Vec<(u32, Quantity, i64, u64)> {
    let of = |series: &prazo_run::Series| {
        let thread = series.thread.as_ref().expect("it has a thread");
        let (value, count) = series.histogram.cells().next().expect("it has samples");
        (thread.thread_id, series.quantity, value, count)
    };
    run.series.iter().map(of).collect()
}

#[test]
fn a_series_that_was_no_period_is_removed_and_the_others_keep_their_samples() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prazo");
    let mut writer = begun(&path);
    assert_eq!(writer.add_threads(&[opening(1), opening(2)]).unwrap(), [[0, 1], [2, 3]]);
    assert!(matches!(writer.append(&[second(0, 10), second(1, 11), second(2, 20)]), Recorded::Stored));
    assert_eq!(writer.add_threads(&[opening(3)]).unwrap(), [[4, 5]]);
    assert!(matches!(writer.append(&[second(3, 21), second(4, 30), second(5, 31)]), Recorded::Stored));
    let found = Plan { policy: Policy::Fifo { priority: 80 }, deadline: Some(PERIOD), ..plan() };
    // The first thread's wait was another one in the end.
    let threads = vec![closed(2, &[2, 3]), closed(3, &[4, 5])];
    let watched = Some(WatchedClosing { plan: Some(found.clone()), threads });
    let path = writer.finish(&Closing { watched, ..Closing::default() }).unwrap().path;
    let run = store::open(&path).unwrap();
    let mut found_figures = figures(&run);
    found_figures.sort_unstable();
    let (time, latency) = (Quantity::ResponseTime, Quantity::ResponseLatency);
    assert_eq!(found_figures, [(2, time, 20, 3), (2, latency, 21, 3), (3, time, 30, 3), (3, latency, 31, 3)]);
    assert_eq!((run.plan.as_ref(), run.ending.clone()), (Some(&found), Ending::Complete));
    assert!(run.series.iter().all(|series| series.activations == counts(3, 2)));
    assert!(run.series.iter().all(|series| series.thread.as_ref().unwrap().name == "loop"));
    let again = folder.path().join("b.prazo");
    store::save(&run, &again).unwrap();
    assert_eq!(store::open(&again).unwrap().series, run.series, "a saved run keeps its threads");
}

#[test]
fn a_watch_that_died_names_its_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prazo");
    let mut writer = begun(&path);
    writer.add_threads(&[opening(1)]).unwrap();
    assert!(matches!(writer.append(&[second(0, 10), second(1, 11)]), Recorded::Stored));
    drop(writer);
    let run = store::open(&path).unwrap();
    assert_eq!(run.ending, Ending::Died);
    assert_eq!(figures(&run), [(1, Quantity::ResponseTime, 10, 3), (1, Quantity::ResponseLatency, 11, 3)]);
}

/// A thread whose latency has two parts.
fn split_opening(thread_id: u32) -> ThreadOpening {
    let part = |quantity| SeriesOpening { quantity, part_of: Some(1), ..opening(1).series[0] };
    let parts = [Quantity::InterruptLatency, Quantity::WakeupLatency].map(part);
    ThreadOpening { thread: thread(thread_id), series: [opening(thread_id).series, parts.to_vec()].concat() }
}

fn culprits() -> WatchedFigures {
    let slice = WatchedSlice { from_ns: 1, to_ns: 2, kind: "running".into(), name: "runs on cpu 1".into() };
    let around = WatchedAround { from_ns: 1, to_ns: 9, thread: vec![slice], ..WatchedAround::default() };
    let worst = WatchedWorst {
        activation: 2,
        due_ns: -5,
        latency_ns: 11,
        response_ns: 10,
        unfinished: true,
        cause: "thread".into(),
        who: Some("hog".into()),
        sentence: "ran after 11 ns".into(),
        around: Some(around),
    };
    let by_who = vec![MissesBy { cause: "thread".into(), who: "hog".into(), count: 1 }];
    let causes = MissCauses { by_cause: [("thread".into(), 1)].into(), by_who, ..MissCauses::default() };
    let taken = TakenBy { cause: "lock".into(), wait: Some("futex".into()), count: 2, total_ns: 7, who: None };
    WatchedFigures {
        migrations: 4,
        causes: Some(causes),
        blocked_in: TimeTaken { by: vec![taken], others: 1, others_ns: 3 },
        worst: vec![worst],
        ..WatchedFigures::default()
    }
}

#[test]
fn who_made_a_thread_late_and_the_parts_of_its_latency_are_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prazo");
    let mut writer = begun(&path);
    assert_eq!(writer.add_threads(&[opening(1), split_opening(2)]).unwrap(), [vec![0, 1], vec![2, 3, 4, 5]]);
    let batch = [second(2, 20), second(3, 11), second(4, 5), second(5, 6)];
    assert!(matches!(writer.append(&batch), Recorded::Stored));
    let unsplit = [(Unsplit::OtherWakeUp, 1)].into();
    let split = SplitCounts { by: Splitter::Bpf, split: 2, never_slept: 0, unsplit };
    // The first thread's wait is removed, so that every other series changes its place.
    let mut second_thread = closed(2, &[2, 3]);
    second_thread.account.figures = culprits();
    second_thread.split = Some(ClosedSplit { whole: 3, parts: vec![4, 5], counts: split.clone() });
    let watched = Some(WatchedClosing { plan: None, threads: vec![second_thread] });
    let path = writer.finish(&Closing { watched, ..Closing::default() }).unwrap().path;
    let run = store::open(&path).unwrap();
    let [account] = &run.watched[..] else { panic!("{:?}", run.watched) };
    assert_eq!((account.thread.thread_id, &account.figures), (2, &culprits()));
    assert_eq!(run.series.len(), 2);
    let of_latency = run.series.iter().find(|series| series.quantity == Quantity::ResponseLatency).unwrap();
    let found = of_latency.split.as_deref().expect("it was split");
    assert_eq!(found.counts, split);
    let mut parts: Vec<_> = found.parts.iter().map(|part| (part.quantity, part.histogram.cells().next())).collect();
    parts.sort_unstable();
    assert_eq!(parts, [(Quantity::InterruptLatency, Some((5, 3))), (Quantity::WakeupLatency, Some((6, 3)))]);
    let again = folder.path().join("b.prazo");
    store::save(&run, &again).unwrap();
    let saved = store::open(&again).unwrap();
    assert_eq!((&saved.watched, &saved.series), (&run.watched, &run.series), "a saved run keeps its culprits");
}
