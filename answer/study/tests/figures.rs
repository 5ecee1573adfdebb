//! The figures against slow twins that sort every sample.

mod support;

use prazo_run::Run;
use prazo_study::Figures;
use prazo_study::figure::{VALUES_ABOVE, order_statistic};
use proptest::prelude::*;
use support::series;

fn figures(samples: &[i64], overflow: u64) -> Figures {
    let mut series = series(samples.iter().copied());
    series.histogram.add_overflow(overflow);
    Figures::of(&[Run { series: vec![series], ..Run::default() }], None)
}

/// The value below or at which at least the share q of all lies, overflow taken as larger than any; a thousandth part.
fn slow_quantile(samples: &[i64], overflow: usize, thousandths: usize) -> Option<i64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    let n = samples.len() + overflow;
    let rank = (n * thousandths).div_ceil(1_000).max(1);
    sorted.get(rank - 1).copied()
}

proptest! {
    #[test]
    fn a_quantile_is_the_order_statistic_of_the_sorted_samples(
        samples in prop::collection::vec(-50i64..500, 1..300), overflow in 0u64..20, thousandths in 1usize..1000,
    ) {
        let figures = figures(&samples, overflow);
        let found = order_statistic(&figures.histogram, thousandths as f64 / 1e3).unwrap();
        match slow_quantile(&samples, overflow as usize, thousandths) {
            Some(value) => prop_assert_eq!((found.ns, found.at_least), (value, false)),
            None => prop_assert_eq!((found.ns, found.at_least), (*samples.iter().max().unwrap(), true)),
        }
    }

    #[test]
    fn counts_means_and_extremes_are_those_of_the_samples(samples in prop::collection::vec(-50i64..500, 1..300), limit in -60i64..510) {
        let figures = figures(&samples, 0);
        prop_assert_eq!(figures.count(), samples.len() as u64);
        prop_assert_eq!(figures.above(limit), samples.iter().filter(|sample| **sample > limit).count() as u64);
        prop_assert_eq!(figures.min_ns(), samples.iter().min().copied());
        prop_assert_eq!(figures.max().map(|max| max.ns), samples.iter().max().copied());
        let mean = samples.iter().sum::<i64>() as f64 / samples.len() as f64;
        let (low, high) = figures.mean_ns().unwrap();
        prop_assert!((low - mean).abs() < 1e-6 && (high - mean).abs() < 1e-6);
    }

    #[test]
    fn a_quantile_that_too_few_values_support_is_refused(n in 1usize..2_000) {
        let samples: Vec<i64> = (0..n as i64).collect();
        let above = n - (n * 99).div_ceil(100);
        prop_assert_eq!(figures(&samples, 0).quantile(0.99).is_ok(), above as u64 >= VALUES_ABOVE);
    }
}

#[test]
fn a_maximum_beyond_the_histogram_is_the_stated_one_or_only_a_bound() {
    let mut unknown = series([1_000, 2_000]);
    unknown.histogram.add_overflow(1);
    let mut stated = unknown.clone();
    stated.stated = Some(prazo_run::run::StatedFigures { max_ns: Some(9_000), ..Default::default() });
    let max = |series| Figures::of(&[Run { series: vec![series], ..Run::default() }], None).max().unwrap();
    assert_eq!(max(unknown).to_string(), "at least 2us");
    assert_eq!(max(stated).to_string(), "9us");
}

#[test]
fn blocks_widen_a_quantile_to_what_they_vary_by() {
    let mut steady = series((0..6_000).map(|n| n % 100));
    for block in 0..20u32 {
        let mut histogram = prazo_run::Histogram::new();
        (0..300).for_each(|n| histogram.add(n % 100 + i64::from(block), 1));
        steady.blocks.push(prazo_run::run::Block { from_s: block, length_s: 1, histogram });
    }
    let figures = Figures::of(&[Run { series: vec![steady], ..Run::default() }], None);
    let spread = figures.quantile(0.5).unwrap();
    assert_eq!(spread.point.ns, 49);
    assert_eq!(
        (spread.low, spread.high, spread.blocks),
        (49, 63, 20),
        "ranks 6 and 15 of 49..=68, widened to the point"
    );
}

#[test]
fn few_blocks_give_no_interval() {
    let mut short = series((0..600).map(|n| n % 100));
    short.blocks = vec![prazo_run::run::Block { from_s: 0, length_s: 1, histogram: short.histogram.clone() }; 5];
    let spread = Figures::of(&[Run { series: vec![short], ..Run::default() }], None).quantile(0.5).unwrap();
    assert_eq!((spread.low, spread.high, spread.blocks), (49, 49, 0));
    assert_eq!(spread.to_string(), "49ns");
}
