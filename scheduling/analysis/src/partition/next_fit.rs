//! Next fit: the bin used last, or else one behind it; earlier bins are closed. It looks at each bin once, and wastes most.

use std::cmp::Ordering;

/// The bins as they are numbered.
pub(super) const fn compare() -> Ordering {
    Ordering::Equal
}

/// The bin that took the last task and those behind it. A task that none of them takes closes nothing.
pub(super) const fn first(last: usize) -> usize {
    last
}
