//! Sorted exponential draws without sorting, from which both laws are drawn.
//!
//! The gaps between sorted exponential values are independent exponential values (Rényi 1953).

/// One exponential value with mean 1.
pub(in crate::tail) fn exponential(random: &mut fastrand::Rng) -> f64 {
    -(1.0 - random.f64()).ln()
}

/// So many exponential values with mean 1, in ascending order.
pub(super) fn exponentials(count: usize, random: &mut fastrand::Rng) -> impl Iterator<Item = f64> {
    let mut sum = 0.0;
    (0..count).map(move |drawn| {
        sum += exponential(random) / (count - drawn) as f64;
        sum
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_ascend_and_have_the_quantiles_of_the_exponential_law() {
        let mut random = fastrand::Rng::with_seed(5);
        let found: Vec<f64> = exponentials(100_000, &mut random).collect();
        assert!(found.is_sorted());
        for share in [0.1, 0.5, 0.9, 0.99] {
            let quantile = found[(share * 1e5) as usize];
            assert!((quantile + f64::ln(1.0 - share)).abs() < 0.05, "{share}: {quantile}");
        }
    }
}
