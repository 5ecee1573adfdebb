//! The calls of two activations as one icicle chart: red took longer in the first one, blue took less.
//!
//! A bar is as wide as the longer of its own two times and all bars below it together. Position is not time here: calls of the same
//! name below the same caller are one bar.

use super::bars::{HEAD, LEFT, LEGEND, NARROWEST, RIGHT, ROW, name_on, title};
use crate::calls::Calls;
use crate::svg::frame::{WIDTH, escaped};
use crate::words::time;
use prazo_lab::calls::{Overlay, OverlayNode, overlay};
use std::cmp::Ordering;
use std::fmt::Write;

/// The palest bar that still shows a colour, as opacity.
const PALEST: f64 = 0.15;
/// From this opacity on, a name on a bar is in the colour of the paper.
const STRONG: f64 = 0.6;

/// The chart from `top` on with its legend, and where it ends.
pub(super) fn panel(pair: [Calls<'_>; 2], names: [&str; 2], top: f64) -> (String, f64) {
    let overlay = overlay(pair.map(|calls| (calls.tree, calls.instruction_ns)));
    let widths = widths(&overlay);
    let all_ns: u64 = overlay.roots.iter().map(|root| widths[*root]).sum();
    let bars = Bars { overlay: &overlay, widths: &widths, names, top: top + HEAD, all_ns: all_ns.max(1) };
    let (body, depth) = bars.draw();
    let bottom = top + HEAD + ROW * depth as f64;
    let head = title(&format!("What differs: {} compared with {}", names[0], names[1]), top);
    (format!("{head}{body}{}", legend(names, bottom + 20.0)), bottom + LEGEND + 2.0 * ROW)
}

/// The width of each node in nanoseconds.
fn widths(overlay: &Overlay) -> Vec<u64> {
    let own = |node: &OverlayNode| node.own_ns[0].max(node.own_ns[1]);
    let mut widths: Vec<_> = overlay.nodes.iter().map(own).collect();
    for node in (0..widths.len()).rev() {
        if let Some(parent) = overlay.nodes[node].parent {
            widths[parent] += widths[node];
        }
    }
    widths
}

struct Bars<'a> {
    overlay: &'a Overlay,
    widths: &'a [u64],
    names: [&'a str; 2],
    top: f64,
    all_ns: u64,
}

impl Bars<'_> {
    /// All bars, and how many rows they take.
    fn draw(&self) -> (String, usize) {
        let (mut body, mut rows) = (String::new(), 1);
        let mut left = Vec::new();
        self.lay(&self.overlay.roots, 0, 0, &mut left);
        while let Some((node, depth, from_ns)) = left.pop() {
            let bar = self.bar(node, depth, from_ns);
            if bar.is_empty() {
                continue;
            }
            body += &bar;
            rows = rows.max(depth + 1);
            self.lay(&self.overlay.nodes[node].children, depth + 1, from_ns, &mut left);
        }
        (body, rows)
    }

    /// Puts nodes beside each other, beginning at an offset.
    fn lay(&self, nodes: &[usize], depth: usize, mut from_ns: u64, left: &mut Vec<(usize, usize, u64)>) {
        for node in nodes {
            left.push((*node, depth, from_ns));
            from_ns += self.widths[*node];
        }
    }

    /// A bar with its name where that fits; its tooltip has both times. Empty where it is too narrow.
    fn bar(&self, node: usize, depth: usize, from_ns: u64) -> String {
        let scale = (WIDTH - LEFT - RIGHT) / self.all_ns as f64;
        let (x, width) = (LEFT + from_ns as f64 * scale, self.widths[node] as f64 * scale);
        if width < NARROWEST {
            return String::new();
        }
        let y = self.top + ROW * depth as f64;
        let one = &self.overlay.nodes[node];
        let (class, opacity) = colour(one);
        let mut bar = format!(
            "<rect class=\"edge {class}\" fill-opacity=\"{opacity:.2}\" x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{}\"><title>{}</title></rect>",
            ROW - 1.0,
            escaped(&self.tooltip(one))
        );
        bar += &name_on(&one.name, if opacity >= STRONG { "on" } else { "dark" }, [x, y], width);
        bar
    }

    fn tooltip(&self, node: &OverlayNode) -> String {
        let [first, second] = node.total_ns;
        let [first_name, second_name] = self.names;
        let differs = match first.cmp(&second) {
            Ordering::Greater => format!("{} longer", time(first - second)),
            Ordering::Less => format!("{} shorter", time(second - first)),
            Ordering::Equal => "no difference".to_owned(),
        };
        format!("{}: {} in {first_name}, {} in {second_name}: {differs}", node.name, time(first), time(second))
    }
}

/// The colour of a node, the stronger the larger its difference is compared with its longer time.
fn colour(node: &OverlayNode) -> (&'static str, f64) {
    let [first, second] = node.total_ns;
    let share = first.abs_diff(second) as f64 / first.max(second).max(1) as f64;
    let opacity = PALEST + (1.0 - PALEST) * share;
    match first.cmp(&second) {
        Ordering::Greater => ("longer", opacity),
        Ordering::Less => ("shorter", opacity),
        Ordering::Equal => ("same", 2.0 * PALEST),
    }
}

fn legend([first, second]: [&str; 2], y: f64) -> String {
    let entries = [
        ("longer", format!("longer in {first} than in {second}")),
        ("shorter", format!("shorter in {first} than in {second}")),
        ("same", "no difference".to_owned()),
    ];
    let mut text = String::new();
    let mut x = LEFT;
    for (class, said) in entries {
        let opacity = if class == "same" { 2.0 * PALEST } else { 1.0 };
        let _ = write!(
            text,
            "<rect class=\"{class}\" fill-opacity=\"{opacity}\" x=\"{x}\" y=\"{}\" width=\"11\" height=\"11\"/><text class=\"small\" x=\"{}\" y=\"{y}\">{}</text>",
            y - 10.0,
            x + 17.0,
            escaped(&said)
        );
        x += 17.0 + 7.0 * said.chars().count() as f64 + 24.0;
    }
    let note = "Width: the longer of the call's two self times, plus the widths of the bars below. Pale: the two total times differ little. Interrupts are shown next to the threads.";
    let _ = write!(text, "<text class=\"small\" x=\"{LEFT}\" y=\"{}\">{note}</text>", y + ROW);
    text
}
