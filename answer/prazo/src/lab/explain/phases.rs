//! The phases of an activation: waiting for its interrupt, the interrupt, waiting for the processor, the task itself.
//!
//! ```text
//! due ── interrupts off ── interrupt ── other threads, scheduler ── the measured task ── running
//! ```

use super::Activation;
use prazo_lab::calls::{CallTree, How, Slice};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What the time went to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseKind {
    /// The timer was due, and its interrupt was not taken yet.
    BeforeInterrupt,
    /// In the interrupt's handler, with the softirqs at its end.
    Interrupt,
    /// Behind the interrupt, until the processor switched to the measured task.
    BeforeSwitch,
    /// The measured task, until it read the clock.
    Task,
}

/// One phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phase {
    pub kind: PhaseKind,
    pub instructions: u64,
    pub interrupts_off: u64,
    /// The node with the most instructions of its own in this phase, and those of all nodes of its function.
    pub heaviest: Option<(usize, u64)>,
}

/// The phases that took anything, in order.
pub(super) fn phases(activation: &Activation) -> Vec<Phase> {
    let bounds = Bounds::of(activation);
    let parts = [
        (PhaseKind::BeforeInterrupt, activation.span.from, bounds.interrupt),
        (PhaseKind::Interrupt, bounds.interrupt, bounds.handled),
        (PhaseKind::BeforeSwitch, bounds.handled, bounds.switch),
        (PhaseKind::Task, bounds.switch, activation.span.to),
    ];
    let all = parts.into_iter().map(|(kind, from, to)| phase(&activation.tree, kind, from, to));
    all.filter(|phase| phase.instructions > 0).collect()
}

/// Where the phases end.
struct Bounds {
    interrupt: u64,
    handled: u64,
    switch: u64,
}

impl Bounds {
    fn of(activation: &Activation) -> Self {
        let (tree, span) = (&activation.tree, activation.span);
        let switch = tree.roots.last().filter(|_| tree.roots.len() > 1).map(|root| tree.nodes[*root].from);
        let first = tree.walk().into_iter().map(|(_, node)| node).find(|node| {
            let node = &tree.nodes[*node];
            node.how == How::Interrupt && node.from >= span.from && node.name.contains("timer_interrupt")
        });
        let Some(first) = first else {
            let switch = switch.unwrap_or(span.from).clamp(span.from, span.to);
            return Self { interrupt: span.from, handled: span.from, switch };
        };
        // The entry code's first call of a function of the interrupt's name is its handler.
        let entry = &tree.nodes[first];
        let handler = entry.name.strip_prefix("asm_").unwrap_or(&entry.name);
        let handler = entry.children.iter().find(|child| tree.nodes[**child].name == handler);
        let interrupt = entry.from.min(span.to);
        let handled = handler.map_or(entry.to, |handler| tree.nodes[*handler].to).clamp(interrupt, span.to);
        let switch = switch.filter(|switch| *switch >= handled).unwrap_or(handled).min(span.to);
        Self { interrupt, handled, switch }
    }
}

fn phase(tree: &CallTree, kind: PhaseKind, from: u64, to: u64) -> Phase {
    let inside = |slice: &Slice| slice.to.min(to).saturating_sub(slice.from.max(from));
    let (mut instructions, mut interrupts_off) = (0, 0);
    let mut by_name = BTreeMap::<&str, u64>::new();
    let mut by_node = BTreeMap::<usize, u64>::new();
    for slice in &tree.slices {
        let count = inside(slice);
        instructions += count;
        interrupts_off += if slice.interrupts_off { count } else { 0 };
        *by_name.entry(&tree.nodes[slice.node].name).or_default() += count;
        *by_node.entry(slice.node).or_default() += count;
    }
    let heaviest = by_name.into_iter().max_by_key(|(_, count)| *count).filter(|(_, count)| *count > 0);
    let heaviest = heaviest.and_then(|(name, count)| {
        let of_name = by_node.iter().filter(|(node, _)| tree.nodes[**node].name == name);
        of_name.max_by_key(|(_, count)| **count).map(|(node, _)| (*node, count))
    });
    Phase { kind, instructions, interrupts_off, heaviest }
}
