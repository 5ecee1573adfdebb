//! Best fit: the bin with the smallest spare capacity after placing, ties to the lowest number. It keeps the largest hole.

use std::cmp::Ordering;

/// The fullest bin first; the same task joins wherever it goes, so spare capacity before decides like that after.
pub(super) fn compare(spare: Ordering) -> Ordering {
    spare
}
