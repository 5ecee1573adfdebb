//! What a study's platforms cost programs, as the report shows it: ranges over seeds, and what each platform is called.

use prazo_core::text::counted;
use prazo_report::cost::{
    PlatformCost, PlatformLatency, ProgramCosts, Range, Scatter, ScatterPoint, WorkloadCost, WorkloadRow,
};
use prazo_stats::correlation::{Coefficient, Correlation};
use prazo_stats::observed_range::Ends;
use prazo_stats::repeats::Spread;
use prazo_study::StudyResult;
use prazo_study::cell::ALONE;
use prazo_study::cost::{self, CostCorrelation, CostLatency, CostSetting};
use prazo_study::seeds::Seeds;

/// One entry for each way in which the study measured it.
pub(crate) fn of_study(result: &StudyResult) -> Vec<ProgramCosts> {
    let settings = result.cost.iter().flat_map(|cost| &cost.settings);
    settings.map(|setting| of_setting(setting, result)).collect()
}

fn of_setting(setting: &CostSetting, result: &StudyResult) -> ProgramCosts {
    let heading = match setting.beside.as_str() {
        ALONE => "workloads alone".to_owned(),
        probe => format!("workloads together with {probe}"),
    };
    let seeds = setting.platforms.iter().filter_map(|platform| platform.penalty).map(|penalty| penalty.count).max();
    ProgramCosts {
        id: format!("cost-{}", setting.beside.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-")),
        heading,
        sentences: result.cited().into_iter().collect(),
        ranges: format!("the smallest and the largest value over {}", counted(seeds.unwrap_or(0) as u64, "seed")),
        platforms: setting.platforms.iter().map(|platform| of_platform(platform, result)).collect(),
        workloads: setting.workloads.iter().map(|workload| row(workload, setting)).collect(),
        scatters: setting.correlations.iter().map(scatter).collect(),
        gaps: gaps(setting).into_iter().chain(left_out(setting, result)).collect(),
    }
}

fn of_platform(platform: &cost::PlatformCost, result: &StudyResult) -> PlatformCost {
    let seeds = result.cells.iter().find(|cell| cell.id == platform.cell).and_then(|cell| cell.seeds.as_ref());
    PlatformCost {
        platform: platform.platform.clone(),
        penalty: platform.penalty.map(over_seeds),
        busy_penalty: platform.busy_penalty.map(over_seeds),
        latency: platform.latency.map(|latency| of_latency(&latency, seeds)),
    }
}

/// The figures of all seeds together, with the range of the seeds' own where each has one.
fn of_latency(latency: &CostLatency, seeds: Option<&Seeds>) -> PlatformLatency {
    let quantile_of = |seeds: &Seeds| match latency.supported_quantile? {
        0.99 => seeds.q99,
        0.999 => seeds.q999,
        0.99999 => seeds.q99999,
        _ => None,
    };
    let with = |ns: i64, ends: Option<Ends>| {
        let value = ns as f64;
        // All seeds together may lie beyond what each has alone.
        ends.map_or_else(
            || Range::point(value),
            |ends| Range::new(value, ends.low_ns.min(value), ends.high_ns.max(value)),
        )
    };
    PlatformLatency {
        count: latency.count,
        worst_ns: latency.max_ns.map(|ns| with(ns, seeds.and_then(|seeds| seeds.max))),
        quantile: latency.supported_quantile,
        quantile_ns: latency.supported_ns.map(|ns| with(ns, seeds.and_then(quantile_of))),
    }
}

fn over_seeds(spread: Spread) -> Range {
    Range::new(spread.median, spread.low, spread.high)
}

fn row(name: &str, setting: &CostSetting) -> WorkloadRow {
    let on = |platform: &cost::PlatformCost| platform.workloads.iter().find(|one| one.workload == name).cloned();
    let found: Vec<Option<cost::WorkloadCost>> = setting.platforms.iter().map(on).collect();
    let size = found.iter().flatten().next().map_or_else(String::new, |one| format!("{} {}", one.size, one.unit));
    let on = found.iter().map(|one| one.as_ref().map(of_workload).unwrap_or_default());
    WorkloadRow { workload: name.to_owned(), size, on: on.collect() }
}

fn of_workload(one: &cost::WorkloadCost) -> WorkloadCost {
    let median = |spread: Option<Spread>| spread.map(|spread| spread.median);
    WorkloadCost {
        runs: one.figures.wall_ns.map_or(0, |spread| spread.count),
        penalty: one.penalty.map(over_seeds),
        wall_penalty: one.wall_penalty.map(over_seeds),
        slowdown: one.slowdown.map(|slowdown| Range::point(slowdown.whole)),
        by_scheduler: one.slowdown.map(|slowdown| slowdown.by_scheduler),
        by_other: one.slowdown.map(|slowdown| slowdown.by_other),
        voluntary_switches: median(one.figures.voluntary_switches),
        involuntary_switches: median(one.figures.involuntary_switches),
    }
}

/// Workloads that a platform lacks.
fn gaps(setting: &CostSetting) -> Vec<String> {
    let lacks = |platform: &cost::PlatformCost, name: &str| !platform.workloads.iter().any(|one| one.workload == name);
    let pairs =
        setting.platforms.iter().flat_map(|platform| setting.workloads.iter().map(move |name| (platform, name)));
    let missing = pairs.filter(|(platform, name)| lacks(platform, name));
    missing
        .map(|(platform, name)| {
            format!("{name} on {}: at least one run did not measure this workload", platform.platform)
        })
        .collect()
}

/// Platforms that stand in no table since something fatal threatens their runs.
fn left_out(setting: &CostSetting, result: &StudyResult) -> Vec<String> {
    let all = result.cost.iter().flat_map(|cost| &cost.left_out).filter(|one| one.beside == setting.beside);
    all.map(|one| format!("{}: {}", one.platform, one.why)).collect()
}

fn scatter(correlation: &CostCorrelation) -> Scatter {
    let found = correlation.correlation.as_ref();
    let of = |coefficient: fn(&Correlation) -> Coefficient| {
        found.map(coefficient).map(|one| Range::new(one.value, one.low, one.high))
    };
    let points = correlation.pairs.iter().map(|pair| ScatterPoint {
        platform: pair.platform.clone(),
        workload: pair.workload.clone(),
        added_per_s: pair.added_per_s,
        penalty: pair.penalty,
    });
    Scatter {
        of: in_words(&correlation.figure),
        points: points.collect(),
        pearson: of(|found| found.pearson),
        spearman: of(|found| found.spearman),
        method: found.map(|found| found.method.clone()).or_else(|| correlation.reason.clone()).unwrap_or_default(),
    }
}

/// `voluntary_switches` as people write it; a time is added in seconds.
fn in_words(figure: &str) -> String {
    match figure.strip_suffix("_ns") {
        Some(time) => format!("seconds of {}", time.replace('_', " ")),
        None => figure.replace('_', " "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_over_seeds_holds_the_figure_of_all_together() {
        let ends = |low_ns, high_ns| Some(Ends { low_ns, high_ns });
        let seeds = Seeds {
            counted: true,
            runs: vec![],
            mean: None,
            median: None,
            q99: ends(5.0, 7.0),
            q999: ends(9.0, 11.0),
            q99999: None,
            max: ends(20.0, 40.0),
        };
        let latency = CostLatency {
            count: 9,
            max_ns: Some(40),
            q99999_ns: None,
            supported_quantile: Some(0.999),
            supported_ns: Some(12),
        };
        let found = of_latency(&latency, Some(&seeds));
        assert_eq!(found.worst_ns, Some(Range::new(40.0, 20.0, 40.0)));
        assert_eq!(found.quantile_ns, Some(Range::new(12.0, 9.0, 12.0)));
        assert_eq!(of_latency(&latency, None).worst_ns, Some(Range::point(40.0)));
    }

    #[test]
    fn figures_are_called_what_people_call_them() {
        assert_eq!(in_words("voluntary_switches"), "voluntary switches");
        assert_eq!(in_words("run_queue_wait_ns"), "seconds of run queue wait");
    }
}
