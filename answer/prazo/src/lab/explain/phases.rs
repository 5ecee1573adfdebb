//! The phases of an activation: waiting for its interrupt, the interrupt, waiting for the processor, the task itself.
//!
//! ```text
//! due ── interrupts off ── interrupt ── other threads, scheduler ── the measured task ── running
//! ```
//! Of an interrupt line, due is the trigger: the line is raised in the interrupt of another timer.

use super::activation::Activation;
use prazo_lab::calls::{CallTree, How, Node, Slice};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A phase of an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseKind {
    /// Before the interrupt: the timer was due or the line was raised, but the processor had not taken the interrupt yet.
    BeforeInterrupt,
    /// In the handler of that interrupt, including the softirqs at its end.
    Interrupt,
    /// After the interrupt, until the processor switched to the measured task.
    BeforeSwitch,
    /// In the measured task, until it read the clock.
    Task,
}

impl PhaseKind {
    /// As a line of a table.
    pub fn text(self) -> &'static str {
        match self {
            Self::BeforeInterrupt => "before the interrupt",
            Self::Interrupt => "in the interrupt",
            Self::BeforeSwitch => "before the switch",
            Self::Task => "in the task",
        }
    }
}

/// One phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phase {
    pub kind: PhaseKind,
    /// Instructions of the guest before it.
    pub from: u64,
    /// Instructions of the guest until its end.
    pub to: u64,
    pub instructions: u64,
    pub interrupts_off: u64,
    /// The function with the most instructions of its own in this phase: its heaviest node, and the instructions of all its nodes.
    pub heaviest: Option<(usize, u64)>,
    /// The innermost function that has almost all of the phase with everything it called, if there is one.
    pub within: Option<usize>,
}

/// Share of a phase that counts as almost all of it.
const ALMOST_ALL: f64 = 0.8;

/// The phases with at least one instruction, in order.
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
        let switch = last_switch(tree);
        let Some(first) = announced(activation) else {
            let switch = switch.unwrap_or(span.from).clamp(span.from, span.to);
            return Self { interrupt: span.from, handled: span.from, switch };
        };
        let entry = &tree.nodes[first];
        let inside = tree.below(first);
        let named = |name: &str| inside.iter().copied().find(|node| tree.nodes[*node].name == name);
        let handler = activation.awaited.handled_with(&entry.name).into_iter().find_map(named);
        let interrupt = entry.from.clamp(span.from, span.to);
        // The switch may lie below the entry.
        let left = switch.filter(|switch| *switch > interrupt).map_or(entry.to, |switch| entry.to.min(switch));
        let handled = handler.map_or(left, |handler| tree.nodes[handler].to).clamp(interrupt, span.to);
        let switch = switch.filter(|switch| *switch >= handled).unwrap_or(handled).min(span.to);
        Self { interrupt, handled, switch }
    }
}

/// Where the processor switched to the last thread; `None` if it never switched.
fn last_switch(tree: &CallTree) -> Option<u64> {
    tree.roots.last().filter(|_| tree.roots.len() > 1).map(|root| tree.nodes[*root].from)
}

/// The interrupt that announced the event: the first one after the due instant that runs a function of its handler. A core programs it
/// early, so it may have begun before, and it comes before the switch. If none does, because the kernel runs the handlers of lines in threads, it is the first one with its entry, if no other interrupt has that entry.
fn announced(activation: &Activation) -> Option<usize> {
    let tree = &activation.tree;
    let order: Vec<_> = tree.walk().into_iter().map(|(_, node)| node).collect();
    let due = activation.span.from;
    let switch = last_switch(tree).unwrap_or(activation.span.to);
    let may_announce = |one: &Node| match activation.awaited.may_be_early() {
        true => one.to > due && one.from < switch,
        false => one.from >= due,
    };
    let is_one = |node: &usize| {
        let one = &tree.nodes[*node];
        one.how == How::Interrupt && may_announce(one) && activation.awaited.is_entry(&one.name)
    };
    let runs = activation.awaited.runs();
    let is_handler = |node: &Node| node.to > due && runs.contains(&node.name.as_str());
    let by_handler = order.iter().filter(|node| is_handler(&tree.nodes[**node]));
    let first = by_handler.filter_map(|node| tree.callers(*node).into_iter().find(is_one)).next();
    let has_own = |node: &usize| is_one(node) && activation.awaited.has_own_entry(&tree.nodes[*node].name);
    first.or_else(|| order.iter().copied().find(has_own))
}

fn phase(tree: &CallTree, kind: PhaseKind, from: u64, to: u64) -> Phase {
    let inside = |slice: &Slice| inside(slice, from, to);
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
    let within = within(tree, &by_node, instructions);
    Phase { kind, from, to, instructions, interrupts_off, heaviest, within }
}

