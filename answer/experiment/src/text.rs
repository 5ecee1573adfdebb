//! An experiment's outcome as plain text: each curve in one line, then the claims.

use super::result::{CurveResult, ExperimentResult, PointResult};
use prazo_core::text::grouped;
use std::fmt::{self, Display, Formatter};

impl Display for ExperimentResult {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}\n{}\n", self.name, self.title, self.question)?;
        if !self.complete {
            let text = "The experiment is not complete: run it again to continue. \
                        Claims about curves are decided once it is complete.";
            writeln!(f, "{text}\n")?;
        }
        let width = self.curves.iter().map(|curve| curve.id.len()).max().unwrap_or(0).max("Curve".len());
        writeln!(
            f,
            "weighted: acceptance ratio, weighted by utilization; all, half, some up to: the largest utilization up to which all, at least half or any of the task sets are accepted; at work limit: unknown task sets for which a test reached its work limit\n\n{:<width$}  weighted  all up to  half up to  some up to  at work limit",
            "Curve"
        )?;
        for curve in &self.curves {
            writeln!(f, "{:<width$}  {}", curve.id, Row(curve))?;
        }
        self.figures.iter().try_for_each(|figure| write!(f, "\n{figure}"))?;
        writeln!(f)?;
        self.claims.iter().try_for_each(|claim| write!(f, "{claim}"))?;
        write!(f, "{}", prazo_verdict::claim::Tally::of(&self.claims))
    }
}

/// How a curve falls: the last utilization up to which all, half and some sets are accepted.
struct Row<'a>(&'a CurveResult);

impl Display for Row<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let curve = self.0;
        let weighted = curve.weighted_acceptance.map_or_else(|| "-".to_owned(), |share| format!("{share:.4}"));
        let all = up_to(curve, |point| point.accepted == point.sets);
        let half = up_to(curve, |point| 2 * point.accepted >= point.sets);
        let some = up_to(curve, |point| point.accepted > 0);
        let spent: u64 = curve.points.iter().map(|point| point.budget_spent).sum();
        write!(f, "{weighted:>8}  {all:>9}  {half:>10}  {some:>10}  {:>13}", grouped(spent).to_string())
    }
}

/// The last point before the first that fails; `-` where the first fails, or has no sets.
fn up_to(curve: &CurveResult, holds: impl Fn(&PointResult) -> bool) -> &str {
    let last = curve.points.iter().take_while(|point| point.sets > 0 && holds(point)).last();
    last.map_or("-", |point| &point.utilization)
}
