//! Ending every descendant of the calling process, by number.
//!
//! The caller adopts orphans (as process 1 or as a subreaper), so that a descendant can never leave the tree that is
//! walked here; and since what is being ended may still fork, the walk is repeated until it finds nothing.

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
        let living = prazo_platform::descendants(std::process::id(), &[]);
        for pid in &living {
            // One that has ended since the walk is what was wanted.
            let _ = sys::kill(*pid);
        }
        while sys::collect_ended().is_some() {}
        match living {
            none if none.is_empty() => return Ok(()),
            left if Instant::now() > until => return Err(left.into_iter().collect()),
            _ => std::thread::sleep(PAUSE),
        }
    }
}
