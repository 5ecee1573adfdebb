//! The path of an activation as text: who called whom, with instructions.

use super::Activation;
use prazo_lab::calls::{How, Node};

/// One line a call, callers before those they call, indented by depth; calls with fewer instructions than `least` are left
/// out and counted in the last line.
pub fn path_lines(activation: &Activation, least: u64) -> Vec<String> {
    let tree = &activation.tree;
    let (mut lines, mut hidden) = (vec![HEADING.to_owned()], 0);
    for (depth, number) in tree.walk() {
        let (node, total) = (&tree.nodes[number], tree.total(number));
        if total < least.max(1) {
            hidden += usize::from(total > 0);
            continue;
        }
        let at = (node.from.max(activation.span.from) - activation.span.from) * activation.instruction_ns;
        lines.push(format!(
            "{:>9.3} µs {total:>8} {:>8}{} {}{}{}",
            at as f64 / 1e3,
            node.self_instructions(),
            interrupts(node),
            "  ".repeat(depth),
            mark(node.how),
            node.name
        ));
    }
    if hidden > 0 {
        lines.push(format!("{hidden} calls with fewer than {least} instructions are left out"));
    }
    lines
}

/// What the columns are.
const HEADING: &str = "          at    total      own";

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
