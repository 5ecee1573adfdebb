//! What is known of the latencies beyond a series' histogram: the worst samples that are listed, or the largest that is stated.
//!
//! Exports and statistics both ask here, so that they put the same values in the overflow's place. Samples of the warm-up are
//! listed too, and belong to no figure.

use crate::run::WorstSample;
use crate::{Run, Series};

/// The smallest value that a latency beyond the histogram can have.
pub fn floor_ns(run: &Run, series: &Series) -> i64 {
    let above_cells = series.histogram.cells().next_back().map(|(value, _)| value.saturating_add(1));
    // Without a cell, all samples lie beyond; the source may state the smallest. No bound is below zero.
    let above_cells = above_cells.or(series.stated.and_then(|stated| stated.min_ns)).unwrap_or(0);
    let bound = run.plan.as_ref().map(|plan| plan.histogram_bound).filter(|bound| !bound.is_zero());
    bound.map_or(above_cells, |bound| above_cells.max(as_i64(bound.as_ns()).saturating_add(1)))
}

/// The samples beyond the histogram that are listed, worst first; none where more are listed than it counts.
pub fn listed(run: &Run, series: &Series) -> Vec<WorstSample> {
    let floor_ns = floor_ns(run, series);
    let from_ns = run.plan.as_ref().map_or(0, |plan| as_i64(plan.warm_up.as_ns()));
    let of_figures = series.worst.iter().filter(|sample| sample.at_ns >= from_ns && sample.latency_ns >= floor_ns);
    let mut listed: Vec<WorstSample> = of_figures.copied().collect();
    listed.sort_by_key(|sample| std::cmp::Reverse(sample.latency_ns));
    if listed.len() as u64 > series.histogram.overflow() {
        listed.clear();
    }
    listed
}

/// The values beyond the histogram that are known, largest first: those listed, or else the maximum that the source states or
/// the timeline holds.
pub fn known_ns(run: &Run, series: &Series) -> Vec<i64> {
    if series.histogram.overflow() == 0 {
        return vec![];
    }
    let listed: Vec<i64> = listed(run, series).iter().map(|sample| sample.latency_ns).collect();
    if !listed.is_empty() {
        return listed;
    }
    let stated = series.stated.and_then(|stated| stated.max_ns);
    let seconds = series.timeline.iter().filter(|second| !second.warm_up).filter_map(|second| second.max_ns).max();
    stated.max(seconds).filter(|max| *max >= floor_ns(run, series)).into_iter().collect()
}

/// The largest latency; `None` where it has none, or only an overflow that nobody gives a value.
pub fn max_ns(run: &Run, series: &Series) -> Option<i64> {
    match series.histogram.overflow() {
        0 => series.histogram.cells().next_back().map(|(value, _)| value),
        _ => known_ns(run, series).first().copied(),
    }
}

fn as_i64(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}
