//! What was off in an activation: the time on each level, and the longest stretch without a change of level.

use prazo_lab::calls::{CallTree, Level};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The instructions of an activation on one level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LevelDocument {
    /// The level.
    pub level: Level,
    /// Number of instructions on this level.
    pub instructions: u64,
    /// Number of instructions in the longest stretch without a change of level.
    pub longest_instructions: u64,
    /// Function with the most instructions of its own in the longest stretch.
    pub longest_in: String,
}

impl LevelDocument {
    /// The levels of a tree that have instructions.
    pub(super) fn all(tree: &CallTree) -> Vec<Self> {
        let stretches = stretches(tree);
        let of = |level: Level| {
            let all = || stretches.iter().filter(|stretch| stretch.level == level);
            let longest = all().max_by_key(|stretch| stretch.instructions)?;
            Some(Self {
                level,
                instructions: all().map(|stretch| stretch.instructions).sum(),
                longest_instructions: longest.instructions,
                longest_in: longest.heaviest.to_owned(),
            })
        };
        Level::ALL.into_iter().filter_map(of).collect()
    }
}

/// Instructions in a row on one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch<'a> {
    pub level: Level,
    pub instructions: u64,
    /// The function with the most instructions of its own.
    pub heaviest: &'a str,
}

/// The stretches of a tree, in order.
pub(super) fn stretches(tree: &CallTree) -> Vec<Stretch<'_>> {
    let of_one_level = tree.slices.chunk_by(|one, next| one.level == next.level);
    of_one_level
        .map(|slices| {
            let mut by_name = BTreeMap::<&str, u64>::new();
            for slice in slices {
                *by_name.entry(&tree.nodes[slice.node].name).or_default() += slice.to - slice.from;
            }
            let heaviest = by_name.iter().max_by_key(|(_, count)| **count).map_or("", |(name, _)| *name);
            Stretch { level: slices[0].level, instructions: by_name.values().sum(), heaviest }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::explain::phases::tests::activation;

    #[test]
    fn a_level_has_its_instructions_and_its_longest_stretch() {
        let mut tree = activation().tree;
        tree.slices[3].level = Level::PreemptionOff;
        let found = LevelDocument::all(&tree);
        let found: Vec<_> = found
            .iter()
            .map(|one| (one.level, one.instructions, one.longest_instructions, one.longest_in.as_str()))
            .collect();
        let expected = [
            (Level::InterruptsOff, 60, 60, "sysvec_apic_timer_interrupt"),
            (Level::PreemptionOff, 240, 240, "release"),
            (Level::NothingOff, 50, 50, "nanosleep"),
        ];
        assert_eq!(found, expected);
    }
}
