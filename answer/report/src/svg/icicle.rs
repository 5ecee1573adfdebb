//! An activation's calls as an icicle chart: time to the right, callers above those they call, interrupts off below.

use super::frame::{Setting, WIDTH, cut_to, escaped, picture};
use super::gantt::axis;
use crate::calls::{Calls, Stretch};
use crate::words::time;
use prazo_lab::calls::How;
use std::fmt::Write;

const LEFT: f64 = 24.0;
const RIGHT: f64 = 24.0;
const HEAD: f64 = 44.0;
const ROW: f64 = 19.0;
const STRIP: f64 = 12.0;
const AXIS: f64 = 30.0;
const LEGEND: f64 = 26.0;
/// Narrower bars are not drawn.
const NARROWEST: f64 = 0.4;
/// About the width of a letter.
const LETTER: f64 = 6.4;

const STYLE: &str = "<style>.icicle rect{fill:var(--c)}.icicle .edge{stroke:#fff;stroke-width:.5}.icicle .on{font-size:11px;fill:#fff}\
.icicle .title{font-size:16px;font-weight:650}.icicle .small{font-size:12px}\
@media(prefers-color-scheme:dark){.icicle .edge{stroke:#14171a}.icicle .on{fill:#14171a}}</style>";

/// What the colours mean, in the order of the legend.
const KINDS: [(How, &str, &str); 4] = [
    (How::Thread, "c5", "thread"),
    (How::Interrupt, "c1", "interrupt or fault"),
    (How::SystemCall, "c3", "system call"),
    (How::Call, "c0", "function"),
];

/// The picture.
pub fn icicle(calls: &Calls<'_>, setting: Setting) -> String {
    let stretches = calls.stretches();
    let depth = stretches.iter().map(|stretch| stretch.depth + 1).max().unwrap_or(1);
    let strip = HEAD + ROW * depth as f64 + 6.0;
    let bottom = strip + STRIP;
    let place = Place { calls };
    let mut body = format!(
        "<g class=\"icicle\">{STYLE}<text class=\"title\" x=\"{LEFT}\" y=\"24\">{}</text>",
        escaped(calls.title)
    );
    body += &axis::axis([0, calls.length_ns()], [HEAD - 6.0, bottom], |at_ns| place.x(at_ns));
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
    body += &legend(bottom + AXIS + 12.0);
    body += "</g>";
    picture(&escaped(calls.title), bottom + AXIS + LEGEND, setting, &body)
}

struct Place<'a> {
    calls: &'a Calls<'a>,
}

impl Place<'_> {
    fn x(&self, at_ns: u64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * at_ns as f64 / self.calls.length_ns() as f64
    }

    /// A bar with its name where that fits; pointed at, it says its name and its time.
    fn bar(&self, stretch: &Stretch) -> String {
        let (from, to) = (self.x(stretch.from_ns), self.x(stretch.to_ns));
        let (width, y) = (to - from, HEAD + ROW * stretch.depth as f64);
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
        let letters = ((width - 6.0) / LETTER) as usize;
        if letters >= 4 {
            let name = escaped(&cut_to(&node.name, letters));
            let _ = write!(bar, "<text class=\"on\" x=\"{:.2}\" y=\"{}\">{name}</text>", from + 3.0, y + ROW - 6.0);
        }
        bar
    }
}

fn legend(y: f64) -> String {
    let all = KINDS.iter().map(|(_, class, name)| (*class, *name)).chain([("c4", "below: interrupts off")]);
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
}
