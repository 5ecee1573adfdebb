//! What summaries promise, on made-up runs and on the files published with Blaess 2014.

use super::*;
use prazo_core::time::Duration;
use prazo_run::Histogram;
use prazo_run::run::{Activations, Block, StatedFigures};
use prazo_testing::data;
use proptest::prelude::*;

fn series(cpu: u32, values: &[i64]) -> Series {
    let mut histogram = Histogram::new();
    values.iter().for_each(|value| histogram.add(*value, 1));
    let activations = Activations { served: values.len() as u64, skipped: Some(0), ..Activations::default() };
    Series { cpu: Some(cpu), histogram, activations, period: Some(Duration::from_ms(1)), ..Series::default() }
}

fn run(series: Vec<Series>) -> Run {
    Run { name: "made up".into(), series, ..Run::default() }
}

fn find(summary: &RunSummary, cpu: Option<u32>, per: Per) -> &Summary {
    summary.summaries.iter().find(|one| one.cpu == cpu && one.per == per).expect("this summary is made")
}

proptest! {
    #[test]
    fn figures_agree_with_sorting_all_samples(
        first in prop::collection::vec(0i64..100_000, 1..300), second in prop::collection::vec(0i64..100_000, 1..300),
    ) {
        let found = summarise(&run(vec![series(0, &first), series(1, &second)]));
        let all: Vec<i64> = first.iter().chain(&second).copied().collect();
        for (cpu, values) in [(Some(0), &first), (Some(1), &second), (None, &all)] {
            let mut sorted = values.clone();
            sorted.sort_unstable();
            for per in [Per::ServedWakeUp, Per::DueActivation] {
                let summary = find(&found, cpu, per);
                prop_assert_eq!(summary.count, sorted.len() as u64);
                prop_assert_eq!((summary.min_ns, summary.max_ns), (sorted.first().copied(), sorted.last().copied()));
                for quantile in &summary.quantiles {
                    let rank = (quantile.q * sorted.len() as f64 - 1e-9).ceil() as usize;
                    let wanted = (sorted.len() - rank >= 10).then(|| sorted[rank - 1]);
                    prop_assert_eq!(quantile.value_ns, wanted, "q {} of {}", quantile.q, sorted.len());
                }
            }
        }
    }
}

#[test]
fn a_quantile_without_ten_values_above_is_null_with_its_reason() {
    let found = summarise(&run(vec![series(0, &(0..500).collect::<Vec<i64>>())]));
    let quantiles = &find(&found, Some(0), Per::ServedWakeUp).quantiles;
    assert_eq!(quantiles[2].value_ns, Some(474));
    assert_eq!((quantiles[3].value_ns, quantiles[3].values_above), (None, 5));
    assert!(quantiles[3].reason.contains("1,000 values are needed"), "{}", quantiles[3].reason);
    assert_eq!(quantiles.len(), 8);
}

#[test]
fn overflow_known_by_count_alone_makes_lower_bounds_and_says_so() {
    let mut overflowing = series(0, &(0..100).collect::<Vec<i64>>());
    overflowing.histogram.add_overflow(30);
    overflowing.activations.served += 30;
    let found = summarise(&run(vec![overflowing]));
    let summary = find(&found, Some(0), Per::ServedWakeUp);
    assert_eq!((summary.count, summary.max_ns, summary.overflow), (130, None, 30));
    assert!(summary.mean_is_lower_bound && summary.sd_ns.is_none());
    assert!(!summary.quantiles[0].at_least);
    assert_eq!((summary.quantiles[1].value_ns, summary.quantiles[1].at_least), (Some(100), true));
    assert!(summary.method.contains("the maximum is unknown (at least 100 ns)"), "{}", summary.method);
}

#[test]
fn a_relative_sleep_has_no_figures_per_due_activation_and_says_why() {
    let mut relative = run(vec![series(0, &[1, 2, 3])]);
    let mut plan = crate::misses::tests::plan(None);
    plan.method = prazo_run::plan::TimerMethod::Nanosleep;
    relative.plan = Some(plan);
    let found = summarise(&relative);
    assert!(found.summaries.iter().all(|summary| summary.per == Per::ServedWakeUp));
    assert!(found.remarks.iter().any(|remark| remark.contains("no fixed due instants")), "{:?}", found.remarks);
}

#[test]
fn skipping_hides_the_tail_that_due_activations_show() {
    // One stall of 100 ms among 10,000 wake-ups at 1 kHz jumps over 99 activations.
    let mut values = vec![10_000; 9_999];
    values.push(100_000_000);
    let mut stalled = series(0, &values);
    stalled.activations.skipped = Some(99);
    let found = summarise(&run(vec![stalled]));
    let p999 = |per| find(&found, None, per).quantiles[4].value_ns;
    assert_eq!(p999(Per::ServedWakeUp), Some(10_000));
    assert_eq!(p999(Per::DueActivation), Some(90_000_000));
    assert_eq!(find(&found, None, Per::DueActivation).count, 10_099);
}

