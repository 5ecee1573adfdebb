//! The schedulable region over two parameters: a field for each point of the grid, in the colour of its verdict.

use super::frame::{Screen, Setting, escaped, for_each_screen};
use super::labels;
use super::mark::MARK;
use prazo_core::verdict::Verdict;
use std::fmt::Write;

const TOP: f64 = 34.0;
const AXIS: f64 = 46.0;
const KEYS: f64 = 26.0;
const SMALL: f64 = 11.0;

/// A grid of verdicts.
#[derive(Clone, Debug)]
pub struct RegionChart {
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub x: RegionAxis,
    /// The vertical axis.
    pub y: RegionAxis,
    /// One row for each value of `y`, one verdict in it for each of `x`.
    pub verdicts: Vec<Vec<Verdict>>,
}

/// One axis of the grid.
#[derive(Clone, Debug)]
pub struct RegionAxis {
    /// The parameter: `brake.cost`.
    pub name: String,
    /// Its values, ascending.
    pub values: Vec<f64>,
    /// The same as a reader wants them.
    pub labels: Vec<String>,
    /// What the set has.
    pub here: f64,
}

/// The picture.
pub fn region(chart: &RegionChart, setting: Setting) -> String {
    let draw = |screen| {
        let (left, right, height) = match screen {
            Screen::Wide => (110.0, 760.0, 420.0),
            Screen::Narrow => (74.0, screen.width() - 14.0, 270.0),
        };
        let x = Places::new(&chart.x, left, right);
        let y = Places::new(&chart.y, TOP + height, TOP);
        let bottom = TOP + height;
        let mut body = String::from("<g shape-rendering=\"crispEdges\">");
        for (row, verdicts) in chart.verdicts.iter().enumerate() {
            fields(&mut body, verdicts, &x, y.edges(row));
        }
        body.push_str("</g>");
        below(&mut body, &chart.x, &x, bottom);
        before(&mut body, &chart.y, &y, left);
        let (here_x, here_y) = (x.at(chart.x.here), y.at(chart.y.here));
        let _ = write!(
            body,
            "<circle class=\"open c5\" cx=\"{here_x:.1}\" cy=\"{here_y:.1}\" r=\"{MARK}\"><title>this task set</title></circle>"
        );
        keys(&mut body, left, bottom + AXIS + 14.0, screen);
        let rows = if screen == Screen::Wide { 1.0 } else { 2.0 };
        (bottom + AXIS + rows * KEYS, body)
    };
    for_each_screen(setting, draw, &escaped(&chart.title))
}

