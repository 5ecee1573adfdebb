//! Penalties over what platforms add, a panel for each figure: does the one go together with the other?

use super::ends;
use super::frame::{COLOURS, Setting, WIDTH, cut, escaped, legend_below, picture};
use super::mark::{MARK, mark, mark_key};
use super::names::{Part, Room};
use super::scale::Linear;
use crate::cost::{ProgramCosts, Range, Scatter, ScatterPoint};
use crate::words;
use std::collections::BTreeSet;
use std::fmt::Write;

const COLUMNS: usize = 2;
const TITLE: f64 = 40.0;
const PANEL: f64 = 200.0;
const BELOW: f64 = 44.0;
const SIDE: f64 = 64.0;
const GAP: f64 = 20.0;
/// The size of the font of a panel's axes.
const SMALL: f64 = 11.0;

/// All panels that have a point; empty where none has.
pub fn scatters(costs: &ProgramCosts, setting: Setting) -> String {
    let drawn: Vec<&Scatter> = costs.scatters.iter().filter(|scatter| !scatter.points.is_empty()).collect();
    let platforms: Vec<&str> = costs.platforms.iter().map(|platform| platform.platform.as_str()).collect();
    if drawn.is_empty() {
        return String::new();
    }
    let penalties: Vec<f64> =
        drawn.iter().flat_map(|one| &one.points).map(|point| point.penalty).chain([1.0]).collect();
    let panels = drawn.iter().enumerate().map(|(at, scatter)| Panel::of(at, scatter, &penalties, &platforms));
    let panels: Vec<Panel<'_>> = panels.collect();
    let mut body: String = panels.iter().map(Panel::draw).collect();
    let mut keys: Vec<(usize, String)> = platforms.iter().map(|name| cut(name)).enumerate().collect();
    if ends::are_many(keys.len()) {
        // A legend of many is no help: it keeps those alone that some panel has no room to name.
        let unnamed: BTreeSet<usize> = panels.iter().flat_map(|panel| panel.names(&mut body)).collect();
        keys.retain(|(at, _)| unnamed.contains(at));
    }
    let below = (drawn.len().div_ceil(COLUMNS)) as f64 * (TITLE + PANEL + BELOW);
    let (legend, height) = legend_below(below, &keys, mark_key);
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

    /// The point's platform in the order of colours.
    fn platform(&self, point: &ScatterPoint) -> usize {
        self.platforms.iter().position(|platform| *platform == point.platform).unwrap_or(0)
    }

    fn place(&self, point: &ScatterPoint) -> (f64, f64) {
        (self.x.place(point.added_per_s), self.y.place(point.penalty))
    }

    /// Draws each platform's name beside one of its points, the highest that has room for it; which ones found none.
    fn names(&self, body: &mut String) -> Vec<usize> {
        let bounds = Part { left: self.left, right: self.right + GAP, top: self.top, bottom: self.top + PANEL };
        let mark = |point: &&ScatterPoint| Part::around(self.place(point), MARK);
        let mut room =
            Room { bounds, taken: self.scatter.points.iter().map(|point| mark(&point)).collect(), font: SMALL };
        let mut unnamed = Vec::new();
        for (at, platform) in self.platforms.iter().enumerate() {
            let mut points: Vec<_> = self.scatter.points.iter().filter(|point| point.platform == *platform).collect();
            points.sort_by(|a, b| b.penalty.total_cmp(&a.penalty));
            match room.name(platform, points.iter().map(mark)) {
                Some(name) => body.push_str(&name),
                None if points.is_empty() => {}
                None => unnamed.push(at),
            }
        }
        unnamed
    }

    fn point(&self, point: &ScatterPoint) -> String {
        let at = self.platform(point);
        let said = format!(
            "{} on {}: {}, {}",
            point.workload,
            point.platform,
            words::more(point.penalty, 2),
            added(point.added_per_s, &self.scatter.of)
        );
        mark(at, &format!("filled faint c{}", at % COLOURS), self.place(point), &said)
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
        for (x, label) in self.x.labels(5, SMALL, short) {
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
    format!("{} {what} per second", short(value))
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