/// The instructions of a slice that lie between two others.
pub(super) fn inside(slice: &Slice, from: u64, to: u64) -> u64 {
    slice.to.min(to).saturating_sub(slice.from.max(from))
}

/// Follows the calls down from the threads as long as one call has almost all of the instructions.
fn within(tree: &CallTree, by_node: &BTreeMap<usize, u64>, instructions: u64) -> Option<usize> {
    let mut inside = vec![0; tree.nodes.len()];
    for (_, node) in tree.walk().into_iter().rev() {
        let children: u64 = tree.nodes[node].children.iter().map(|child| inside[*child]).sum();
        inside[node] = by_node.get(&node).copied().unwrap_or(0) + children;
    }
    let has_almost_all = |node: &usize| inside[*node] as f64 >= ALMOST_ALL * instructions as f64;
    let (mut at, mut found) = (tree.roots.iter().copied().find(has_almost_all), None);
    while let Some(node) = at {
        found = (tree.nodes[node].how != How::Thread).then_some(node);
        at = tree.nodes[node].children.iter().copied().find(has_almost_all);
    }
    found
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::activation::EventInterrupt;
    use super::*;
    use prazo_lab::calls::{Level, Span};
    use prazo_run::run::WorstSample;

    fn node(name: &str, how: How, parent: Option<usize>, children: &[usize], from: u64, to: u64) -> Node {
        let (name, children) = (name.into(), children.to_vec());
        Node { name, how, parent, children, from, to, self_on: 0, self_off: 0 }
    }

    /// Due at 100; the interrupt comes at 110, its handler ends at 150; the switch is at 400, running at 450.
    pub(in crate::lab::explain) fn activation() -> Activation {
        let nodes = vec![
            node("load", How::Thread, None, &[1], 50, 400),
            node("free", How::Call, Some(0), &[2, 4], 50, 400),
            node("asm_sysvec_apic_timer_interrupt", How::Interrupt, Some(1), &[3], 110, 160),
            node("sysvec_apic_timer_interrupt", How::Call, Some(2), &[], 112, 150),
            node("release", How::Call, Some(1), &[], 160, 400),
            node("task", How::Thread, None, &[6], 400, 460),
            node("nanosleep", How::Call, Some(5), &[], 400, 460),
        ];
        let slice = |node, from, to, interrupts_off| {
            let level = if interrupts_off { Level::InterruptsOff } else { Level::NothingOff };
            Slice { node, from, to, interrupts_off, level }
        };
        let slices = vec![
            slice(1, 100, 110, true),
            slice(3, 110, 150, true),
            slice(2, 150, 160, true),
            slice(4, 160, 400, false),
            slice(6, 400, 450, false),
        ];
        let span =
            Span { from: 100, to: 450, idle_ns: 0, was_idle_at_due: false, clock_error_ns: 0, clocks_compared: 0 };
        let sample = WorstSample { at_ns: 0, latency_ns: 2_800, activation: 7 };
        let tree = CallTree { nodes, roots: vec![0, 5], slices };
        Activation { awaited: EventInterrupt::Timer, sample, span, tree, instruction_ns: 8 }
    }

    /// The same activation with other calls, of threads that begin at `roots`.
    fn with_calls(awaited: EventInterrupt, nodes: Vec<Node>, roots: Vec<usize>) -> Activation {
        Activation { awaited, tree: CallTree { nodes, roots, slices: Vec::new() }, ..activation() }
    }

    #[test]
    fn phases_follow_each_other_from_due_to_running() {
        let phases = phases(&activation());
        let found: Vec<_> = phases.iter().map(|phase| (phase.kind, phase.instructions, phase.interrupts_off)).collect();
        assert_eq!(
            found,
            [
                (PhaseKind::BeforeInterrupt, 10, 10),
                (PhaseKind::Interrupt, 40, 40),
                (PhaseKind::BeforeSwitch, 250, 10),
                (PhaseKind::Task, 50, 0),
            ]
        );
        assert_eq!((phases[2].heaviest, phases[2].within), (Some((4, 240)), Some(4)));
    }

    /// On 64-bit Arm processors, all interrupts have one entry, and the scheduler runs below it.
    #[test]
    fn of_a_common_entry_the_timers_interrupt_is_the_one_that_runs_its_handler() {
        let nodes = vec![
            node("load", How::Thread, None, &[1, 3], 50, 390),
            node("el1h_64_irq", How::Interrupt, Some(0), &[2], 101, 150),
            node("gic_handle_irq", How::Call, Some(1), &[], 105, 145),
            node("el1h_64_irq", How::Interrupt, Some(0), &[4], 150, 390),
            node("el1h_64_irq_handler", How::Call, Some(3), &[5, 7, 8], 155, 390),
            node("gic_handle_irq", How::Call, Some(4), &[6], 160, 250),
            node("hrtimer_interrupt", How::Call, Some(5), &[], 170, 240),
            node("irq_exit_rcu", How::Call, Some(4), &[], 250, 270),
            node("preempt_schedule_irq", How::Call, Some(4), &[], 280, 390),
            node("task", How::Thread, None, &[], 390, 460),
        ];
        let mut of_arm = with_calls(EventInterrupt::Timer, nodes, vec![0, 9]);
        assert_eq!(announced(&of_arm), Some(3));
        let bounds = Bounds::of(&of_arm);
        assert_eq!((bounds.interrupt, bounds.handled, bounds.switch), (150, 270, 390));
        of_arm.tree.nodes[6].name = "handle_edge_irq".into();
        assert_eq!(announced(&of_arm), None, "other interrupts have the same entry");
    }

    /// A core's timer has a line here. It was programmed early, and the core switches to its task below the interrupt's entry.
    #[test]
    fn a_cores_interrupt_may_begin_before_the_due_instant() {
        let nodes = vec![
            node("load", How::Thread, None, &[1], 50, 400),
            // The timer's last interrupt was handled, but the kernel's part of it goes on.
            node("irq_entries_start", How::Interrupt, Some(0), &[2, 3], 70, 400),
            node("xnclock_tick", How::Call, Some(1), &[], 72, 80),
            node("hrtimer_interrupt", How::Call, Some(1), &[4], 90, 400),
            node("irq_entries_start", How::Interrupt, Some(3), &[5, 7], 95, 400),
            node("generic_pipeline_irq_desc", How::Call, Some(4), &[6], 97, 130),
            node("xnclock_tick", How::Call, Some(5), &[], 98, 120),
            node("run_oob_call", How::Call, Some(4), &[], 140, 400),
            node("sampling", How::Thread, None, &[], 400, 460),
        ];
        let mut of_core = with_calls(EventInterrupt::CoreTimer, nodes, vec![0, 8]);
        assert_eq!(announced(&of_core), Some(4));
        let bounds = Bounds::of(&of_core);
        assert_eq!((bounds.interrupt, bounds.handled, bounds.switch), (100, 130, 400));
        // It was handled before the activation was due.
        of_core.tree.nodes[6].to = 99;
        assert_eq!(announced(&of_core), None);
        let bounds = Bounds::of(&of_core);
        assert_eq!((bounds.interrupt, bounds.handled, bounds.switch), (100, 100, 400));
        // The timer's interrupt comes again in the task, which announces nothing.
        of_core.tree.nodes.push(node("irq_entries_start", How::Interrupt, Some(8), &[10], 420, 450));
        of_core.tree.nodes.push(node("xnclock_tick", How::Call, Some(9), &[], 425, 440));
        of_core.tree.nodes[8].children = vec![9];
        assert_eq!(announced(&of_core), None);
    }

    /// Without the function that ends the interrupt, it lasts until the switch below its entry.
    #[test]
    fn an_interrupt_ends_at_the_latest_at_the_switch_below_it() {
        let nodes = vec![
            node("load", How::Thread, None, &[1], 50, 400),
            node("irq_entries_start", How::Interrupt, Some(0), &[2], 110, 460),
            node("xnclock_tick", How::Call, Some(1), &[], 115, 130),
            node("sampling", How::Thread, None, &[], 400, 460),
        ];
        let of_core = with_calls(EventInterrupt::CoreTimer, nodes, vec![0, 3]);
        let bounds = Bounds::of(&of_core);
        assert_eq!((bounds.interrupt, bounds.handled, bounds.switch), (110, 400, 400));
    }

    /// A card's interrupt comes first; the line's is the one that runs the module's handler.
    #[test]
    fn the_interrupt_of_a_line_is_the_one_that_runs_its_handler() {
        let nodes = vec![
            node("load", How::Thread, None, &[1, 3], 50, 400),
            node("irq_entries_start", How::Interrupt, Some(0), &[2], 105, 200),
            node("common_interrupt", How::Call, Some(1), &[], 107, 190),
            node("irq_entries_start", How::Interrupt, Some(0), &[4], 210, 300),
            node("common_interrupt", How::Call, Some(3), &[5], 215, 290),
            node("handle", How::Call, Some(4), &[], 220, 280),
            node("irqlat", How::Thread, None, &[], 400, 460),
        ];
        let mut of_line = with_calls(EventInterrupt::Line, nodes, vec![0, 6]);
        assert_eq!(announced(&of_line), Some(3));
        let bounds = Bounds::of(&of_line);
        assert_eq!((bounds.interrupt, bounds.handled, bounds.switch), (210, 290, 400));
        of_line.tree.nodes[5].name = "irq_default_primary_handler".into();
        assert_eq!(announced(&of_line), Some(1));
    }
}
