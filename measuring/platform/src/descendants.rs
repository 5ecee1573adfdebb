//! The living descendants of a process, by number.

use crate::root::Root;
use std::collections::{BTreeMap, BTreeSet};

/// The descendants of `ancestor`, ended but uncollected ones included, without those that are `apart` and what is below them.
pub fn descendants(ancestor: u32, apart: &[u32]) -> BTreeSet<u32> {
    let root = Root::system();
    let names = root.list("/proc").unwrap_or_default();
    let numbers = names.iter().filter_map(|name| name.parse::<u32>().ok());
    below(ancestor, apart, numbers.filter_map(|pid| Some((pid, parent(&root, pid)?))))
}

/// The parent of a process; `None` for one that has ended and was collected.
fn parent(root: &Root, pid: u32) -> Option<u32> {
    parent_in(&root.read(&format!("/proc/{pid}/stat")).ok()?)
}

/// The parent in the text of /proc/PID/stat; the name before it may hold anything, blanks and brackets included.
fn parent_in(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

fn below(ancestor: u32, apart: &[u32], parents: impl Iterator<Item = (u32, u32)>) -> BTreeSet<u32> {
    let mut children = BTreeMap::<u32, Vec<u32>>::new();
    for (pid, parent) in parents.filter(|(pid, _)| !apart.contains(pid)) {
        children.entry(parent).or_default().push(pid);
    }
    let mut found = children.remove(&ancestor).unwrap_or_default();
    let mut next = 0;
    while let Some(pid) = found.get(next) {
        found.extend(children.remove(pid).unwrap_or_default());
        next += 1;
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_parent_is_found_behind_any_name() {
        assert_eq!(parent_in("12 (a) b) S 7 12 12 0"), Some(7));
        assert_eq!(parent_in("12 (cat"), None);
    }

    #[test]
    fn a_child_of_ours_is_a_descendant_and_a_stranger_is_not() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let found = descendants(std::process::id(), &[]);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(found.contains(&child.id()));
        assert!(!found.contains(&std::process::id()) && !found.contains(&1));
    }

    #[test]
    fn what_is_apart_is_left_out_with_all_below_it() {
        let parents = [(2, 1), (3, 2), (4, 1), (5, 4)];
        assert_eq!(below(1, &[2], parents.into_iter()), BTreeSet::from([4, 5]));
    }

    proptest! {
        /// The slow twin climbs from every process to the top.
        #[test]
        fn the_walk_finds_whoever_has_the_ancestor_above(parents in prop::collection::vec(0u32..40, 1..40)) {
            // Process n + 1 has a parent with a smaller number, as it has where numbers never wrapped.
            let pairs: Vec<(u32, u32)> = (1u32..).zip(parents).map(|(pid, parent)| (pid, parent % pid)).collect();
            let above = |pid: u32| pairs.iter().find(|pair| pair.0 == pid).map(|pair| pair.1);
            let climbs = |pid: u32| std::iter::successors(Some(pid), |pid| above(*pid)).skip(1).any(|above| above == 1);
            let slow: BTreeSet<u32> = pairs.iter().map(|pair| pair.0).filter(|pid| climbs(*pid)).collect();
            prop_assert_eq!(below(1, &[], pairs.iter().copied()), slow);
        }
    }
}
