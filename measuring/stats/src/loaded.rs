//! When a run was under load: some load, or the application that it was measured beside, was on.
//!
//! Loads pause in their rhythm, so that a run "under load" is only partly so; what is said of a platform under load may rest
//! on that part alone.

use crate::scope;
use crate::seconds::pooled;
use prazo_core::time::Duration;
use prazo_run::Run;
use prazo_run::run::{LoadRecord, Origin};

/// Seconds of the run during which at least one load was on; `None` where nothing is known of loads.
pub(crate) fn loaded_s(run: &Run) -> Option<f64> {
    if run.loads.is_empty() {
        return matches!(run.origin, Origin::Measured).then_some(0.0);
    }
    // What a target says of its own load has no times.
    if run.loads.iter().any(|load| load.on_s.is_empty() && load.contained == LoadRecord::NOT_PRAZO_S) {
        return None;
    }
    let end = run.elapsed.map_or(f64::INFINITY, Duration::as_s_f64);
    let within = spans(run).into_iter().map(|(from, to)| (from.max(0.0), to.min(end)));
    Some(within.map(|(from, to)| (to - from).max(0.0)).sum())
}

/// Due activations, all processors together, of those seconds during which some load was on all the time; of the whole run
/// where the source keeps no timeline or does not say when its loads were on.
pub fn due_under_load(run: &Run) -> u64 {
    let series = scope::principal_series(run);
    let (spans, seconds) = (spans(run), pooled(&series));
    if run.loads.is_empty() {
        return 0;
    }
    if spans.is_empty() || seconds.is_empty() {
        return series.into_iter().map(scope::due).sum();
    }
    let is_loaded = |at_s: u32| spans.iter().any(|(from, to)| *from <= f64::from(at_s) && f64::from(at_s) + 1.0 <= *to);
    seconds.iter().filter(|second| is_loaded(second.at_s)).map(|second| second.count + second.skipped).sum()
}

/// The stretches during which at least one load was on, ascending and apart, in seconds since the first due activation.
fn spans(run: &Run) -> Vec<(f64, f64)> {
    let mut on: Vec<(f64, f64)> = run.loads.iter().flat_map(|load| load.on_s.iter().copied()).collect();
    on.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut spans: Vec<(f64, f64)> = Vec::new();
    for (from, to) in on {
        match spans.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => spans.push((from, to)),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::Series;
    use prazo_run::run::Second;

    fn load(on_s: Vec<(f64, f64)>) -> LoadRecord {
        LoadRecord {
            name: "cpu".into(),
            generator: String::new(),
            unit: String::new(),
            asked: None,
            reached: None,
            note: String::new(),
            on_s,
            contained: String::new(),
        }
    }

    /// A hundred seconds of a thousand activations, ten of which were skipped.
    fn run(loads: Vec<LoadRecord>) -> Run {
        let second = |at_s| Second { at_s, count: 990, skipped: 10, max_ns: Some(10_000), ..Second::default() };
        let mut series = Series { timeline: (0..100).map(second).collect(), ..Series::default() };
        series.histogram.add(10_000, 99_000);
        series.activations.skipped = Some(1_000);
        Run { series: vec![series], elapsed: Some(Duration::from_s(100)), loads, ..Run::default() }
    }

    #[test]
    fn overlapping_loads_are_not_counted_twice() {
        let run = run(vec![load(vec![(-5.0, 10.0), (50.0, 60.0)]), load(vec![(5.0, 20.0), (90.0, 130.0)])]);
        assert_eq!(loaded_s(&run), Some(20.0 + 10.0 + 10.0));
        assert_eq!(due_under_load(&run), 40_000);
    }

    #[test]
    fn a_second_that_is_partly_under_load_is_not_under_load() {
        let run = run(vec![load(vec![(0.5, 3.5), (7.0, 8.0)]), load(vec![(3.4, 5.0)])]);
        assert_eq!(due_under_load(&run), (4 + 1) * 1_000);
    }

    #[test]
    fn what_the_source_does_not_tell_is_taken_as_it_says() {
        assert_eq!(due_under_load(&run(vec![])), 0);
        assert_eq!(due_under_load(&run(vec![load(vec![])])), 100_000);
        let mut without_timeline = run(vec![load(vec![(0.0, 1.0)])]);
        without_timeline.series[0].timeline.clear();
        assert_eq!(due_under_load(&without_timeline), 100_000);
        assert_eq!(loaded_s(&run(vec![])), Some(0.0));
        assert_eq!(loaded_s(&Run { origin: Origin::Synthetic, ..run(vec![]) }), None);
    }

    #[test]
    fn a_load_that_the_target_reports_has_no_times_and_is_not_an_idle_run() {
        let reported = LoadRecord { contained: LoadRecord::NOT_PRAZO_S.into(), ..load(Vec::new()) };
        assert_eq!(loaded_s(&run(vec![reported.clone()])), None);
        assert_eq!(due_under_load(&run(vec![reported])), 100_000);
        assert_eq!(loaded_s(&run(vec![load(Vec::new())])), Some(0.0), "a load of prazo's that was never on");
    }
}
