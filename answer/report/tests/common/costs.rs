//! Made-up costs after Marsal 2013: five platforms, four workloads, the last platform 35 % slower and the earliest to answer.

use prazo_report::cost::{
    PlatformCost, PlatformLatency, ProgramCosts, Range, Scatter, ScatterPoint, WorkloadCost, WorkloadRow,
};

/// Name, penalty, worst latency in microseconds, voluntary switches added a second.
const PLATFORMS: [(&str, f64, f64, f64); 5] = [
    ("none", 1.0, 82_000.0, 0.0),
    ("voluntary", 1.012, 61_000.0, 40.0),
    ("full", 1.05, 9_400.0, 310.0),
    ("full, threadirqs", 1.061, 8_900.0, 900.0),
    ("rt", 1.35, 205.0, 5_200.0),
];
const WORKLOADS: [(&str, u64, f64); 4] =
    [("scheduler", 4_000, 1.0), ("files", 9_000, 0.7), ("web", 1_200, 1.2), ("memory", 80, 0.1)];

/// Workloads beside a probe, over three seeds.
pub(crate) fn costs() -> ProgramCosts {
    ProgramCosts {
        id: "cost-fifo".into(),
        heading: "workloads beside fifo".into(),
        sentences: vec!["One boot for each platform and seed, the workloads in sequence.".into()],
        ranges: "the smallest and the largest of three seeds".into(),
        platforms: PLATFORMS.iter().map(platform).collect(),
        workloads: WORKLOADS.iter().map(row).collect(),
        scatters: vec![
            scatter("voluntary switches", 1.0, Some((0.94, 0.81, 0.99))),
            scatter("seconds in the run queue", 1e-5, Some((0.32, -0.2, 0.7))),
            scatter("minor faults", 40.0, None),
        ],
        gaps: vec!["compile on rt: make is missing".into()],
    }
}

fn platform((name, penalty, worst_us, _): &(&str, f64, f64, f64)) -> PlatformCost {
    let around = |us: f64| Range::new(us * 1e3, us * 0.8e3, us * 1.1e3);
    PlatformCost {
        platform: (*name).into(),
        penalty: Some(Range::new(*penalty, penalty - 0.004, penalty + 0.006)),
        busy_penalty: Some(Range::point(penalty + 0.01)),
        latency: Some(PlatformLatency {
            count: 90_000,
            worst_ns: Some(around(*worst_us)),
            quantile: Some(0.9999),
            quantile_ns: Some(around(worst_us.sqrt() * 6.0)),
        }),
    }
}

/// Of a workload that feels so much of each platform's penalty.
fn row((name, size, part): &(&str, u64, f64)) -> WorkloadRow {
    let on = PLATFORMS.iter().map(|(_, penalty, _, switches)| {
        let penalty = 1.0 + (penalty - 1.0) * part;
        WorkloadCost {
            runs: 3,
            penalty: Some(Range::new(penalty, penalty - 0.01, penalty + 0.01)),
            wall_penalty: Some(Range::point(penalty)),
            slowdown: Some(Range::point(2.0)),
            by_scheduler: Some(0.25),
            by_other: Some(0.75),
            voluntary_switches: Some(1_000.0 + switches * part),
            involuntary_switches: None,
        }
    });
    WorkloadRow { workload: (*name).into(), size: format!("{size} units"), on: on.collect() }
}

/// Points along the penalties, `each` for a switch that is added.
fn scatter(of: &str, each: f64, coefficient: Option<(f64, f64, f64)>) -> Scatter {
    let all = PLATFORMS.iter().skip(1).flat_map(|platform| WORKLOADS.iter().map(move |workload| (platform, workload)));
    let points = all.enumerate().map(|(at, ((platform, penalty, _, switches), (workload, _, part)))| ScatterPoint {
        platform: (*platform).into(),
        workload: (*workload).into(),
        added_per_s: switches * part * each * (1.0 + 0.1 * (at % 3) as f64) - each,
        penalty: 1.0 + (penalty - 1.0) * part,
    });
    let range = coefficient.map(|(value, low, high)| Range::new(value, low, high));
    let method = if range.is_some() { "95 % percentile bootstrap" } else { "one of the quantities does not vary" };
    Scatter { of: of.into(), points: points.collect(), pearson: range, spearman: range, method: method.into() }
}
