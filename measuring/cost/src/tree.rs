//! The living descendants of this process, and ending them by id.
//!
//! This process adopts orphans, so that no descendant can leave the tree that is walked here; and since what is being ended
//! may still fork, the walk is repeated by the caller until it finds nothing.

use prazo_platform::Root;
use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::AsFd;

/// The descendants, ended but uncollected ones included, without those that are `apart` and what is below them.
pub(crate) fn descendants(apart: &[u32]) -> BTreeSet<u32> {
    let root = Root::system();
    let names = root.list("/proc").unwrap_or_default();
    let numbers = names.iter().filter_map(|name| name.parse::<u32>().ok());
    below(std::process::id(), apart, numbers.filter_map(|pid| Some((pid, parent(&root, pid)?))))
}

/// Those that have not ended: one that only waits to be collected does not run any more.
pub(crate) fn running(descendants: &BTreeSet<u32>) -> BTreeSet<u32> {
    let root = Root::system();
    let runs = |pid: &u32| root.read(&format!("/proc/{pid}/stat")).is_ok_and(|stat| !has_ended(&stat));
    descendants.iter().copied().filter(runs).collect()
}

/// Sends all of them a signal; one that has ended meanwhile needs none.
pub(crate) fn signal(descendants: &BTreeSet<u32>, apart: &[u32], signal: i32) {
    let handles: Vec<_> =
        descendants.iter().filter_map(|pid| prazo_sys::process::process_handle(*pid).ok().zip(Some(*pid))).collect();
    // Numbers are used again: a handle is trusted if its process is below us now that the handle is held.
    let still = self::descendants(apart);
    for (handle, _) in handles.iter().filter(|(_, pid)| still.contains(pid)) {
        let _ = prazo_sys::process::signal(handle.as_fd(), signal);
    }
}

/// The parent of a process; `None` for one that has ended and was collected.
fn parent(root: &Root, pid: u32) -> Option<u32> {
    parent_in(&root.read(&format!("/proc/{pid}/stat")).ok()?)
}

/// The parent in the text of /proc/PID/stat; the name before it may hold anything, blanks and brackets included.
fn parent_in(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// True for a process in state Z whose last thread has ended, too: the first thread may end before the others.
fn has_ended(stat: &str) -> bool {
    let Some((_, fields)) = stat.rsplit_once(')') else { return true };
    let mut fields = fields.split_whitespace();
    fields.next() == Some("Z") && fields.nth(16).is_none_or(|threads| threads == "0" || threads == "1")
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
    fn a_process_that_waits_to_be_collected_has_ended_and_one_with_threads_left_has_not() {
        let stat = |state: &str, threads: &str| format!("12 (a) {state} {}{threads} 0", "0 ".repeat(16));
        assert!(has_ended(&stat("Z", "1")) && !has_ended(&stat("Z", "2")) && !has_ended(&stat("S", "1")));
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
