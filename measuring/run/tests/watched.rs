//! Threads that are found while a run is written: their series, the counts that are known only at its end, and a kill.

use prazo_core::time::Duration;
use prazo_run::plan::{Length, Policy};
use prazo_run::run::{Activations, Ending, Origin, Quantity};
use prazo_run::source::{Source, WatchSource};
use prazo_run::store::{
    self, ClosedThread, Closing, Opening, Recorded, Sample, SeriesOpening, SeriesSecond, ThreadOpening, WatchedClosing,
    Writer,
};
use prazo_run::watched::SeriesThread;
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
    ClosedThread { thread: SeriesThread { name: "loop".into(), ..thread(thread_id) }, period: Some(PERIOD), series }
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
