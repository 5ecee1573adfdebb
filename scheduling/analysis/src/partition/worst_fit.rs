//! Worst fit: the bin with the largest spare capacity after placing, ties to the lowest number. It levels the bins, which
//! helps where each also pays for overheads or is tested as a cluster.

use std::cmp::Ordering;

/// The emptiest bin first; the same task joins wherever it goes, so spare capacity before decides like that after.
pub(super) fn compare(spare: Ordering) -> Ordering {
    spare.reverse()
}
