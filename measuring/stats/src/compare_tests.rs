//! What comparisons promise, on made-up runs.

use super::*;
use crate::misses::tests::plan;
use prazo_core::time::Duration;
use prazo_platform::fingerprint::{Fact, Fingerprint};
use prazo_run::Series;
use prazo_run::run::{Activations, Block, LoadRecord, Origin};

fn run(name: &str, cells: &[(i64, u64)]) -> Run {
    let mut series =
        Series { period: Some(Duration::from_ms(1)), resolution: Duration::from_ns(1), ..Series::default() };
    cells.iter().for_each(|(value, count)| series.histogram.add(*value, *count));
    series.activations = Activations { served: series.histogram.total(), skipped: Some(0), ..Activations::default() };
    Run { name: name.into(), series: vec![series], ..Run::default() }
}

fn on_kernel(mut run: Run, release: &str) -> Run {
    let fact = Fact { value: Some(release.into()), source: "uname".into() };
    run.platform_before = Some(Fingerprint { facts: [("kernel.release".to_owned(), fact)].into() });
    run
}

fn warned(comparison: &Comparison, part: &str) -> bool {
    comparison.warnings.iter().any(|warning| warning.contains(part))
}

#[test]
fn a_run_equals_itself() {
    let run = run("a", &[(10_000, 5_000), (20_000, 500)]);
    let found = compare(&[&run], &[&run]).unwrap();
    assert_eq!((found.dominance, found.crossings_ns.len()), (Dominance::Equal, 0));
    assert!(found.quantiles.iter().all(|quantile| quantile.difference_ns == Some(0)));
    assert_eq!((found.maxima.reference_ns, found.maxima.other_ns), (Some(20_000), Some(20_000)));
    assert!(compare(&[], &[&run]).is_none());
}

#[test]
fn a_curve_that_lies_above_everywhere_is_dominated() {
    let (fast, slow) =
        (run("fast", &[(10_000, 50_000), (20_000, 5_000)]), run("slow", &[(15_000, 50_000), (30_000, 5_000)]));
    assert_eq!(compare(&[&fast], &[&slow]).unwrap().dominance, Dominance::ReferenceBetter);
    assert_eq!(compare(&[&slow], &[&fast]).unwrap().dominance, Dominance::OtherBetter);
}

#[test]
fn one_slow_sample_does_not_flip_dominance_and_a_thousand_do() {
    let fast = |tail| run("fast", &[(10_000, 100_000), (900_000, tail)]);
    let slow = run("slow", &[(15_000, 100_000)]);
    assert_eq!(compare(&[&fast(1)], &[&slow]).unwrap().dominance, Dominance::ReferenceBetter);
    let crossed = compare(&[&fast(1_000)], &[&slow]).unwrap();
    assert_eq!((crossed.dominance, crossed.crossings_ns), (Dominance::Neither, vec![15_000]));
}

#[test]
fn differences_below_the_coarser_resolution_show_no_dominance() {
    let fine = run("fine", &[(10_600, 100_000)]);
    let mut coarse = run("coarse", &[(10_000, 100_000)]);
    coarse.series[0].resolution = Duration::from_us(1);
    let found = compare(&[&fine], &[&coarse]).unwrap();
    assert_eq!(found.dominance, Dominance::Equal);
    assert!(warned(&found, "resolutions differ"));
}

#[test]
fn a_thousandfold_longer_run_is_not_worse_for_its_maximum() {
    let short = run("short", &[(10_000, 1_000)]);
    let long = run("long", &[(10_000, 999_999), (5_000_000, 1)]);
    let found = compare(&[&short], &[&long]).unwrap();
    assert_eq!(found.maxima.count, 1_000);
    assert_eq!((found.maxima.reference_ns, found.maxima.other_ns), (Some(10_000), Some(14_990)));
    assert!(found.maxima.method.contains("without replacement"), "{}", found.maxima.method);
}

