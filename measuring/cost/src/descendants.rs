//! The living descendants of this process, and ending them by id.
//!
//! This process adopts orphans, so that no descendant can leave the tree that is walked here; and since what is being ended
//! may still fork, the walk is repeated by the caller until it finds nothing.

use prazo_platform::Root;
use prazo_sys::process::ProcessHandle;
use std::collections::BTreeSet;

/// The descendants, ended but uncollected ones included, without those that are `apart` and what is below them.
pub(crate) fn all(apart: &[u32]) -> BTreeSet<u32> {
    prazo_platform::descendants(std::process::id(), apart)
}

/// Those that have not ended: one that only waits to be collected does not run any more.
pub(crate) fn running(descendants: &BTreeSet<u32>) -> BTreeSet<u32> {
    let root = Root::system();
    let runs = |pid: &u32| root.read(&format!("/proc/{pid}/stat")).is_ok_and(|stat| !has_ended(&stat));
    descendants.iter().copied().filter(runs).collect()
}

/// Sends all of them a signal; one that has ended meanwhile needs none.
pub(crate) fn signal(descendants: &BTreeSet<u32>, apart: &[u32], signal: i32) {
    let handles: Vec<_> = descendants.iter().filter_map(|pid| ProcessHandle::open(*pid).ok().zip(Some(*pid))).collect();
    // Numbers are used again: a handle is trusted if its process is below us now that the handle is held.
    let still = all(apart);
    for (handle, _) in handles.iter().filter(|(_, pid)| still.contains(pid)) {
        let _ = handle.signal(signal);
    }
}

/// True for a process in state Z whose last thread has ended, too: the first thread may end before the others.
fn has_ended(stat: &str) -> bool {
    let Some((_, fields)) = stat.rsplit_once(')') else { return true };
    let mut fields = fields.split_whitespace();
    fields.next() == Some("Z") && fields.nth(16).is_none_or(|threads| threads == "0" || threads == "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_waits_to_be_collected_has_ended_and_one_with_threads_left_has_not() {
        let stat = |state: &str, threads: &str| format!("12 (a) {state} {}{threads} 0", "0 ".repeat(16));
        assert!(has_ended(&stat("Z", "1")) && !has_ended(&stat("Z", "2")) && !has_ended(&stat("S", "1")));
    }
}
