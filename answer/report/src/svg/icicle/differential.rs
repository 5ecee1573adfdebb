//! The calls of two activations as one icicle chart: red took longer in the first one, blue took less.

use super::bars::{HEAD, LEFT, LEGEND, ROW, title};
use super::overlaid::{Paint, draw};
use crate::calls::Calls;
use crate::svg::frame::escaped;
use crate::words::time;
use prazo_lab::calls::{OverlayNode, overlay};
use std::cmp::Ordering;
use std::fmt::Write;

/// The palest bar that still shows a colour, as opacity.
const PALEST: f64 = 0.15;

/// The chart from `top` on with its legend, and where it ends.
pub(super) fn panel(pair: [Calls<'_>; 2], names: [&str; 2], top: f64) -> (String, f64) {
    let overlay = overlay(pair.map(|calls| (calls.tree, calls.instruction_ns)));
    let paint = |node: &OverlayNode| {
        let (class, opacity) = colour(node);
        Paint { class, opacity, tooltip: tooltip(node, names) }
    };
    let (body, bottom) = draw(&overlay, &paint, top + HEAD);
    let head = title(&format!("What differs: {} compared with {}", names[0], names[1]), top);
    (format!("{head}{body}{}", legend(names, bottom + 20.0)), bottom + LEGEND + 2.0 * ROW)
}

fn tooltip(node: &OverlayNode, [first_name, second_name]: [&str; 2]) -> String {
    let [first, second] = node.total_ns;
    let differs = match first.cmp(&second) {
        Ordering::Greater => format!("{} longer", time(first - second)),
        Ordering::Less => format!("{} shorter", time(second - first)),
        Ordering::Equal => "no difference".to_owned(),
    };
    format!("{}: {} in {first_name}, {} in {second_name}: {differs}", node.name, time(first), time(second))
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
