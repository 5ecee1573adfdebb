//! Where the instructions of a call tree went, function by function.

use super::tree::{CallTree, How};
use std::collections::BTreeMap;

/// What one function took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionShare {
    /// The function.
    pub name: String,
    /// Instructions of its own with interrupts on.
    pub self_on: u64,
    /// Instructions of its own with interrupts off.
    pub self_off: u64,
    /// Instructions of its own and of everything that it called or that interrupted it; each counted once.
    pub total: u64,
}

impl FunctionShare {
    /// Instructions of its own.
    pub fn self_instructions(&self) -> u64 {
        self.self_on + self.self_off
    }
}

/// The functions of a tree, those with the most instructions of their own first.
pub fn profile(tree: &CallTree) -> Vec<FunctionShare> {
    let mut shares = BTreeMap::<&str, FunctionShare>::new();
    for (node, total) in tree.nodes.iter().zip(totals(tree)) {
        if node.how == How::Thread {
            continue;
        }
        let empty = || FunctionShare { name: node.name.clone(), self_on: 0, self_off: 0, total: 0 };
        let share = shares.entry(&node.name).or_insert_with(empty);
        share.self_on += node.self_on;
        share.self_off += node.self_off;
        share.total += total;
    }
    let mut all: Vec<_> = shares.into_values().filter(|share| share.total > 0).collect();
    all.sort_by(|a, b| b.self_instructions().cmp(&a.self_instructions()).then_with(|| a.name.cmp(&b.name)));
    all
}

/// Each node's total, but 0 below a call of the same function, where it is counted already.
fn totals(tree: &CallTree) -> Vec<u64> {
    let mut totals = tree.totals();
    let mut path: Vec<&str> = Vec::new();
    for (depth, node) in tree.walk() {
        path.truncate(depth);
        let name = tree.nodes[node].name.as_str();
        if path.contains(&name) {
            totals[node] = 0;
        }
        path.push(name);
    }
    totals
}
