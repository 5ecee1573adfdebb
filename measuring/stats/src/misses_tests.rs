//! What the counts and bounds of misses promise.

use super::*;
use prazo_run::plan::{Length, Plan, Policy, WhenLate};
use prazo_run::run::{Block, Origin, Second};
use prazo_run::source::Source;
use proptest::prelude::*;

const PERIOD: Duration = Duration::from_ms(1);

pub(crate) fn plan(deadline: Option<Duration>) -> Plan {
    let length = Length::Activations { count: 0 };
    Plan {
        deadline,
        histogram_bound: Duration::ZERO,
        ..Plan::new(Source::Timer, Policy::Fifo { priority: 90 }, vec![], length)
    }
}

/// A run of one processor at 1 kHz from the latencies of each second, in nanoseconds, with what each second skipped.
fn run(seconds: &[(Vec<i64>, u64)], planned: Option<Duration>) -> Run {
    with_blocks(seconds, planned, None)
}

/// The same with blocks of this many seconds.
fn with_blocks(seconds: &[(Vec<i64>, u64)], planned: Option<Duration>, block_s: Option<usize>) -> Run {
    let mut series = Series { period: Some(PERIOD), resolution: Duration::from_ns(1), ..Series::default() };
    let limit = planned.map_or(i64::MAX, |deadline| deadline.as_ns() as i64);
    for (at_s, (latencies, skipped)) in seconds.iter().enumerate() {
        latencies.iter().for_each(|latency| series.histogram.add(*latency, 1));
        series.timeline.push(Second {
            at_s: at_s as u32,
            count: latencies.len() as u64,
            skipped: *skipped,
            missed: latencies.iter().filter(|latency| **latency > limit).count() as u64,
            max_ns: latencies.iter().copied().max(),
            ..Second::default()
        });
    }
    for (number, seconds) in block_s.into_iter().flat_map(|length| seconds.chunks(length).enumerate()) {
        let length_s = block_s.unwrap_or(1) as u32;
        let mut block = Block { from_s: number as u32 * length_s, length_s, ..Block::default() };
        seconds.iter().flat_map(|(latencies, _)| latencies).for_each(|latency| block.histogram.add(*latency, 1));
        series.blocks.push(block);
    }
    let skipped = seconds.iter().map(|(_, skipped)| skipped).sum();
    series.activations.served = series.histogram.total();
    series.activations.skipped = Some(skipped);
    series.activations.due = Some(series.activations.served + skipped);
    Run { plan: Some(plan(planned)), series: vec![series], ..Run::default() }
}

/// `count` seconds of 100 activations at 10 us, with one of 500 us in those listed.
fn quiet_but(count: usize, late: &[usize]) -> Vec<(Vec<i64>, u64)> {
    (0..count).map(|at| ([if late.contains(&at) { 500_000 } else { 10_000 }, 10_000].repeat(50), 0)).collect()
}

const DEADLINE: Duration = Duration::from_us(200);

#[test]
fn without_a_miss_the_bound_on_seconds_is_the_rule_of_three() {
    let found = miss_rate(&run(&quiet_but(60, &[]), None), DEADLINE);
    assert_eq!((found.due, found.missed, found.undecided, found.blocks), (6_000, 0, 0, 60));
    assert!((found.block_rate_upper.unwrap() - (1.0 - 0.05f64.powf(1.0 / 60.0))).abs() < 1e-12);
    assert_eq!(found.runs_test_p, None);
    let (low, high) = found.share_interval.unwrap();
    assert_eq!(low, 0.0);
    assert!((high - (1.0 - 0.025f64.powf(20.0 / 6_000.0))).abs() < 1e-12);
}

#[test]
fn a_skipped_activation_is_a_miss_and_due() {
    let mut seconds = quiet_but(60, &[]);
    seconds[7].1 = 3;
    let found = miss_rate(&run(&seconds, None), Duration::from_s(1));
    assert_eq!((found.due, found.missed, found.blocks_with_miss), (6_003, 3, 1));
}

#[test]
fn scattered_misses_keep_seconds_and_clustered_ones_ask_for_longer_blocks() {
    let scattered = miss_rate(&run(&quiet_but(200, &[3, 40, 41, 90, 140, 188]), None), DEADLINE);
    assert_eq!((scattered.block_s, scattered.blocks_with_miss, scattered.missed), (1, 6, 300));
    assert!(scattered.block_rate_upper.is_some());
    let clustered = miss_rate(&run(&quiet_but(200, &[40, 41, 42, 43, 150, 151, 152]), None), DEADLINE);
    assert!(clustered.block_s > 1, "{}", clustered.method);
    assert_eq!(clustered.blocks, 200 / u64::from(clustered.block_s));
    assert!(clustered.block_rate_upper.is_some());
}

