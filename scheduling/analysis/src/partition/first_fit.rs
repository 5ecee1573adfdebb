//! First fit: the lowest-numbered bin that takes the task. It leaves the later bins empty for large tasks.

use super::open_bin::OpenBin;

/// The bins as they are numbered.
pub fn prefer(bins: &[OpenBin], preferred: &mut Vec<usize>) {
    preferred.clear();
    preferred.extend(0..bins.len());
}
