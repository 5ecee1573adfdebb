//! Whether a file's own minimum, mean and maximum follow from its own histogram.
//!
//! A source in whole units cuts its mean, and an overflow without values leaves a range; within both the figures agree.

use super::caveats;
use crate::{Caveat, Run, Series};

/// Adds one caveat if the figures of some series do not follow from its histogram.
pub(super) fn compare(run: &mut Run) {
    let found: Vec<String> = run.series.iter().flat_map(disagreements).take(4).collect();
    if !found.is_empty() {
        run.caveats.push(caveats::stated_figures_disagree(&found.join("; ")));
    }
}

/// The same for one series, for readers that know of a better explanation.
pub(super) fn caveat(series: &Series) -> Option<Caveat> {
    let found = disagreements(series);
    (!found.is_empty()).then(|| caveats::stated_figures_disagree(&found.join("; ")))
}

/// The samples of `series` beyond its stated extremes, where there are no more than `unstated`: the source's figures may leave
/// so many out. 0 where every sample lies within.
pub(super) fn beyond_stated(series: &Series, unstated: u64) -> u64 {
    let width = series.resolution.as_ns() as i64;
    let Some(stated) = series.stated else { return 0 };
    let below = stated.min_ns.map_or(0, |min| count(series, |cell| cell.saturating_add(width) <= min));
    let above = stated.max_ns.map_or(0, |max| count(series, |cell| cell > max));
    Some(below + above).filter(|beyond| *beyond <= unstated).unwrap_or(0)
}

/// The same for a source whose figures leave out up to `unstated` of the histogram's samples.
pub(super) fn caveat_but_for(series: &Series, unstated: u64) -> Option<Caveat> {
    if beyond_stated(series, unstated) == 0 {
        return caveat(series);
    }
    // What the figures leave out is taken away at the end where it lies; the mean is then one of the rest.
    let stated = series.stated?;
    let width = series.resolution.as_ns() as i64;
    let mut histogram = crate::Histogram::new();
    let is_stated = |cell: i64| {
        stated.min_ns.is_none_or(|min| cell.saturating_add(width) > min) && stated.max_ns.is_none_or(|max| cell <= max)
    };
    series.histogram.cells().filter(|(cell, _)| is_stated(*cell)).for_each(|(cell, count)| histogram.add(cell, count));
    histogram.add_overflow(series.histogram.overflow());
    caveat(&Series { histogram, ..series.clone() })
}

fn count(series: &Series, is_beyond: impl Fn(i64) -> bool) -> u64 {
    series.histogram.cells().filter(|(cell, _)| is_beyond(*cell)).map(|(_, count)| count).sum()
}

fn disagreements(series: &Series) -> Vec<String> {
    let (Some(stated), Some((min, _)), Some((max, _))) =
        (series.stated, series.histogram.cells().next(), series.histogram.cells().next_back())
    else {
        return Vec::new();
    };
    let width = series.resolution.as_ns() as i64;
    let mut found = Vec::new();
    if let Some(claimed) = stated.min_ns.filter(|claimed| !(min..min.saturating_add(width)).contains(claimed)) {
        found.push(format!("the stated minimum is {claimed} ns, but the histogram's minimum is {min} ns"));
    }
    let overflow = series.histogram.overflow() > 0;
    if let Some(claimed) =
        stated.max_ns.filter(|claimed| *claimed < max || (!overflow && *claimed >= max.saturating_add(width)))
    {
        found.push(format!("the stated maximum is {claimed} ns, but the histogram's maximum is {max} ns"));
    }
    found.extend(mean_disagreement(series, stated.mean_ns, stated.max_ns));
    found
}

/// The mean lies between the sum with every value at its bucket's lower edge (cut to whole units) and at its upper edge.
fn mean_disagreement(series: &Series, mean_ns: Option<f64>, max_ns: Option<i64>) -> Option<String> {
    let claimed = mean_ns?;
    let histogram = &series.histogram;
    let width = series.resolution.as_ns() as f64;
    let top = histogram.cells().next_back()?.0;
    let beyond = histogram.overflow() as f64;
    let sum: f64 = histogram.cells().map(|(value, count)| value as f64 * count as f64).sum();
    let total = histogram.total() as f64;
    let low = (sum + beyond * top as f64) / total - width;
    let high = (sum + beyond * max_ns.map_or(f64::INFINITY, |max| max.max(top) as f64)) / total + width;
    let outside = claimed < low || claimed > high;
    outside.then(|| {
        format!(
            "the stated mean is {claimed} ns, but the histogram's mean is {:.0} ns",
            sum / histogram.in_range() as f64
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Histogram;
    use crate::run::StatedFigures;
    use prazo_core::time::Duration;

    fn series(min_us: i64, mean_us: f64, max_us: i64, overflow: u64) -> Series {
        let mut histogram = Histogram::new();
        histogram.add(10_000, 2);
        histogram.add(20_000, 1);
        histogram.add_overflow(overflow);
        let stated = StatedFigures {
            count: None,
            min_ns: Some(min_us * 1_000),
            mean_ns: Some(mean_us * 1e3),
            max_ns: Some(max_us * 1_000),
        };
        Series { resolution: Duration::from_us(1), histogram, stated: Some(stated), ..Series::default() }
    }

    #[test]
    fn a_mean_cut_to_whole_units_agrees() {
        assert!(disagreements(&series(10, 13.0, 20, 0)).is_empty());
        assert!(disagreements(&series(10, 13.33, 20, 0)).is_empty());
    }

    #[test]
    fn an_overflow_leaves_a_range() {
        assert!(disagreements(&series(10, 100.0, 900, 1)).is_empty());
        assert_eq!(disagreements(&series(10, 300.0, 900, 1)).len(), 1);
    }

    #[test]
    fn each_figure_that_does_not_follow_is_named() {
        assert!(disagreements(&series(9, 13.0, 20, 0))[0].starts_with("the stated minimum is 9000 ns"));
        assert!(disagreements(&series(10, 6.0, 20, 0))[0].starts_with("the stated mean is 6000 ns"));
        assert!(disagreements(&series(10, 13.0, 21, 0))[0].starts_with("the stated maximum is 21000 ns"));
    }
}
