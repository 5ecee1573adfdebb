//! Dependence of any kind between neighbours (Brock and others 1996): are pairs that were close followed
//! by pairs that are close?
//!
//! For an embedding dimension of 2, the statistic is sqrt(n) (C2 - C1²) / (2 (K - C1²)). C1 is the share of pairs of values that are
//! closer than a distance, C2 that of pairs of which their successors are so too, K that of triples of which two are close to the third. It
//! is standard normal for independent values. Pairs are counted along sorted values, in n log n steps.

/// The statistic for one distance; `None` if all values, or none, are close to each other.
pub(in crate::tail) fn bds(values: &[f64], distance: f64) -> Option<f64> {
    if values.len() < 4 {
        return None;
    }
    let (followed, next) = (&values[..values.len() - 1], &values[1..]);
    let count = followed.len() as f64;
    let pairs = count * (count - 1.0) / 2.0;
    let near = neighbours(followed, distance);
    let c1 = near.iter().sum::<f64>() / 2.0 / pairs;
    let c2 = close_in_both(followed, next, distance) / pairs;
    let k = near.iter().map(|near| near * (near - 1.0)).sum::<f64>() / (count * (count - 1.0) * (count - 2.0));
    let spread = k - c1 * c1;
    (spread > 1e-12).then(|| count.sqrt() * (c2 - c1 * c1) / (2.0 * spread))
}

/// How many others are closer to each value, in the order of the sorted values.
fn neighbours(values: &[f64], distance: f64) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (mut first, mut end) = (0, 0);
    let near = |value: &f64| {
        while value - sorted[first] >= distance {
            first += 1;
        }
        while end < sorted.len() && sorted[end] - value < distance {
            end += 1;
        }
        (end - first - 1) as f64
    };
    sorted.iter().map(near).collect()
}

/// How many pairs of places are close in both values.
fn close_in_both(a: &[f64], b: &[f64], distance: f64) -> f64 {
    let mut by_a: Vec<(f64, f64)> = a.iter().copied().zip(b.iter().copied()).collect();
    by_a.sort_by(|x, y| x.0.total_cmp(&y.0));
    let mut sorted_b = b.to_vec();
    sorted_b.sort_by(f64::total_cmp);
    let mut window = Counts::new(sorted_b.len());
    let place = |value: f64| sorted_b.partition_point(|other| *other < value);
    let (mut first, mut close) = (0, 0.0);
    for (x, y) in &by_a {
        while x - by_a[first].0 >= distance {
            window.add(place(by_a[first].1), -1);
            first += 1;
        }
        // Strictly closer on both sides, as along the sorted values.
        let low = sorted_b.partition_point(|other| y - *other >= distance);
        let high = sorted_b.partition_point(|other| *other - y < distance);
        close += (window.before(high) - window.before(low)) as f64;
        window.add(place(*y), 1);
    }
    close
}

/// Counts at places, with their sums up to a place in log n steps (Fenwick 1994).
struct Counts(Vec<i64>);

impl Counts {
    fn new(places: usize) -> Self {
        Self(vec![0; places + 1])
    }

    fn add(&mut self, place: usize, count: i64) {
        let mut at = place + 1;
        while at < self.0.len() {
            self.0[at] += count;
            at += at & at.wrapping_neg();
        }
    }

    /// The sum of the counts before a place.
    fn before(&self, place: usize) -> i64 {
        let (mut at, mut sum) = (place, 0);
        while at > 0 {
            sum += self.0[at];
            at &= at - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tail::planted::rejections;
    use proptest::prelude::*;

    /// The slow, obvious twin: every pair and every triple.
    fn by_enumeration(values: &[f64], distance: f64) -> Option<f64> {
        let n = values.len() - 1;
        let close = |i: usize, j: usize| (values[i] - values[j]).abs() < distance;
        let (mut c1, mut c2, mut k) = (0.0, 0.0, 0.0);
        for i in 0..n {
            for j in (0..n).filter(|j| *j != i) {
                c1 += f64::from(u8::from(close(i, j)));
                c2 += f64::from(u8::from(close(i, j) && close(i + 1, j + 1)));
                for l in (0..n).filter(|l| *l != i && *l != j) {
                    k += f64::from(u8::from(close(j, i) && close(i, l)));
                }
            }
        }
        let count = n as f64;
        let (pairs, triples) = (count * (count - 1.0), count * (count - 1.0) * (count - 2.0));
        let (c1, c2, k) = (c1 / pairs, c2 / pairs, k / triples);
        (k - c1 * c1 > 1e-12).then(|| count.sqrt() * (c2 - c1 * c1) / (2.0 * (k - c1 * c1)))
    }

    proptest! {
        #[test]
        fn counting_along_sorted_values_agrees_with_every_pair(values in proptest::collection::vec(0u8..20, 4..30), distance in 1u8..12) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let (found, wanted) = (bds(&values, f64::from(distance)), by_enumeration(&values, f64::from(distance)));
            prop_assert_eq!(found.is_some(), wanted.is_some());
            prop_assert!(found.zip(wanted).is_none_or(|(a, b)| (a - b).abs() < 1e-6 * (1.0 + b.abs())), "{:?} {:?}", found, wanted);
        }
    }

    #[test]
    fn independent_values_are_refused_in_5_of_100_and_varying_spread_nearly_always() {
        let is_refused = |values: &[f64]| bds(values, 0.4).unwrap().abs() > 1.96;
        let refused = rejections(150, |random| (0..1_000).map(|_| random.f64()).collect(), is_refused, 500);
        assert!((10..=45).contains(&refused), "{refused} of 500");
        // No autocorrelation, but calm and wild stretches.
        let calm = |random: &mut fastrand::Rng| {
            (0..1_000).map(|i| (random.f64() - 0.5) * if i / 20 % 2 == 0 { 1.0 } else { 2.0 }).collect()
        };
        assert!(rejections(151, calm, is_refused, 100) >= 95);
        assert_eq!(bds(&[1.0; 100], 1.0), None);
        assert_eq!(bds(&[1.0, 2.0], 1.0), None);
    }
}
