//! Functions that call each other, with the instructions that each executed itself.

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
}

impl CallTree {
    /// Instructions of a node and everything below it.
    pub fn total(&self, node: usize) -> u64 {
        let children: u64 = self.nodes[node].children.iter().map(|child| self.total(*child)).sum();
        self.nodes[node].self_instructions() + children
    }

    /// Instructions of the whole tree.
    pub fn instructions(&self) -> u64 {
        self.nodes.iter().map(Node::self_instructions).sum()
    }

    /// Names of what a node was entered from, the nearest first, up to the thread.
    pub fn callers(&self, node: usize) -> Vec<usize> {
        std::iter::successors(self.nodes[node].parent, |parent| self.nodes[*parent].parent).collect()
    }

    /// Every node with its depth, callers before those they call, in the order of execution.
    pub fn walk(&self) -> Vec<(usize, usize)> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut left: Vec<_> = self.roots.iter().rev().map(|root| (0, *root)).collect();
        while let Some((depth, node)) = left.pop() {
            order.push((depth, node));
            left.extend(self.nodes[node].children.iter().rev().map(|child| (depth + 1, *child)));
        }
        order
    }
}
