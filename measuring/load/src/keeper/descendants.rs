//! Ending every descendant of the calling process, by number.
//!
//! The caller adopts orphans (as process 1 or as a subreaper), so that a descendant can never leave the tree that is
//! walked here; and since what is being ended may still fork, the walk is repeated until it finds nothing.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use prazo_sys::containment as sys;

/// How long descendants may take to end: one that writes back to a disk that others keep busy was seen to take longer than 5 s, and cannot be hurried.
const PATIENCE: Duration = Duration::from_secs(25);
/// The pause between two walks, so that ending a load does not become one.
const PAUSE: Duration = Duration::from_millis(2);

/// Ends and collects every descendant; the numbers of those that would not end in time.
pub(super) fn end_all() -> Result<(), Vec<u32>> {
    let until = Instant::now() + PATIENCE;
    loop {
        let living = of(std::process::id());
        for pid in &living {
            // One that has ended since the walk is what was wanted.
            let _ = sys::kill(*pid);
        }
        while sys::collect_ended().is_some() {}
        match living {
            none if none.is_empty() => return Ok(()),
            left if Instant::now() > until => return Err(left),
            _ => std::thread::sleep(PAUSE),
        }
    }
}

/// The numbers of all descendants of `ancestor` in /proc, those that have ended and were not collected included.
fn of(ancestor: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    tree(ancestor, numbers.filter_map(|pid: u32| Some((pid, parent(pid)?))))
}

fn parent(pid: u32) -> Option<u32> {
    parent_in(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The parent in the text of /proc/PID/stat; the name before it may hold anything, blanks and brackets included.
fn parent_in(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

fn tree(ancestor: u32, parents: impl Iterator<Item = (u32, u32)>) -> Vec<u32> {
    let mut children = BTreeMap::<u32, Vec<u32>>::new();
    for (pid, parent) in parents {
        children.entry(parent).or_default().push(pid);
    }
    let mut found = children.remove(&ancestor).unwrap_or_default();
    let mut next = 0;
    while let Some(pid) = found.get(next) {
        found.extend(children.remove(pid).unwrap_or_default());
        next += 1;
    }
    found
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
        let found = of(std::process::id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(found.contains(&child.id()));
        assert!(!found.contains(&std::process::id()) && !found.contains(&1));
    }

    proptest! {
        /// The slow twin climbs from every process to the top.
        #[test]
        fn the_walk_finds_whoever_has_the_ancestor_above(parents in prop::collection::vec(0u32..40, 1..40)) {
            // Process n + 1 has a parent with a smaller number, as it has where numbers never wrapped.
            let pairs: Vec<(u32, u32)> = (1u32..).zip(parents).map(|(pid, parent)| (pid, parent % pid)).collect();
            let climbs = |pid: u32| {
                std::iter::successors(Some(pid), |pid| pairs.iter().find(|pair| pair.0 == *pid).map(|pair| pair.1))
                    .skip(1).any(|above| above == 1)
            };
            let slow: Vec<u32> = pairs.iter().map(|pair| pair.0).filter(|pid| climbs(*pid)).collect();
            let mut fast = tree(1, pairs.iter().copied());
            fast.sort_unstable();
            prop_assert_eq!(fast, slow);
        }
    }
}
