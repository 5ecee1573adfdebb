//! A plot over one horizontal axis: its ticks, a window through which the lines are seen, and what stays beside it.
//!
//! Lines are drawn once. On a page the script moves the window's view box to zoom, moves what is pinned to a value, and
//! reads what it shows from words that stand in the picture; it knows no scale but [`Axis::span`], and draws nothing itself.

use super::frame::{FONT, LEFT, RIGHT, Setting, WIDTH, escaped};
use super::labels;
use serde::Serialize;
use std::fmt::{Arguments, Write};

/// Ticks that fit below a picture of the usual width.
const TICKS_MAX: usize = 14;
/// Room above and below the lines, so that a stroke along an edge is seen whole.
const EDGE: f64 = 2.0;

/// A horizontal axis, in whatever unit is linear along it: decades, seconds, utilization.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Axis {
    /// Plots of one group show the same value and the same part of their axes.
    pub(super) group: &'static str,
    /// Where it begins and ends.
    pub(super) span: (f64, f64),
    /// Values worth a tick with their names: a few, and more of them for each closer look.
    pub(super) ticks: Vec<Vec<(f64, String)>>,
}

impl Axis {
    /// Where a value stands.
    pub(super) fn x(&self, value: f64) -> f64 {
        let (low, high) = self.span;
        LEFT + (WIDTH - LEFT - RIGHT) * ((value - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// Ticks at multiples of each step, the widest step first.
    pub(super) fn linear_ticks(
        span: (f64, f64),
        steps: impl Iterator<Item = f64>,
        name: impl Fn(f64) -> String,
    ) -> Vec<Vec<(f64, String)>> {
        let of_step = |step: f64| {
            let multiples = (0..).map(move |at| ((span.0 / step - 1e-9).ceil() + f64::from(at)) * step);
            multiples.take_while(|tick| *tick <= span.1 + step * 1e-9).map(|tick| (tick, name(tick))).collect()
        };
        steps.map(of_step).collect()
    }

    /// Places of a picture of the usual width with their labels: as many as there is room for.
    fn usual_ticks(&self) -> Vec<(f64, String)> {
        let place = |ticks: &Vec<(f64, String)>| -> Vec<(f64, String)> {
            ticks.iter().map(|(value, name)| (self.x(*value), name.clone())).collect()
        };
        let fits = |ticks: &Vec<(f64, String)>| ticks.len() <= TICKS_MAX && labels::have_room(ticks, FONT);
        let fitting = self.ticks.iter().map(place).filter(fits).max_by_key(Vec::len);
        fitting.unwrap_or_else(|| labels::thinned(self.ticks.first().map(place).unwrap_or_default(), FONT))
    }
}

/// The words that a reader gets who points at a place.
#[derive(Debug, Default, Serialize)]
pub(super) struct Words {
    /// The places, ascending along the axis.
    pub(super) x: Vec<f64>,
    /// What each place is, or all that is known there.
    pub(super) at: Vec<String>,
    /// True where a place reaches to the next one; else the nearest is meant.
    pub(super) bins: bool,
}

/// A line that a reader can switch off.
pub(super) struct Series<'a> {
    /// Its name in the legend; the same line has it in every chart.
    pub(super) label: &'a str,
    /// What the legend adds: how many samples.
    pub(super) note: String,
    /// A text for each place of [`Words`].
    pub(super) values: Vec<String>,
}

/// A plot while it is drawn.
pub(super) struct Plot {
    pub(super) axis: Axis,
    pub(super) top: f64,
    pub(super) height: f64,
    setting: Setting,
    /// What is seen through the window: it stretches with the axis.
    inside: String,
    /// What keeps its size.
    beside: String,
}

impl Plot {
    pub(super) fn new(axis: Axis, (top, height): (f64, f64), setting: Setting) -> Self {
        Self { axis, top, height, setting, inside: String::new(), beside: String::new() }
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Draws into the window.
    pub(super) fn draw(&mut self, shape: Arguments<'_>) {
        self.inside.write_fmt(shape).expect("writing to a string succeeds");
    }

    /// Draws what neither moves nor stretches.
    pub(super) fn beside(&mut self, shape: Arguments<'_>) {
        self.beside.write_fmt(shape).expect("writing to a string succeeds");
    }

    /// A line across, with its name before the axis unless that is empty.
    pub(super) fn row(&mut self, y: f64, name: &str) {
        let (right, before, below) = (WIDTH - RIGHT, LEFT - 6.0, y + 4.0);
        self.draw(format_args!("<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>"));
        if !name.is_empty() {
            self.beside(format_args!("<text x=\"{before}\" y=\"{below:.1}\" text-anchor=\"end\">{name}</text>"));
        }
    }

    /// The names of both axes.
    pub(super) fn names(&mut self, below: &str, before: &str) {
        let (x, y, middle) = ((LEFT + WIDTH - RIGHT) / 2.0, self.bottom() + 38.0, self.top + self.height / 2.0);
        self.beside(format_args!("<text class=\"middle\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{below}</text>"));
        let turned = format!("transform=\"translate(14 {middle}) rotate(-90)\" text-anchor=\"middle\"");
        self.beside(format_args!("<text {turned}>{before}</text>"));
    }

    /// The shapes of one line.
    pub(super) fn series(&mut self, series: &Series<'_>, shapes: &str) {
        let label = escaped(series.label);
        if self.setting == Setting::Alone {
            return self.draw(format_args!("{shapes}"));
        }
        let values: Vec<String> = series.values.iter().map(|value| escaped(value)).collect();
        let (note, values) = (escaped(&series.note), values.join("\n"));
        self.draw(format_args!(
            "<g class=\"series\" data-label=\"{label}\" data-note=\"{note}\" data-values=\"{values}\">{shapes}</g>"
        ));
    }

    /// A sign that stands at a value and keeps its size; `label` is the line that it goes with.
    pub(super) fn pin(&mut self, value: f64, label: Option<&str>, sign: Arguments<'_>) {
        let (x, label) = (self.axis.x(value), label.map_or_else(String::new, of_line));
        self.beside(format_args!(
            "<g class=\"pin\" data-x=\"{value:.4}\"{label} transform=\"translate({x:.1} 0)\">{sign}</g>"
        ));
    }

    /// A line's name at its end, of which the height is given; the script finds it another place when the axis changes.
    pub(super) fn end(&mut self, value: f64, (label, y): (&str, f64), sign: &str) {
        let (x, label) = (self.axis.x(value), of_line(label));
        self.beside(format_args!(
            "<g class=\"end\" data-x=\"{value:.4}\" data-y=\"{y:.1}\"{label} transform=\"translate({x:.1} 0)\">{sign}</g>"
        ));
    }

    /// A sign that stays at the right edge, from which its places count.
    pub(super) fn at_right(&mut self, label: Option<&str>, sign: Arguments<'_>) {
        let (x, label) = (WIDTH - RIGHT, label.map_or_else(String::new, of_line));
        self.beside(format_args!("<g class=\"right\"{label} transform=\"translate({x} 0)\">{sign}</g>"));
    }

    /// The plot; with what the script needs where there is one.
    pub(super) fn finish(self, words: &Words) -> String {
        let (width, top, height) = (WIDTH - LEFT - RIGHT, self.top - EDGE, self.height + 2.0 * EDGE);
        let window = format!(
            "<svg class=\"window\" x=\"{LEFT}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"{LEFT} {top} {width} {height}\" preserveAspectRatio=\"none\">{}</svg>",
            self.inside
        );
        let ticks: String = self.axis.usual_ticks().iter().map(|(x, name)| self.tick(*x, name)).collect();
        let carried = match self.setting {
            Setting::Alone => String::new(),
            Setting::InPage => {
                format!(
                    "<metadata class=\"axis\">{}</metadata><metadata class=\"words\">{}</metadata>",
                    json(&self.axis),
                    json(words)
                )
            }
        };
        format!("{carried}<g class=\"ticks\">{ticks}</g>{window}{}", self.beside)
    }

    fn tick(&self, x: f64, name: &str) -> String {
        let (top, bottom, below) = (self.top, self.bottom(), self.bottom() + 18.0);
        format!(
            "<g transform=\"translate({x:.1} 0)\"><line class=\"grid\" y1=\"{top}\" y2=\"{bottom}\"/>\
             <text y=\"{below}\" text-anchor=\"middle\">{name}</text></g>"
        )
    }
}

fn of_line(label: &str) -> String {
    format!(" data-label=\"{}\"", escaped(label))
}

/// JSON as the text of an element, whose `<` and `&` it may not have.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("numbers and texts").replace('&', "\\u0026").replace('<', "\\u003c")
}

/// A number of an axis, short: what is behind the fourth place cannot be seen.
pub(super) fn short(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis() -> Axis {
        let span = (0.0, 60.0);
        let ticks = Axis::linear_ticks(span, [30.0, 10.0, 1.0].into_iter(), |tick| format!("{tick} s"));
        Axis { group: "time", span, ticks }
    }

    #[test]
    fn a_picture_has_as_many_ticks_as_fit() {
        let drawn = Plot::new(axis(), (0.0, 100.0), Setting::Alone).finish(&Words::default());
        assert_eq!(drawn.matches(" s</text>").count(), 7, "{drawn}");
        assert!(!drawn.contains("metadata"));
    }

    #[test]
    fn no_name_ends_the_element_that_carries_it() {
        let mut plot = Plot::new(axis(), (0.0, 100.0), Setting::InPage);
        let hostile = "</metadata><img src=x>\"\n";
        plot.series(&Series { label: hostile, note: hostile.into(), values: vec![hostile.into()] }, "");
        plot.pin(3.0, Some(hostile), format_args!(""));
        let drawn = plot.finish(&Words { x: vec![1.0], at: vec![hostile.into()], bins: false });
        assert!(!drawn.contains("<img") && drawn.matches("</metadata>").count() == 2, "{drawn}");
        assert_eq!(drawn.matches('\n').count(), 0, "a name is no list of values");
    }
}
