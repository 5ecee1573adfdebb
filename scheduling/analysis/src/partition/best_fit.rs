//! Best fit: the bin with the smallest spare capacity after placing, ties to the lowest number. It keeps the largest hole.

use super::open_bin::OpenBin;

/// The fullest bin first; the same task joins wherever it goes, so spare capacity before decides like that after.
pub fn prefer(bins: &[OpenBin], preferred: &mut [usize]) {
    preferred.sort_by(|a, b| bins[*a].compare_spare(&bins[*b]).then(a.cmp(b)));
}
