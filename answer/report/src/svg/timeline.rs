//! The timelines as a static picture: a panel a run, one vertical scale, the largest and the mean of each point.
//!
//! Narrower than the page's charts, so several points may share a place: the largest of them stands there.

use super::{COLOURS, LEFT, RIGHT, Setting, WIDTH, cut, escaped, picture};
use crate::chart::Charts;
use crate::chart::timeline::{Panel, Timelines};
use crate::words;
use prazo_core::time::Duration;
use std::fmt::Write;

/// More panels than this make no picture: the table below it holds them.
const PANELS_MAX: usize = 12;
const PANEL_HEIGHT: f64 = 92.0;
const TITLE_HEIGHT: f64 = 22.0;
const AXIS_HEIGHT: f64 = 26.0;
/// Places along the time axis.
const PLACES: usize = 440;

/// The picture; empty where no run has a timeline or too many have.
pub fn timeline(charts: &Charts, setting: Setting) -> String {
    let panels = &charts.timelines.panels;
    if panels.is_empty() || panels.len() > PANELS_MAX {
        return String::new();
    }
    let step = TITLE_HEIGHT + PANEL_HEIGHT + AXIS_HEIGHT;
    let places =
        panels.iter().enumerate().map(|(at, panel)| Place { charts, panel, top: step * at as f64 + TITLE_HEIGHT });
    let body: String = places.map(|place| place.draw()).collect();
    picture("Largest and mean latency over time, one vertical scale", step * panels.len() as f64, setting, &body)
}

/// A panel where it stands.
struct Place<'a> {
    charts: &'a Charts,
    panel: &'a Panel,
    top: f64,
}

impl Place<'_> {
    fn draw(&self) -> String {
        let (colour, bottom) = (self.panel.colour % COLOURS, self.top + PANEL_HEIGHT);
        let mut text = format!("<g class=\"c{colour}\">{}{}", self.title(), self.axes());
        let _ = write!(text, "<path class=\"line quiet\" d=\"{}\"/>", self.path(&self.panel.mean_ns));
        let _ = write!(text, "<path class=\"line\" d=\"{}\"/>", self.path(&self.panel.max_ns));
        for x in self.late() {
            let _ = write!(text, "<path class=\"late\" d=\"M{x:.1} {bottom}v-7\"/>");
        }
        text + &self.deadline() + "</g>"
    }

    fn timelines(&self) -> &Timelines {
        &self.charts.timelines
    }

    fn end_s(&self) -> u32 {
        self.panel.at_s.last().copied().unwrap_or(0).saturating_add(self.panel.point_s)
    }

    fn x(&self, at_s: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * at_s / f64::from(self.end_s().max(1))
    }

    fn y(&self, ns: i64) -> f64 {
        let log = |ns: i64| (ns.max(1) as f64).log10();
        let (low, high) = (log(self.timelines().low_ns), log(self.timelines().high_ns));
        self.top + PANEL_HEIGHT * (1.0 - ((log(ns) - low) / (high - low)).clamp(0.0, 1.0))
    }

    fn title(&self) -> String {
        let (from, to, y) = (LEFT, LEFT + 22.0, self.top - 11.0);
        let label = escaped(&cut(&self.panel.label));
        let end = words::length(Duration::from_s(self.end_s().into()));
        format!(
            "<line class=\"key\" x1=\"{from}\" x2=\"{to}\" y1=\"{y}\" y2=\"{y}\"/><text x=\"{}\" y=\"{}\">{label}</text>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{end}</text>",
            to + 6.0,
            y + 4.0,
            WIDTH - RIGHT,
            self.top + PANEL_HEIGHT + 16.0
        )
    }

    /// Powers of ten within the scale.
    fn axes(&self) -> String {
        let powers = (0..=18).map(|power| 10i64.pow(power));
        let inside = powers.filter(|ns| (self.timelines().low_ns..=self.timelines().high_ns).contains(ns));
        let line = |ns: i64| {
            let (y, right) = (self.y(ns), WIDTH - RIGHT);
            format!(
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"10\">{}</text>",
                LEFT - 6.0,
                y + 4.0,
                words::latency(ns)
            )
        };
        inside.map(line).collect()
    }

    /// The line through a column; the largest of the points that share a place. A gap in time is a gap in the line.
    fn path(&self, column: &[Option<i64>]) -> String {
        let together = self.panel.at_s.len().div_ceil(PLACES).max(1);
        let (mut text, mut next_s) = (String::new(), None);
        for (at_s, ns) in self.panel.at_s.chunks(together).zip(column.chunks(together)) {
            let Some(largest) = ns.iter().flatten().max() else { continue };
            let letter = if next_s == Some(at_s[0]) { 'L' } else { 'M' };
            let _ = write!(text, "{letter}{:.1} {:.1}", self.x(at_s[0].into()), self.y(*largest));
            next_s = at_s.last().map(|last| last + self.panel.point_s);
        }
        text
    }

    /// Where activations were missed or skipped, each place once.
    fn late(&self) -> Vec<f64> {
        let counts = self.panel.missed.iter().zip(&self.panel.skipped).map(|(missed, skipped)| missed + skipped);
        let late = self.panel.at_s.iter().zip(counts).filter(|(_, count)| *count > 0);
        let mut places: Vec<f64> = late.map(|(at_s, _)| self.x(f64::from(*at_s)).round()).collect();
        places.dedup();
        places
    }

    fn deadline(&self) -> String {
        let deadline = self.charts.deadline_ns.and_then(|ns| i64::try_from(ns).ok());
        let within = deadline.filter(|ns| (self.timelines().low_ns..=self.timelines().high_ns).contains(ns));
        within.map_or_else(String::new, |ns| {
            let (y, right) = (self.y(ns), WIDTH - RIGHT);
            format!("<line class=\"deadline\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>")
        })
    }
}