#[test]
fn repeats_give_intervals_over_runs() {
    let side = |values: [i64; 4]| values.map(|value| run("r", &[(value, 1_000)]));
    let (a, b) = (side([10_000, 10_100, 9_900, 10_050]), side([20_000, 20_200, 19_800, 20_000]));
    let found = compare(&a.each_ref().map(|r| r), &b.each_ref().map(|r| r)).unwrap();
    let median = &found.quantiles[0];
    let (low, high) = median.interval_ns.unwrap();
    assert!(9_500 < low && low < 9_990 && 9_990 < high && high < 10_500, "{low} {high}");
    assert!(median.reason.contains("over runs"), "{}", median.reason);
    assert!((found.maxima.p_value.unwrap() - 2.0 / 70.0).abs() < 1e-12);
    assert_eq!(found.reference, "r and 3 more");
}

#[test]
fn two_single_runs_give_intervals_over_blocks_without_the_spread_between_boots() {
    let blocked = |shift: i64| {
        let mut run = run("blocked", &[]);
        for index in 0..30 {
            let mut block = Block { from_s: index * 10, length_s: 10, ..Block::default() };
            (0..200).for_each(|value| block.histogram.add(shift + value * 10 + i64::from(index), 1));
            run.series[0].histogram.merge(&block.histogram);
            run.series[0].blocks.push(block);
        }
        run
    };
    let found = compare(&[&blocked(10_000)], &[&blocked(15_000)]).unwrap();
    let (low, high) = found.quantiles[0].interval_ns.unwrap();
    assert!(low <= 5_000 && 5_000 <= high && low > 4_500 && high < 5_500, "{low} {high}");
    assert!(found.quantiles[0].reason.contains("not between boots"));
}

#[test]
fn base_kernels_are_compared_without_their_local_version() {
    let cells = [(10_000, 1_000)];
    let on = |release: &str| on_kernel(run(release, &cells), release);
    let same = compare(&[&on("3.8.13+")], &[&on("3.8.13-rt16+")]).unwrap();
    assert!(!warned(&same, "base kernels"), "{:?}", same.warnings);
    let differ = compare(&[&on("2.6.23")], &[&on("2.6.19")]).unwrap();
    assert!(warned(&differ, "base kernels differ (2.6.23 and 2.6.19)"));
    let unknown = compare(&[&on("2.6.23")], &[&run("import", &cells)]).unwrap();
    assert!(warned(&unknown, "the kernel is unknown in import"));
}

fn guest(kernel: &str, seed: &str) -> Run {
    let facts = [("lab.kernel_sha256", kernel), ("lab.seed", seed), ("lab.shift", "3"), ("kernel.release", "6.1.0")];
    let fact = |value: &str| Fact { value: Some(value.into()), source: "test".into() };
    let facts = facts.into_iter().map(|(name, value)| (name.to_owned(), fact(value))).collect();
    Run { platform_before: Some(Fingerprint { facts }), ..run("guest", &[(10_000, 1_000)]) }
}

#[test]
fn guests_say_in_what_their_trajectories_differ() {
    let a = guest("aa", "1");
    let kernels = compare(&[&a], &[&guest("bb", "1")]).unwrap();
    assert!(warned(&kernels, "guests differ in kernel: one seed gives one trajectory"), "{:?}", kernels.warnings);
    assert!(warned(&compare(&[&a], &[&guest("aa", "2")]).unwrap(), "differ in nothing but the seed"));
    assert!(!warned(&compare(&[&a], &[&a]).unwrap(), "guests differ"));
    let several = compare(&[&a, &guest("aa", "2")], &[&guest("bb", "3"), &guest("bb", "4")]).unwrap();
    assert!(warned(&several, "kernel: the figures combine runs with several seeds"), "{:?}", several.warnings);
    let mut cards = guest("aa", "1");
    let facts = &mut cards.platform_before.as_mut().unwrap().facts;
    facts.insert("lab.cards".into(), Fact { value: Some("2".into()), source: "test".into() });
    assert!(warned(&compare(&[&a], &[&cards]).unwrap(), "differ in machine"), "what is not listed is the machine's");
    let real = compare(&[&a], &[&on_kernel(run("real", &[(10_000, 1_000)]), "6.1.0")]).unwrap();
    assert!(warned(&real, "clock counts instructions") && !warned(&real, "trajectories"), "{:?}", real.warnings);
}

