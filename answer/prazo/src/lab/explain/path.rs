//! The path of an activation as text: who called whom, with instructions.

use super::Activation;
use prazo_core::text::{counted, grouped};
use prazo_lab::calls::{How, Node};

/// One line a call, callers before those they call, indented by depth; calls with fewer instructions than `least` are left
/// out and counted in the last line.
pub(super) fn path_lines(activation: &Activation, least: u64) -> Vec<String> {
    let tree = &activation.tree;
    let totals = tree.totals();
    let (mut lines, mut hidden) = (vec![HEADING.to_owned()], 0);
    for (depth, number) in tree.walk() {
        let (node, total) = (&tree.nodes[number], totals[number]);
        if total < least.max(1) {
            hidden += u64::from(total > 0);
            continue;
        }
        let at = (node.from.max(activation.span.from) - activation.span.from) * activation.instruction_ns;
        lines.push(format!(
            "{:>9.3} µs {:>10} {:>10}{} {}{}{}",
            at as f64 / 1e3,
            grouped(total).to_string(),
            grouped(node.self_instructions()).to_string(),
            interrupts(node),
            "  ".repeat(depth),
            mark(node.how),
            node.name
        ));
    }
    if hidden > 0 {
        lines.push(format!(
            "{} with fewer than {} {} omitted",
            counted(hidden, "call"),
            counted(least, "instruction"),
            if hidden == 1 { "is" } else { "are" }
        ));
    }
    lines
}

/// What the columns are.
const HEADING: &str =
    "       start      total       self  (total, self: instructions; off: interrupts off; ±: off part of the time)";

fn interrupts(node: &Node) -> &'static str {
    match (node.self_on, node.self_off) {
        (_, 0) => "    ",
        (0, _) => " off",
        _ => " ±  ",
    }
}

fn mark(how: How) -> &'static str {
    match how {
        How::Thread => "thread ",
        How::Call => "",
        How::Interrupt => "interrupt ",
        How::SystemCall => "system call ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::explain::phases::tests::activation;

    #[test]
    fn large_counts_have_their_thousands_apart_and_what_is_left_out_is_counted() {
        let mut activation = activation();
        activation.tree.nodes[4].self_on = 1_234_567;
        activation.tree.nodes[3].self_on = 7;
        let lines = path_lines(&activation, 20);
        assert_eq!(
            lines,
            [
                "       start      total       self  (total, self: instructions; off: interrupts off; ±: off part of the time)",
                "    0.000 µs  1,234,574          0     thread load",
                "    0.000 µs  1,234,574          0       free",
                "    0.480 µs  1,234,567  1,234,567         release",
                "2 calls with fewer than 20 instructions are omitted",
            ]
        );
    }
}
