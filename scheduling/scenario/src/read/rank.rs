//! Priorities of other tools as ranks, 0 the most urgent.

/// What a reader says of tasks that share a rank.
pub(super) const EQUAL: &str = "tasks of equal priority are ranked in the order of the file; the tool that the file is written for may rank them differently";

/// The rank of each of `urgencies`, of which the smallest is the most urgent; equal ones share a rank.
pub(super) fn ranks(urgencies: &[i128]) -> Vec<u32> {
    let mut sorted = urgencies.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    urgencies.iter().map(|urgency| sorted.partition_point(|other| other < urgency) as u32).collect()
}

/// True if two tasks share a rank.
pub(super) fn any_equal(ranks: &[u32]) -> bool {
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_is_the_most_urgent_and_equal_ones_share_a_rank() {
        assert_eq!(ranks(&[30, -5, 7, 30]), [2, 0, 1, 2]);
        assert!(any_equal(&[2, 0, 1, 2]) && !any_equal(&[1, 0]));
    }
}
