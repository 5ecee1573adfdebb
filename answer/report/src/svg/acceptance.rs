//! Acceptance curves: share over utilization, both axes linear, a band for each point's interval.

use super::ends::{self, End};
use super::frame::{COLOURS, PLOT_HEIGHT, Setting, TOP, dash, escaped, line_key, picture_with_legend};
use super::plot::{Axis, Plot, Series, Words, short};
use crate::acceptance::{Curve, Panel, Point};
use crate::words;
use prazo_core::text::counted;
use std::fmt::Write;

/// The picture of one panel.
pub fn acceptance(panel: &Panel, setting: Setting) -> String {
    let mut plot = Plot::new(axis(panel), (TOP, PLOT_HEIGHT), setting);
    for percent in [0, 25, 50, 75, 100] {
        plot.row(y(f64::from(percent) / 100.0), &format!("{percent} %"));
    }
    plot.names("Utilization", "Sets accepted");
    for curve in &panel.curves {
        let sets = counted(curve.points.iter().map(|point| point.sets).sum(), "set");
        let shapes = shapes(curve, &plot.axis);
        plot.series(
            &Series { label: &curve.label, note: sets.to_string(), values: curve.points.iter().map(said).collect() },
            &shapes,
        );
    }
    let mut keys: Vec<_> = panel.curves.iter().map(|curve| (curve.line(), curve.label.clone())).collect();
    if ends::are_many(keys.len()) {
        let (values, ended): (Vec<f64>, Vec<End>) =
            panel.curves.iter().filter_map(|curve| end(curve, &plot.axis)).unzip();
        ends::pinned(&mut plot, &ended, &values);
        keys.clear();
    }
    let title = escaped(&format!("Share of task sets accepted: {}", panel.title));
    picture_with_legend(&title, setting, plot.finish(&read(panel)), &keys, line_key)
}

fn utilizations(panel: &Panel) -> impl Iterator<Item = f64> {
    panel.curves.first().into_iter().flat_map(|curve| &curve.points).map(|point| point.utilization)
}

fn axis(panel: &Panel) -> Axis {
    const STEPS: [f64; 11] = [10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005];
    const MANY: f64 = 200.0;
    let all = || panel.curves.iter().flat_map(|curve| &curve.points).map(|point| point.utilization);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let span = if high > low { (low, high) } else { (0.0, high.max(1.0)) };
    let steps = STEPS.into_iter().filter(|step| (2.0..MANY).contains(&((span.1 - span.0) / step)));
    Axis { group: "utilization", span, ticks: Axis::linear_ticks(span, steps, |tick| words::decimals(tick, 3)) }
}

fn read(panel: &Panel) -> Words {
    let at = utilizations(panel).map(|utilization| format!("Utilization {}", words::decimals(utilization, 3)));
    Words { x: utilizations(panel).map(short).collect(), at: at.collect(), bins: false }
}

/// `99.8 % (998 of 1,000; 99.2 to 100 %)`, and how many sets a test had no work left for.
fn said(point: &Point) -> String {
    let (Some(share), Some((low, high))) = (point.share(), point.share_interval) else { return "no sets".into() };
    let spent = if point.budget_spent > 0 {
        format!("; {} reached the work limit", words::count(point.budget_spent))
    } else {
        String::new()
    };
    let [low, high] = [low, high].map(|end| words::decimals(end * 100.0, 1));
    let (accepted, sets) = (words::count(point.accepted), words::count(point.sets));
    format!("{} ({accepted} of {sets}; {low} to {high} %{spent})", words::share(share))
}

fn shapes(curve: &Curve, axis: &Axis) -> String {
    let (colour, dash) = (curve.line() % COLOURS, dash(curve.line(), false));
    let (band, line) = (band(curve, axis), line(curve, axis));
    format!("<path class=\"band c{colour}\" d=\"{band}\"/><path class=\"line c{colour}\" d=\"{line}\"{dash}/>")
}

/// A point without sets leaves a gap.
fn line(curve: &Curve, axis: &Axis) -> String {
    let mut text = String::new();
    let mut is_down = false;
    for point in &curve.points {
        let Some(share) = point.share() else {
            is_down = false;
            continue;
        };
        let pen = if std::mem::replace(&mut is_down, true) { 'L' } else { 'M' };
        let _ = write!(text, "{pen}{:.1} {:.1}", axis.x(point.utilization), y(share));
    }
    text
}

/// Where a curve has come down, or its last point; `None` of one without a point.
fn end(curve: &Curve, axis: &Axis) -> Option<(f64, End)> {
    let mut drawn = curve.points.iter().filter_map(|point| Some((point.utilization, point.share()?)));
    let down = drawn.clone().rev().take_while(|(_, share)| *share == 0.0).last();
    let (utilization, share) = down.or_else(|| drawn.next_back())?;
    let at = (axis.x(utilization), y(share));
    Some((utilization, End { line: curve.line(), label: curve.label.clone(), at }))
}

/// There along the upper ends, back along the lower ones.
fn band(curve: &Curve, axis: &Axis) -> String {
    let known = || curve.points.iter().filter_map(|point| Some((point, point.share_interval?)));
    let end = |(point, share): (&Point, f64)| format!("{:.1} {:.1}", axis.x(point.utilization), y(share));
    let there = known().map(|(point, (_, high))| end((point, high)));
    let back = known().rev().map(|(point, (low, _))| end((point, low)));
    let corners: Vec<String> = there.chain(back).collect();
    if corners.is_empty() { String::new() } else { format!("M{}Z", corners.join("L")) }
}

fn y(share: f64) -> f64 {
    TOP + PLOT_HEIGHT * (1.0 - share.clamp(0.0, 1.0))
}
