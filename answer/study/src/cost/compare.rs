//! From the runs of one setting's cells to their penalties: every platform executed the same work, and one executed least.

use super::result::{CostCorrelation, CostFigures, CostLatency, CostPair, CostSetting, PlatformCost, WorkloadCost};
use prazo_run::Run;
use prazo_run::run::Quantity;
use prazo_run::workload::{BUSY_NS, SERVER_NS, WorkloadRecord};
use prazo_stats::Latencies;
use prazo_stats::correlation::correlation;
use prazo_stats::level::Level;
use prazo_stats::penalty::{Work, geometric_mean, slowdown};
use prazo_stats::repeats::Spread;

/// Takes one figure of a platform's.
type Read = fn(&CostFigures) -> Option<Spread>;

/// The figures that penalties are held against, as Marsal 2013 does.
const CORRELATED: [(&str, Read, f64); 7] = [
    ("voluntary_switches", |of| of.voluntary_switches, 1.0),
    ("involuntary_switches", |of| of.involuntary_switches, 1.0),
    ("minor_faults", |of| of.minor_faults, 1.0),
    ("major_faults", |of| of.major_faults, 1.0),
    ("run_queue_wait_ns", |of| of.run_queue_wait_ns, NS),
    ("blocked_ns", |of| of.blocked_ns, NS),
    ("io_wait_ns", |of| of.io_wait_ns, NS),
];
const NS: f64 = 1e9;

/// Nines that are looked for from the end.
const LEVELS: [Level; 5] =
    [Level::nines(100_000), Level::nines(10_000), Level::nines(1_000), Level::nines(100), Level::nines(10)];

/// One platform's runs, one for each seed.
#[derive(Clone, Copy, Debug)]
pub struct PlatformRuns<'a> {
    /// The platform's id.
    pub platform: &'a str,
    /// The cell that measured it.
    pub cell: &'a str,
    /// Its runs.
    pub runs: &'a [Run],
}

/// Compares what these platforms executed, all in one setting, of the workloads that are chosen.
pub fn compare(beside: &str, cells: &[PlatformRuns<'_>], is_chosen: &dyn Fn(&str) -> bool) -> CostSetting {
    let workloads: Vec<String> = names(cells).into_iter().filter(|name| is_chosen(name)).collect();
    let bests: Vec<Bests> = workloads.iter().map(|name| Bests::of(name, cells)).collect();
    let quantile = supported(cells);
    let platforms: Vec<PlatformCost> = cells.iter().map(|cell| platform(cell, &bests, quantile)).collect();
    let correlations = CORRELATED.iter().map(|(figure, of, unit)| together(figure, *of, *unit, &platforms)).collect();
    CostSetting { beside: beside.to_owned(), workloads, platforms, correlations }
}

/// The workloads of all runs in the order in which they were executed, each once.
fn names(cells: &[PlatformRuns<'_>]) -> Vec<String> {
    let mut names = Vec::new();
    for record in cells.iter().flat_map(|cell| cell.runs).flat_map(|run| &run.workloads) {
        if !names.contains(&record.name) {
            names.push(record.name.clone());
        }
    }
    names
}

/// A figure of one workload in one run.
type Of = fn(&WorkloadRecord) -> Option<u64>;

fn executed(record: &WorkloadRecord) -> Option<u64> {
    record.executed_ns()
}

fn busy(record: &WorkloadRecord) -> Option<u64> {
    record.get(BUSY_NS)
}

fn wall(record: &WorkloadRecord) -> Option<u64> {
    record.get("wall_ns")
}

/// What a workload took where it took least: the smallest median over the platforms, of each of three times.
struct Bests<'a> {
    workload: &'a str,
    executed: Option<f64>,
    busy: Option<f64>,
    wall: Option<f64>,
}

impl<'a> Bests<'a> {
    fn of(workload: &'a str, cells: &[PlatformRuns<'_>]) -> Self {
        let best = |of: Of| {
            let medians = cells.iter().filter_map(|cell| Some(Spread::of(&each(cell.runs, workload, of))?.median));
            medians.filter(|median| *median > 0.0).min_by(f64::total_cmp)
        };
        Self { workload, executed: best(executed), busy: best(busy), wall: best(wall) }
    }
}

/// A figure of a workload in each run; missing in all where one run lacks it.
fn each(runs: &[Run], workload: &str, of: Of) -> Vec<f64> {
    let one = |run: &Run| of(run.workloads.iter().find(|record| record.name == workload)?);
    let all: Option<Vec<u64>> = runs.iter().map(one).collect();
    all.unwrap_or_default().into_iter().map(|value| value as f64).collect()
}

/// Each value over the smallest median of the platforms.
fn over(values: &[f64], best: Option<f64>) -> Option<Spread> {
    let best = best?;
    Spread::of(&values.iter().map(|value| value / best).collect::<Vec<_>>())
}

fn platform(cell: &PlatformRuns<'_>, bests: &[Bests<'_>], quantile: Option<Level>) -> PlatformCost {
    PlatformCost {
        platform: cell.platform.to_owned(),
        cell: cell.cell.to_owned(),
        workloads: bests.iter().filter_map(|best| workload(cell, best)).collect(),
        penalty: over_all(cell, bests, executed, |best| best.executed),
        busy_penalty: over_all(cell, bests, busy, |best| best.busy),
        latency: latency(cell.runs, quantile),
    }
}

