//! Static pictures of the histograms, the exceedance curves and the timelines: for README and Markdown, and where no script runs.
//!
//! Colours are those of Okabe and Ito, which stay apart for colour-blind readers; they come from the page's style where
//! there is one, else from the picture's own.

mod acceptance;
mod costs;
mod decision;
mod gantt;
mod mark;
mod moments;
mod scale;
mod scatter;
mod timeline;

pub use acceptance::acceptance;
pub use costs::costs;
pub use decision::decision;
pub use gantt::gantt;
pub use moments::moments;
pub use scatter::scatters;
pub use timeline::timeline;

use crate::chart::Charts;
use crate::chart::exceedance::Curve;
use crate::words;
use mark::{MARK, mark};
use prazo_core::text::printable;
use std::fmt::Write;

const WIDTH: f64 = 960.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 16.0;
const PLOT_HEIGHT: f64 = 300.0;
const AXIS_HEIGHT: f64 = 46.0;
const LEGEND_ROW: f64 = 20.0;
const LEGEND_COLUMNS: usize = 2;
const KEY_WIDTH: f64 = 22.0;
/// How many colours there are before they repeat (then with another dash).
pub const COLOURS: usize = 7;
/// Legend entries longer than this are cut, with an ellipsis.
const LABEL_MAX: usize = 42;

/// The style of a picture that stands alone; a page brings its own.
const STYLE: &str = "<style>.prazo-chart{background:#fff;color:#1f2328;font:13px system-ui,sans-serif}\
.prazo-chart text{fill:currentColor}.prazo-chart .grid{stroke:currentColor;stroke-opacity:.13}\
.prazo-chart path{fill:none;stroke-width:1.8}.prazo-chart .deadline{stroke:#d55e00;stroke-width:1.5;stroke-dasharray:6 4}\
.prazo-chart .void{fill:currentColor;fill-opacity:.06;stroke:none}\
.c0{--c:#0072b2}.c1{--c:#d55e00}.c2{--c:#009e73}.c3{--c:#e69f00}.c4{--c:#cc79a7}.c5{--c:#56b4e9}.c6{--c:#6b6b6b}\
.prazo-chart .line{stroke:var(--c)}.prazo-chart .band{fill:var(--c);fill-opacity:.14;stroke:none}.prazo-chart .quiet{stroke-opacity:.45}.prazo-chart .late{stroke:#d55e00}.prazo-chart .key{stroke:var(--c);stroke-width:3}\
.prazo-chart .filled{fill:var(--c)}.prazo-chart .faint{fill-opacity:.75}.prazo-chart .open{fill:#fff;stroke:var(--c);stroke-width:2}\
@media(prefers-color-scheme:dark){.prazo-chart{background:#14171a;color:#e6e6e6}.prazo-chart .open{fill:#14171a}.c0{--c:#4aa8e0}.c1{--c:#f0803c}.c2{--c:#2cc49a}}\
</style>";

/// Whether a picture carries its own style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// A file of its own.
    Alone,
    /// Inside a page whose style knows the classes.
    InPage,
}

/// The overlaid histograms, log-log.
pub fn histogram(charts: &Charts, setting: Setting) -> String {
    let top = charts.histograms.lines.iter().flat_map(|line| &line.counts).max().copied().unwrap_or(1);
    let y = Vertical { low: -0.3, high: (top.max(1) as f64).log10().ceil().max(1.0) };
    let mut plot = Plot::new(charts, y, "Samples in each bin");
    for line in &charts.histograms.lines {
        let at = line.colour;
        let steps = charts.histograms.edges_ns.windows(2).zip(&line.counts);
        plot.steps(at, false, steps.map(|(edge, count)| (edge[0], edge[1], (*count > 0).then_some(*count as f64))));
        plot.key(at, &format!("{} ({})", cut(&line.label), words::counted(line.total, "sample")));
    }
    plot.finish("Histograms of latencies, both axes logarithmic", setting)
}

/// The exceedance curves, log-log: solid per served wake-up, dashed per due activation.
pub fn exceedance(charts: &Charts, setting: Setting) -> String {
    let largest = charts.exceedances.lines.iter().map(|line| line.served.total).max().unwrap_or(1).max(1) as f64;
    let y = Vertical { low: -(largest.log10().ceil()).max(1.0) - 0.3, high: 0.0 };
    let mut plot = Plot::new(charts, y, "Share of samples at or above");
    plot.nothing_below(1.0 / largest);
    for line in &charts.exceedances.lines {
        let at = line.colour;
        plot.curve(at, false, &charts.exceedances.x_ns, &line.served);
        line.due.iter().for_each(|due| plot.curve(at, true, &charts.exceedances.x_ns, due));
        let due = if line.due.is_some() { "; dashed per due" } else { "" };
        plot.key(at, &format!("{} ({}{due})", cut(&line.label), words::counted(line.served.total, "sample")));
    }
    plot.finish("Share of latencies at or above a value, both axes logarithmic", setting)
}

