//! The two pictures of cost for a page: what latency is bought for which penalty, and what goes together with penalties.

use super::{ProgramCosts, Scatter};
use crate::content::ReportContent;
use crate::svg::{self, Setting};
use crate::view::cost;
use crate::view::figures::Figure;

/// The pictures of every way of measuring; static, since some dozen points need no zoom, and each says its figures itself.
pub(crate) fn figures(content: &ReportContent) -> impl Iterator<Item = Figure> {
    content.costs.iter().flat_map(|costs| decision(costs).into_iter().chain(scatters(costs)))
}

fn decision(costs: &ProgramCosts) -> Option<Figure> {
    let picture = svg::decision(costs, Setting::InPage);
    (!picture.is_empty()).then(|| Figure {
        id: format!("{}-decision", costs.id),
        title: format!("Latency against penalty: {}", costs.heading),
        caption: format!(
            "Each point is a platform. Lower is faster, left is cheaper for programs. Filled: observed maximum; open: the highest quantile that the samples of all platforms support. Bars: {}. The vertical axis is logarithmic.",
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
        title: format!("What correlates with penalties: {}", costs.heading),
        caption: "Each point is a workload on a platform, compared with the platform on which it needs the least processor \
                  time (the origin). Horizontal: what the platform adds per second of processor time. Vertical: the penalty. \
                  r: Pearson's coefficient, \u{3c1}: Spearman's, each with its 95 % CI. All panels share the vertical scale."
            .into(),
        notes: Vec::new(),
        picture: svg::scatters(costs, Setting::InPage),
        table: cost::pairs(costs),
    })
}
