//! Maxima over equal counts: a longer run has a larger maximum for that alone.
//!
//! The side with more samples is asked for the maximum that it may be expected to show in as many draws, without
//! replacement, as the other has samples: sum of v P(max = v), with P(max <= v_r) = C(r, n) / C(N, n) for the r smallest of N.

use super::MaximaComparison;
use super::side::Side;
use crate::distribution::Distribution;
use prazo_core::text::{counted, grouped};
use statrs::function::gamma::ln_gamma;

/// The comparison of the maxima of both sides.
pub(super) fn compare(reference: &Side<'_>, other: &Side<'_>) -> MaximaComparison {
    let (a, b) = (reference.pooled(), other.pooled());
    let count = a.count().min(b.count());
    let p_value = permutation_p(&maxima(reference), &maxima(other));
    MaximaComparison {
        count,
        reference_ns: at_count(&a, count),
        other_ns: at_count(&b, count),
        method: method(&a, &b, [reference.runs.len(), other.runs.len()], p_value),
        p_value,
    }
}

fn maxima(side: &Side<'_>) -> Vec<Option<i64>> {
    side.served.iter().map(Distribution::max).collect()
}

/// The maximum, or where there are more samples than `count`, the one expected of `count` draws.
fn at_count(distribution: &Distribution, count: u64) -> Option<i64> {
    let max = distribution.max()?;
    if distribution.count() <= count { Some(max) } else { expected_maximum(distribution, count) }
}

/// The expected maximum of `draws` samples without replacement; bracketed values count at their lower end.
///
/// `None` without a draw. Rounded to the nearest nanosecond.
fn expected_maximum(distribution: &Distribution, draws: u64) -> Option<i64> {
    let hidden = distribution.vague().iter().map(|part| (part.at_least_ns, part.count));
    let cells = crate::distribution::gather(distribution.exact().iter().copied().chain(hidden).collect());
    let (total, top) = (distribution.count(), cells.last()?.0);
    if draws == 0 || draws > total {
        return None;
    }
    // Walks down from the top: `below` is the chance that all draws lie under the cell just passed.
    let (mut left, mut at_most, mut shortfall) = (total, 1.0, 0.0);
    for (value, count) in cells.iter().rev() {
        left -= count;
        let below = chance_of_all_below(left, draws, total);
        shortfall += (top - value) as f64 * (at_most - below);
        at_most = below;
        if below == 0.0 {
            break;
        }
    }
    Some(top - shortfall.round() as i64)
}

/// C(left, draws) / C(total, draws): the chance that no draw is among the `total - left` largest.
fn chance_of_all_below(left: u64, draws: u64, total: u64) -> f64 {
    if left < draws {
        return 0.0;
    }
    let removed = total - left;
    if removed <= 64 {
        let factor = |j: u64| (total - draws - j) as f64 / (total - j) as f64;
        return (0..removed).map(factor).product();
    }
    let ln_falling = |n: u64| ln_gamma(n as f64 + 1.0) - ln_gamma((n - draws) as f64 + 1.0);
    (ln_falling(left) - ln_falling(total)).exp().min(1.0)
}

/// Most orders that are looked at one by one.
const ORDERS_MAX: u64 = 200_000;

/// Two-sided permutation test of the difference of the mean maxima; `None` where even the extreme order would not reach 5 %.
fn permutation_p(a: &[Option<i64>], b: &[Option<i64>]) -> Option<f64> {
    let all: Vec<f64> = a.iter().chain(b).map(|max| max.map(|max| max as f64)).collect::<Option<_>>()?;
    let orders = choose(all.len() as u64, a.len() as u64)?;
    if orders < 40 || all.len() > 24 {
        return None;
    }
    let sum: f64 = all.iter().sum();
    let gap = |part: f64| (part / a.len() as f64 - (sum - part) / b.len() as f64).abs();
    let observed = gap(all[..a.len()].iter().sum());
    let chosen = (0u32..1 << all.len()).filter(|bits| bits.count_ones() as usize == a.len());
    let part = |bits: u32| (0..all.len()).filter(|i| bits >> i & 1 == 1).map(|i| all[i]).sum::<f64>();
    let as_large = chosen.filter(|bits| gap(part(*bits)) >= observed * (1.0 - 1e-12)).count();
    Some(as_large as f64 / orders as f64)
}

