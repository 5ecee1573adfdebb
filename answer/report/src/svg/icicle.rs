//! An activation's calls as an icicle chart: time to the right, callers above those they call, interrupts off below.

mod bars;
mod differential;

use super::frame::{Setting, WIDTH, escaped, picture};
use super::gantt::axis;
use crate::calls::{Calls, Stretch};
use crate::words::time;
use bars::{HEAD, LEFT, LEGEND, NARROWEST, RIGHT, ROW, name_on, title};
use prazo_lab::calls::How;
use std::fmt::Write;

const STRIP: f64 = 12.0;
const AXIS: f64 = 30.0;

const STYLE: &str = "<style>.icicle rect{fill:var(--c)}.icicle .edge{stroke:#fff;stroke-width:.5}.icicle .on{font-size:11px;fill:#fff}\
.icicle .title{font-size:16px;font-weight:650}.icicle .small{font-size:12px}.icicle .dark{font-size:11px}\
.icicle .longer{--c:#c62828}.icicle .shorter{--c:#1f6fb5}.icicle .same{--c:#8a919a}\
@media(prefers-color-scheme:dark){.icicle .edge{stroke:#14171a}.icicle .on{fill:#14171a}}</style>";

/// What the colours mean, in the order of the legend.
const KINDS: [(How, &str, &str); 4] = [
    (How::Thread, "c5", "thread"),
    (How::Interrupt, "c1", "interrupt or fault"),
    (How::SystemCall, "c3", "system call"),
    (How::Call, "c0", "function"),
];

/// The picture of one activation.
pub fn icicle(calls: &Calls<'_>, setting: Setting) -> String {
    let (panel, bottom) = panel(calls, 0.0, calls.length_ns());
    let body = format!("<g class=\"icicle\">{STYLE}{panel}{}</g>", legend(bottom + 12.0));
    picture(&escaped(calls.title), bottom + LEGEND, setting, &body)
}

/// Two activations below each other on one scale of time, and below them what differs between them.
pub fn icicles(pair: [Calls<'_>; 2], names: [&str; 2], setting: Setting) -> String {
    let scale_ns = pair.iter().map(Calls::length_ns).max().unwrap_or(1);
    let mut body = format!("<g class=\"icicle\">{STYLE}");
    let mut top = 0.0;
    for calls in &pair {
        let (panel, bottom) = panel(calls, top, scale_ns);
        body += &panel;
        top = bottom;
    }
    body += &legend(top + 12.0);
    let (difference, bottom) = differential::panel(pair, names, top + LEGEND);
    body += &difference;
    body += "</g>";
    picture(&escaped(&format!("{}; {}", pair[0].title, pair[1].title)), bottom, setting, &body)
}

/// One activation from `top` on, on an axis of this length, and where it ends.
fn panel(calls: &Calls<'_>, top: f64, scale_ns: u64) -> (String, f64) {
    let stretches = calls.stretches();
    let depth = stretches.iter().map(|stretch| stretch.depth + 1).max().unwrap_or(1);
    let strip = top + HEAD + ROW * depth as f64 + 6.0;
    let bottom = strip + STRIP;
    let place = Place { calls, top, scale_ns };
    let mut body = title(calls.title, top);
    body += &axis::axis([0, scale_ns], [top + HEAD - 6.0, bottom], |at_ns| place.x(at_ns));
    stretches.iter().for_each(|stretch| body.push_str(&place.bar(stretch)));
    for (from, to) in calls.interrupts_off() {
        let _ = write!(
            body,
            "<rect class=\"c4\" x=\"{:.2}\" y=\"{strip}\" width=\"{:.2}\" height=\"{STRIP}\"><title>interrupts off for {}</title></rect>",
            place.x(from),
            place.x(to) - place.x(from),
            time(to - from)
        );
    }
    (body, bottom + AXIS)
}

struct Place<'a> {
    calls: &'a Calls<'a>,
    top: f64,
    scale_ns: u64,
}

