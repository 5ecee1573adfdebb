//! Latencies over time as Regnier 2008 draws them: a point a sample, and below each graph its mean, deviation and extremes.
//!
//! All graphs of a picture share one linear scale, chosen so that the bulk of each can be seen; a triangle at its upper edge
//! marks a sample above it, as in the paper.

use super::frame::{COLOURS, LEFT, RIGHT, Setting, WIDTH, cut, escaped, picture};
use crate::content::Moments;
use crate::words;
use prazo_study::result::QuantityResult;
use std::collections::BTreeSet;
use std::fmt::Write;

const COLUMNS: usize = 2;
const GRAPH_HEIGHT: f64 = 110.0;
const TITLE_HEIGHT: f64 = 26.0;
const BELOW: f64 = 42.0;
/// The share of each graph's samples that the scale holds at least.
const BULK: f64 = 0.99;
/// Room above the bulk.
const HEADROOM: f64 = 1.25;
/// Half the width and the height of a triangle.
const TRIANGLE: (f64, f64) = (3.5, 6.0);

/// The picture; empty without samples.
pub fn moments(graphs: &[&Moments], setting: Setting) -> String {
    let Some(top_ns) = graphs.iter().filter_map(|graph| bulk_ns(graph)).max() else { return String::new() };
    let top_ns = round_up((top_ns.max(1) as f64 * HEADROOM).ceil() as i64);
    let body: String = graphs.iter().enumerate().map(|(at, graph)| Place::of(graph, at, top_ns).draw()).collect();
    let rows = graphs.len().div_ceil(COLUMNS) as f64;
    let quantity = words::quantity(graphs[0].figures.quantity);
    picture(&format!("Each {quantity} over time"), rows * (TITLE_HEIGHT + GRAPH_HEIGHT + BELOW), setting, &body)
}

/// The latency that [`BULK`] of a graph's samples do not exceed.
fn bulk_ns(graph: &Moments) -> Option<i64> {
    let mut all: Vec<i64> = graph.samples.iter().map(|(_, ns)| *ns).collect();
    all.sort_unstable();
    all.get((all.len() as f64 * BULK) as usize).or(all.last()).copied()
}

/// The next of 1, 2 and 5 times a power of ten.
fn round_up(ns: i64) -> i64 {
    let round = (0..18).flat_map(|power| [1, 2, 5].map(|digit| digit * 10i64.pow(power)));
    round.into_iter().find(|round| *round >= ns).unwrap_or(ns)
}

/// A graph where it stands.
struct Place<'a> {
    graph: &'a Moments,
    at: usize,
    left: f64,
    right: f64,
    top: f64,
    top_ns: i64,
    end_ns: i64,
}

impl<'a> Place<'a> {
    fn of(graph: &'a Moments, at: usize, top_ns: i64) -> Self {
        let (column, row, width) = ((at % COLUMNS) as f64, (at / COLUMNS) as f64, WIDTH / COLUMNS as f64);
        Self {
            graph,
            at,
            left: column * width + LEFT,
            right: (column + 1.0) * width - RIGHT,
            top: row * (TITLE_HEIGHT + GRAPH_HEIGHT + BELOW) + TITLE_HEIGHT,
            top_ns,
            end_ns: graph.samples.last().map_or(1, |(at_ns, _)| (*at_ns).max(1)),
        }
    }

    fn draw(&self) -> String {
        let colour = (self.at / COLUMNS) % COLOURS;
        let (points, triangles) = (self.points(), self.triangles());
        format!(
            "<g class=\"c{colour}\">{}{}<path class=\"line\" stroke-linecap=\"round\" d=\"{points}\"/>\
             <path class=\"late\" d=\"{triangles}\"/></g>",
            self.words(),
            self.axes()
        )
    }

    fn x(&self, at_ns: i64) -> f64 {
        self.left + (self.right - self.left) * at_ns as f64 / self.end_ns as f64
    }

    fn y(&self, ns: i64) -> f64 {
        self.top + GRAPH_HEIGHT * (1.0 - ns as f64 / self.top_ns as f64)
    }