#[test]
fn intervals_come_from_blocks_and_the_same_run_gives_the_same_bytes() {
    let blocks = (0..30).map(|index| {
        let mut histogram = Histogram::new();
        (0..100).for_each(|value| histogram.add(1_000 + value * 10 + index, 1));
        Block { from_s: index as u32 * 10, length_s: 10, histogram }
    });
    let mut blocked = series(0, &[]);
    blocked.blocks = blocks.collect();
    for block in &blocked.blocks.clone() {
        blocked.histogram.merge(&block.histogram);
    }
    blocked.activations.served = blocked.histogram.total();
    let run = run(vec![blocked]);
    let found = summarise(&run);
    let median = &find(&found, Some(0), Per::DueActivation).quantiles[0];
    let (low, high) = median.interval_ns.expect("thirty blocks of ten seconds suffice");
    assert!(low <= median.value_ns.unwrap() && median.value_ns.unwrap() <= high && high - low < 200);
    assert!(median.reason.contains("block bootstrap") && median.reason.contains("1/128"), "{}", median.reason);
    assert_eq!(found, summarise(&run));
}

#[test]
fn lost_samples_and_a_source_that_contradicts_itself_are_remarked() {
    let mut odd = series(0, &[1, 2, 3]);
    odd.activations.served = 5;
    odd.stated = Some(StatedFigures { count: Some(86_400_000), ..StatedFigures::default() });
    let remarks = summarise(&run(vec![odd])).remarks;
    assert!(remarks.iter().any(|remark| remark.starts_with("2 served activations without a sample")), "{remarks:?}");
    assert!(remarks.iter().any(|remark| remark.contains("86,400,000 samples, but its histogram has 3")), "{remarks:?}");
}

#[test]
fn an_empty_run_has_no_summary_and_does_not_panic() {
    assert!(summarise(&run(vec![])).summaries.is_empty());
    let empty = summarise(&run(vec![Series::default()]));
    assert!(empty.summaries.iter().all(|summary| summary.min_ns.is_none() && summary.mean_ns.is_none()));
}

/// A file of Blaess 2014 as a run: `latency count` in microseconds, `#` lines for the totals.
pub(crate) fn blaess(file: &str) -> Run {
    let text = data::text(&format!("blaess-2014/results-{file}.txt"));
    let mut series =
        Series { period: Some(Duration::from_ms(1)), resolution: Duration::from_us(1), ..Series::default() };
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace().map(|word| word.parse::<u64>().unwrap());
        if let (Some(us), Some(count)) = (words.next(), words.next()) {
            series.histogram.add(us as i64 * 1_000, count);
        }
    }
    let number = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse::<i64>().ok()).unwrap();
    series.histogram.add_overflow(number("# Histogram Overflows:") as u64);
    series.activations.served = series.histogram.total();
    let max_ns = Some(number("# Max Latencies:") * 1_000);
    series.stated = Some(StatedFigures { max_ns, ..StatedFigures::default() });
    let origin = prazo_run::run::Origin::Imported { tool: "cyclictest".into(), file: file.into() };
    Run { name: file.into(), origin, series: vec![series], ..Run::default() }
}

#[test]
fn blaess_preempt_rt_fifo_has_seven_million_samples_and_its_six_nines() {
    let run = blaess("3.8.13-rt16+-fifo-clocknanosleep");
    let found = summarise(&run);
    let summary = find(&found, None, Per::DueActivation);
    assert_eq!((summary.count, summary.min_ns, summary.max_ns), (7_200_000, Some(14_000), Some(109_000)));
    assert!(summary.method.contains("no latency exceeds the period"), "{}", summary.method);
    assert_eq!(summary.quantiles[7].value_ns, None, "only 7 of 7.2 million values lie above 0.999999");
    assert!(summary.quantiles[6].value_ns.is_some());
    assert_eq!(summary.mean_ns.unwrap() as i64 / 1_000, 37, "as the file states");
}

#[test]
fn blaess_vanilla_names_its_maximum_of_25_8_ms_beyond_the_histogram() {
    let run = blaess("3.8.13+-fifo-clocknanosleep");
    let found = summarise(&run);
    let summary = find(&found, None, Per::ServedWakeUp);
    assert_eq!((summary.count, summary.max_ns, summary.overflow), (7_200_000, Some(25_816_000), 68));
    assert!(summary.mean_is_lower_bound);
    assert_eq!((summary.quantiles[6].at_least, summary.quantiles[6].value_ns.is_some()), (false, true));
}

#[test]
fn blaess_setitimer_latencies_imply_what_its_total_lacks() {
    // Two hours at 1 kHz are 7,200,000 due; the total lacks 835, and the latencies imply 792 and the overflow's jumps.
    let mut run = blaess("3.8.13+-rr-setitimer");
    run.series[0].activations.due = Some(7_200_000);
    let found = summarise(&run);
    let summary = find(&found, None, Per::DueActivation);
    assert_eq!(summary.count, 7_200_000);
    assert!(summary.method.contains("835 skipped activations added"), "{}", summary.method);
    let run = blaess("3.8.13+-rr-setitimer");
    let unaware = summarise(&run);
    let unaware = find(&unaware, None, Per::DueActivation);
    assert!(unaware.method.starts_with("reconstruction"), "{}", unaware.method);
    assert!((820..=835).contains(&(unaware.count - 7_199_165)), "{}", unaware.method);
}