fn cut(label: &str) -> String {
    match label.chars().count() > LABEL_MAX {
        true => label.chars().take(LABEL_MAX - 1).chain(['…']).collect(),
        false => label.to_owned(),
    }
}

/// The vertical axis, in powers of ten.
#[derive(Clone, Copy)]
struct Vertical {
    low: f64,
    high: f64,
}

impl Vertical {
    fn place(&self, value: f64) -> f64 {
        let fraction = (value.log10() - self.low) / (self.high - self.low);
        TOP + PLOT_HEIGHT * (1.0 - fraction.clamp(0.0, 1.0))
    }
}

struct Plot<'a> {
    charts: &'a Charts,
    y: Vertical,
    body: String,
    keys: Vec<(usize, String)>,
}

impl<'a> Plot<'a> {
    fn new(charts: &'a Charts, y: Vertical, y_label: &str) -> Self {
        let mut plot = Self { charts, y, body: String::new(), keys: Vec::new() };
        plot.horizontal_axis();
        plot.vertical_axis(y_label);
        plot.deadline();
        plot
    }

    fn x(&self, ns: i64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * self.charts.axis.fraction(ns as f64).clamp(0.0, 1.0)
    }

    fn add(&mut self, arguments: std::fmt::Arguments<'_>) {
        self.body.write_fmt(arguments).expect("writing to a string succeeds");
    }

    fn horizontal_axis(&mut self) {
        let bottom = TOP + PLOT_HEIGHT;
        for ns in self.charts.axis.ticks_ns() {
            let (x, label) = (self.x(ns), words::latency(ns));
            self.add(format_args!("<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>"));
            self.add(format_args!("<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>", bottom + 18.0));
        }
        let middle = (LEFT + WIDTH - RIGHT) / 2.0;
        self.add(format_args!("<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">Latency</text>", bottom + 38.0));
    }

    fn vertical_axis(&mut self, label: &str) {
        let powers = (self.y.low.ceil() as i32)..=(self.y.high.floor() as i32);
        let step = (powers.clone().count() / 9 + 1) as i32;
        for power in powers.filter(|power| power % step == 0) {
            let y = self.y.place(10f64.powi(power));
            let right = WIDTH - RIGHT;
            self.add(format_args!("<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>"));
            self.add(format_args!(
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 6.0,
                y + 4.0,
                words::ten_to(power)
            ));
        }
        let middle = TOP + PLOT_HEIGHT / 2.0;
        self.add(format_args!(
            "<text transform=\"translate(14 {middle}) rotate(-90)\" text-anchor=\"middle\">{label}</text>"
        ));
    }

    fn deadline(&mut self) {
        let axis = self.charts.axis;
        let Some(ns) = self.charts.deadline_ns.and_then(|ns| i64::try_from(ns).ok()) else { return };
        if ns < axis.low_ns || ns > axis.high_ns {
            return;
        }
        let (x, bottom) = (self.x(ns), TOP + PLOT_HEIGHT);
        let (shift, anchor) = if x > WIDTH * 0.8 { (-5.0, "end") } else { (5.0, "start") };
        self.add(format_args!("<line class=\"deadline\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>"));
        let (at, label) = (x + shift, words::latency(ns));
        self.add(format_args!(
            "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"{anchor}\">deadline {label}</text>",
            TOP + 12.0
        ));
    }

    /// Shades what lies below `share`: there is no evidence for it.
    fn nothing_below(&mut self, share: f64) {
        let (y, width) = (self.y.place(share), WIDTH - LEFT - RIGHT);
        let height = TOP + PLOT_HEIGHT - y;
        self.add(format_args!(
            "<rect class=\"void\" x=\"{LEFT}\" y=\"{y:.1}\" width=\"{width}\" height=\"{height:.1}\"/>"
        ));
    }

    fn curve(&mut self, at: usize, dashed: bool, x_ns: &[i64], curve: &Curve) {
        let total = curve.total.max(1) as f64;
        let shares = curve.reaching.iter().map(|count| (*count > 0).then_some(*count as f64 / total));
        let steps = x_ns.windows(2).zip(shares).map(|(x, share)| (x[0], x[1], share));
        match curve.beyond {
            0 => self.steps(at, dashed, steps),
            _ => self.steps(at, dashed, steps.take_while(|(_, _, share)| share.is_some())),
        }
    }

    /// A stepped line; `None` falls to the floor, along which the line neither begins nor ends.
    fn steps(&mut self, at: usize, dashed: bool, steps: impl Iterator<Item = (i64, i64, Option<f64>)>) {
        let mut path = Steps::above(TOP + PLOT_HEIGHT);
        for (from, to, value) in steps {
            let y = value.map_or(path.floor, |value| self.y.place(value));
            path.go(self.x(from), self.x(to), y);
        }
        let (colour, dash, path) = (at % COLOURS, dash(at, dashed), path.finish());
        self.add(format_args!("<path class=\"line c{colour}\" d=\"{path}\"{dash}/>"));
    }

    fn key(&mut self, at: usize, text: &str) {
        self.keys.push((at, text.to_owned()));
    }

    fn finish(self, title: &str, setting: Setting) -> String {
        let keys = self.keys.iter().map(|(at, text)| (*at, text.as_str()));
        picture_with_legend(title, setting, self.body, keys, line_key)
    }
}

/// How a legend shows the one at a place in the order of colours: at this place of the picture.
type Key = fn(usize, (f64, f64)) -> String;

/// The whole picture around what is drawn, with a legend below the axis: each line's place in the order of colours, and its name.
fn picture_with_legend<'a>(
    title: &str,
    setting: Setting,
    mut body: String,
    keys: impl ExactSizeIterator<Item = (usize, &'a str)>,
    key: Key,
) -> String {
    let (legend, height) = legend_below(TOP + PLOT_HEIGHT + AXIS_HEIGHT, keys, key);
    body.push_str(&legend);
    picture(title, height, setting, &body)
}

/// A legend that begins at `top`, and where it ends.
fn legend_below<'a>(top: f64, keys: impl ExactSizeIterator<Item = (usize, &'a str)>, key: Key) -> (String, f64) {
    let rows = keys.len().div_ceil(LEGEND_COLUMNS) as f64;
    let entries = keys.enumerate().map(|(place, (at, text))| {
        let (x, y) = legend_place(top, place);
        format!("{}<text x=\"{}\" y=\"{}\">{}</text>", key(at, (x, y)), x + KEY_WIDTH + 6.0, y + 4.0, escaped(text))
    });
    (entries.collect(), top + rows * LEGEND_ROW + 6.0)
}