#[test]
fn xenomai_beside_linux_warns_of_gravity() {
    let cells = [(10_000, 1_000)];
    let (linux, xenomai) = (on_kernel(run("a", &cells), "3.8.13+"), on_kernel(run("b", &cells), "3.8.13-ipipe+"));
    assert!(warned(&compare(&[&linux], &[&xenomai]).unwrap(), "gravity"));
    assert!(!warned(&compare(&[&xenomai], &[&xenomai]).unwrap(), "gravity"));
}

#[test]
fn tools_periods_methods_skipping_and_loads_are_warned_of() {
    let a = Run { plan: Some(plan(None)), ..run("a", &[(10_000, 1_000), (5_000_000, 1)]) };
    let mut b = a.clone();
    b.origin = Origin::Imported { tool: "cyclictest".into(), file: "f".into() };
    b.series[0].period = Some(Duration::from_us(200));
    b.series[0].activations.skipped = Some(4);
    b.plan.as_mut().unwrap().method = prazo_run::plan::TimerMethod::Nanosleep;
    b.loads.push(LoadRecord {
        name: "cpu".into(),
        generator: String::new(),
        unit: "ops/s".into(),
        asked: None,
        reached: Some(100.0),
        note: String::new(),
        on_s: vec![],
        contained: String::new(),
    });
    let found = compare(&[&a], &[&b]).unwrap();
    for part in ["tools", "periods", "timer methods", "reactions to lateness", "loads"] {
        assert!(warned(&found, &format!("{part} differ")), "{part}: {:?}", found.warnings);
    }
    let mut faster = b.clone();
    faster.loads[0].reached = Some(200.0);
    assert!(warned(&compare(&[&b], &[&faster]).unwrap(), "differ by more than a fifth (cpu)"));
}

#[test]
fn overflow_known_by_count_is_said_and_has_no_maximum() {
    let mut hidden = run("hidden", &[(10_000, 100_000)]);
    hidden.series[0].histogram.add_overflow(50);
    hidden.series[0].activations.served += 50;
    let found = compare(&[&run("a", &[(10_000, 100_000)])], &[&hidden]).unwrap();
    assert!(warned(&found, "without an exact value; a difference between the exceedance curves counts only where"));
    assert_eq!(found.maxima.other_ns, None);
    assert!(found.maxima.method.contains("a maximum is missing where samples beyond"));
}

#[test]
fn all_runs_are_compared_with_the_first() {
    let runs = [run("a", &[(1, 100)]), run("b", &[(2, 100)]), run("c", &[(3, 100)])];
    let names: Vec<_> = compare_all(&runs.each_ref()).into_iter().map(|one| (one.reference, one.other)).collect();
    assert_eq!(names, [("a".into(), "b".into()), ("a".into(), "c".into())]);
    assert!(compare_all(&[]).is_empty());
}

#[test]
fn blaess_preempt_rt_is_better_in_the_tail_and_xenomai_everywhere() {
    let file = |name| crate::summarise::tests::blaess(name);
    let (vanilla, rt) = (file("3.8.13+-fifo-clocknanosleep"), file("3.8.13-rt16+-fifo-clocknanosleep"));
    let found = compare(&[&vanilla], &[&rt]).unwrap();
    assert_eq!((found.dominance, found.curves_per), (Dominance::Neither, Per::DueActivation));
    // Above 37 us the standard kernel has 2,642,432 wake-ups and PREEMPT_RT 2,671,964; above 38 us 2,596,115 and 2,525,383.
    assert_eq!(found.crossings_ns, [38_000]);
    let p99999 = found.quantiles.iter().find(|one| one.per == Per::ServedWakeUp && one.q == 0.99999).unwrap();
    assert!(p99999.difference_ns.unwrap() < -1_000_000, "{p99999:?}");
    assert!(p99999.interval_ns.is_none() && p99999.reason.contains("no record of its samples"), "{}", p99999.reason);
    let xenomai = file("3.8.13-ipipe+");
    let found = compare(&[&vanilla], &[&xenomai]).unwrap();
    assert_eq!(found.dominance, Dominance::OtherBetter);
    assert_eq!((found.maxima.count, found.maxima.reference_ns), (7_200_000, Some(25_816_000)));
    assert!(found.maxima.other_ns.unwrap() <= 67_000);
}