/// Geometric means over the workloads, one for each seed.
fn over_all(
    cell: &PlatformRuns<'_>,
    bests: &[Bests<'_>],
    of: Of,
    best: fn(&Bests<'_>) -> Option<f64>,
) -> Option<Spread> {
    let mean = |run: &Run| {
        let one = |bests: &Bests<'_>| {
            let value = *each(std::slice::from_ref(run), bests.workload, of).first()?;
            Some(value / best(bests)?)
        };
        geometric_mean(&bests.iter().map(one).collect::<Option<Vec<f64>>>()?)
    };
    let means: Vec<f64> = cell.runs.iter().map(mean).collect::<Option<_>>()?;
    Spread::of(&means)
}

fn workload(cell: &PlatformRuns<'_>, best: &Bests<'_>) -> Option<WorkloadCost> {
    let record = cell.runs.first()?.workloads.iter().find(|record| record.name == best.workload)?;
    let of = |figure: Of| each(cell.runs, best.workload, figure);
    let figures = figures(cell.runs, best.workload);
    Some(WorkloadCost {
        workload: record.name.clone(),
        size: record.size,
        unit: record.unit.clone(),
        penalty: over(&of(executed), best.executed),
        busy_penalty: over(&of(busy), best.busy),
        wall_penalty: over(&of(wall), best.wall),
        slowdown: slowdown(&work(&figures)),
        figures,
    })
}

fn figures(runs: &[Run], workload: &str) -> CostFigures {
    let of = |figure: Of| Spread::of(&each(runs, workload, figure));
    CostFigures {
        wall_ns: of(wall),
        executed_ns: of(executed),
        busy_ns: of(busy),
        run_queue_wait_ns: of(|record| record.get("run_queue_wait_ns")),
        blocked_ns: of(|record| record.get("blocked_ns")),
        io_wait_ns: of(|record| record.get("io_wait_ns")),
        voluntary_switches: of(|record| record.get("voluntary_switches")),
        involuntary_switches: of(|record| record.get("involuntary_switches")),
        minor_faults: of(|record| record.get("minor_faults")),
        major_faults: of(|record| record.get("major_faults")),
        migrations: of(|record| record.get("migrations")),
        processes: of(|record| record.get("processes")),
        server_ns: of(|record| record.get(SERVER_NS)),
    }
}

fn work(figures: &CostFigures) -> Work {
    let median = |spread: Option<Spread>| spread.map(|spread| spread.median);
    Work {
        executed: median(figures.executed_ns).unwrap_or(0.0),
        scheduler_wait: median(figures.run_queue_wait_ns),
        other_wait: median(figures.blocked_ns),
    }
}

/// The largest quantile that the samples of every platform support: a rarer one of some is not compared with a commoner one of others.
fn supported(cells: &[PlatformRuns<'_>]) -> Option<Level> {
    let all: Vec<Latencies> = cells.iter().map(|cell| latencies(cell.runs)).filter(|all| all.count() > 0).collect();
    LEVELS.into_iter().find(|level| all.iter().all(|latencies| latencies.quantile_ns(*level).is_some()))
}

fn latencies(runs: &[Run]) -> Latencies {
    Latencies::of(runs, Quantity::ResponseLatency)
}

/// What the probe saw; `None` where there was none.
fn latency(runs: &[Run], supported: Option<Level>) -> Option<CostLatency> {
    let latencies = latencies(runs);
    (latencies.count() > 0).then(|| CostLatency {
        count: latencies.count(),
        max_ns: latencies.max_ns(),
        q99999_ns: latencies.quantile_ns(Level::nines(100_000)),
        supported_quantile: supported.map(Level::as_f64),
        supported_ns: supported.and_then(|level| latencies.quantile_ns(level)),
    })
}

fn together(
    figure: &str,
    of: fn(&CostFigures) -> Option<Spread>,
    unit: f64,
    platforms: &[PlatformCost],
) -> CostCorrelation {
    let pairs: Vec<CostPair> = pairs(of, unit, platforms);
    let found = correlation(&pairs.iter().map(|pair| (pair.added_per_s, pair.penalty)).collect::<Vec<_>>());
    let (correlation, reason) = match found {
        Ok(found) => (Some(found), None),
        Err(reason) => (None, Some(reason)),
    };
    CostCorrelation { figure: figure.to_owned(), pairs, correlation, reason }
}

/// What each platform adds to the one that executed least, workload by workload.
fn pairs(of: fn(&CostFigures) -> Option<Spread>, unit: f64, platforms: &[PlatformCost]) -> Vec<CostPair> {
    let all = platforms.iter().flat_map(|platform| platform.workloads.iter().map(move |workload| (platform, workload)));
    let pair = |(platform, workload): (&PlatformCost, &WorkloadCost)| {
        let best = least(&workload.workload, platforms)?;
        let (penalty, best_ns) = (workload.penalty?.median, best.figures.executed_ns?.median);
        let added = of(&workload.figures)?.median - of(&best.figures)?.median;
        (!std::ptr::eq(best, workload)).then(|| CostPair {
            platform: platform.platform.clone(),
            workload: workload.workload.clone(),
            added_per_s: added / unit / (best_ns / NS),
            penalty,
        })
    };
    all.filter_map(pair).collect()
}

/// A workload on the platform that executed least for it.
fn least<'a>(name: &str, platforms: &'a [PlatformCost]) -> Option<&'a WorkloadCost> {
    let named = platforms.iter().flat_map(|platform| &platform.workloads).filter(|one| one.workload == name);
    let executed = |one: &WorkloadCost| one.figures.executed_ns.map_or(f64::INFINITY, |spread| spread.median);
    named.min_by(|a, b| executed(a).total_cmp(&executed(b)))
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