/// The binomial coefficient; `None` beyond what is enumerated.
fn choose(n: u64, k: u64) -> Option<u64> {
    (0..k)
        .try_fold(1u64, |product, i| Some(product.checked_mul(n - i)? / (i + 1)))
        .filter(|orders| *orders <= ORDERS_MAX)
}

fn method(a: &Distribution, b: &Distribution, runs: [usize; 2], p_value: Option<f64>) -> String {
    let (small, large) = (a.count().min(b.count()), a.count().max(b.count()));
    let mut text = match small == large {
        true => format!("observed maxima of {} each", counted(small, "sample")),
        false => format!(
            "maxima at equal sample counts: for the side with {}, the expected maximum of {} samples drawn without replacement; for the other side, the observed maximum",
            counted(large, "sample"),
            grouped(small)
        ),
    };
    if a.max().is_none() || b.max().is_none() {
        text.push_str("; a maximum is missing where samples beyond the histogram's bound leave it unknown");
    }
    match p_value {
        Some(p) => text += &format!("; permutation test over {} and {} run maxima, p = {p:.3}", runs[0], runs[1]),
        None => {
            text += "; no permutation test of the maxima; a test is possible with 4 to 10 runs of each side, each with a known maximum";
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn distribution(values: &[i64]) -> Distribution {
        Distribution::new(values.iter().map(|value| (*value, 1)).collect(), vec![])
    }

    /// The slow, obvious twin: the mean of the maxima of every subset of that size.
    fn by_enumeration(values: &[i64], draws: u64) -> f64 {
        let subsets = (0u32..1 << values.len()).filter(|bits| u64::from(bits.count_ones()) == draws);
        let max = |bits: u32| (0..values.len()).filter(|i| bits >> i & 1 == 1).map(|i| values[i]).max().unwrap();
        let maxima: Vec<i64> = subsets.map(max).collect();
        maxima.iter().sum::<i64>() as f64 / maxima.len() as f64
    }

    proptest! {
        #[test]
        fn the_expected_maximum_agrees_with_enumeration(values in prop::collection::vec(-100i64..1_000, 1..11), draws in 1u64..11) {
            let draws = draws.min(values.len() as u64);
            let found = expected_maximum(&distribution(&values), draws).unwrap() as f64;
            prop_assert!((found - by_enumeration(&values, draws)).abs() <= 0.5 + 1e-9);
        }
    }

    #[test]
    fn chances_agree_between_the_product_and_the_logarithm() {
        // 65 removed take the logarithm; 64 the product and one more factor.
        let (total, draws) = (1_000_000u64, 20_000u64);
        let product: f64 = (0..65).map(|j| (total - draws - j) as f64 / (total - j) as f64).product();
        assert!((chance_of_all_below(total - 65, draws, total) / product - 1.0).abs() < 1e-7);
        assert_eq!(chance_of_all_below(10, 11, 100), 0.0);
    }

    #[test]
    fn a_longer_run_is_asked_for_fewer_draws() {
        let mut cells = vec![(100, 999_999), (50_000, 1)];
        let long = Distribution::new(cells.clone(), vec![]);
        assert_eq!(at_count(&long, 1_000_000), Some(50_000));
        assert_eq!(at_count(&long, 10_000), Some(100 + 49_900 / 100), "one draw in a hundred of that size finds it");
        cells.clear();
        assert_eq!(at_count(&Distribution::new(cells, vec![]), 0), None);
    }

    #[test]
    fn repeated_maxima_are_tested_by_permutation() {
        let of = |values: &[i64]| values.iter().map(|value| Some(*value)).collect::<Vec<_>>();
        let apart = permutation_p(&of(&[10, 11, 12, 13]), &of(&[90, 91, 92, 93])).unwrap();
        assert!((apart - 2.0 / 70.0).abs() < 1e-12);
        assert_eq!(permutation_p(&of(&[5, 5, 5, 5]), &of(&[5, 5, 5, 5])), Some(1.0));
        assert_eq!(permutation_p(&of(&[1, 2, 3]), &of(&[7, 8, 9])), None, "20 orders cannot reach 5 %");
        assert_eq!(permutation_p(&[None, Some(1), Some(1), Some(1)], &of(&[7, 8, 9, 9])), None);
    }
}
