//! Penalties over what platforms add, a panel for each figure: does the one go together with the other?

use super::frame::{COLOURS, Setting, WIDTH, cut, escaped, legend_below, picture};
use super::mark::{mark, mark_key};
use super::scale::Linear;
use crate::cost::{ProgramCosts, Range, Scatter, ScatterPoint};
use crate::words;
use std::fmt::Write;

const COLUMNS: usize = 2;
const TITLE: f64 = 40.0;
const PANEL: f64 = 200.0;
const BELOW: f64 = 44.0;
const SIDE: f64 = 64.0;
const GAP: f64 = 20.0;

/// All panels that have a point; empty where none has.
pub fn scatters(costs: &ProgramCosts, setting: Setting) -> String {
    let drawn: Vec<&Scatter> = costs.scatters.iter().filter(|scatter| !scatter.points.is_empty()).collect();
    let platforms: Vec<&str> = costs.platforms.iter().map(|platform| platform.platform.as_str()).collect();
    if drawn.is_empty() {
        return String::new();
    }
    let penalties: Vec<f64> =
        drawn.iter().flat_map(|one| &one.points).map(|point| point.penalty).chain([1.0]).collect();
    let panels = drawn.iter().enumerate().map(|(at, scatter)| Panel::of(at, scatter, &penalties, &platforms).draw());
    let body: String = panels.collect();
    let below = (drawn.len().div_ceil(COLUMNS)) as f64 * (TITLE + PANEL + BELOW);
    let names: Vec<(usize, String)> = platforms.iter().map(|name| cut(name)).enumerate().collect();
    let (legend, height) = legend_below(below, &names, mark_key);
    let title = escaped(&format!("What correlates with penalties: {}", costs.heading));
    picture(&title, height, setting, &(body + &legend))
}

/// One panel and where it stands.
struct Panel<'a> {
    scatter: &'a Scatter,
    platforms: &'a [&'a str],
    x: Linear,
    y: Linear,
    left: f64,
    right: f64,
    top: f64,
}

impl<'a> Panel<'a> {
    fn of(at: usize, scatter: &'a Scatter, penalties: &[f64], platforms: &'a [&'a str]) -> Self {
        let width = WIDTH / COLUMNS as f64;
        let left = (at % COLUMNS) as f64 * width + SIDE;
        let right = (at % COLUMNS + 1) as f64 * width - GAP;
        let top = (at / COLUMNS) as f64 * (TITLE + PANEL + BELOW) + TITLE;
        let added: Vec<f64> = scatter.points.iter().map(|point| point.added_per_s).chain([0.0]).collect();
        let x = Linear::spanning(added.into_iter(), left, right);
        let y = Linear::spanning(penalties.iter().copied(), top + PANEL, top);
        Self { scatter, platforms, x, y, left, right, top }
    }

    fn draw(&self) -> String {
        let points: String = self.scatter.points.iter().map(|point| self.point(point)).collect();
        self.words() + &self.axes() + &points
    }

    fn point(&self, point: &ScatterPoint) -> String {
        let at = self.platforms.iter().position(|platform| *platform == point.platform).unwrap_or(0);
        let said = format!(
            "{} on {}: {}, {}",
            point.workload,
            point.platform,
            words::more(point.penalty, 2),
            added(point.added_per_s, &self.scatter.of)
        );
        mark(
            at,
            &format!("filled faint c{}", at % COLOURS),
            (self.x.place(point.added_per_s), self.y.place(point.penalty)),
            &said,
        )
    }

    /// The figure above, its coefficients below that.
    fn words(&self) -> String {
        let (first, second) = (self.top - 24.0, self.top - 8.0);
        let coefficients = match (self.scatter.pearson, self.scatter.spearman) {
            (Some(pearson), Some(spearman)) => {
                format!(
                    "r {}, \u{3c1} {}, {} pairs",
                    coefficient(pearson),
                    coefficient(spearman),
                    self.scatter.points.len()
                )
            }
            _ => self.scatter.method.clone(),
        };
        format!(
            "<text x=\"{0}\" y=\"{first}\" font-weight=\"600\">{1}</text><text x=\"{0}\" y=\"{second}\" font-size=\"11\">{2}</text>",
            self.left,
            escaped(&self.scatter.of),
            escaped(&coefficients)
        )
    }

    fn axes(&self) -> String {
        let (bottom, mut text) = (self.top + PANEL, String::new());
        for tick in self.x.ticks(5) {
            let (x, label) = (self.x.place(tick), short(tick));
            let _ =
                write!(text, "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{}\" y2=\"{bottom}\"/>", self.top);
            let _ = write!(
                text,
                "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\" font-size=\"11\">{label}</text>",
                bottom + 15.0
            );
        }
        for tick in self.y.ticks(5) {
            let (y, label) = (self.y.place(tick), words::more(tick, 1));
            let _ = write!(
                text,
                "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>",
                self.left, self.right
            );
            let _ = write!(
                text,
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"11\">{label}</text>",
                self.left - 6.0,
                y + 4.0
            );
        }
        text + &format!(
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\" font-size=\"11\">added in a second of processor time</text>",
            (self.left + self.right) / 2.0,
            bottom + 31.0
        )
    }
}

/// "0.82 [0.41, 0.95]".
fn coefficient(of: Range) -> String {
    let two = |value: f64| words::decimals(value, 2);
    match (of.low, of.high) {
        (Some(low), Some(high)) => format!("{} [{}, {}]", two(of.value), two(low), two(high)),
        _ => two(of.value),
    }
}

fn added(value: f64, what: &str) -> String {
    format!("{} {what} a second", short(value))
}

/// A count or a time of an axis, with a k or an M where it is large.
fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 1e6 => format!("{}M", words::decimals(value / 1e6, 2)),
        size if size >= 1e4 => format!("{}k", words::decimals(value / 1e3, 1)),
        size if size >= 10.0 => words::decimals(value, 0),
        _ => words::decimals(value, 3),
    }
}
