//! Histograms of several runs over common bins (Blaess 2014, figures 3 to 7).

use super::axis::LatencyAxis;
use super::bins;
use super::line::Line;

/// The overlaid histograms.
#[derive(Clone, Debug, PartialEq)]
pub struct Histograms {
    /// Edges of the bins; one more than there are counts.
    pub edges_ns: Vec<i64>,
    /// One for each line.
    pub lines: Vec<HistogramLine>,
}

/// One line of the histograms.
#[derive(Clone, Debug, PartialEq)]
pub struct HistogramLine {
    /// What the legend says.
    pub label: String,
    /// Which colour it has; the same in all charts.
    pub colour: usize,
    /// All samples, those beyond included.
    pub total: u64,
    /// Samples in each bin.
    pub counts: Vec<u64>,
    /// Samples beyond the source's histogram, whose values are unknown.
    pub beyond: u64,
    /// The largest latency that is known.
    pub max_ns: Option<i64>,
}

/// The histograms of `lines` on `axis`.
pub fn histograms(lines: &[Line], axis: &LatencyAxis) -> Histograms {
    let edges_ns = bins::edges(axis, bins::HISTOGRAM_BINS, coarsest(lines));
    let lines = lines.iter().map(|line| histogram(line, &edges_ns)).collect();
    Histograms { edges_ns, lines }
}

fn histogram(line: &Line, edges_ns: &[i64]) -> HistogramLine {
    HistogramLine {
        label: line.label.clone(),
        colour: line.colour,
        total: line.served.total(),
        counts: bins::counts(edges_ns, &line.served.cells),
        beyond: line.served.beyond,
        max_ns: line.max_ns,
    }
}

/// The resolution that all lines share: the coarsest.
pub fn coarsest(lines: &[Line]) -> i64 {
    lines.iter().map(|line| line.resolution_ns).max().unwrap_or(1)
}
