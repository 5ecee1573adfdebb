//! Penalties of made-up runs, checked by hand.

use super::*;
use prazo_run::Series;
use prazo_run::run::Activations;
use prazo_run::workload::WorkloadFigure;

/// A run whose workloads executed and switched so much; half of the time is the kernel's.
fn run(workloads: &[(&str, u64, u64)]) -> Run {
    let figure = |name: &str, value| WorkloadFigure {
        name: name.into(),
        value: Some(value),
        source: Some("test".into()),
        leaves_out: None,
        reason: None,
    };
    let record = |(name, executed, switches): &(&str, u64, u64)| WorkloadRecord {
        name: (*name).to_owned(),
        size: 7,
        unit: "messages".into(),
        figures: vec![
            figure("wall_ns", 2 * executed),
            figure("user_ns", executed / 2),
            figure("system_ns", executed / 2),
            figure(BUSY_NS, executed + 100),
            figure("run_queue_wait_ns", executed / 4),
            figure("blocked_ns", executed / 2),
            figure("voluntary_switches", *switches),
        ],
    };
    Run { workloads: workloads.iter().map(record).collect(), ..Run::default() }
}

fn measured<'a>(platform: &'a str, runs: &'a [Run]) -> PlatformRuns<'a> {
    PlatformRuns { platform, cell: platform, runs }
}

#[test]
fn the_best_is_the_smallest_median_and_each_seed_is_held_against_it() {
    let none = [run(&[("scheduler", 1_000, 5)]), run(&[("scheduler", 1_200, 5)]), run(&[("scheduler", 900, 5)])];
    let rt = [run(&[("scheduler", 1_350, 9)]), run(&[("scheduler", 1_300, 9)]), run(&[("scheduler", 1_400, 9)])];
    let found = compare("alone", &[measured("none", &none), measured("rt", &rt)], &|_| true);
    let penalties = found.platforms.iter().map(|platform| platform.workloads[0].penalty.unwrap()).collect::<Vec<_>>();
    assert_eq!(penalties[0], Spread { median: 1.0, low: 0.9, high: 1.2, count: 3 });
    assert_eq!(penalties[1], Spread { median: 1.35, low: 1.3, high: 1.4, count: 3 });
    let slowdown = found.platforms[1].workloads[0].slowdown.unwrap();
    assert!((slowdown.by_other - 0.5).abs() < 1e-9 && (slowdown.by_scheduler - 0.25).abs() < 1e-2, "{slowdown:?}");
    assert_eq!(found.platforms[1].latency, None);
}

#[test]
fn a_platform_is_the_geometric_mean_of_its_workloads() {
    let none = [run(&[("scheduler", 1_000, 0), ("files", 2_000, 0)])];
    let rt = [run(&[("scheduler", 2_000, 0), ("files", 4_000, 0)])];
    let half = [run(&[("scheduler", 2_000, 0)])];
    let found = compare("alone", &[measured("none", &none), measured("rt", &rt), measured("half", &half)], &|_| true);
    assert_eq!(found.workloads, ["scheduler", "files"]);
    assert!((found.platforms[1].penalty.unwrap().median - 2.0).abs() < 1e-12);
    assert_eq!(found.platforms[2].penalty, None, "one that lacks a workload has no point");
    assert_eq!(found.platforms[2].workloads.len(), 1);
}

#[test]
fn what_a_platform_adds_is_counted_a_second_of_the_best() {
    let none = [run(&[("scheduler", 1_000_000_000, 5)])];
    let rt = [run(&[("scheduler", 1_500_000_000, 905)])];
    let found = compare("alone", &[measured("none", &none), measured("rt", &rt)], &|_| true);
    let of = |figure: &str| found.correlations.iter().find(|one| one.figure == figure).unwrap();
    let pairs = &of("voluntary_switches").pairs;
    assert_eq!(pairs.len(), 1, "the best is the origin");
    assert_eq!((pairs[0].platform.as_str(), pairs[0].added_per_s, pairs[0].penalty), ("rt", 900.0, 1.5));
    assert!((of("run_queue_wait_ns").pairs[0].added_per_s - 0.125).abs() < 1e-9);
    assert!(of("minor_faults").pairs.is_empty(), "nobody counted them");
    assert!(of("voluntary_switches").reason.as_ref().unwrap().contains("at least 5"));
}

#[test]
fn a_run_that_lacks_a_figure_leaves_the_cell_without_it() {
    let whole = run(&[("scheduler", 1_000, 5)]);
    let mut short = whole.clone();
    short.workloads[0].figures.retain(|figure| figure.name != "user_ns");
    let runs = [whole, short];
    let found = compare("alone", &[measured("none", &runs)], &|_| true);
    let workload = &found.platforms[0].workloads[0];
    assert_eq!((workload.penalty, workload.figures.executed_ns), (None, None));
    assert_eq!(workload.figures.voluntary_switches.unwrap().count, 2);
}

/// The same workload beside a probe that saw so many latencies, 1 us and a little more each.
fn beside_a_probe(samples: i64) -> [Run; 1] {
    let mut histogram = prazo_run::Histogram::new();
    (0..samples).for_each(|sample| histogram.add(1_000 + sample, 1));
    let activations = Activations { served: samples as u64, ..Activations::default() };
    let series = Series { histogram, activations, ..Series::default() };
    [Run { series: vec![series], ..run(&[("scheduler", 1_000, 5)]) }]
}

#[test]
fn platforms_are_compared_at_a_quantile_that_all_of_them_support() {
    let (few, many) = (beside_a_probe(2_000), beside_a_probe(200_000));
    let at = |cells: &[PlatformRuns<'_>]| {
        let found = compare("fifo", cells, &|_| true);
        found.platforms.iter().map(|platform| platform.latency.unwrap().supported_quantile).collect::<Vec<_>>()
    };
    assert_eq!(at(&[measured("many", &many)]), [Some(0.9999)]);
    assert_eq!(at(&[measured("few", &few), measured("many", &many)]), [Some(0.99), Some(0.99)]);
}
