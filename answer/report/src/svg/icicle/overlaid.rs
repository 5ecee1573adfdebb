//! The calls of several activations as one icicle chart. Position is not time here: calls of the same name below the same caller are
//! one bar.
//!
//! A bar is as wide as the longer of its own two times and all bars below it together.

use super::bars::{LEFT, NARROWEST, RIGHT, ROW, name_on};
use crate::svg::frame::{WIDTH, escaped};
use prazo_lab::calls::{Overlay, OverlayNode};

/// From this opacity on, a name on a bar is in the colour of the paper.
const STRONG: f64 = 0.6;

/// How a node looks: its class, its opacity, and its tooltip.
pub(super) struct Paint {
    pub class: &'static str,
    pub opacity: f64,
    pub tooltip: String,
}

/// The bars from `top` on, and where they end.
pub(super) fn draw(overlay: &Overlay, paint: &dyn Fn(&OverlayNode) -> Paint, top: f64) -> (String, f64) {
    let widths = widths(overlay);
    let all_ns: u64 = overlay.roots.iter().map(|root| widths[*root]).sum();
    let bars = Bars { overlay, widths: &widths, paint, top, all_ns: all_ns.max(1) };
    let (body, depth) = bars.draw();
    (body, top + ROW * depth as f64)
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
    paint: &'a dyn Fn(&OverlayNode) -> Paint,
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

    /// A bar with its name where that fits. Empty where it is too narrow.
    fn bar(&self, node: usize, depth: usize, from_ns: u64) -> String {
        let scale = (WIDTH - LEFT - RIGHT) / self.all_ns as f64;
        let (x, width) = (LEFT + from_ns as f64 * scale, self.widths[node] as f64 * scale);
        if width < NARROWEST {
            return String::new();
        }
        let y = self.top + ROW * depth as f64;
        let one = &self.overlay.nodes[node];
        let Paint { class, opacity, tooltip } = (self.paint)(one);
        let mut bar = format!(
            "<rect class=\"edge {class}\" fill-opacity=\"{opacity:.2}\" x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{}\"><title>{}</title></rect>",
            ROW - 1.0,
            escaped(&tooltip)
        );
        bar += &name_on(&one.name, if opacity >= STRONG { "on" } else { "dark" }, [x, y], width);
        bar
    }
}