/// Where the entry at `place` of a legend that begins at `top` stands.
fn legend_place(top: f64, place: usize) -> (f64, f64) {
    let column = (WIDTH - LEFT) / LEGEND_COLUMNS as f64;
    (LEFT + column * (place % LEGEND_COLUMNS) as f64, top + LEGEND_ROW * (place / LEGEND_COLUMNS) as f64 + 10.0)
}

/// A stretch of the line.
fn line_key(at: usize, (x, y): (f64, f64)) -> String {
    let (end, colour, dash) = (x + KEY_WIDTH, at % COLOURS, dash(at, false));
    format!("<line class=\"key c{colour}\" x1=\"{x}\" x2=\"{end}\" y1=\"{y}\" y2=\"{y}\"{dash}/>")
}

/// The point's own mark.
fn mark_key(at: usize, (x, y): (f64, f64)) -> String {
    mark(at, &format!("key-mark filled c{}", at % COLOURS), (x + KEY_WIDTH / 2.0, y), "")
}

/// The whole picture around what is drawn.
fn picture(title: &str, height: f64, setting: Setting, body: &str) -> String {
    let style = if setting == Setting::Alone { STYLE } else { "" };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"prazo-chart\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"{title}\"><title>{title}</title>{style}{body}</svg>"
    )
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

fn dash(at: usize, dashed: bool) -> &'static str {
    match (dashed, at / COLOURS) {
        (true, _) => " stroke-dasharray=\"5 4\"",
        (false, 0) => "",
        (false, 1) => " stroke-dasharray=\"9 3 2 3\"",
        (false, 2) => " stroke-dasharray=\"2 3\"",
        (false, 3) => " stroke-dasharray=\"14 4\"",
        (false, 4) => " stroke-dasharray=\"12 3 2 3 2 3\"",
        (false, 5) => " stroke-dasharray=\"5 5\"",
        (false, _) => " stroke-dasharray=\"3 7\"",
    }
}

/// Text that is safe inside an element, without control characters, which XML forbids.
pub(crate) fn escaped(text: &str) -> String {
    printable(text).to_string().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
