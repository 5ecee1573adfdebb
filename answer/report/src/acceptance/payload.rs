//! The curves as the page's script reads them: columns of numbers, field for field the interfaces of web/src/acceptance.ts.

use super::{Curve, Figure, Panel};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Payload {
    acceptance: Vec<Chart>,
}

#[derive(Serialize)]
struct Chart {
    id: String,
    title: String,
    utilization: Vec<f64>,
    lines: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    label: String,
    colour: usize,
    accepted: Vec<u64>,
    sets: Vec<u64>,
    budget_spent: Vec<u64>,
    low: Vec<Option<f64>>,
    high: Vec<Option<f64>>,
}

impl Payload {
    /// The columns of every panel.
    pub(super) fn of(figure: &Figure) -> Self {
        Self { acceptance: figure.panels.iter().map(Chart::of).collect() }
    }
}

impl Chart {
    fn of(panel: &Panel) -> Self {
        let first = panel.curves.first().map_or(&[][..], |curve| &curve.points);
        Self {
            id: panel.id.clone(),
            title: panel.title.clone(),
            utilization: first.iter().map(|point| point.utilization).collect(),
            lines: panel.curves.iter().map(Line::of).collect(),
        }
    }
}

impl Line {
    fn of(curve: &Curve) -> Self {
        let points = || curve.points.iter();
        Self {
            label: curve.label.clone(),
            colour: curve.line(),
            accepted: points().map(|point| point.accepted).collect(),
            sets: points().map(|point| point.sets).collect(),
            budget_spent: points().map(|point| point.budget_spent).collect(),
            low: points().map(|point| Some(point.share_interval?.0)).collect(),
            high: points().map(|point| Some(point.share_interval?.1)).collect(),
        }
    }
}
