//! Arrivals of one interrupt: how many there were at most in any window of a length.

/// The largest number of arrivals, in order, in any window `[from, from + length)`.
pub(super) fn most_within(arrivals: &[u64], length: u64) -> u64 {
    let mut first = 0;
    let mut most = 0;
    for (place, at) in arrivals.iter().enumerate() {
        while at - arrivals[first] >= length && first < place {
            first += 1;
        }
        most = most.max(place + 1 - first);
    }
    if length == 0 { 0 } else { most as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The definition: a window that holds most can begin at an arrival.
        #[test]
        fn it_is_what_counting_from_every_arrival_gives(
            mut arrivals in prop::collection::vec(0..500u64, 0..60), length in 0..200u64,
        ) {
            arrivals.sort_unstable();
            let from = |start: &u64| arrivals.iter().filter(|at| (*start..start + length).contains(at)).count();
            let expected = arrivals.iter().map(from).max().unwrap_or(0) as u64;
            prop_assert_eq!(most_within(&arrivals, length), expected);
        }
    }
}
