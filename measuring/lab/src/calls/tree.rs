//! Functions that call each other, with the instructions that each executed itself.

use crate::recording::is_interrupt;
use crate::recording::preempt_count::{IN_INTERRUPT, IN_NMI, IN_SOFTIRQ, PREEMPTION, SOFTIRQS};
use schemars::JsonSchema;
use serde::Serialize;

/// What was executed, by thread, then by call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallTree {
    /// All nodes; a number in a node is a place in this list.
    pub nodes: Vec<Node>,
    /// The threads, in the order in which they ran.
    pub roots: Vec<usize>,
    /// Who executed what, in order: the span without gaps but for halts.
    pub slices: Vec<Slice>,
}

/// Instructions that one node executed in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The node.
    pub node: usize,
    /// Instructions of the guest before it.
    pub from: u64,
    /// Instructions of the guest until its end.
    pub to: u64,
    /// Whether interrupts were off.
    pub interrupts_off: bool,
    /// What was off.
    pub level: Level,
}

/// What keeps the processor from switching to another thread, by the kernel's preempt count and the interrupt flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// An interrupt is handled, whether interrupts are on or off.
    Interrupt,
    /// A softirq is handled, whether interrupts are on or off.
    Softirq,
    /// Interrupts are off outside of interrupt handlers and softirqs; the entry and the end of an interrupt belong here.
    InterruptsOff,
    /// Preemption or softirqs are off and interrupts are on, most often because a spinlock is held.
    PreemptionOff,
    /// Nothing is off.
    NothingOff,
    /// Interrupts are on, and the kernel's preempt count is not known.
    Unknown,
}

impl Level {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 6] =
        [Self::Interrupt, Self::Softirq, Self::InterruptsOff, Self::PreemptionOff, Self::NothingOff, Self::Unknown];

    /// By a preempt count, and whether the thread that idles has it: its count is 1 if nothing is off.
    pub(super) fn of(count: Option<u32>, interrupts_off: bool, is_idle: bool) -> Self {
        match count {
            Some(count) if count & (IN_INTERRUPT | IN_NMI) != 0 => Self::Interrupt,
            Some(count) if count & IN_SOFTIRQ != 0 => Self::Softirq,
            _ if interrupts_off => Self::InterruptsOff,
            None => Self::Unknown,
            Some(count) if count & SOFTIRQS != 0 || count & PREEMPTION > u32::from(is_idle) => Self::PreemptionOff,
            Some(_) => Self::NothingOff,
        }
    }

    /// In a table.
    pub fn text(self) -> &'static str {
        match self {
            Self::Interrupt => "interrupt",
            Self::Softirq => "softirq",
            Self::InterruptsOff => "interrupts off",
            Self::PreemptionOff => "preemption off",
            Self::NothingOff => "nothing off",
            Self::Unknown => "unknown",
        }
    }
}

/// One call, interrupt, system call, or turn of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The function, or the thread.
    pub name: String,
    /// How it was entered.
    pub how: How,
    /// What it was entered from.
    pub parent: Option<usize>,
    /// What it entered, in order.
    pub children: Vec<usize>,
    /// Instructions of the guest before it, which may lie before the span.
    pub from: u64,
    /// Instructions of the guest until its end, which may lie behind the span.
    pub to: u64,
    /// Instructions of its own with interrupts on.
    pub self_on: u64,
    /// Instructions of its own with interrupts off.
    pub self_off: u64,
}

/// How a node was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The scheduler switched to this thread.
    Thread,
    /// A function called it, or it is the first that was seen of its thread.
    Call,
    /// An interrupt or a fault.
    Interrupt,
    /// A system call.
    SystemCall,
}

impl Node {
    /// Instructions of its own.
    pub fn self_instructions(&self) -> u64 {
        self.self_on + self.self_off
    }

    /// True where an interrupt entered it, and not a fault.
    pub fn is_interrupt(&self) -> bool {
        self.how == How::Interrupt && is_interrupt(&self.name)
    }
}

impl CallTree {
    /// Each node's instructions with those of everything below it; the place is that of the node.
    pub fn totals(&self) -> Vec<u64> {
        let mut totals: Vec<_> = self.nodes.iter().map(Node::self_instructions).collect();
        // Callees come before their callers here, so that each callee is complete when it is added.
        for (_, node) in self.walk().into_iter().rev() {
            if let Some(parent) = self.nodes[node].parent {
                totals[parent] += totals[node];
            }
        }
        totals
    }

