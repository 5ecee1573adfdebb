//! The overlaid histograms and the exceedance curves, both over the same latency axis.

use super::ends::{self, End};
use super::frame::{COLOURS, PLOT_HEIGHT, Setting, TOP, cut, dash, line_key, picture_with_legend};
use super::plot::{Axis, Plot, Series, Words, short};
use crate::chart::exceedance::{Curve, ExceedanceLine};
use crate::chart::{Charts, LatencyAxis};
use crate::words;
use prazo_core::text::counted;

/// Half a sample: where a bin without samples stands.
const EMPTY: f64 = -0.3;

/// What the histograms' heights are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heights {
    /// Samples in each bin.
    Counts,
    /// The same, as shares of all samples of the line.
    Shares,
}

/// The overlaid histograms, log-log.
pub fn histogram(charts: &Charts, heights: Heights, setting: Setting) -> String {
    let (edges, lines) = (&charts.histograms.edges_ns, &charts.histograms.lines);
    let all = |total: u64| if heights == Heights::Shares { total.max(1) as f64 } else { 1.0 };
    let tops =
        lines.iter().map(|line| line.counts.iter().max().map_or(1.0, |top| (*top).max(1) as f64 / all(line.total)));
    let high = tops.fold(0.0, f64::max).log10().ceil();
    let low = EMPTY - lines.iter().map(|line| all(line.total)).fold(1.0, f64::max).log10();
    let (high, name) = match heights {
        Heights::Counts => (high.max(1.0), "Samples in each bin"),
        Heights::Shares => (high, "Share in each bin"),
    };
    let mut plot = Curves::new(charts, Vertical { low, high }, (name, "Latency"), setting);
    for line in lines {
        let all = all(line.total);
        let steps = edges.windows(2).zip(&line.counts);
        let steps = steps.map(|(edge, count)| (edge[0], edge[1], (*count > 0).then_some(*count as f64 / all)));
        let value = |count: &u64| match heights {
            Heights::Counts => words::count(*count),
            Heights::Shares => words::share(*count as f64 / all),
        };
        let beyond = if line.beyond > 0 { format!(", {} beyond", words::count(line.beyond)) } else { String::new() };
        let note = format!("{}{beyond}", counted(line.total, "sample"));
        let shape = plot.stepped(line.colour, false, steps);
        let last = line.counts.iter().rposition(|count| *count > 0);
        let end = last.map(|bin| (edges[bin + 1], line.counts[bin] as f64 / all));
        plot.line((line.colour, &line.label, note), line.counts.iter().map(value).collect(), &shape, end);
    }
    let row = |at: usize| TOP + 34.0 + 15.0 * at as f64;
    for (at, line) in lines.iter().filter(|line| line.beyond > 0).enumerate() {
        let (y, colour, beyond) = (row(at), line.colour % COLOURS, words::count(line.beyond));
        plot.plot.at_right(
            Some(&line.label),
            format_args!(
                "<path class=\"filled c{colour}\" d=\"M-2 {y}l-7 -5v10z\"/>\
                 <text x=\"-14\" y=\"{}\" text-anchor=\"end\" font-size=\"11\">{beyond} beyond</text>",
                y + 4.0
            ),
        );
    }
    let at = edges.windows(2).map(|edge| format!("Bin {} to {}", words::latency(edge[0]), words::latency(edge[1])));
    let words = Words { x: plot.places(&edges[..edges.len() - 1]), at: at.collect(), bins: true };
    plot.finish("Histograms of latencies, both axes logarithmic", &words, setting)
}

/// The exceedance curves, log-log: solid per served wake-up, dashed per due activation.
pub fn exceedance(charts: &Charts, setting: Setting) -> String {
    let (x_ns, lines) = (&charts.exceedances.x_ns, &charts.exceedances.lines);
    let largest = lines.iter().map(|line| line.served.total).max().unwrap_or(1).max(1);
    let y = Vertical { low: -((largest as f64).log10().ceil()).max(1.0) - 0.3, high: 0.0 };
    let below = format!("Latency; shaded: shares below 1 in {}", words::count(largest));
    let mut plot = Curves::new(charts, y, ("Share at or above a latency", &below), setting);
    plot.nothing_below(largest);
    for line in lines {
        let served = plot.curve(line.colour, false, x_ns, &line.served);
        let due = line.due.as_ref().map_or_else(String::new, |due| plot.curve(line.colour, true, x_ns, due));
        let note =
            line.due.as_ref().map_or_else(String::new, |due| format!(", dashed: {} due", words::count(due.total)));
        let counts = match line.is_due {
            true => format!("{} due", words::count(line.served.total)),
            false => counted(line.served.total, "sample").to_string(),
        };
        let note = format!("{counts}{note}");
        let values = (0..x_ns.len()).map(|at| shares(line, at)).collect();
        plot.line((line.colour, &line.label, note), values, &(served + &due), ending(&line.served, x_ns));
        for curve in [Some(&line.served), line.due.as_ref()].into_iter().flatten() {
            plot.goes_on(line, x_ns, curve);
        }
    }
    let at = x_ns.iter().map(|ns| format!("At or above {}", words::latency(*ns))).collect();
    let words = Words { x: plot.places(x_ns), at, bins: false };
    plot.finish("Share at or above a latency, both axes logarithmic", &words, setting)
}