impl Place<'_> {
    fn x(&self, at_ns: u64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * at_ns as f64 / self.scale_ns as f64
    }

    /// A bar with its name where that fits; its tooltip has its name and its time.
    fn bar(&self, stretch: &Stretch) -> String {
        let (from, to) = (self.x(stretch.from_ns), self.x(stretch.to_ns));
        let (width, y) = (to - from, self.top + HEAD + ROW * stretch.depth as f64);
        if width < NARROWEST {
            return String::new();
        }
        let node = &self.calls.tree.nodes[stretch.node];
        let class = KINDS.iter().find(|(how, ..)| *how == node.how).map_or("c0", |(_, class, _)| class);
        let said = format!("{}: {}", node.name, time(stretch.to_ns - stretch.from_ns));
        let mut bar = format!(
            "<rect class=\"edge {class}\" x=\"{from:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{}\"><title>{}</title></rect>",
            ROW - 1.0,
            escaped(&said)
        );
        bar += &name_on(&node.name, "on", [from, y], width);
        bar
    }
}

fn legend(y: f64) -> String {
    let all = KINDS.iter().map(|(_, class, name)| (*class, *name)).chain([("c4", "strip below: interrupts off")]);
    let entry = |(place, (class, name)): (usize, (&str, &str))| {
        let x = LEFT + 160.0 * place as f64;
        format!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{}\" width=\"11\" height=\"11\"/><text class=\"small\" x=\"{}\" y=\"{y}\">{name}</text>",
            y - 10.0,
            x + 17.0
        )
    };
    all.enumerate().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::tests::example;

    #[test]
    fn bars_have_names_that_are_safe_and_interrupts_off_have_a_strip() {
        let (tree, span) = example();
        let calls = Calls { title: "activation 7 & more", tree: &tree, span: &span, instruction_ns: 8 };
        let picture = icicle(&calls, Setting::Alone);
        assert!(picture.contains("activation 7 &amp; more") && picture.contains(">caller</text>"), "{picture}");
        assert!(picture.contains("a&lt;b&gt;") && picture.contains("interrupts off for 160 ns"), "{picture}");
    }

    /// The width of the bar with a tooltip.
    fn width_of(picture: &str, tooltip: &str) -> f64 {
        let before = picture.split_once(&format!("<title>{tooltip}")).expect("a bar with this tooltip").0;
        let width = before.rsplit_once(" width=\"").unwrap().1.split_once('"').unwrap().0;
        width.parse().unwrap()
    }

    #[test]
    fn two_activations_have_one_scale_and_what_takes_longer_or_shorter_has_a_colour() {
        let (tree, span) = example();
        let (mut other, mut other_span) = (tree.clone(), span);
        // The same calls, but the function runs for 20 instructions in the first activation, and for 70 in the second one.
        other_span.to = 200;
        (other.nodes[0].to, other.nodes[1].to) = (210, 210);
        other.slices[3].to = 200;
        let mut tree = tree;
        (tree.nodes[1].self_on, tree.nodes[2].self_off, other.nodes[1].self_on, other.nodes[2].self_off) =
            (20, 20, 70, 10);
        let calls = |title, tree, span| Calls { title, tree, span, instruction_ns: 8 };
        let pair = [calls("rt, activation 7", &tree, &span), calls("none, activation 9", &other, &other_span)];
        let picture = icicles(pair, ["rt", "none"], Setting::Alone);
        assert!(picture.contains("rt, activation 7") && picture.contains("none, activation 9"), "{picture}");
        assert!(
            (width_of(&picture, "caller: 800 ns") / width_of(&picture, "caller: 400 ns") - 2.0).abs() < 0.01,
            "{picture}"
        );
        let caller = "caller: 160 ns in rt, 560 ns in none: 400 ns shorter";
        let interrupt = "a&lt;b&gt;: 160 ns in rt, 80 ns in none: 80 ns longer";
        assert!(picture.contains(caller) && picture.contains(interrupt), "{picture}");
        assert!(picture.contains("longer in rt than in none") && picture.contains("shorter in rt than in none"));
        // The caller's bar is 560 ns wide, and that of the interrupt 160 ns, next to it.
        assert!((width_of(&picture, caller) / width_of(&picture, interrupt) - 3.5).abs() < 0.01, "{picture}");
    }
}
