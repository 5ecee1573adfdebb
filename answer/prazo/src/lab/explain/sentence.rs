//! One sentence about a late activation: its phases, and the functions that took most of them.

use super::activation::Activation;
use super::phases::{Phase, PhaseKind};
use prazo_lab::calls::{CallTree, How};

/// The sentence names functions only for phases with at least this share of the latency.
const SHARE: f64 = 0.15;
/// The sentence names a function only if it has at least this share of its phase.
pub(super) const HEAVY: f64 = 0.2;
/// The sentence says "with interrupts off" if they were off for at least this share of the phase.
const MOSTLY: f64 = 0.9;
/// Number of callers that the sentence names.
const CALLERS: usize = 3;

/// `796 µs: 2.05 µs in the timer's interrupt; then 780 µs until the switch ...`.
pub(super) fn sentence(activation: &Activation, phases: &[Phase]) -> String {
    let us = |instructions: u64| micros(instructions * activation.instruction_ns);
    let latency = micros(activation.sample.latency_ns.unsigned_abs());
    let total = activation.span.to - activation.span.from;
    let clause = |phase: &Phase| {
        let text = format!("{} {}", us(phase.instructions), clause(phase.kind, activation));
        let is_large = phase.instructions as f64 >= SHARE * total as f64;
        match phase.heaviest.filter(|_| is_large) {
            Some((node, count)) if count as f64 >= HEAVY * phase.instructions as f64 => {
                let within = within(&activation.tree, phase, &named(&activation.tree, node));
                format!("{text}{within}, {}", heaviest(&activation.tree, node, &us(count), phase))
            }
            Some(_) => format!("{text}{}", within(&activation.tree, phase, &[])),
            None => text,
        }
    };
    let mut clauses: Vec<_> = phases.iter().map(clause).collect();
    if activation.span.idle_ns > 0 {
        clauses.insert(0, format!("{} halted", micros(activation.span.idle_ns)));
    }
    format!("{latency}: {}.", clauses.join("; then "))
}

/// A phase in words, to follow a time.
pub(super) fn clause(kind: PhaseKind, activation: &Activation) -> String {
    let Activation { awaited, tree, .. } = activation;
    let last = tree.roots.last().map_or("the task", |root| tree.nodes[*root].name.as_str());
    match kind {
        PhaseKind::BeforeInterrupt => format!("until {} was taken", awaited.text()),
        PhaseKind::Interrupt => "in the interrupt".to_owned(),
        PhaseKind::BeforeSwitch => format!("until the switch to {last}"),
        PhaseKind::Task => format!("in {last} until it read the clock"),
    }
}

/// The nodes that the sentence names for a heaviest function: itself and its nearest callers.
fn named(tree: &CallTree, heaviest: usize) -> Vec<usize> {
    std::iter::once(heaviest).chain(tree.callers(heaviest)).take(CALLERS + 1).collect()
}

/// The function that has almost all of the phase, unless the sentence names it anyway.
fn within(tree: &CallTree, phase: &Phase, named: &[usize]) -> String {
    let new = phase.within.filter(|node| !named.contains(node));
    new.map(|node| format!(", almost all of it in `{}`", tree.nodes[node].name)).unwrap_or_default()
}

/// `106 µs of it in `crc32_body`, called from `chksum_update`, `ext4_free_blocks` of exe with interrupts off`.
fn heaviest(tree: &CallTree, node: usize, time: &str, phase: &Phase) -> String {
    let callers = tree.callers(node);
    let thread = callers.last().map(|thread| tree.nodes[*thread].name.as_str()).unwrap_or_default();
    let called = callers_of(tree, node);
    let off = match phase.interrupts_off {
        0 => " with interrupts on",
        off if off as f64 >= MOSTLY * phase.instructions as f64 => " with interrupts off",
        _ => "",
    };
    format!("{time} of it in `{}`{called} of {thread}{off}", tree.nodes[node].name)
}

/// `, called from `f`, `g``: the nearest callers, up to the interrupt that they are in.
pub(in crate::lab) fn callers_of(tree: &CallTree, node: usize) -> String {
    let callers = tree.callers(node);
    let nodes = callers.iter().map(|caller| &tree.nodes[*caller]).filter(|caller| caller.how != How::Thread);
    let mut names = Vec::new();
    for node in nodes.take(CALLERS) {
        names.push(format!("`{}`", node.name));
        if node.how == How::Interrupt {
            break;
        }
    }
    if names.is_empty() { String::new() } else { format!(", called from {}", names.join(", ")) }
}

/// Three significant digits.
pub(in crate::lab) fn micros(ns: u64) -> String {
    let us = ns as f64 / 1e3;
    let digits = match us {
        us if us >= 100.0 => 0,
        us if us >= 10.0 => 1,
        _ => 2,
    };
    format!("{us:.digits$} µs")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::explain::phases::phases;
    use crate::lab::explain::phases::tests::activation;

    #[test]
    fn the_sentence_names_the_phases_and_what_is_heavy_in_them() {
        let activation = activation();
        assert_eq!(
            sentence(&activation, &phases(&activation)),
            "2.80 µs: 0.08 µs until the timer's interrupt was taken; then 0.32 µs in the interrupt; then 2.00 µs until the \
             switch to task, 1.92 µs of it in `release`, called from `free` of load; then 0.40 µs in task until it read \
             the clock."
        );
    }
}