/// The last latency that a curve knows, and its share.
fn ending(curve: &Curve, x_ns: &[i64]) -> Option<(i64, f64)> {
    let last = curve.reaching.iter().rposition(|reaching| *reaching > 0)?;
    Some((x_ns[last], curve.reaching[last] as f64 / curve.total.max(1) as f64))
}

fn shares(line: &ExceedanceLine, at: usize) -> String {
    let of = |curve: &Curve| {
        let reaching = curve.reaching[at];
        format!("{} ({})", words::share(reaching as f64 / curve.total.max(1) as f64), words::count(reaching))
    };
    let due = line.due.as_ref().map_or_else(String::new, |due| format!("; due {}", of(due)));
    of(&line.served) + &due
}

/// The vertical axis, in powers of ten.
#[derive(Clone, Copy)]
pub(super) struct Vertical {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Vertical {
    pub(super) fn place(&self, value: f64) -> f64 {
        let fraction = (value.log10() - self.low) / (self.high - self.low);
        TOP + PLOT_HEIGHT * (1.0 - fraction.clamp(0.0, 1.0))
    }
}

/// Significant digits, in tenths, of the ticks in a decade: more of them the closer one looks.
const DIGITS: [&[i64]; 4] = [&[10], &[10, 20, 50], &[10, 15, 20, 30, 50, 70], &[10, 20, 30, 40, 50, 60, 70, 80, 90]];

/// The latency axis in decades.
pub(super) fn decades(axis: &LatencyAxis) -> Axis {
    let tenths: Vec<i64> = (10..100).collect();
    let level = |digits: &[i64]| {
        let named = |ns: i64| (short(axis.decades(ns as f64)), words::latency(ns));
        axis.ticks_ns(digits).into_iter().map(named).collect()
    };
    let span = (axis.decades(axis.low_ns as f64), axis.decades(axis.high_ns as f64));
    Axis { group: "latency", span, ticks: DIGITS.into_iter().chain([tenths.as_slice()]).map(level).collect() }
}

/// Lines over the latency axis.
struct Curves<'a> {
    charts: &'a Charts,
    y: Vertical,
    plot: Plot,
    keys: Vec<(usize, String)>,
    /// Where lines end, along the axis and in the picture.
    ends: Vec<(f64, End)>,
}

impl<'a> Curves<'a> {
    /// The names are those of the vertical and of the horizontal axis.
    fn new(charts: &'a Charts, y: Vertical, (before, below): (&str, &str), setting: Setting) -> Self {
        let mut plot = Plot::new(decades(&charts.axis), (TOP, PLOT_HEIGHT), setting);
        let powers = (y.low.ceil() as i32)..=(y.high.floor() as i32);
        let step = (powers.clone().count() / 9 + 1) as i32;
        powers
            .filter(|power| power % step == 0)
            .for_each(|power| plot.row(y.place(10f64.powi(power)), &words::ten_to(power)));
        plot.names(below, before);
        let mut curves = Self { charts, y, plot, keys: Vec::new(), ends: Vec::new() };
        curves.deadline();
        curves
    }

    fn x(&self, ns: i64) -> f64 {
        self.plot.axis.x(self.charts.axis.decades(ns as f64))
    }

    fn places(&self, ns: &[i64]) -> Vec<f64> {
        ns.iter().map(|ns| short(self.charts.axis.decades(*ns as f64))).collect()
    }

    fn deadline(&mut self) {
        let axis = self.charts.axis;
        let deadline = self.charts.deadline_ns.and_then(|ns| i64::try_from(ns).ok());
        let Some(ns) = deadline.filter(|ns| (axis.low_ns..=axis.high_ns).contains(ns)) else { return };
        let (x, bottom, label) = (self.x(ns), self.plot.bottom(), words::latency(ns));
        self.plot
            .draw(format_args!("<line class=\"deadline\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>"));
        let (shift, anchor) = if x > super::frame::WIDTH * 0.8 { (-6, "end") } else { (6, "start") };
        self.plot.pin(
            axis.decades(ns as f64),
            None,
            format_args!(
                "<text class=\"on-lines\" x=\"{shift}\" y=\"{}\" text-anchor=\"{anchor}\">deadline {label}</text>",
                TOP - 7.0
            ),
        );
    }

