//! All charts of a report together, over one latency axis.

use super::axis::LatencyAxis;
use super::exceedance::{Exceedances, exceedances};
use super::histogram::{Histograms, coarsest, histograms};
use super::line::{Line, lines};
use super::timeline::{Timelines, timelines};
use crate::content::ReportContent;

/// The charts of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Charts {
    /// The latency axis that histograms and exceedance curves share.
    pub axis: LatencyAxis,
    /// Latencies closer than this cannot be told apart in every line.
    pub resolution_ns: i64,
    /// The requirement's deadline.
    pub deadline_ns: Option<u64>,
    /// Overlaid histograms.
    pub histograms: Histograms,
    /// Exceedance curves.
    pub exceedances: Exceedances,
    /// Timelines.
    pub timelines: Timelines,
}

impl Charts {
    /// The charts of `evidence`; `None` where no run has a sample.
    pub fn of(content: &ReportContent) -> Option<Self> {
        let lines = lines(content);
        Some(Self::drawn(content, &lines, axis(&lines, deadline_ns(content))?, timelines(content)))
    }

    fn drawn(content: &ReportContent, lines: &[Line], axis: LatencyAxis, timelines: Timelines) -> Self {
        Self {
            axis,
            resolution_ns: coarsest(lines),
            deadline_ns: deadline_ns(content),
            histograms: histograms(lines, &axis),
            exceedances: exceedances(lines, &axis),
            timelines,
        }
    }
}

fn deadline_ns(content: &ReportContent) -> Option<u64> {
    content.verdict.as_ref().map(|verdict| verdict.requirement.deadline.as_ns())
}

/// More curves than this cannot be told apart.
pub const CURVES_MAX: usize = crate::svg::COLOURS;

impl Charts {
    /// One curve for each judged run, per due activation where that is known; of many runs those with the largest latencies.
    pub fn of_answer(content: &ReportContent) -> Option<Self> {
        let mut lines: Vec<Line> = lines(content).into_iter().filter(|line| line.answers).collect();
        if lines.len() > CURVES_MAX {
            lines.sort_by_key(|line| std::cmp::Reverse(line.max_ns));
            lines.truncate(CURVES_MAX);
            // Each has a colour of its own here, whatever the other charts do.
            lines.iter_mut().enumerate().for_each(|(colour, line)| line.colour = colour);
        }
        // While it is known which wake-ups were served.
        let axis = axis(&lines, deadline_ns(content))?;
        for line in &mut lines {
            if let Some(due) = line.due.take() {
                (line.served, line.is_due) = (due, true);
            }
        }
        Some(Self::drawn(content, &lines, axis, Timelines { low_ns: 1, high_ns: 10, panels: Vec::new() }))
    }
}

/// One axis for all lines. It begins with the earliest served wake-up: what was skipped may have been late by next to
/// nothing, and would stretch the axis to a nanosecond. A deadline within two decades beyond the largest latency widens
/// it, so that both are seen.
fn axis(lines: &[Line], deadline_ns: Option<u64>) -> Option<LatencyAxis> {
    let all = || lines.iter().flat_map(|line| [Some(&line.served), line.due.as_ref()]).flatten();
    let high = all().filter_map(|line| line.span()).map(|(_, high)| high).max()?;
    let low = lines.iter().filter_map(|line| line.served.span()).map(|(low, _)| low).min().unwrap_or(high);
    let deadline = deadline_ns.and_then(|ns| i64::try_from(ns).ok());
    let near = deadline.filter(|ns| *ns <= high.max(1).saturating_mul(100)).unwrap_or(high);
    let stated = lines.iter().filter_map(|line| line.max_ns).max().unwrap_or(high);
    Some(LatencyAxis::spanning(low, high.max(near).max(stated), coarsest(lines)))
}
