//! Acceptance curves: how many of many task sets each scheduler is proven to serve, as a page and as pictures.
//!
//! Data flows analysis, study, **report**: a [`Figure`] is plain numbers, so that a report needs neither the study nor the
//! analysis they came from. Every share keeps its count and its interval, in each sink.

mod page;
mod sections;

pub use page::render;

use prazo_verdict::claim::ClaimResult;

/// Everything that one page shows.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// The heading.
    pub title: String,
    /// The question that was asked.
    pub question: String,
    /// One chart for each family and method.
    pub panels: Vec<Panel>,
    /// Overheads by number of threads, one chart each.
    pub costs: Vec<CostPanel>,
    /// The claims with their outcomes.
    pub claims: Vec<ClaimResult>,
    /// What was charged, with its source.
    pub overheads: Vec<OverheadRow>,
    /// What else decides the figures: name and value.
    pub facts: Vec<(String, String)>,
    /// False where sets are still missing.
    pub is_complete: bool,
    /// The confidence of each point's interval.
    pub confidence: f64,
    /// The command line that makes these figures again.
    pub command: String,
    /// When the page was made, as text for people; empty where it shall not depend on the day.
    pub made_at: String,
}

/// One chart.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// A name for links.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What its sets are and how they were judged.
    pub caption: String,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// One curve.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// Its name; parts with a dot between, the same in every panel.
    pub label: String,
    /// Which colour; curves of one scheduler share it.
    pub hue: usize,
    /// Which dash; curves of one platform share it.
    pub dash: usize,
    /// Sum of utilization x share over sum of utilization; `None` until all points have sets.
    pub weighted_acceptance: Option<f64>,
    /// The points, ascending; the same utilizations for every curve of a panel.
    pub points: Vec<Point>,
    /// What proved how many sets, over all points.
    pub decided: Vec<(String, u64)>,
}

/// One point of a curve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Total utilization of the sets.
    pub utilization: f64,
    /// Sets judged.
    pub sets: u64,
    /// Proven to meet every deadline.
    pub accepted: u64,
    /// Of the others: a test reached its work limit before it had decided.
    pub budget_spent: u64,
    /// The interval of the share; `None` without sets.
    pub share_interval: Option<(f64, f64)>,
}

/// One chart of an overhead by number of threads.
#[derive(Clone, Debug, Default)]
pub struct CostPanel {
    /// A name for links.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What is to be known of it.
    pub caption: String,
    /// The lines.
    pub lines: Vec<CostLine>,
}

/// One line of it.
#[derive(Clone, Debug, Default)]
pub struct CostLine {
    /// Its name.
    pub label: String,
    /// Which colour; lines of one scheduler share it.
    pub hue: usize,
    /// Which dash; lines of one platform or quantity share it.
    pub dash: usize,
    /// Where it is from.
    pub source: String,
    /// The points, ascending.
    pub points: Vec<prazo_experiment::overhead_figures::FigurePoint>,
}

/// One overhead with where it is from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverheadRow {
    /// The platform.
    pub platform: String,
    /// The scheduler.
    pub scheduler: String,
    /// Which overhead.
    pub overhead: String,
    /// How much, with unit.
    pub amount: String,
    /// Where it is from.
    pub source: String,
}

impl Point {
    /// Accepted over judged; `None` without sets.
    pub fn share(&self) -> Option<f64> {
        (self.sets > 0).then(|| self.accepted as f64 / self.sets as f64)
    }
}

impl CostLine {
    /// The place among all lines that gives colour and dash, as that of a [`Curve`].
    pub fn line(&self) -> usize {
        self.hue % crate::svg::COLOURS + crate::svg::COLOURS * self.dash
    }
}

impl Curve {
    /// The place among all lines that gives colour and dash: the seventh repeats the first's colour with another dash.
    pub fn line(&self) -> usize {
        self.hue % crate::svg::COLOURS + crate::svg::COLOURS * self.dash
    }
}