#[test]
fn misses_of_one_half_of_the_run_have_no_bound_on_blocks() {
    let half: Vec<usize> = (0..100).collect();
    let found = miss_rate(&run(&quiet_but(200, &half), None), DEADLINE);
    assert_eq!((found.block_rate_upper, found.block_s), (None, 1));
    assert!(found.method.contains("rejects independence"), "{}", found.method);
    assert!(found.share_interval.unwrap().0 > 0.15, "the share is still bounded from below");
}

#[test]
fn an_import_without_a_timeline_has_counts_and_a_labelled_bound_only() {
    let mut imported = run(&quiet_but(60, &[5]), None);
    imported.series[0].timeline.clear();
    imported.plan = None;
    imported.origin = Origin::Imported { tool: "cyclictest".into(), file: "h.txt".into() };
    let found = miss_rate(&imported, DEADLINE);
    assert_eq!((found.missed, found.blocks, found.block_rate_upper), (50, 0, None));
    assert!(found.rate_upper_if_independent.is_some());
    assert!(found.method.contains("no record over time"), "{}", found.method);
}

#[test]
fn what_may_have_missed_raises_the_upper_end_alone() {
    let mut lossy = run(&quiet_but(60, &[]), None);
    lossy.series[0].activations.served += 40;
    lossy.series[0].activations.due = None;
    let found = miss_rate(&lossy, DEADLINE);
    assert_eq!((found.missed, found.undecided), (0, 40));
    let clean = miss_rate(&run(&quiet_but(60, &[]), None), DEADLINE);
    assert!(found.share_interval.unwrap().1 > clean.share_interval.unwrap().1);
    assert_eq!(found.share_interval.unwrap().0, 0.0);
}

#[test]
fn a_deadline_inside_the_sources_resolution_is_undecided_there() {
    let mut coarse = run(&[(vec![14_000; 100], 0)], None);
    coarse.series[0].resolution = Duration::from_us(1);
    let found = miss_rate(&coarse, Duration::from_ns(14_500));
    assert_eq!((found.missed, found.undecided), (0, 100));
    assert_eq!(miss_rate(&coarse, Duration::from_us(15)).undecided, 0);
    assert_eq!(miss_rate(&coarse, Duration::from_ns(13_999)).missed, 100);
}

#[test]
fn a_second_that_may_be_late_by_the_resolution_counts_for_the_bound_on_seconds() {
    let of = |deadline_ns, resolution_ns| {
        let mut coarse = run(&quiet_but(60, &[7, 30, 52]), None);
        coarse.series[0].resolution = Duration::from_ns(resolution_ns);
        let found = miss_rate(&coarse, Duration::from_ns(deadline_ns));
        (found.block_s, found.blocks_with_miss, found.block_rate_upper)
    };
    // The late seconds have a maximum of 500 µs, which stands for up to 500.999 µs at a resolution of 1 µs.
    let (late, quiet) = (of(499_999, 1), of(500_000, 1));
    assert_eq!((late.1, quiet.1), (3, 0));
    assert!(late.2 > quiet.2, "{late:?} {quiet:?}");
    assert_eq!(of(499_999, 1_000), late);
    assert_eq!([of(500_000, 1_000), of(500_998, 1_000)], [(1, 0, late.2); 2]);
    assert_eq!([of(500_999, 1_000), of(500_000, 0)], [quiet; 2], "no resolution is one of 1 ns");
}

