//! The figures against slow twins that sort every sample.

mod support;

use prazo_core::time::Duration;
use prazo_run::{Run, Series};
use prazo_stats::Variation;
use prazo_stats::distribution::Bracket;
use prazo_stats::level::{Level, VALUES_ABOVE_MIN};
use prazo_study::{CellSource, Figures, builtin, matrix};
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
        let latencies = figures(&samples, overflow).latencies;
        let level = Level::from_f64(thousandths as f64 / 1e3).unwrap();
        let Ok(found) = latencies.estimate(level) else {
            prop_assert!(!level.is_supported_by(latencies.count()));
            return Ok(());
        };
        let beyond = Bracket { at_least_ns: samples.iter().max().unwrap() + 1, at_most_ns: None };
        let exact = |value| Bracket { at_least_ns: value, at_most_ns: Some(value) };
        prop_assert_eq!(found.value, slow_quantile(&samples, overflow as usize, thousandths).map_or(beyond, exact));
    }

    #[test]
    fn counts_means_and_extremes_are_those_of_the_samples(samples in prop::collection::vec(-50i64..500, 1..300), limit in -60i64..510) {
        let figures = figures(&samples, 0).latencies;
        prop_assert_eq!(figures.count(), samples.len() as u64);
        prop_assert_eq!(figures.above(limit), samples.iter().filter(|sample| **sample > limit).count() as u64);
        prop_assert_eq!(figures.min_ns(), samples.iter().min().copied());
        prop_assert_eq!(figures.max_ns(), samples.iter().max().copied());
        let mean = samples.iter().sum::<i64>() as f64 / samples.len() as f64;
        let range = figures.mean_range().unwrap();
        prop_assert!((range.low_ns - mean).abs() < 1e-6 && range.high_ns == Some(range.low_ns));
        prop_assert_eq!(figures.mean_ns(), Some(range.low_ns));
    }

    #[test]
    fn a_quantile_that_too_few_values_support_is_refused(n in 1usize..2_000) {
        let samples: Vec<i64> = (0..n as i64).collect();
        let above = n - (n * 99).div_ceil(100);
        prop_assert_eq!(figures(&samples, 0).quantile(Level::nines(100)).is_ok(), above as u64 >= VALUES_ABOVE_MIN);
    }
}

#[test]
fn a_maximum_beyond_the_histogram_is_the_stated_one_or_only_a_bound() {
    let mut unknown = series([1_000, 2_000]);
    unknown.histogram.add_overflow(1);
    let mut stated = unknown.clone();
    stated.stated = Some(prazo_run::run::StatedFigures { max_ns: Some(9_000), ..Default::default() });
    let max = |series| of(series).latencies.max().unwrap();
    assert_eq!(max(unknown).to_string(), "at least 2.001us");
    assert_eq!(max(stated).to_string(), "9us");
}

#[test]
fn a_latency_of_the_warm_up_is_no_maximum() {
    let mut warmed = series([1_000, 2_000]);
    warmed.worst = vec![prazo_run::run::WorstSample { at_ns: 10, latency_ns: 70_000, activation: 0 }];
    let cells = matrix::cells(&builtin::find("evaluate").unwrap(), &support::here());
    let CellSource::Measure { plans, .. } = &cells[0].source else { panic!("{:?}", cells[0]) };
    assert_eq!(plans[0].warm_up, Duration::from_s(1));
    let run = Run { plan: Some(plans[0].clone()), series: vec![warmed], ..Run::default() };
    assert_eq!(Figures::of(&[run], None).latencies.max_ns(), Some(2_000));
}

/// Blocks of `length_s` seconds, the values of each one larger than those of the block before.
fn drifting(blocks: u32, length_s: u32) -> Series {
    let mut drifting = series((0..6_000).map(|n| n % 100));
    for block in 0..blocks {
        let mut histogram = prazo_run::Histogram::new();
        (0..300).for_each(|n| histogram.add(n % 100 + i64::from(block), 1));
        drifting.blocks.push(prazo_run::run::Block { from_s: block * length_s, length_s, histogram });
    }
    drifting
}

fn of(series: Series) -> Figures {
    Figures::of(&[Run { series: vec![series], ..Run::default() }], None)
}

#[test]
fn a_claim_has_the_interval_that_a_summary_prints() {
    let run = Run { series: vec![drifting(20, 10)], ..Run::default() };
    let claimed = Figures::of(std::slice::from_ref(&run), None).quantile(Level::nines(2)).unwrap();
    let printed = prazo_stats::summarise(&run).summaries[0].quantiles[0].clone();
    assert!(printed.interval_ns.is_some_and(|(low, high)| low < high));
    assert_eq!((printed.value_ns, printed.interval_ns), (claimed.value.exact(), claimed.interval_ns()));
    assert_eq!(Some(claimed.ends_ns()), printed.interval_ns);
}

#[test]
fn a_run_too_short_for_an_interval_has_the_range_of_its_blocks() {
    let estimate = of(drifting(20, 1)).quantile(Level::nines(2)).unwrap();
    assert_eq!((estimate.value.exact(), estimate.ends_ns()), (Some(49), (49, 68)));
    assert_eq!(estimate.interval_ns(), None, "a range is no interval");
    assert_eq!(estimate.to_string(), "49ns (49ns to 68ns over 20 blocks)");
    assert!(estimate.reason().contains("at least 10 blocks of 5 s"), "{}", estimate.reason());
}

#[test]
fn few_blocks_say_nothing_of_variation() {
    let estimate = of(drifting(5, 1)).quantile(Level::nines(2)).unwrap();
    assert_eq!(estimate.ends_ns(), (49, 49));
    assert!(matches!(estimate.variation, Variation::Unknown(_)));
    assert_eq!(estimate.to_string(), "49ns");
}

#[test]
fn an_interval_that_reaches_beyond_the_histogram_has_no_upper_end() {
    let mut far = drifting(20, 10);
    far.histogram.add_overflow(50);
    far.blocks.iter_mut().for_each(|block| block.histogram.add_overflow(2 * block.histogram.total()));
    let estimate = of(far).quantile(Level::nines(2)).unwrap();
    assert_eq!((estimate.interval_ns(), estimate.ends_ns().1), (None, i64::MAX));
    assert!(estimate.to_string().contains("beyond the histogram"), "{estimate}");
}
