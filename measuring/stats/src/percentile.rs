//! The percentile bootstrap's last step: the interval that redrawn values of a statistic give.

use std::cmp::Ordering;

/// The values at 2.5 % and 97.5 % of the draws in this order; `None` without a draw.
pub(crate) fn middle_95<T: Copy>(mut draws: Vec<T>, order: impl Fn(&T, &T) -> Ordering) -> Option<(T, T)> {
    draws.sort_unstable_by(order);
    let cut = draws.len() / 40;
    Some((*draws.get(cut)?, draws[draws.len() - 1 - cut]))
}

#[cfg(test)]
mod tests {
    use super::middle_95;

    #[test]
    fn a_fortieth_of_the_draws_is_cut_from_each_end() {
        let draws = |count: u32| middle_95((1..=count).rev().collect(), Ord::cmp);
        assert_eq!([draws(1), draws(39), draws(40), draws(2_000)], [(1, 1), (1, 39), (2, 39), (51, 1_950)].map(Some));
        assert_eq!(draws(0), None);
    }
}