#[test]
fn what_a_summary_states_decides_for_activations_without_a_sample() {
    use prazo_run::run::StatedFigures;
    let of = |samples: &[i64], lost: u64, (min_ns, max_ns), skipped, deadline| {
        let mut run = run(&[(samples.to_vec(), 0)], None);
        let series = &mut run.series[0];
        series.activations.skipped = skipped;
        series.activations.served += lost;
        series.activations.due = skipped.map(|skipped| series.activations.served + skipped);
        series.activations.lost = lost;
        series.resolution = Duration::from_us(1);
        series.stated = Some(StatedFigures { min_ns: Some(min_ns), max_ns: Some(max_ns), ..StatedFigures::default() });
        let rate = miss_rate(&run, deadline);
        let may_hide = rate.method.contains("may hide misses");
        assert_eq!(may_hide, rate.undecided > 0, "{}", rate.method);
        (rate.missed, rate.undecided)
    };
    let decided = |samples: &[i64], lost, min_ns, max_ns| of(samples, lost, (min_ns, max_ns), Some(0), DEADLINE);
    assert_eq!(decided(&[], 100, 10_000, 300_000), (1, 99), "the largest missed, and others may have");
    assert_eq!(decided(&[], 100, 210_000, 300_000), (100, 0), "the smallest missed");
    assert_eq!(decided(&[], 100, 10_000, 150_000), (0, 0), "the largest did not");
    assert_eq!(decided(&[], 100, 10_000, 200_000), (0, 100), "200 whole us may be a part of one more");
    assert_eq!(decided(&[10_000, 300_000], 100, 10_000, 300_000), (1, 100), "the largest has a sample");
    assert_eq!(decided(&[10_000, 400_000], 100, 10_000, 150_000), (1, 100), "a sample contradicts what is stated");
    assert_eq!(decided(&[10_000], 100, 210_000, 300_000), (0, 100), "a sample is smaller than the stated smallest");
    assert_eq!(decided(&[10_000], 0, 10_000, 300_000), (0, 0), "nothing is without a sample");
    // A period of 1 ms, and skipped activations that nobody counted.
    let uncounted = |max_ns| of(&[], 100, (10_000, max_ns), None, Duration::from_ms(5));
    assert_eq!(uncounted(900_000), (0, 0), "no latency reaches the period");
    assert_eq!(uncounted(4_000_000), (0, 100), "the largest spans periods that were skipped");
}

#[test]
fn the_method_names_lost_records_implied_skips_and_a_coarse_resolution_and_only_these() {
    let method = |lost: u64, skipped, resolution_ns| {
        let mut seconds = quiet_but(60, &[]);
        seconds[30].0.push(3_500_000);
        let mut run = run(&seconds, None);
        let series = &mut run.series[0];
        series.resolution = Duration::from_ns(resolution_ns);
        series.activations.due = None;
        series.activations.served += lost;
        series.activations.skipped = skipped;
        miss_rate(&run, Duration::from_s(1)).method
    };
    const IMPLIED: &str = "the source does not count skipped activations; its latencies imply up to 3 of them";
    let plain = method(0, Some(0), 1);
    assert!(
        plain.ends_with("the interval of the share of activations counts 20 dependent activations as one"),
        "{plain}"
    );
    for ((lost, skipped, resolution_ns), added) in [
        ((0, Some(0), 0), String::new()),
        ((1, Some(0), 1), "; 1 activation without a sample may hide misses".into()),
        ((2, Some(0), 1), "; 2 activations without a sample may hide misses".into()),
        ((0, None, 1), format!("; {IMPLIED}")),
        ((0, Some(0), 2), "; latencies have a resolution of 2 ns".into()),
        (
            (2, None, 1_000),
            format!(
                "; 2 activations without a sample may hide misses; {IMPLIED}; latencies have a resolution of 1000 ns"
            ),
        ),
    ] {
        assert_eq!(method(lost, skipped, resolution_ns), format!("{plain}{added}"));
    }
}

#[test]
fn a_source_that_does_not_tell_what_it_skipped_leaves_that_undecided() {
    let mut unaware = run(&[(vec![10_000, 3_500_000], 0)], None);
    unaware.series[0].activations = prazo_run::run::Activations { served: 2, ..Default::default() };
    let found = miss_rate(&unaware, DEADLINE);
    assert_eq!((found.missed, found.undecided), (1, 3));
    unaware.plan.as_mut().unwrap().when_late = WhenLate::CatchUp;
    assert_eq!(miss_rate(&unaware, DEADLINE).undecided, 0);
}

#[test]
fn the_plans_own_deadline_knows_its_largest_burst() {
    let late: Vec<usize> = (0..200).step_by(9).collect();
    let known = miss_rate(&run(&quiet_but(200, &late), Some(DEADLINE)), DEADLINE);
    assert_eq!(known.dependence, 50.0);
    let unknown = miss_rate(&run(&quiet_but(200, &late), None), DEADLINE);
    assert_eq!(unknown.dependence, (50 * late.len() - (late.len() - 5)) as f64);
    assert!(known.share_interval.unwrap().1 < unknown.share_interval.unwrap().1);
}

