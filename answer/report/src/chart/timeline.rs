//! Timelines: the largest, mean and smallest latency of each second, one panel a run, one vertical scale for all.
//!
//! A long run is thinned to a point for several seconds: its maximum is the maximum, its misses the sum, so that nothing
//! that stands out can vanish. Where seconds are missing (a died recorder), the gap stays a gap.

use super::line::run_colours;
use crate::content::{ReportContent, RunEvidence};
use prazo_run::run::{LoadRecord, Quantity, Second};
use std::collections::BTreeMap;

/// At most this many points a panel.
pub const POINTS_MAX: u32 = 2_000;
/// The scale begins at most this far below the smallest mean, so that one odd minimum cannot flatten everything else.
const BELOW_MEAN: i64 = 100;
/// And ends at most this far above the largest mean; what lies outside is marked at the edge, not drawn.
const ABOVE_MEAN: i64 = 10_000;

/// All panels with their common scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Timelines {
    /// Where the vertical scale begins; positive.
    pub low_ns: i64,
    /// Where it ends.
    pub high_ns: i64,
    /// One for each run that has a timeline.
    pub panels: Vec<Panel>,
}

/// The timeline of one run, all processors together.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// The run's name.
    pub label: String,
    /// Which colour it has; the same in all charts.
    pub colour: usize,
    /// How many seconds one point stands for.
    pub point_s: u32,
    /// Seconds up to the end of the warm-up; 0 without one.
    pub warm_up_s: u32,
    /// Start of each point, seconds since the first activation was due.
    pub at_s: Vec<u32>,
    /// Smallest latency.
    pub min_ns: Vec<Option<i64>>,
    /// Mean latency.
    pub mean_ns: Vec<Option<i64>>,
    /// Largest latency.
    pub max_ns: Vec<Option<i64>>,
    /// Missed activations.
    pub missed: Vec<u64>,
    /// Skipped activations.
    pub skipped: Vec<u64>,
    /// Lost records.
    pub lost: Vec<u64>,
    /// The loads with the time they were on.
    pub loads: Vec<LoadTime>,
}

impl Panel {
    /// When any load was on: intervals that overlap are one.
    pub fn under_load(&self) -> Vec<(f64, f64)> {
        let mut all: Vec<(f64, f64)> = self.loads.iter().flat_map(|load| load.on_s.iter().copied()).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut merged: Vec<(f64, f64)> = Vec::new();
        for (start, end) in all {
            match merged.last_mut() {
                Some((_, last)) if start <= *last => *last = last.max(end),
                _ => merged.push((start, end)),
            }
        }
        merged
    }
}

/// When a load was on.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadTime {
    /// The load's name.
    pub name: String,
    /// Start and end, in seconds; gaps shorter than a point are closed.
    pub on_s: Vec<(f64, f64)>,
    /// True where such gaps were closed.
    pub gaps_closed: bool,
}

/// The timelines of all runs that have one.
pub fn timelines(content: &ReportContent) -> Timelines {
    let panels: Vec<Panel> =
        content.runs.iter().zip(run_colours(content)).filter_map(|(run, (_, colour))| panel(run, colour)).collect();
    let (low_ns, high_ns) = scale(&panels);
    Timelines { low_ns, high_ns, panels }
}

fn panel(evidence: &RunEvidence, colour: usize) -> Option<Panel> {
    let seconds = seconds(evidence);
    let last = *seconds.keys().next_back()?;
    let point_s = (last / POINTS_MAX + 1).max(1);
    let points = points(&seconds, point_s);
    let column = |value: fn(&Second) -> Option<i64>| points.values().map(value).collect();
    let counts = |value: fn(&Second) -> u64| points.values().map(value).collect();
    Some(Panel {
        label: evidence.run.name.clone(),
        colour,
        point_s,
        warm_up_s: seconds.values().filter(|second| second.warm_up).map(|second| second.at_s + 1).max().unwrap_or(0),
        at_s: points.keys().copied().collect(),
        min_ns: column(|point| point.min_ns),
        mean_ns: column(mean_ns),
        max_ns: column(|point| point.max_ns),
        missed: counts(|point| point.missed),
        skipped: counts(|point| point.skipped),
        lost: counts(|point| point.lost),
        loads: evidence.run.loads.iter().map(|load| load_time(load, point_s)).collect(),
    })
}

