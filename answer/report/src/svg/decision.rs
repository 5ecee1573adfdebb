//! The picture that decides: what latency a platform has over what it costs programs, one point a platform.

use super::ends;
use super::frame::{COLOURS, FONT, LEFT, PLOT_HEIGHT, RIGHT, Setting, TOP, WIDTH, cut, escaped, picture_with_legend};
use super::mark::{MARK, mark, mark_key};
use super::names::{Part, Room};
use super::scale::Linear;
use crate::cost::{PlatformCost, PlatformLatency, ProgramCosts, Range};
use crate::words;
use std::fmt::Write;

/// The picture; empty where no platform has both a penalty and a latency.
pub fn decision(costs: &ProgramCosts, setting: Setting) -> String {
    let points: Vec<Point<'_>> = costs.platforms.iter().enumerate().filter_map(Point::of).collect();
    if points.is_empty() {
        return String::new();
    }
    let place = Place::of(&points);
    let mut body = place.axes();
    points.iter().for_each(|point| body.push_str(&place.point(point)));
    let named = place.names(&points, &mut body);
    // A legend of many is no help: it keeps those alone that found no room for their names.
    let keys = points.iter().filter(|point| !ends::are_many(points.len()) || !named.contains(&point.at));
    let keys: Vec<_> = keys.map(|point| (point.at, cut(point.name))).collect();
    let title = escaped(&format!("Latency against penalty: {}", costs.heading));
    picture_with_legend(&title, setting, body, &keys, mark_key)
}

/// A platform that can be drawn.
struct Point<'a> {
    at: usize,
    name: &'a str,
    penalty: Range,
    latency: PlatformLatency,
}

impl<'a> Point<'a> {
    fn of((at, platform): (usize, &'a PlatformCost)) -> Option<Self> {
        let latency = platform.latency.filter(|latency| latency.worst_ns.or(latency.quantile_ns).is_some())?;
        Some(Self { at, name: &platform.platform, penalty: platform.penalty?, latency })
    }

    fn latencies(&self) -> impl Iterator<Item = Range> {
        [self.latency.worst_ns, self.latency.quantile_ns].into_iter().flatten()
    }
}

/// Where penalties and latencies stand; the latter in powers of ten.
struct Place {
    x: Linear,
    y: Linear,
}

impl Place {
    fn of(points: &[Point<'_>]) -> Self {
        let penalties: Vec<f64> = points.iter().flat_map(|point| point.penalty.all().collect::<Vec<_>>()).collect();
        let latencies: Vec<f64> = points.iter().flat_map(Point::latencies).flat_map(|one| powers(&one)).collect();
        Self {
            x: Linear::spanning(penalties.into_iter().chain([1.0]), LEFT, WIDTH - RIGHT),
            y: Linear::spanning(latencies.into_iter(), TOP + PLOT_HEIGHT, TOP),
        }
    }

    fn y(&self, ns: f64) -> f64 {
        self.y.place(ns.max(1.0).log10())
    }

    fn axes(&self) -> String {
        let (bottom, right) = (TOP + PLOT_HEIGHT, WIDTH - RIGHT);
        let mut text = String::new();
        for (x, label) in self.x.labels(9, FONT, |tick| words::more(tick, 2)) {
            let _ = write!(text, "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>");
            let _ = write!(text, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>", bottom + 18.0);
        }
        for ns in self.rows() {
            let (y, label) = (self.y(ns), words::latency(ns.round() as i64));
            let _ = write!(text, "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>");
            let _ = write!(text, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>", LEFT - 6.0, y + 4.0);
        }
        let (middle, below) = ((LEFT + right) / 2.0, bottom + 38.0);
        text + &format!(
            "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">Processor time, compared with the platform that used least</text>"
        )
    }

    /// 1, 2 and 5 of each power of ten, or powers alone where those are too many.
    fn rows(&self) -> Vec<f64> {
        let of = |digits: &[f64]| -> Vec<f64> {
            let all = (0..12).flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)));
            all.filter(|ns| (TOP..=TOP + PLOT_HEIGHT).contains(&self.y(*ns))).collect()
        };
        let fine = of(&[1.0, 2.0, 5.0]);
        if fine.len() <= 10 { fine } else { of(&[1.0]) }
    }

