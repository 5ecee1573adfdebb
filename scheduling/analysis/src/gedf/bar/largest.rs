//! Sum of the largest few of many values, without sorting them.

/// Sum of the `count` largest of `values`, which are reordered.
pub(super) fn sum_of_largest(values: &mut [u64], count: usize) -> u128 {
    let largest = if count < values.len() { values.select_nth_unstable_by(count, |a, b| b.cmp(a)).0 } else { values };
    largest.iter().map(|value| u128::from(*value)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_sorting() {
        let seed = 3;
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..1_000 {
            let mut values: Vec<u64> = (0..random.usize(0..9)).map(|_| random.u64(0..7)).collect();
            let count = random.usize(0..11);
            let mut sorted = values.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let expected: u64 = sorted.iter().take(count).sum();
            assert_eq!(sum_of_largest(&mut values, count), u128::from(expected), "{values:?}, {count}, seed {seed}");
        }
    }
}