/// Where the values of an axis stand.
struct Places {
    values: Vec<f64>,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Places {
    /// Each value's field reaches half way to its neighbours.
    fn new(axis: &RegionAxis, from: f64, to: f64) -> Self {
        let values = axis.values.clone();
        let (first, last) = (values.first().copied().unwrap_or(0.0), values.last().copied().unwrap_or(1.0));
        let half = match values.len() {
            0 | 1 => 0.5,
            count => (last - first) / (count - 1) as f64 / 2.0,
        };
        Self { values, low: first - half, high: last + half, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (self.to - self.from) * ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// The edges of a value's field.
    fn edges(&self, place: usize) -> (f64, f64) {
        let between = |place: usize| f64::midpoint(self.values[place], self.values[place + 1]);
        let low = if place == 0 { self.low } else { between(place - 1) };
        let high = if place + 1 < self.values.len() { between(place) } else { self.high };
        (self.at(low), self.at(high))
    }
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Proven => "filled c2",
        Verdict::Disproven => "filled c1",
        Verdict::Unknown => "void",
    }
}

/// One row; neighbours of one verdict are one field.
fn fields(body: &mut String, verdicts: &[Verdict], x: &Places, (one, other): (f64, f64)) {
    let (top, height) = (one.min(other), (one - other).abs());
    let mut begin = 0;
    for run in verdicts.chunk_by(|one, other| one == other) {
        let (left, right) = (x.edges(begin).0, x.edges(begin + run.len() - 1).1);
        begin += run.len();
        let _ = write!(
            body,
            "<rect class=\"{}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{height:.1}\"><title>{}</title></rect>",
            class(run[0]),
            right - left,
            run[0].name()
        );
    }
}

/// The labels of about every tenth value, as many as there is room for, and the axis' name.
fn below(body: &mut String, axis: &RegionAxis, x: &Places, bottom: f64) {
    let all = axis.values.iter().zip(&axis.labels).step_by(axis.values.len().div_ceil(5).max(1));
    let all = all.map(|(value, label)| (x.at(*value), label.clone())).collect();
    for (at, label) in labels::thinned(all, SMALL) {
        let y = bottom + 16.0;
        let _ = write!(
            body,
            "<text x=\"{at:.1}\" y=\"{y}\" text-anchor=\"middle\" font-size=\"{SMALL}\">{}</text>",
            escaped(&label)
        );
    }
    let (middle, y) = (f64::midpoint(x.from, x.to), bottom + 36.0);
    let _ = write!(body, "<text x=\"{middle}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", escaped(&axis.name));
}

/// The same for the vertical axis; its name stands above.
fn before(body: &mut String, axis: &RegionAxis, y: &Places, left: f64) {
    for (value, label) in axis.values.iter().zip(&axis.labels).step_by(axis.values.len().div_ceil(8).max(1)) {
        let (x, y) = (left - 6.0, y.at(*value) + 4.0);
        let _ = write!(
            body,
            "<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\" font-size=\"{SMALL}\">{}</text>",
            escaped(label)
        );
    }
    let above = TOP - 14.0;
    let _ = write!(body, "<text x=\"{}\" y=\"{above}\">{}</text>", left - 60.0, escaped(&axis.name));
}

fn keys(body: &mut String, left: f64, y: f64, screen: Screen) {
    let verdicts = [Verdict::Proven, Verdict::Disproven, Verdict::Unknown];
    let step = if screen == Screen::Wide { 120.0 } else { 92.0 };
    for (place, verdict) in verdicts.into_iter().enumerate() {
        let (x, top) = (left + step * place as f64, y - 10.0);
        let _ = write!(
            body,
            "<rect class=\"{}\" x=\"{x}\" y=\"{top}\" width=\"12\" height=\"12\"/><text x=\"{}\" y=\"{y}\">{}</text>",
            class(verdict),
            x + 18.0,
            verdict.name()
        );
    }
    let (x, y) = if screen == Screen::Wide { (left + step * 3.0, y) } else { (left, y + KEYS) };
    let _ = write!(
        body,
        "<circle class=\"open c5\" cx=\"{}\" cy=\"{}\" r=\"{MARK}\"/><text x=\"{}\" y=\"{y}\">this task set</text>",
        x + 6.0,
        y - 4.0,
        x + 18.0
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_of_a_verdict_is_one_field_and_all_of_the_plot_is_covered() {
        let axis = |name: &str, values: &[f64], here| RegionAxis {
            name: name.into(),
            values: values.to_vec(),
            labels: values.iter().map(|value| format!("{value} ms")).collect(),
            here,
        };
        use Verdict::{Disproven, Proven, Unknown};
        let chart = RegionChart {
            title: "a < b".into(),
            x: axis("a.cost", &[1.0, 2.0, 3.0], 2.0),
            y: axis("<b>.period", &[10.0, 20.0], 10.0),
            verdicts: vec![vec![Proven, Proven, Disproven], vec![Proven, Unknown, Unknown]],
        };
        let drawn = region(&chart, Setting::Alone);
        let counts = ["filled c2", "filled c1", "void"].map(|class| drawn.matches(class).count());
        // The style has no rule for a pair of classes; each verdict has a key.
        assert_eq!(counts[..2], [3, 2], "{drawn}");
        assert!(drawn.contains("&lt;b&gt;.period") && drawn.contains("3 ms") && !drawn.contains("<b>"), "{drawn}");
        let widths = drawn.split("<rect").skip(1).filter_map(|rect| {
            let text = rect.split("width=\"").nth(1)?.split('"').next()?;
            text.parse::<f64>().ok()
        });
        let plot: f64 = widths.filter(|width| *width > 12.0).sum();
        assert!((plot - 2.0 * 650.0).abs() < 1.0, "{plot}");
    }

    #[test]
    fn an_axis_of_one_value_is_drawn() {
        let axis = RegionAxis { name: "a.jitter".into(), values: vec![0.0], labels: vec!["0".into()], here: 0.0 };
        let chart =
            RegionChart { title: String::new(), x: axis.clone(), y: axis, verdicts: vec![vec![Verdict::Proven]] };
        assert!(!region(&chart, Setting::InPage).contains("NaN"));
    }
}
