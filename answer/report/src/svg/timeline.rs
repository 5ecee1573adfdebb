//! Timelines: a panel a run, one vertical scale, over time the largest latency of each point and a band from its smallest to its mean.
//!
//! A file of its own is narrower than a page can show, so there several points may share a place: the largest stands there.

use super::frame::{COLOURS, FONT, LEFT, RIGHT, Setting, WIDTH, cut, escaped, picture};
use super::plot::{Axis, Plot, Words};
use crate::chart::Charts;
use crate::chart::timeline::{Panel, Timelines};
use crate::words;
use prazo_core::time::Duration;
use std::fmt::Write;

/// More panels than this make no picture of their own: the table of the page holds them.
const PANELS_MAX: usize = 12;
/// Heights of a panel in a file of its own, and on a page, where it can be zoomed.
const PANEL_HEIGHTS: (f64, f64) = (92.0, 54.0);
const TITLE_HEIGHT: f64 = 22.0;
const AXIS_HEIGHT: f64 = 26.0;
/// Names beside an axis need so much from one to the next.
const ROW_LEAST: f64 = FONT + 4.0;
/// Places along the time axis of a file of its own.
const PLACES: usize = 440;

/// All panels as one picture for a file, empty where no run has a timeline or too many have; for a page a picture each.
pub fn timeline(charts: &Charts, setting: Setting) -> String {
    let panels = &charts.timelines.panels;
    let draw = |panel, top| Place { charts, panel, setting }.draw(top);
    match setting {
        Setting::Alone if panels.is_empty() || panels.len() > PANELS_MAX => String::new(),
        Setting::Alone => {
            let step = TITLE_HEIGHT + PANEL_HEIGHTS.0 + AXIS_HEIGHT;
            let tops = (0..).map(|at| step * f64::from(at) + TITLE_HEIGHT);
            let drawn: String = panels.iter().zip(tops).map(|(panel, top)| draw(panel, top)).collect();
            picture("Latencies over time, one vertical scale", step * panels.len() as f64, setting, &drawn)
        }
        Setting::InPage => {
            let height = TITLE_HEIGHT + PANEL_HEIGHTS.1 + AXIS_HEIGHT;
            let title = |panel: &Panel| escaped(&format!("Timeline of {}", panel.label));
            panels.iter().map(|panel| picture(&title(panel), height, setting, &draw(panel, TITLE_HEIGHT))).collect()
        }
    }
}

/// Where a panel's last point ends.
fn end_s(panel: &Panel) -> u32 {
    panel.at_s.last().copied().unwrap_or(0).saturating_add(panel.point_s)
}

/// A panel where it stands.
struct Place<'a> {
    charts: &'a Charts,
    panel: &'a Panel,
    setting: Setting,
}

/// What is drawn of some points together.
struct Drawn {
    at_s: u32,
    min_ns: i64,
    mean_ns: i64,
    max_ns: i64,
}

