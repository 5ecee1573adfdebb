//! An overhead by number of threads as a static picture: amounts on a logarithmic axis, a dot for each number measured.

use super::ends::{self, End};
use super::frame::{
    COLOURS, FONT, LEFT, PLOT_HEIGHT, RIGHT, Setting, TOP, WIDTH, dash, escaped, line_key, picture_with_legend,
};
use super::labels;
use crate::acceptance::{CostLine, CostPanel};
use crate::words;
use prazo_experiment::overhead_figures::FigurePoint;
use std::fmt::Write;

/// The picture of one panel.
pub fn costs(panel: &CostPanel, setting: Setting) -> String {
    let place = Place::of(panel);
    let mut body = place.axes(panel);
    panel.lines.iter().for_each(|line| body.push_str(&place.line(line)));
    let mut keys: Vec<_> = panel.lines.iter().map(|line| (line.line(), line.label.clone())).collect();
    if ends::are_many(keys.len()) {
        let ended: Vec<End> = panel.lines.iter().filter_map(|line| place.end(line)).collect();
        body.push_str(&ends::drawn(&ended, (TOP, TOP + PLOT_HEIGHT)));
        keys.clear();
    }
    let title = escaped(&format!("Overhead by number of threads: {}", panel.title));
    picture_with_legend(&title, setting, body, &keys, line_key)
}

/// Where numbers of threads and amounts stand.
struct Place {
    threads: u64,
    /// Powers of ten, of a microsecond.
    low: i32,
    high: i32,
}

impl Place {
    fn of(panel: &CostPanel) -> Self {
        let points = || panel.lines.iter().flat_map(|line| &line.points);
        let powers = || points().filter(|point| point.amount_us > 0.0).map(|point| point.amount_us.log10());
        let low = powers().fold(f64::INFINITY, f64::min).floor();
        let high = powers().fold(f64::NEG_INFINITY, f64::max).ceil();
        let (low, high) = if low.is_finite() { (low as i32, high as i32) } else { (0, 1) };
        let threads = points().map(|point| point.threads).max().unwrap_or(1).max(1);
        Self { threads, low, high: high.max(low + 1) }
    }

    fn x(&self, threads: u64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * threads as f64 / self.threads as f64
    }

    fn y(&self, us: f64) -> f64 {
        let fraction = (us.log10() - f64::from(self.low)) / f64::from(self.high - self.low);
        TOP + PLOT_HEIGHT * (1.0 - fraction.clamp(0.0, 1.0))
    }

    fn axes(&self, panel: &CostPanel) -> String {
        let (bottom, right) = (TOP + PLOT_HEIGHT, WIDTH - RIGHT);
        let mut text = self.columns(panel);
        for (us, is_named) in self.rows() {
            let y = self.y(us);
            let _ = write!(text, "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>");
            if is_named {
                let (x, y, label) = (LEFT - 6.0, y + 4.0, words::latency((us * 1_000.0).round() as i64));
                let _ = write!(text, "<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{label}</text>");
            }
        }
        let middle = (LEFT + right) / 2.0;
        text + &format!("<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">Threads</text>", bottom + 38.0)
    }

    /// A line for each number of threads that any line has a point at.
    fn columns(&self, panel: &CostPanel) -> String {
        let all = panel.lines.iter().flat_map(|line| &line.points).map(|point| point.threads);
        let all: std::collections::BTreeSet<u64> = all.collect();
        let bottom = TOP + PLOT_HEIGHT;
        let (all, mut text): (Vec<(f64, String)>, _) =
            (all.into_iter().map(|threads| (self.x(threads), threads.to_string())).collect(), String::new());
        for (x, _) in &all {
            let _ = write!(text, "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>");
        }
        for (x, threads) in labels::thinned(all, FONT) {
            let _ = write!(text, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{threads}</text>", bottom + 18.0);
        }
        text
    }

    /// 1, 2 and 5 of each power of ten where there are few powers, and whether there is room for the name.
    fn rows(&self) -> impl Iterator<Item = (f64, bool)> + '_ {
        let few = self.high - self.low <= 3;
        let of_power = move |power: i32| [1.0, 2.0, 5.0].map(|digit| (digit * 10f64.powi(power), few || digit == 1.0));
        let top = 10f64.powi(self.high);
        (self.low..=self.high).flat_map(of_power).filter(move |(us, _)| *us <= top * 1.001)
    }

    /// Where a line ends; `None` of one that is not drawn.
    fn end(&self, line: &CostLine) -> Option<End> {
        let last = line.points.iter().rfind(|point| point.amount_us > 0.0)?;
        let at = (self.x(last.threads), self.y(last.amount_us));
        Some(End { line: line.line(), label: line.label.clone(), at })
    }

    /// Through the points, with a dot at each that was measured.
    fn line(&self, line: &CostLine) -> String {
        let (colour, dash) = (line.line() % COLOURS, dash(line.line(), false));
        let drawn = || line.points.iter().filter(|point| point.amount_us > 0.0);
        let place = |point: &FigurePoint| format!("{:.1} {:.1}", self.x(point.threads), self.y(point.amount_us));
        let path: Vec<String> = drawn().map(place).collect();
        let dots: String =
            drawn().filter(|point| point.count.is_some()).map(|point| format!("M{}h0", place(point))).collect();
        let mut text = String::new();
        if !path.is_empty() {
            let _ = write!(text, "<path class=\"line c{colour}\" d=\"M{}\"{dash}/>", path.join("L"));
        }
        if !dots.is_empty() {
            // A stroke of no length with round ends is a dot.
            let round = "stroke-linecap=\"round\" style=\"stroke-width:6\"";
            let _ = write!(text, "<path class=\"line c{colour}\" d=\"{dots}\" {round}/>");
        }
        text
    }
}
