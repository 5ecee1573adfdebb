//! An activation's calls as an icicle chart: time to the right, callers above those they call, and below them what was off.

mod bars;
mod differential;
mod overlaid;

use super::frame::{Setting, WIDTH, escaped, picture};
use super::gantt::axis;
use crate::calls::{AllCalls, Calls, Stretch};
use crate::words::time;
use bars::{HEAD, LEFT, LEGEND, NARROWEST, RIGHT, ROW, name_on, title};
use overlaid::Paint;
use prazo_lab::calls::{How, Level, OverlayNode};
use std::fmt::Write;

const STRIP: f64 = 12.0;
const AXIS: f64 = 30.0;
/// How far the legend's second row is below its first one.
const SECOND_ROW: f64 = 20.0;

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

/// The same of the strip below the calls.
const LEVELS: [(Level, &str); 4] =
    [(Level::Interrupt, "c1"), (Level::Softirq, "c3"), (Level::InterruptsOff, "c4"), (Level::PreemptionOff, "c2")];

/// The picture of one activation, and below it that of all activations.
pub fn icicle(calls: &Calls<'_>, all: Option<&AllCalls<'_>>, setting: Setting) -> String {
    let (panel, bottom) = panel(calls, 0.0, calls.length_ns());
    let mut body = format!("<g class=\"icicle\">{STYLE}{panel}{}", legend(bottom + 12.0));
    let mut bottom = bottom + LEGEND + SECOND_ROW;
    if let Some(all) = all {
        let (panel, end) = all.panel(bottom);
        body += &panel;
        bottom = end;
    }
    body += "</g>";
    picture(&escaped(calls.title), bottom, setting, &body)
}

impl AllCalls<'_> {
    /// The chart from `top` on, and where it ends.
    fn panel(&self, top: f64) -> (String, f64) {
        let mean_ns = |ns: u64| (ns as f64 / self.activations.max(1) as f64).round() as u64;
        let all_ns: u64 = self.overlay.roots.iter().map(|root| self.overlay.nodes[*root].total_ns[0]).sum();
        let paint = |node: &OverlayNode| {
            let [total_ns, _] = node.total_ns;
            let share = 100.0 * total_ns as f64 / all_ns.max(1) as f64;
            let tooltip = format!("{}: {} on average, {share:.1} %", node.name, time(mean_ns(total_ns)));
            Paint { class: class_of(node.how), opacity: 1.0, tooltip }
        };
        let (bars, bottom) = overlaid::draw(self.overlay, &paint, top + HEAD);
        let note = "Width: mean time of the call and of everything that it calls. Calls of one name from one caller are one bar. Interrupts are shown next to the threads.";
        let note = format!("<text class=\"small\" x=\"{LEFT}\" y=\"{}\">{note}</text>", bottom + 20.0);
        (format!("{}{bars}{note}", title(self.title, top)), bottom + LEGEND + ROW)
    }
}

fn class_of(how: How) -> &'static str {
    KINDS.iter().find(|(one, ..)| *one == how).map_or("c0", |(_, class, _)| class)
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
    let (difference, bottom) = differential::panel(pair, names, top + LEGEND + SECOND_ROW);
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
    for (level, from, to) in calls.off() {
        let class = LEVELS.iter().find(|(one, _)| *one == level).map_or("c4", |(_, class)| class);
        let _ = write!(
            body,
            "<rect class=\"{class}\" x=\"{:.2}\" y=\"{strip}\" width=\"{:.2}\" height=\"{STRIP}\"><title>{} for {}</title></rect>",
            place.x(from),
            place.x(to) - place.x(from),
            level.text(),
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
        let class = class_of(node.how);
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

/// Two rows: the colours of the calls, and those of the strip.
fn legend(y: f64) -> String {
    let calls = KINDS.iter().map(|(_, class, name)| (*class, *name));
    let strip = LEVELS.iter().map(|(level, class)| (*class, level.text()));
    [("calls:", y, calls.collect::<Vec<_>>()), ("strip:", y + SECOND_ROW, strip.collect())].map(row).concat()
}

fn row((head, y, all): (&str, f64, Vec<(&str, &str)>)) -> String {
    let entry = |(place, (class, name)): (usize, (&str, &str))| {
        let x = LEFT + 100.0 + 160.0 * place as f64;
        format!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{}\" width=\"11\" height=\"11\"/><text class=\"small\" x=\"{}\" y=\"{y}\">{name}</text>",
            y - 10.0,
            x + 17.0
        )
    };
    let entries: String = all.into_iter().enumerate().map(entry).collect();
    format!("<text class=\"small\" x=\"{LEFT}\" y=\"{y}\">{head}</text>{entries}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::tests::example;
    use prazo_lab::calls::{CallTree, Overlay};

    #[test]
    fn bars_have_names_that_are_safe_and_a_strip_shows_what_was_off() {
        let (tree, span) = example();
        let calls = Calls { title: "activation 7 & more", tree: &tree, span: &span, instruction_ns: 8 };
        let mut overlay = Overlay::default();
        (0..4).for_each(|_| overlay.add(0, &counted(&tree), 8));
        let all = AllCalls { title: "All 4 activations", overlay: &overlay.totalled(), activations: 4 };
        let picture = icicle(&calls, Some(&all), Setting::Alone);
        assert!(picture.contains("activation 7 &amp; more") && picture.contains(">caller</text>"), "{picture}");
        assert!(picture.contains("a&lt;b&gt;") && picture.contains("interrupts off for 160 ns"), "{picture}");
        assert!(
            picture.contains("All 4 activations") && picture.contains("caller: 160 ns on average, 50.0 %"),
            "{picture}"
        );
        let [caller, interrupt] =
            ["caller: 160 ns on", "a&lt;b&gt;: 160 ns on"].map(|tooltip| width_of(&picture, tooltip));
        assert!((caller / interrupt - 1.0).abs() < 0.01, "{picture}");
    }

    /// The tree with the instructions of the two calls: twenty each.
    fn counted(tree: &CallTree) -> CallTree {
        let mut tree = tree.clone();
        (tree.nodes[1].self_on, tree.nodes[2].self_off) = (20, 20);
        tree
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
        let tree = counted(&tree);
        (other.nodes[1].self_on, other.nodes[2].self_off) = (70, 10);
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
