//! First fit: the lowest-numbered bin that takes the task. It leaves the later bins empty for large tasks.

use std::cmp::Ordering;

/// The bins as they are numbered.
pub(super) const fn compare() -> Ordering {
    Ordering::Equal
}
