//! Comma-separated rows, one a point of a curve. An empty field is "not known".

use crate::result::{CurveResult, ExperimentResult, PointResult};
use std::io::{self, Write};

/// The columns; the Parquet export has the same.
pub const COLUMNS: &str = "family,method,scheduler,platform,utilization,tasks_mean,sets,accepted,disproven,unknown,\
budget_spent,share,share_min,share_max,decided,work";

/// Writes all points.
pub fn write(result: &ExperimentResult, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{COLUMNS}")?;
    let points = result.curves.iter().flat_map(|curve| curve.points.iter().map(move |point| (curve, point)));
    points.into_iter().try_for_each(|(curve, point)| row(curve, point, out))
}

fn row(curve: &CurveResult, point: &PointResult, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{},{},{},{},", curve.family, curve.method, curve.scheduler, curve.platform)?;
    write!(out, "{},{},{},", point.utilization, or_empty(point.tasks_mean), point.sets)?;
    write!(out, "{},{},{},{},", point.accepted, point.disproven, point.unknown, point.budget_spent)?;
    let shares = [point.share, point.share_min, point.share_max].map(or_empty);
    writeln!(out, "{},\"{}\",{}", shares.join(","), decided(point), point.work)
}

fn or_empty(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// `GFB 900; BAR 12`: what decided, most often first.
pub fn decided(point: &PointResult) -> String {
    let mut all: Vec<(&String, &u64)> = point.decided.iter().collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let parts: Vec<String> = all.into_iter().map(|(by, count)| format!("{by} {count}")).collect();
    parts.join("; ")
}
