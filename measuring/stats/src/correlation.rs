//! Whether two quantities go together: Pearson's coefficient as Marsal 2013 has it, Spearman's by ranks, each with an interval.
//!
//! The interval draws pairs with replacement (percentile bootstrap, seeded), since Fisher's transformation supposes normal
//! quantities, which penalties and counts of switches are not. Pairs of one workload are not independent, so that the
//! interval is a statement about these workloads, not about all there are.

use crate::bootstrap::middle_95;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const DRAWS: usize = 2_000;
const SEED: u64 = 0x7072_617a_6f00_0003;
/// With fewer pairs almost any coefficient comes about by chance.
pub const PAIRS_MIN: usize = 5;

/// A correlation coefficient between -1 and 1 with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Coefficient {
    /// The correlation coefficient of all pairs, without resampling.
    pub value: f64,
    /// Lower end of the coefficient's 95 % interval.
    pub low: f64,
    /// Upper end of the coefficient's 95 % interval.
    pub high: f64,
}

/// Correlation of two quantities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Correlation {
    /// Number of pairs of values.
    pub count: usize,
    /// Pearson's coefficient, by value: how close the pairs are to a straight line.
    pub pearson: Coefficient,
    /// Spearman's coefficient, by rank: whether one quantity grows with the other, linearly or not.
    pub spearman: Coefficient,
    /// How the 95 % intervals of both coefficients are computed, in one sentence.
    pub method: String,
}

/// The correlation of pairs; `Err` says why there is none.
pub fn correlation(pairs: &[(f64, f64)]) -> Result<Correlation, String> {
    if pairs.iter().any(|(x, y)| !x.is_finite() || !y.is_finite()) {
        return Err("a correlation needs finite values; a pair has a value that is not finite".into());
    }
    if pairs.len() < PAIRS_MIN {
        return Err(format!("a correlation needs at least {PAIRS_MIN} pairs, but has {}", pairs.len()));
    }
    let constant = || "a correlation needs two quantities that vary; one of them does not vary".to_owned();
    let (pearson_value, spearman_value) = pearson(pairs).zip(spearman(pairs)).ok_or_else(constant)?;
    let draws = drawn(pairs);
    let interval = |value, coefficient: fn(&[(f64, f64)]) -> Option<f64>| {
        // Draws that happen not to vary have no coefficient.
        let drawn = draws.iter().filter_map(|draw| coefficient(draw)).collect();
        let (low, high) = middle_95(drawn, f64::total_cmp).unwrap_or((-1.0, 1.0));
        Coefficient { value, low, high }
    };
    Ok(Correlation {
        count: pairs.len(),
        pearson: interval(pearson_value, pearson),
        spearman: interval(spearman_value, spearman),
        method: format!("95 % CI by percentile bootstrap, {DRAWS} draws of {} pairs", pairs.len()),
    })
}

/// Pearson's coefficient; `None` where one of the quantities does not vary.
fn pearson(pairs: &[(f64, f64)]) -> Option<f64> {
    let n = pairs.len() as f64;
    let (mean_x, mean_y) = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
    let sum = |term: fn(f64, f64) -> f64| pairs.iter().map(|(x, y)| term(x - mean_x, y - mean_y)).sum::<f64>();
    let spread = (sum(|x, _| x * x) * sum(|_, y| y * y)).sqrt();
    (spread > 0.0).then(|| (sum(|x, y| x * y) / spread).clamp(-1.0, 1.0))
}

/// Spearman's coefficient: Pearson's of the ranks, equal values sharing the mean of theirs.
fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    let xs = ranks(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
    let ys = ranks(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
    pearson(&xs.into_iter().zip(ys).collect::<Vec<_>>())
}

pub(crate) fn ranks(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = |value: &f64| {
        let (first, end) =
            (sorted.partition_point(|other| other < value), sorted.partition_point(|other| other <= value));
        (first + 1 + end) as f64 / 2.0
    };
    values.iter().map(rank).collect()
}

fn drawn(pairs: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut draw = || pairs.iter().map(|_| pairs[random.usize(0..pairs.len())]).collect();
    (0..DRAWS).map(|_| draw()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Anscombe (1973), first set: its correlation is 0.816 in every textbook.
    const ANSCOMBE: [(f64, f64); 11] = [
        (10.0, 8.04),
        (8.0, 6.95),
        (13.0, 7.58),
        (9.0, 8.81),
        (11.0, 8.33),
        (14.0, 9.96),
        (6.0, 7.24),
        (4.0, 4.26),
        (12.0, 10.84),
        (7.0, 4.82),
        (5.0, 5.68),
    ];

    #[test]
    fn anscombe_1973_first_set() {
        let found = correlation(&ANSCOMBE).unwrap();
        assert!((found.pearson.value - 0.816).abs() < 0.001, "{found:?}");
        assert!((found.spearman.value - 0.818).abs() < 0.001, "{found:?}");
        assert!(found.pearson.low < 0.816 && 0.816 < found.pearson.high && found.pearson.low > 0.2, "{found:?}");
    }

    #[test]
    fn ranks_see_growth_of_any_shape() {
        let cubes: Vec<_> = (1..20).map(|x| (f64::from(x), f64::from(x).powi(7))).collect();
        let found = correlation(&cubes).unwrap();
        assert_eq!(found.spearman.value, 1.0);
        assert!(found.pearson.value < 0.9);
    }

    #[test]
    fn equal_values_share_their_rank() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 9.0]), [2.5, 1.0, 2.5, 4.0]);
    }

    #[test]
    fn too_few_pairs_and_constant_quantities_have_none() {
        assert!(correlation(&ANSCOMBE[..4]).unwrap_err().contains("but has 4"));
        assert!(correlation(&[(1.0, 2.0); 9]).unwrap_err().contains("does not vary"));
        assert!(correlation(&[(f64::NAN, 2.0); 9]).unwrap_err().contains("not finite"));
    }

    #[test]
    fn unrelated_quantities_have_an_interval_around_0() {
        let mut random = fastrand::Rng::with_seed(11);
        let mut holds = 0;
        for _ in 0..40 {
            let pairs: Vec<_> = (0..30).map(|_| (random.f64(), random.f64())).collect();
            let found = correlation(&pairs).unwrap();
            holds += u32::from(found.pearson.low <= 0.0 && 0.0 <= found.pearson.high);
        }
        assert!(holds >= 33, "{holds} of 40 intervals hold 0");
    }

    proptest! {
        /// The slow twin: with distinct values Spearman's is 1 - 6 sum(d^2) / (n (n^2 - 1)).
        #[test]
        fn spearman_agrees_with_the_formula_of_rank_differences(seed: u64, n in 5usize..20) {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut order: Vec<usize> = (0..n).collect();
            random.shuffle(&mut order);
            let pairs: Vec<_> = order.iter().enumerate().map(|(x, y)| (x as f64, *y as f64)).collect();
            let squares: f64 = pairs.iter().map(|(x, y)| (x - y).powi(2)).sum();
            let n = n as f64;
            prop_assert!((spearman(&pairs).unwrap() - (1.0 - 6.0 * squares / (n * (n * n - 1.0)))).abs() < 1e-9);
        }
    }
}
