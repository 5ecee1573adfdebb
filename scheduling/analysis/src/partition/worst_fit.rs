//! Worst fit: the bin with the largest spare capacity after placing, ties to the lowest number. It levels the bins, which
//! helps where each also pays for overheads or is tested as a cluster.

use super::open_bin::OpenBin;

/// The emptiest bin first; the same task joins wherever it goes, so spare capacity before decides like that after.
pub fn prefer(bins: &[OpenBin], preferred: &mut [usize]) {
    preferred.sort_by(|a, b| bins[*b].compare_spare(&bins[*a]).then(a.cmp(b)));
}
