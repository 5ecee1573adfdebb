//! Acceptance curves as a static picture: share over utilization, both axes linear, a band for each point's interval.

use super::{COLOURS, LEFT, PLOT_HEIGHT, RIGHT, Setting, TOP, WIDTH, dash, escaped, line_key, picture_with_legend};
use crate::acceptance::{Curve, Panel, Point};
use crate::words;
use std::fmt::Write;

/// The picture of one panel.
pub fn acceptance(panel: &Panel, setting: Setting) -> String {
    let place = Place::of(panel);
    let mut body = place.axes();
    panel.curves.iter().for_each(|curve| body.push_str(&place.curve(curve)));
    let keys = panel.curves.iter().map(|curve| (curve.line(), curve.label.as_str()));
    picture_with_legend(
        &escaped(&format!("Share of task sets accepted: {}", panel.title)),
        setting,
        body,
        keys,
        line_key,
    )
}

/// Where utilizations and shares stand.
struct Place {
    low: f64,
    high: f64,
}

impl Place {
    fn of(panel: &Panel) -> Self {
        let all = || panel.curves.iter().flat_map(|curve| &curve.points).map(|point| point.utilization);
        let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
        if high > low { Self { low, high } } else { Self { low: 0.0, high: high.max(1.0) } }
    }

    fn x(&self, utilization: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * ((utilization - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// Whole and half utilizations, or steps of 1, 2, 5 where those were too many or too few.
    fn ticks(&self) -> impl Iterator<Item = f64> {
        let rough = (self.high - self.low) / 12.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= rough);
        let (step, low, high) = (step.unwrap_or(rough), self.low, self.high);
        let first = (low / step - 1e-9).ceil();
        (0..40).map(move |at| (first + f64::from(at)) * step).take_while(move |tick| *tick <= high + 1e-9)
    }

    fn axes(&self) -> String {
        let (bottom, right) = (TOP + PLOT_HEIGHT, WIDTH - RIGHT);
        let mut text = String::new();
        for tick in self.ticks() {
            let (x, label) = (self.x(tick), words::decimals(tick, 3));
            let _ = write!(text, "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>");
            let _ = write!(text, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>", bottom + 18.0);
        }
        for percent in [0, 25, 50, 75, 100] {
            let y = y(f64::from(percent) / 100.0);
            let _ = write!(text, "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>");
            let (x, y) = (LEFT - 6.0, y + 4.0);
            let _ = write!(text, "<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{percent} %</text>");
        }
        let (middle, height) = ((LEFT + right) / 2.0, TOP + PLOT_HEIGHT / 2.0);
        let _ = write!(text, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">Utilization</text>", bottom + 38.0);
        let turned = format!("transform=\"translate(14 {height}) rotate(-90)\" text-anchor=\"middle\"");
        text + &format!("<text {turned}>Sets accepted</text>")
    }

    fn curve(&self, curve: &Curve) -> String {
        let (colour, line, dash) = (curve.line() % COLOURS, self.line(curve), dash(curve.line(), false));
        let band = self.band(curve);
        format!("<path class=\"band c{colour}\" d=\"{band}\"/><path class=\"line c{colour}\" d=\"{line}\"{dash}/>")
    }

    /// A point without sets leaves a gap.
    fn line(&self, curve: &Curve) -> String {
        let mut text = String::new();
        let mut is_down = false;
        for point in &curve.points {
            let Some(share) = point.share() else {
                is_down = false;
                continue;
            };
            let pen = if std::mem::replace(&mut is_down, true) { 'L' } else { 'M' };
            let _ = write!(text, "{pen}{:.1} {:.1}", self.x(point.utilization), y(share));
        }
        text
    }

    /// There along the upper ends, back along the lower ones.
    fn band(&self, curve: &Curve) -> String {
        let known = || curve.points.iter().filter_map(|point| Some((point, point.share_interval?)));
        let end = |(point, share): (&Point, f64)| format!("{:.1} {:.1}", self.x(point.utilization), y(share));
        let there = known().map(|(point, (_, high))| end((point, high)));
        let back = known().rev().map(|(point, (low, _))| end((point, low)));
        let corners: Vec<String> = there.chain(back).collect();
        if corners.is_empty() { String::new() } else { format!("M{}Z", corners.join("L")) }
    }
}

fn y(share: f64) -> f64 {
    TOP + PLOT_HEIGHT * (1.0 - share.clamp(0.0, 1.0))
}