#[test]
fn blocks_know_the_largest_burst_at_any_deadline() {
    let late: Vec<usize> = (0..200).step_by(9).collect();
    let blocked = miss_rate(&with_blocks(&quiet_but(200, &late), None, Some(1)), DEADLINE);
    assert_eq!(blocked.dependence, 50.0);
    let longer = miss_rate(&with_blocks(&quiet_but(200, &late), None, Some(20)), DEADLINE);
    assert_eq!(longer.dependence, 150.0, "three late seconds lie in twenty");
}

#[test]
fn misses_spread_over_every_second_are_many_events() {
    // One activation in two hundred is late, in every second: 0.5 %, and a longer run knows it better.
    let even =
        |seconds: usize| (0..seconds).map(|_| ([vec![10_000; 199], vec![500_000]].concat().repeat(5), 0)).collect();
    let of = |seconds| {
        let seconds: Vec<(Vec<i64>, u64)> = even(seconds);
        miss_rate(&run(&seconds, Some(DEADLINE)), DEADLINE).share_interval.unwrap()
    };
    let (short, long) = (of(60), of(600));
    assert!(short.1 < 0.01, "{short:?} is below 1 % after a minute");
    assert!(0.004 < long.0 && long.1 < 0.0065, "{long:?}");
}

#[test]
fn one_long_stall_counts_as_one_event() {
    let mut seconds = quiet_but(60, &[]);
    seconds[30].0.push(80_000_000);
    let found = miss_rate(&run(&seconds, None), DEADLINE);
    assert_eq!(found.dependence, 80.0);
}

#[test]
fn nothing_measured_has_no_rate() {
    let found = miss_rate(&Run::default(), DEADLINE);
    assert_eq!((found.rate, found.rate_upper_if_independent), (None, None));
    assert_eq!((found.share_interval, found.quantity), (None, None));
}

/// The slow, obvious twin: every latency of every second looked at.
fn counted(seconds: &[(Vec<i64>, u64)], deadline_ns: i64) -> (u64, u64) {
    let late = |latencies: &[i64]| latencies.iter().filter(|latency| **latency > deadline_ns).count() as u64;
    let missed = seconds.iter().map(|(latencies, skipped)| late(latencies) + skipped).sum();
    let with_miss = seconds.iter().filter(|(latencies, skipped)| late(latencies) + skipped > 0).count() as u64;
    (missed, with_miss)
}

fn some_seconds() -> impl Strategy<Value = Vec<(Vec<i64>, u64)>> {
    let latency = prop_oneof![8 => 0i64..200, 2 => 200i64..400];
    prop::collection::vec((prop::collection::vec(latency, 1..8), prop_oneof![9 => Just(0u64), 1 => 1u64..4]), 1..50)
}

proptest! {
    #[test]
    fn counts_agree_with_looking_at_every_sample(seconds in some_seconds(), deadline_ns in 0u64..400) {
        let found = miss_rate(&run(&seconds, None), Duration::from_ns(deadline_ns));
        let (missed, with_miss) = counted(&seconds, deadline_ns as i64);
        prop_assert_eq!(found.missed, missed);
        prop_assert_eq!(found.undecided, 0);
        if found.block_s == 1 {
            prop_assert_eq!(found.blocks_with_miss, with_miss);
        }
    }

    #[test]
    fn a_later_deadline_never_raises_a_bound(
        seconds in some_seconds(), planned in prop::option::of(1u64..400), block_s in prop::option::of(1usize..12),
        early in 0u64..400, more in 0u64..100,
    ) {
        let run = with_blocks(&seconds, planned.map(Duration::from_ns), block_s);
        let (tight, loose) = (miss_rate(&run, Duration::from_ns(early)), miss_rate(&run, Duration::from_ns(early + more)));
        let ((low_tight, high_tight), (low_loose, high_loose)) = (tight.share_interval.unwrap(), loose.share_interval.unwrap());
        prop_assert!(low_loose <= low_tight + 1e-12 && high_loose <= high_tight + 1e-12);
    }

    #[test]
    fn one_more_miss_never_lowers_a_bound(
        seconds in some_seconds(), at in 0usize..50, planned in any::<bool>(), block_s in prop::option::of(1usize..12),
    ) {
        let planned = planned.then_some(Duration::from_ns(200));
        let mut worse = seconds.clone();
        worse[at % seconds.len()].0.push(300);
        let before = miss_rate(&with_blocks(&seconds, planned, block_s), Duration::from_ns(200)).share_interval.unwrap();
        let after = miss_rate(&with_blocks(&worse, planned, block_s), Duration::from_ns(200)).share_interval.unwrap();
        prop_assert!(before.0 <= after.0 + 1e-12 && before.1 <= after.1 + 1e-12);
    }
}