    /// Samples that share a place on the picture are one point.
    fn points(&self) -> String {
        let inside = self.graph.samples.iter().filter(|(_, ns)| *ns <= self.top_ns);
        let tenths = |value: f64| (value * 2.0).round() as i64 * 5;
        let places: BTreeSet<_> = inside.map(|(at_ns, ns)| (tenths(self.x(*at_ns)), tenths(self.y(*ns)))).collect();
        let point = |(x, y): &(i64, i64)| format!("M{}.{} {}.{}h0", x / 10, x % 10, y / 10, y % 10);
        places.iter().map(point).collect()
    }

    fn triangles(&self) -> String {
        let above = self.graph.samples.iter().filter(|(_, ns)| *ns > self.top_ns);
        let places: BTreeSet<i64> = above.map(|(at_ns, _)| self.x(*at_ns).round() as i64).collect();
        let ((half, height), mut text) = (TRIANGLE, String::new());
        for x in places {
            let _ = write!(text, "M{x} {}l{half} {height}h{}z", self.top, -2.0 * half);
        }
        text
    }

    /// The cell above, the four figures below.
    fn words(&self) -> String {
        let label = escaped(&cut(&self.graph.label));
        let (title, below) = (self.top - 8.0, self.top + GRAPH_HEIGHT + 32.0);
        format!(
            "<text x=\"{0}\" y=\"{title}\">{label}</text><text x=\"{0}\" y=\"{below}\" font-size=\"11\">{1}</text>",
            self.left,
            four(&self.graph.figures)
        )
    }

    fn axes(&self) -> String {
        let bottom = self.top + GRAPH_HEIGHT;
        let row = |part: i64| {
            let ns = self.top_ns * part / 4;
            let (y, left, right) = (self.y(ns), self.left, self.right);
            let label = if part % 2 == 0 { words::latency(ns) } else { String::new() };
            format!(
                "<line class=\"grid\" x1=\"{left}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"10\">{label}</text>",
                left - 6.0,
                y + 4.0
            )
        };
        let end = words::latency(self.end_ns);
        let rows: String = (0..=4).map(row).collect();
        rows + &format!(
            "<text x=\"{}\" y=\"{y}\" font-size=\"10\">0</text>\
             <text x=\"{}\" y=\"{y}\" text-anchor=\"end\" font-size=\"10\">{end}</text>",
            self.left,
            self.right,
            y = bottom + 14.0
        )
    }
}

/// As below the paper's graphs.
fn four(figures: &QuantityResult) -> String {
    let us = |value: Option<f64>| value.map_or(words::ABSENT.to_owned(), |ns| format!("{:.1}", ns / 1e3));
    let [mean, deviation, min, max] = [figures.mean_ns, figures.deviation_ns, figures.min_ns, figures.max_ns].map(us);
    format!("M: {mean}, SD: {deviation}, Mn: {min}, Mx: {max} (µs)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::run::Quantity;

    /// A hundred and one samples of 8 µs or so, the last of them late.
    fn graph() -> Moments {
        let samples = (0..101).map(|n| (n * 1_000_000, if n == 100 { 617_500 } else { 8_000 + n })).collect();
        let none = QuantityResult::none(Quantity::InterruptLatency);
        let figures = QuantityResult { mean_ns: Some(8_950.0), max_ns: Some(617_500.0), ..none };
        Moments { label: "std.<idle>".into(), samples, figures }
    }

    #[test]
    fn the_bulk_is_drawn_as_points_and_what_lies_above_the_scale_as_a_triangle() {
        let drawn = moments(&[&graph()], Setting::Alone);
        assert_eq!(drawn.matches("h0").count(), 100);
        assert_eq!(drawn.matches("h-7z").count(), 1);
        assert!(drawn.contains("M: 8.9, SD: —, Mn: —, Mx: 617.5 (µs)"), "{drawn}");
        assert!(drawn.contains("std.&lt;idle&gt;") && drawn.contains(">20 µs<"), "{drawn}");
    }

    #[test]
    fn scales_end_at_one_two_or_five() {
        assert_eq!([1, 3, 9, 11, 6_001].map(round_up), [1, 5, 10, 20, 10_000]);
        assert_eq!(moments(&[], Setting::Alone), "");
    }
}
