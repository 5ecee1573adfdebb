//! Call trees as one, with the time that each call took: two trees, or many trees of one kind, whose times are added.
//!
//! Calls of the same name below the same caller are one call here, however often it was made. An interrupt stands beside the
//! threads and not below the function that it interrupted: where it comes differs between runs and says nothing about that function.

use super::tree::{CallTree, How};

/// Calls of two trees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlay {
    /// All calls; callers stand before their callees.
    pub nodes: Vec<OverlayNode>,
    /// Threads and interrupts, in the order in which they were first seen, those of the first tree first.
    pub roots: Vec<usize>,
}

/// One call with its times in both trees, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlayNode {
    /// The function, or the thread.
    pub name: String,
    /// How it was entered.
    pub how: How,
    /// Its caller; `None` for threads and interrupts.
    pub parent: Option<usize>,
    /// What it called.
    pub children: Vec<usize>,
    /// Time of its own, in the first tree and in the second.
    pub own_ns: [u64; 2],
    /// The same with the time of everything that it called, without interrupts.
    pub total_ns: [u64; 2],
}

/// Lays two trees over each other; each comes with the time of one of its instructions.
pub fn overlay(trees: [(&CallTree, u64); 2]) -> Overlay {
    let mut overlay = Overlay::default();
    for (side, (tree, instruction_ns)) in trees.into_iter().enumerate() {
        overlay.add(side, tree, instruction_ns);
    }
    overlay.totalled()
}

impl Overlay {
    /// Adds a tree to the first times (side 0) or to the second ones (side 1); totals come last.
    pub fn add(&mut self, side: usize, tree: &CallTree, instruction_ns: u64) {
        let mut places = vec![0; tree.nodes.len()];
        for (_, number) in tree.walk() {
            let node = &tree.nodes[number];
            let caller = node.parent.filter(|_| node.how != How::Interrupt).map(|parent| places[parent]);
            let place = self.place(&node.name, node.how, caller);
            places[number] = place;
            let own_ns = node.self_instructions() * instruction_ns;
            self.nodes[place].own_ns[side] += own_ns;
        }
    }

    /// With the total times of everything that was added.
    pub fn totalled(mut self) -> Self {
        self.nodes.iter_mut().for_each(|node| node.total_ns = node.own_ns);
        // Callees stand behind their callers, so that each is complete when it is added.
        for node in (0..self.nodes.len()).rev() {
            if let Some(parent) = self.nodes[node].parent {
                let total_ns = self.nodes[node].total_ns;
                (0..2).for_each(|side| self.nodes[parent].total_ns[side] += total_ns[side]);
            }
        }
        self
    }

    /// The call of this name below this caller, made where it is the first one.
    fn place(&mut self, name: &str, how: How, parent: Option<usize>) -> usize {
        let siblings = parent.map_or(&self.roots, |parent| &self.nodes[parent].children);
        let is_it = |place: &&usize| self.nodes[**place].name == name && self.nodes[**place].how == how;
        if let Some(place) = siblings.iter().find(is_it) {
            return *place;
        }
        let place = self.nodes.len();
        let name = name.to_owned();
        self.nodes.push(OverlayNode { name, how, parent, children: Vec::new(), own_ns: [0; 2], total_ns: [0; 2] });
        match parent {
            Some(parent) => self.nodes[parent].children.push(place),
            None => self.roots.push(place),
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::Node;
    use super::*;
    use How::{Call, Interrupt, Thread};

    /// Nodes of a name, how it was entered, its caller and its own instructions.
    fn tree(nodes: &[(&str, How, Option<usize>, u64)]) -> CallTree {
        let mut tree = CallTree::default();
        for (number, (name, how, parent, own)) in nodes.iter().enumerate() {
            let (name, how, parent) = ((*name).to_owned(), *how, *parent);
            tree.nodes.push(Node {
                name,
                how,
                parent,
                children: Vec::new(),
                from: 0,
                to: 0,
                self_on: *own,
                self_off: 0,
            });
            match parent {
                Some(parent) => tree.nodes[parent].children.push(number),
                None => tree.roots.push(number),
            }
        }
        tree
    }

    #[test]
    fn calls_of_one_name_below_one_caller_are_one_and_interrupts_stand_apart() {
        let first = tree(&[
            ("load", Thread, None, 0),
            ("free", Call, Some(0), 10),
            ("sum", Call, Some(1), 100),
            ("timer", Interrupt, Some(2), 5),
            ("sum", Call, Some(1), 20),
            ("load", Thread, None, 0),
            ("free", Call, Some(5), 1),
        ]);
        let second = tree(&[
            ("idle", Thread, None, 2),
            ("timer", Interrupt, Some(0), 7),
            ("wake", Call, Some(1), 3),
            ("load", Thread, None, 0),
            ("free", Call, Some(3), 4),
        ]);
        let overlay = overlay([(&first, 8), (&second, 4)]);
        let line = |node: &OverlayNode| {
            let caller = node.parent.map_or("", |parent| overlay.nodes[parent].name.as_str());
            format!("{} < {caller}: {:?} {:?}", node.name, node.own_ns, node.total_ns)
        };
        let lines: Vec<_> = overlay.nodes.iter().map(line).collect();
        assert_eq!(
            lines,
            [
                "load < : [0, 0] [1048, 16]",
                "free < load: [88, 16] [1048, 16]",
                "sum < free: [960, 0] [960, 0]",
                "timer < : [40, 28] [40, 40]",
                "idle < : [0, 8] [0, 8]",
                "wake < timer: [0, 12] [0, 12]",
            ]
        );
        assert_eq!(overlay.roots, [0, 3, 4]);
    }

    #[test]
    fn the_roots_hold_all_instructions_of_both_trees() {
        let first = tree(&[("a", Thread, None, 3), ("b", Call, Some(0), 4), ("c", Interrupt, Some(1), 5)]);
        let second = tree(&[("c", Interrupt, None, 6), ("a", Call, Some(0), 7)]);
        let overlay = overlay([(&first, 8), (&second, 8)]);
        let total = |side: usize| overlay.roots.iter().map(|root| overlay.nodes[*root].total_ns[side]).sum::<u64>();
        assert_eq!([total(0), total(1)], [first.instructions() * 8, second.instructions() * 8]);
    }
}
