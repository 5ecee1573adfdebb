//! Claims about curves and figures. Those about curves are decided by intervals: held, not held, or not decidable. One file a kind.
//!
//! The intervals of one claim hold together: the 5 % that they may err are shared out over all points that it compares
//! (Bonferroni). A run that is not complete decides nothing, for whoever looks often enough sees any curve above any other.
//! Those about figures are decided by amounts of like counts.

mod about;
mod above;
mod amount;
mod cost_alike;
mod cost_below;
mod cost_flat;
mod cost_grows;
mod not_in_data;
mod share_at;
mod tardiness_bounded;

use super::overhead_figures::{FigurePoint, FigureResult};
use super::result::CurveResult;
use prazo_core::text::grouped;
use prazo_verdict::claim::{Judgement, Name, Undecidable};

use prazo_core::ratio::Ratio;
use serde::Deserialize;
use std::collections::BTreeMap;

/// One `[[claim]]` of an experiment.
pub type Claim = prazo_verdict::claim::Claim<Check>;

/// What every kind can do.
trait Judge {
    /// The curves it speaks of.
    fn curves(&self) -> Vec<&Name> {
        vec![]
    }
    /// The lines of figures it speaks of.
    fn lines(&self) -> Vec<&Name> {
        vec![]
    }
    /// Whether it holds.
    fn judge(&self, evidence: &Evidence) -> Judgement;
}

/// The kinds of claims; in TOML `check.above = { upper = ["a"], lower = ["b"], by = 0.1 }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// Some curves lie above others.
    Above(above::Above),
    /// Two curves lie close together.
    About(about::About),
    /// A share lies in a range at one utilization.
    ShareAt(share_at::ShareAt),
    /// Jobs of one set are never later than some bound.
    TardinessBounded(tardiness_bounded::TardinessBounded),
    /// An overhead is about the same for any number of threads.
    CostFlat(cost_flat::CostFlat),
    /// An overhead grows with the number of threads.
    CostGrows(cost_grows::CostGrows),
    /// Some overheads are below others for any number of threads.
    CostBelow(cost_below::CostBelow),
    /// Overheads are about the same as each other for any number of threads.
    CostAlike(cost_alike::CostAlike),
    /// The data cannot decide it.
    NotInData(not_in_data::NotInData),
}

impl Check {
    fn kind(&self) -> &dyn Judge {
        match self {
            Self::Above(check) => check,
            Self::About(check) => check,
            Self::ShareAt(check) => check,
            Self::TardinessBounded(check) => check,
            Self::CostFlat(check) => check,
            Self::CostGrows(check) => check,
            Self::CostBelow(check) => check,
            Self::CostAlike(check) => check,
            Self::NotInData(check) => check,
        }
    }

    /// The curves it speaks of.
    pub fn curves(&self) -> Vec<&Name> {
        self.kind().curves()
    }

    /// The lines of figures it speaks of.
    pub fn lines(&self) -> Vec<&Name> {
        self.kind().lines()
    }

    /// Whether it holds.
    pub fn judge(&self, evidence: &Evidence) -> Judgement {
        self.kind().judge(evidence)
    }
}

/// What claims are decided on.
#[derive(Clone, Debug)]
pub struct Evidence {
    complete: bool,
    curves: BTreeMap<String, Vec<Point>>,
    /// By figure and line, with a dot between.
    costs: BTreeMap<String, Vec<FigurePoint>>,
}

/// One point of a curve.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Point {
    utilization: Ratio,
    name: String,
    accepted: u64,
    sets: u64,
}

/// A curve's share at one utilization, between two bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Between {
    low: f64,
    high: f64,
}

impl Evidence {
    /// The evidence of these curves.
    pub fn new(curves: &[CurveResult], complete: bool) -> Self {
        let points = |curve: &CurveResult| {
            let points = curve.points.iter().filter_map(|point| {
                let utilization = point.utilization.parse().ok()?;
                Some(Point { utilization, name: point.utilization.clone(), accepted: point.accepted, sets: point.sets })
            });
            points.collect()
        };
        let curves = curves.iter().map(|curve| (curve.id.clone(), points(curve))).collect();
        Self { complete, curves, costs: BTreeMap::new() }
    }

    /// The same with the lines of these figures; they are measured or written, and complete from the beginning.
    pub fn with_figures(self, figures: &[FigureResult]) -> Self {
        let lines = figures.iter().flat_map(|figure| figure.line_ids().zip(&figure.lines));
        Self { costs: lines.map(|(id, line)| (id, line.points.clone())).collect(), ..self }
    }

    fn curve(&self, name: &Name) -> Result<&[Point], Undecidable> {
        if !self.complete {
            return Err(Undecidable("the experiment is not complete; run it again to continue".into()));
        }
        let absent = || Undecidable(format!("the experiment has no curve {}", name.id));
        self.curves.get(&name.id).map(Vec::as_slice).ok_or_else(absent)
    }

    /// The points of two curves at the utilizations that both have.
    fn common<'a>(&'a self, a: &Name, b: &Name) -> Result<Vec<(&'a Point, &'a Point)>, Undecidable> {
        let (left, right) = (self.curve(a)?, self.curve(b)?);
        let partner = |point: &Point| right.iter().find(|other| other.utilization == point.utilization);
        let pairs: Vec<_> = left.iter().filter_map(|point| Some((point, partner(point)?))).collect();
        match pairs.len() {
            0 | 1 => Err(Undecidable(format!("{} and {} have fewer than two utilizations in common", a.id, b.id))),
            _ => Ok(pairs),
        }
    }
}

impl Point {
    /// The interval of the share, as one of `intervals` that hold together with the usual confidence.
    fn between(&self, intervals: usize) -> Between {
        let confidence = 1.0 - (1.0 - prazo_stats::CONFIDENCE) / intervals.max(1) as f64;
        let (low, high) = prazo_stats::share_interval(self.accepted, self.sets, confidence).unwrap_or((0.0, 1.0));
        Between { low, high }
    }

    fn share(&self) -> f64 {
        self.accepted as f64 / self.sets.max(1) as f64
    }

    /// `1,000 of 1,000`.
    fn counts(&self) -> String {
        format!("{} of {}", grouped(self.accepted), grouped(self.sets))
    }
}

/// How far one curve lies to the right of another, in utilization on average: the area between them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Distance {
    /// By the observed shares.
    observed: f64,
    /// At least, by the intervals.
    low: f64,
    /// At most, by the intervals.
    high: f64,
}

/// The distance of the first curve from the second: positive where the first accepts more.
fn distance(pairs: &[(&Point, &Point)]) -> Distance {
    let intervals = 2 * pairs.len();
    let area = |height: &dyn Fn(&Point, &Point) -> f64| {
        let steps = pairs.windows(2).map(|step| {
            let width = step[1].0.utilization.to_f64() - step[0].0.utilization.to_f64();
            width * (height(step[0].0, step[0].1) + height(step[1].0, step[1].1)) / 2.0
        });
        steps.sum::<f64>()
    };
    Distance {
        observed: area(&|a, b| a.share() - b.share()),
        low: area(&|a, b| a.between(intervals).low - b.between(intervals).high),
        high: area(&|a, b| a.between(intervals).high - b.between(intervals).low),
    }
}

impl std::fmt::Display for Distance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} ({:.2} to {:.2})", self.observed, self.low, self.high)
    }
}

#[cfg(test)]
mod cost_tests;
#[cfg(test)]
mod tests;