impl Place<'_> {
    fn draw(&self, top: f64) -> String {
        let height = if self.setting == Setting::Alone { PANEL_HEIGHTS.0 } else { PANEL_HEIGHTS.1 };
        let mut plot = Plot::new(self.axis(), (top, height), self.setting);
        self.surroundings(&mut plot);
        let stretches = self.stretches();
        plot.draw(format_args!("<path class=\"band\" d=\"{}\"/>", self.band(&stretches, &plot)));
        for (class, of) in
            [("line quiet", (|point| point.mean_ns) as fn(&Drawn) -> i64), ("line", |point| point.max_ns)]
        {
            plot.draw(format_args!("<path class=\"{class}\" d=\"{}\"/>", self.path(&stretches, of, &plot)));
        }
        self.marks(&mut plot);
        self.deadline(&mut plot);
        self.title(&mut plot);
        let (colour, run) = (self.panel.colour % COLOURS, escaped(&self.panel.label));
        format!("<g class=\"run c{colour}\" data-run=\"{run}\">{}</g>", plot.finish(&self.words()))
    }

    /// Seconds since the first activation was due; the same span for all panels.
    fn axis(&self) -> Axis {
        const STEPS: [f64; 17] = [
            604_800.0, 172_800.0, 86_400.0, 43_200.0, 21_600.0, 7_200.0, 3_600.0, 1_200.0, 600.0, 300.0, 120.0, 60.0,
            30.0, 10.0, 5.0, 2.0, 1.0,
        ];
        const MANY: f64 = 500.0;
        let longest = self.timelines().panels.iter().map(end_s).max().unwrap_or(0);
        let span = (0.0, f64::from(longest.max(1)));
        let steps =
            STEPS.into_iter().filter(|step| (2.0..MANY).contains(&(span.1 / step)) || *step == 1.0 && span.1 < 2.0);
        Axis { group: "time", span, ticks: Axis::linear_ticks(span, steps, |at_s| time(at_s as u32)) }
    }

    fn timelines(&self) -> &Timelines {
        &self.charts.timelines
    }

    fn y(&self, ns: i64, plot: &Plot) -> f64 {
        let log = |ns: i64| (ns.max(1) as f64).log10();
        let (low, high) = (log(self.timelines().low_ns), log(self.timelines().high_ns));
        plot.top + plot.height * (1.0 - ((log(ns) - low) / (high - low)).clamp(0.0, 1.0))
    }

    fn is_inside(&self, ns: i64) -> bool {
        (self.timelines().low_ns..=self.timelines().high_ns).contains(&ns)
    }

    fn title(&self, plot: &mut Plot) {
        let (from, to, y) = (LEFT, LEFT + 22.0, plot.top - 11.0);
        let (label, x, below) = (escaped(&cut(&self.panel.label)), to + 6.0, y + 4.0);
        plot.beside(format_args!(
            "<line class=\"key\" x1=\"{from}\" x2=\"{to}\" y1=\"{y}\" y2=\"{y}\"/>\
             <text class=\"panel-name\" x=\"{x}\" y=\"{below}\" font-weight=\"600\">{label}</text>"
        ));
    }

    /// What lies behind the lines: times of loads and of the warm-up, powers of ten.
    fn surroundings(&self, plot: &mut Plot) {
        let (top, height) = (plot.top, plot.height);
        for (start, end) in &self.panel.under_load() {
            let (x, width) = (plot.axis.x(*start), plot.axis.x(*end) - plot.axis.x(*start));
            plot.draw(format_args!(
                "<rect class=\"void\" x=\"{x:.1}\" y=\"{top}\" width=\"{width:.1}\" height=\"{height}\"/>"
            ));
        }
        let warm = plot.axis.x(self.panel.warm_up_s.into());
        if warm > LEFT {
            let stripes = (1..).map(|at| top + 6.0 * f64::from(at)).take_while(|y| *y < top + height);
            let stripes: String = stripes.map(|y| format!("M{LEFT} {y}H{warm:.1}")).collect();
            plot.draw(format_args!("<path class=\"warm-up\" d=\"{stripes}\"/>"));
        }
        let powers = (0..=18).map(|power| 10i64.pow(power)).filter(|ns| self.is_inside(*ns));
        let rows: Vec<(f64, i64)> = powers.map(|ns| (self.y(ns, plot), ns)).collect();
        // Of powers that are close together, some stay without a name.
        let apart = rows.windows(2).map(|pair| pair[0].0 - pair[1].0).next().unwrap_or(ROW_LEAST);
        let step = (ROW_LEAST / apart).ceil().max(1.0) as usize;
        for (at, (y, ns)) in rows.into_iter().enumerate() {
            let name = if at % step == 0 { words::latency(ns) } else { String::new() };
            plot.row(y, &name);
        }
    }

    /// What is drawn, in stretches without a gap in time.
    fn stretches(&self) -> Vec<Vec<Drawn>> {
        let panel = self.panel;
        let together = if self.setting == Setting::Alone { panel.at_s.len().div_ceil(PLACES).max(1) } else { 1 };
        let (mut stretches, mut next_s) = (Vec::<Vec<Drawn>>::new(), None);
        for (chunk, at_s) in panel.at_s.chunks(together).enumerate() {
            let all = chunk * together..chunk * together + at_s.len();
            let of = |column: &[Option<i64>]| column[all.clone()].iter().flatten().copied().collect::<Vec<i64>>();
            let (min, mean, max) = (of(&panel.min_ns), of(&panel.mean_ns), of(&panel.max_ns));
            let (Some(mean_ns), Some(max_ns)) = (mean.into_iter().max(), max.into_iter().max()) else { continue };
            let drawn = Drawn { at_s: at_s[0], min_ns: min.into_iter().min().unwrap_or(mean_ns), mean_ns, max_ns };
            match stretches.last_mut().filter(|_| next_s == Some(at_s[0])) {
                Some(stretch) => stretch.push(drawn),
                None => stretches.push(vec![drawn]),
            }
            next_s = at_s.last().map(|last| last + panel.point_s);
        }
        stretches
    }

    fn path(&self, stretches: &[Vec<Drawn>], of: fn(&Drawn) -> i64, plot: &Plot) -> String {
        stretches.iter().map(|stretch| format!("M{}", self.corners(stretch.iter(), of, plot))).collect()
    }

    /// There along the means, back along the smallest.
    fn band(&self, stretches: &[Vec<Drawn>], plot: &Plot) -> String {
        let of = |stretch: &Vec<Drawn>| {
            let there = self.corners(stretch.iter(), |point| point.mean_ns, plot);
            format!("M{there}L{}Z", self.corners(stretch.iter().rev(), |point| point.min_ns, plot))
        };
        stretches.iter().map(of).collect()
    }

    fn corners<'d>(&self, points: impl Iterator<Item = &'d Drawn>, of: fn(&Drawn) -> i64, plot: &Plot) -> String {
        let mut text = String::new();
        for (at, point) in points.enumerate() {
            let pen = if at == 0 { "" } else { "L" };
            let _ = write!(text, "{pen}{:.1} {:.1}", plot.axis.x(point.at_s.into()), self.y(of(point), plot));
        }
        text
    }

    /// On the edges: activations that were missed or skipped, and latencies outside the scale.
    fn marks(&self, plot: &mut Plot) {
        let (panel, scale) = (self.panel, self.timelines());
        let at = |class: &str, y: f64, is_marked: &dyn Fn(usize) -> bool, plot: &Plot| {
            let marked = (0..panel.at_s.len()).filter(|at| is_marked(*at));
            let mut places: Vec<String> =
                marked.map(|at| format!("M{:.1} {y}v7", plot.axis.x(panel.at_s[at].into()))).collect();
            places.dedup();
            if places.is_empty() {
                String::new()
            } else {
                format!("<path class=\"{class}\" d=\"{}\"/>", places.concat())
            }
        };
        let lower = plot.bottom() - 7.0;
        let late = at("late", lower, &|at| panel.missed[at] + panel.skipped[at] > 0, plot);
        let above = at("outside", plot.top, &|at| panel.max_ns[at].is_some_and(|ns| ns > scale.high_ns), plot);
        let below = at("outside", lower, &|at| panel.min_ns[at].is_some_and(|ns| ns < scale.low_ns), plot);
        plot.draw(format_args!("{below}{late}{above}"));
    }

    fn deadline(&self, plot: &mut Plot) {
        let deadline = self.charts.deadline_ns.and_then(|ns| i64::try_from(ns).ok());
        let Some(ns) = deadline.filter(|ns| self.is_inside(*ns)) else { return };
        let (y, right, label) = (self.y(ns, plot), WIDTH - RIGHT, words::latency(ns));
        plot.draw(format_args!("<line class=\"deadline\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>"));
        // Beside the panel's name: on the lines it would cover them. Only where a narrow screen leaves no room beside the name,
        // the script moves it there, to the side of the deadline's line that has room.
        let above = plot.top - 7.0;
        let inside = if y - FONT >= plot.top + 4.0 { y - 4.0 } else { y + FONT };
        plot.at_right(
            None,
            format_args!(
                "<text class=\"on-lines\" x=\"0\" y=\"{above:.1}\" data-above=\"{above:.1}\" data-inside=\"{inside:.1}\" \
                 text-anchor=\"end\">deadline {label}</text>"
            ),
        );
    }

    fn words(&self) -> Words {
        let at = (0..self.panel.at_s.len()).map(|at| self.said(at)).collect();
        Words { x: self.panel.at_s.iter().map(|at_s| f64::from(*at_s)).collect(), at, bins: false }
    }

    /// All that is known of a point.
    fn said(&self, at: usize) -> String {
        let (panel, at_s) = (self.panel, f64::from(self.panel.at_s[at]));
        let latencies = [("max", &panel.max_ns), ("mean", &panel.mean_ns), ("min", &panel.min_ns)];
        let latencies =
            latencies.into_iter().filter_map(|(name, column)| Some(format!("{name} {}", words::latency(column[at]?))));
        let events = [("missed", &panel.missed), ("skipped", &panel.skipped), ("lost", &panel.lost)];
        let events = events.into_iter().filter(|(_, column)| column[at] > 0);
        let events = events.map(|(name, column)| format!("{} {name}", words::count(column[at])));
        let is_on = |on_s: &[(f64, f64)]| on_s.iter().any(|(start, end)| (*start..*end).contains(&at_s));
        let loads: Vec<&str> =
            panel.loads.iter().filter(|load| is_on(&load.on_s)).map(|load| load.name.as_str()).collect();
        let loads = (!loads.is_empty()).then(|| format!("loads: {}", loads.join(", ")));
        let all = std::iter::once(format!("at {}", time(panel.at_s[at]))).chain(latencies).chain(events).chain(loads);
        all.collect::<Vec<_>>().join(" · ")
    }
}

/// An instant since the start of a run.
fn time(at_s: u32) -> String {
    if at_s == 0 { "0 s".into() } else { words::length(Duration::from_s(at_s.into())) }
}
