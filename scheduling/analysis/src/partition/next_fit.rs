//! Next fit: the bin used last, or else one behind it; earlier bins are closed. It looks at each bin once, and wastes most.

use super::open_bin::OpenBin;

/// The bin that took the last task and those behind it. A task that none of them takes closes nothing.
pub fn prefer(bins: &[OpenBin], last: usize, preferred: &mut Vec<usize>) {
    preferred.clear();
    preferred.extend(last..bins.len());
}