    /// Shades what lies below one in all samples: there is no evidence for it.
    fn nothing_below(&mut self, samples: u64) {
        let (left, right) = (self.plot.axis.x(f64::NEG_INFINITY), self.plot.axis.x(f64::INFINITY));
        let (y, width) = (self.y.place(1.0 / samples as f64), right - left);
        let height = self.plot.bottom() - y;
        self.plot.draw(format_args!(
            "<rect class=\"void\" x=\"{left}\" y=\"{y:.1}\" width=\"{width}\" height=\"{height:.1}\"/>"
        ));
    }

    /// One line with its key, and the latency and height at which it ends.
    fn line(
        &mut self,
        (line, label, note): (usize, &str, String),
        values: Vec<String>,
        shapes: &str,
        end: Option<(i64, f64)>,
    ) {
        self.keys.push((line, format!("{} ({note})", cut(label))));
        self.ends.extend(end.map(|(ns, height)| {
            let at = (self.x(ns), self.y.place(height));
            (self.charts.axis.decades(ns as f64), End { line, label: label.to_owned(), at })
        }));
        self.plot.series(&Series { label, note, values }, shapes);
    }

    fn curve(&self, at: usize, dashed: bool, x_ns: &[i64], curve: &Curve) -> String {
        let total = curve.total.max(1) as f64;
        let shares = curve.reaching.iter().map(|count| (*count > 0).then_some(*count as f64 / total));
        let steps = x_ns.windows(2).zip(shares).map(|(x, share)| (x[0], x[1], share));
        match curve.beyond {
            0 => self.stepped(at, dashed, steps),
            _ => self.stepped(at, dashed, steps.take_while(|(_, _, share)| share.is_some())),
        }
    }

    /// Where samples of unknown value lie beyond a curve's end, an arrow says that it goes on.
    fn goes_on(&mut self, line: &ExceedanceLine, x_ns: &[i64], curve: &Curve) {
        let end = curve.reaching.iter().position(|reaching| *reaching == 0).unwrap_or(0);
        if curve.beyond == 0 || end == 0 {
            return;
        }
        let y = self.y.place(curve.reaching[end - 1] as f64 / curve.total.max(1) as f64);
        let arrow = format!("<path class=\"filled c{}\" d=\"M9 {y:.1}l-7 -5v10z\"/>", line.colour % COLOURS);
        self.plot.pin(self.charts.axis.decades(x_ns[end - 1] as f64), Some(&line.label), format_args!("{arrow}"));
    }

    /// A stepped line; `None` falls to the floor, along which the line neither begins nor ends.
    fn stepped(&self, at: usize, dashed: bool, steps: impl Iterator<Item = (i64, i64, Option<f64>)>) -> String {
        let mut path = Steps::above(self.plot.bottom());
        for (from, to, value) in steps {
            let y = value.map_or(path.floor, |value| self.y.place(value));
            path.go(self.x(from), self.x(to), y);
        }
        let (colour, dash, path) = (at % COLOURS, dash(at, dashed), path.finish());
        format!("<path class=\"line c{colour}\" d=\"{path}\"{dash}/>")
    }

    fn finish(mut self, title: &str, words: &Words, setting: Setting) -> String {
        if ends::are_many(self.keys.len()) {
            let (values, ended): (Vec<f64>, Vec<End>) = self.ends.into_iter().unzip();
            ends::pinned(&mut self.plot, &ended, &values);
            self.keys.clear();
        }
        picture_with_legend(title, setting, self.plot.finish(words), &self.keys, line_key)
    }
}

/// A stepped path: equal heights are one run.
struct Steps {
    text: String,
    floor: f64,
    y: f64,
    begun: bool,
}

impl Steps {
    fn above(floor: f64) -> Self {
        Self { text: String::new(), floor, y: floor, begun: false }
    }

    fn go(&mut self, from: f64, to: f64, y: f64) {
        let first = !std::mem::replace(&mut self.begun, true);
        if y != self.y {
            self.turn(from, y, first);
        } else if !self.text.is_empty() {
            self.drop_run();
        }
        if !self.text.is_empty() {
            self.text.push_str(&format!("H{to:.1}"));
        }
    }

    /// A line that is up from the first step on begins there; others rise from the floor.
    fn turn(&mut self, x: f64, y: f64, first: bool) {
        match (self.text.is_empty(), first) {
            (true, true) => self.text = format!("M{x:.1} {y:.1}"),
            (true, false) => self.text = format!("M{x:.1} {:.1}V{y:.1}", self.floor),
            (false, _) => self.text.push_str(&format!("V{y:.1}")),
        }
        self.y = y;
    }

    fn drop_run(&mut self) {
        self.text.truncate(self.text.rfind('H').unwrap_or(self.text.len()));
    }

    fn finish(mut self) -> String {
        if self.y == self.floor {
            self.drop_run();
        }
        self.text
    }
}
