//! The two pictures of cost for a page: what latency is bought for which penalty, and what goes together with penalties.

use super::{ProgramCosts, Scatter};
use crate::evidence::Evidence;
use crate::svg::{self, Setting};
use crate::view::cost;
use crate::view::figures::Figure;

/// The pictures of every way of measuring; static, since some dozen points need no zoom, and each says its figures itself.
pub(crate) fn figures(evidence: &Evidence) -> impl Iterator<Item = Figure> {
    evidence.costs.iter().flat_map(|costs| decision(costs).into_iter().chain(scatters(costs)))
}

fn decision(costs: &ProgramCosts) -> Option<Figure> {
    let picture = svg::decision(costs, Setting::InPage);
    (!picture.is_empty()).then(|| Figure {
        id: format!("{}-decision", costs.id),
        title: format!("Latency against penalty: {}", costs.heading),
        caption: format!(
            "A point is a platform: further down it answers earlier, further left it leaves more to programs. Filled: the \
             worst observed; open: the highest quantile that the samples of all support. Bars: {}. The vertical axis is logarithmic.",
            costs.ranges
        ),
        notes: cost::pointless(costs).into_iter().collect(),
        picture,
        table: cost::decision(costs).folded(),
    })
}

fn scatters(costs: &ProgramCosts) -> Option<Figure> {
    let drawn: Vec<&Scatter> = costs.scatters.iter().filter(|scatter| !scatter.points.is_empty()).collect();
    (!drawn.is_empty()).then(|| Figure {
        id: format!("{}-scatter", costs.id),
        title: format!("What goes together with penalties: {}", costs.heading),
        caption: "A point is a workload on a platform, held against the platform that executed least for it, the origin: to \
                  the right what it adds for each second of processor time, upwards what it pays. r: Pearson's coefficient, \
                  \u{3c1}: Spearman's, with their 95 % intervals. All panels share the vertical scale."
            .into(),
        notes: Vec::new(),
        picture: svg::scatters(costs, Setting::InPage),
        table: cost::pairs(costs),
    })
}
