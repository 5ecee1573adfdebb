//! What a person is told of a late activation, in a few clauses.

use super::Activation;
use super::phases::{Phase, PhaseKind};
use prazo_lab::calls::{CallTree, How};

/// A phase is told with its heaviest function where it takes at least this share of the latency.
const SHARE: f64 = 0.15;

/// `796 µs: 2.05 µs in the timer's interrupt; then 780 µs until the switch ...`.
pub(super) fn sentence(activation: &Activation, phases: &[Phase]) -> String {
    let us = |instructions: u64| micros(instructions * activation.instruction_ns);
    let latency = micros(activation.sample.latency_ns.unsigned_abs());
    let total = activation.span.to - activation.span.from;
    let clause = |phase: &Phase| {
        let text = format!("{} {}", us(phase.instructions), clause(phase.kind, &activation.tree));
        let is_large = phase.instructions as f64 >= SHARE * total as f64;
        match phase.heaviest.filter(|_| is_large) {
            Some((node, count)) => {
                let within = within(&activation.tree, phase, node);
                format!("{text}{within}, {}", heaviest(&activation.tree, node, &us(count), phase))
            }
            None => text,
        }
    };
    let mut clauses: Vec<_> = phases.iter().map(clause).collect();
    if activation.span.idle_ns > 0 {
        clauses.insert(0, format!("{} halted", micros(activation.span.idle_ns)));
    }
    format!("{latency}: {}.", clauses.join("; then "))
}

fn clause(kind: PhaseKind, tree: &CallTree) -> String {
    let last = tree.roots.last().map_or("the task", |root| tree.nodes[*root].name.as_str());
    match kind {
        PhaseKind::BeforeInterrupt => "until the timer's interrupt was taken".to_owned(),
        PhaseKind::Interrupt => "in the interrupt".to_owned(),
        PhaseKind::BeforeSwitch => format!("until the switch to {last}"),
        PhaseKind::Task => format!("in {last} until it read the clock"),
    }
}

/// The function that almost all of the phase was in, unless it is the heaviest itself or its caller, which is told anyway.
fn within(tree: &CallTree, phase: &Phase, heaviest: usize) -> String {
    let is_told = |node: usize| heaviest == node || tree.nodes[heaviest].parent == Some(node);
    let told = phase.within.filter(|node| !is_told(*node));
    told.map(|node| format!(", almost all of it in `{}`", tree.nodes[node].name)).unwrap_or_default()
}

/// `38.4 µs of it in `rmqueue_bulk`, called from `get_page_from_freelist` of hackbench with interrupts off`.
fn heaviest(tree: &CallTree, node: usize, time: &str, phase: &Phase) -> String {
    let callers = tree.callers(node);
    let caller = callers.iter().map(|caller| &tree.nodes[*caller]).find(|caller| caller.how != How::Thread);
    let thread = callers.last().map(|thread| tree.nodes[*thread].name.as_str()).unwrap_or_default();
    let caller = caller.map(|caller| match caller.how {
        How::Interrupt => format!(", in the interrupt `{}`", caller.name),
        _ => format!(", called from `{}`", caller.name),
    });
    let off = match (phase.interrupts_off, phase.instructions) {
        (0, _) => " with interrupts on",
        (off, all) if off == all => " with interrupts off",
        _ => "",
    };
    format!("{time} of it in `{}`{} of {thread}{off}", tree.nodes[node].name, caller.unwrap_or_default())
}

/// Three significant digits.
pub(super) fn micros(ns: u64) -> String {
    let us = ns as f64 / 1e3;
    let digits = match us {
        us if us >= 100.0 => 0,
        us if us >= 10.0 => 1,
        _ => 2,
    };
    format!("{us:.digits$} µs")
}