/// All processors' seconds together, of the response latency or else of the first quantity there is.
fn seconds(evidence: &RunEvidence) -> BTreeMap<u32, Second> {
    let quantity = evidence.run.series.iter().map(|series| series.quantity).min().unwrap_or(Quantity::ResponseLatency);
    let all = evidence.run.of(quantity).flat_map(|series| &series.timeline).map(|second| (second.at_s, *second));
    merged(all)
}

fn points(seconds: &BTreeMap<u32, Second>, point_s: u32) -> BTreeMap<u32, Second> {
    merged(seconds.values().map(|second| (second.at_s / point_s * point_s, *second)))
}

fn merged(seconds: impl Iterator<Item = (u32, Second)>) -> BTreeMap<u32, Second> {
    let mut all = BTreeMap::new();
    for (at, second) in seconds {
        all.entry(at).and_modify(|sum| *sum = both(sum, &second)).or_insert(second);
    }
    all
}

fn both(a: &Second, b: &Second) -> Second {
    Second {
        at_s: a.at_s.min(b.at_s),
        warm_up: a.warm_up || b.warm_up,
        count: a.count + b.count,
        skipped: a.skipped + b.skipped,
        missed: a.missed + b.missed,
        lost: a.lost + b.lost,
        min_ns: a.min_ns.into_iter().chain(b.min_ns).min(),
        max_ns: a.max_ns.max(b.max_ns),
        sum_ns: a.sum_ns.saturating_add(b.sum_ns),
    }
}

fn mean_ns(point: &Second) -> Option<i64> {
    let count = i64::try_from(point.count).ok().filter(|count| *count > 0)?;
    Some(point.sum_ns / count)
}

/// From the smallest minimum to the largest maximum over all panels, as far as the means allow; one significant digit each.
fn scale(panels: &[Panel]) -> (i64, i64) {
    let positive = |column: fn(&Panel) -> &Vec<Option<i64>>| {
        panels.iter().flat_map(column).copied().flatten().filter(|ns| *ns > 0).collect::<Vec<i64>>()
    };
    let (min, mean, max) = (positive(|p| &p.min_ns), positive(|p| &p.mean_ns), positive(|p| &p.max_ns));
    let lowest = mean.iter().min().map_or(1, |ns| ns / BELOW_MEAN);
    let highest = mean.iter().max().map_or(i64::MAX, |ns| ns.saturating_mul(ABOVE_MEAN));
    let low = min.iter().min().map_or(1_000, |ns| one_digit_down((*ns).max(lowest)));
    let high = max.iter().max().map_or(1_000_000, |ns| one_digit_up((*ns).min(highest)));
    (low.min(high / 10).max(1), high)
}

fn one_digit_down(ns: i64) -> i64 {
    let step = super::axis::power_of_ten_below(ns);
    ns / step * step
}

fn one_digit_up(ns: i64) -> i64 {
    let step = super::axis::power_of_ten_below(ns);
    (ns / step).saturating_add(1).saturating_mul(step).max(10)
}

fn load_time(load: &LoadRecord, point_s: u32) -> LoadTime {
    let mut on_s: Vec<(f64, f64)> = Vec::new();
    for (start, end) in load.on_s.iter().filter(|(start, end)| start.is_finite() && end.is_finite()) {
        match on_s.last_mut().filter(|(_, last)| point_s > 1 && start - *last < f64::from(point_s)) {
            Some((_, last)) => *last = last.max(*end),
            None => on_s.push((*start, *end)),
        }
    }
    LoadTime { name: load.name.clone(), gaps_closed: on_s.len() < load.on_s.len(), on_s }
}