    /// Both latencies of a platform, joined, with their bars.
    fn point(&self, point: &Point<'_>) -> String {
        let (x, colour) = (self.x.place(point.penalty.value), point.at % COLOURS);
        let (left, right) = point.penalty.ends();
        let (left, right) = (self.x.place(left), self.x.place(right));
        let mut path = String::new();
        for latency in point.latencies() {
            let (y, (low, high)) = (self.y(latency.value), latency.ends());
            let _ = write!(path, "M{left:.1} {y:.1}H{right:.1}M{x:.1} {:.1}V{:.1}", self.y(low), self.y(high));
        }
        let join = match (point.latency.worst_ns, point.latency.quantile_ns) {
            (Some(worst), Some(quantile)) => {
                format!("M{x:.1} {:.1}V{:.1}", self.y(worst.value), self.y(quantile.value))
            }
            _ => String::new(),
        };
        let mark = |class: &str, ns: Option<Range>| {
            ns.map_or_else(String::new, |ns| mark(point.at, class, (x, self.y(ns.value)), ""))
        };
        let marks = mark("open", point.latency.quantile_ns) + &mark("filled", point.latency.worst_ns);
        format!(
            "<g class=\"c{colour}\"><title>{}</title><path class=\"line quiet\" d=\"{join}\"/><path class=\"line\" d=\"{path}\"/>{marks}</g>",
            escaped(&said(point))
        )
    }

    /// What a platform's marks take with their bars.
    fn taken(&self, point: &Point<'_>) -> Vec<Part> {
        let x = self.x.place(point.penalty.value);
        let (left, right) = point.penalty.ends();
        let (left, right) = (self.x.place(left).min(x - MARK), self.x.place(right).max(x + MARK));
        let one = |latency: Range| {
            let (y, (low, high)) = (self.y(latency.value), latency.ends());
            let (top, bottom) = (self.y(high).min(y - MARK), self.y(low).max(y + MARK));
            [
                Part { left, right, top: y - MARK, bottom: y + MARK },
                Part { left: x - MARK, right: x + MARK, top, bottom },
            ]
        };
        point.latencies().flat_map(one).collect()
    }

    /// Draws each platform's name beside its highest mark, where it covers no mark and no other name; which ones found room.
    fn names(&self, points: &[Point<'_>], body: &mut String) -> Vec<usize> {
        let bounds = Part { left: LEFT, right: WIDTH, top: 0.0, bottom: TOP + PLOT_HEIGHT };
        let taken = points.iter().flat_map(|point| self.taken(point)).collect();
        let (mut room, mut named) = (Room { bounds, taken, font: FONT }, Vec::new());
        for point in points {
            // The first is the worst's, which stands highest.
            let Some(name) = room.name(point.name, self.taken(point).into_iter().take(1)) else { continue };
            body.push_str(&name);
            named.push(point.at);
        }
        named
    }
}

fn powers(latency: &Range) -> Vec<f64> {
    latency.all().map(|ns| ns.max(1.0).log10()).collect()
}

/// What a pointer that rests on a platform is told.
fn said(point: &Point<'_>) -> String {
    let latency = |ns: Range| words::latency(ns.value.round() as i64);
    let worst = point.latency.worst_ns.map(|ns| format!("worst {}", latency(ns)));
    let quantile = point.latency.quantile.zip(point.latency.quantile_ns);
    let quantile = quantile.map(|(q, ns)| format!("{} {}", words::quantile(q), latency(ns)));
    let latencies: Vec<String> = [worst, quantile].into_iter().flatten().collect();
    format!("{}: {}, {}", point.name, words::more(point.penalty.value, 2), latencies.join(", "))
}