    /// Instructions of the whole tree.
    pub fn instructions(&self) -> u64 {
        self.nodes.iter().map(Node::self_instructions).sum()
    }

    /// The nodes that a node was entered from, the nearest first, up to the thread.
    pub fn callers(&self, node: usize) -> Vec<usize> {
        std::iter::successors(self.nodes[node].parent, |parent| self.nodes[*parent].parent).collect()
    }

    /// Every node with its depth, callers before those they call, in the order of execution.
    pub fn walk(&self) -> Vec<(usize, usize)> {
        self.walk_from(&self.roots)
    }

    /// Everything that a node called, in the order of execution.
    pub fn below(&self, node: usize) -> Vec<usize> {
        self.walk_from(&self.nodes[node].children).into_iter().map(|(_, node)| node).collect()
    }

    fn walk_from(&self, roots: &[usize]) -> Vec<(usize, usize)> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut left: Vec<_> = roots.iter().rev().map(|root| (0, *root)).collect();
        while let Some((depth, node)) = left.pop() {
            order.push((depth, node));
            left.extend(self.nodes[node].children.iter().rev().map(|child| (depth + 1, *child)));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition: a node's own instructions and those of each callee, counted again for every node.
    fn total(tree: &CallTree, node: usize) -> u64 {
        let callees = (0..tree.nodes.len()).filter(|callee| tree.nodes[*callee].parent == Some(node));
        tree.nodes[node].self_on + tree.nodes[node].self_off + callees.map(|callee| total(tree, callee)).sum::<u64>()
    }

    /// A tree of nodes that each name an earlier one as their caller, then all moved by `turn` places: a caller may stand behind
    /// its callees, as [`super::super::call_tree`] makes it.
    fn tree(shape: &[(usize, u64, u64)], turn: usize) -> CallTree {
        let count = shape.len();
        let place = |number: usize| (number + turn) % count;
        let node = |number: usize| {
            let (caller, self_on, self_off) = shape[number];
            let parent = (number > 0).then(|| place(caller % number));
            let how = if parent.is_some() { How::Call } else { How::Thread };
            Node { name: String::new(), how, parent, children: Vec::new(), from: 0, to: 0, self_on, self_off }
        };
        let nodes = (0..count).map(|at| node((at + count - turn % count) % count)).collect();
        let mut tree = CallTree { nodes, roots: vec![place(0)], slices: Vec::new() };
        for number in 0..count {
            if let Some(parent) = tree.nodes[number].parent {
                tree.nodes[parent].children.push(number);
            }
        }
        tree
    }

    #[test]
    fn a_level_is_what_the_count_and_the_flag_say() {
        let all = [
            (Some(0x8001_0002), true, Level::Interrupt),
            (Some(0x8010_0000), true, Level::Interrupt),
            (Some(0x8000_0100), false, Level::Softirq),
            (Some(0x8000_0100), true, Level::Softirq),
            (Some(0x8000_0000), true, Level::InterruptsOff),
            (None, true, Level::InterruptsOff),
            (Some(0x8000_0200), false, Level::PreemptionOff),
            (Some(0x0000_0001), false, Level::PreemptionOff),
            (Some(0x8000_0000), false, Level::NothingOff),
            (None, false, Level::Unknown),
        ];
        for (count, interrupts_off, expected) in all {
            assert_eq!(Level::of(count, interrupts_off, false), expected, "{count:x?} {interrupts_off}");
        }
        assert_eq!(Level::of(Some(0x8000_0001), false, true), Level::NothingOff);
        assert_eq!(Level::of(Some(0x8000_0002), false, true), Level::PreemptionOff);
    }

    proptest! {
        #[test]
        fn totals_of_one_pass_are_those_of_the_definition(
            shape in prop::collection::vec((0..100usize, 0..1_000u64, 0..1_000u64), 1..40),
            turn in 0..40usize,
        ) {
            let tree = tree(&shape, turn);
            let expected: Vec<_> = (0..tree.nodes.len()).map(|node| total(&tree, node)).collect();
            prop_assert_eq!(tree.totals(), expected);
        }
    }

    /// A call in a call, 50,000 deep: neither a pass for each node nor the program's own stack would bear it.
    #[test]
    fn totals_of_a_deep_tree_take_one_pass() {
        let shape: Vec<_> = (0..50_000usize).map(|number| (number.saturating_sub(1), 1, 0)).collect();
        let totals = tree(&shape, 0).totals();
        assert_eq!((totals[0], totals[49_999]), (50_000, 1));
    }
}
