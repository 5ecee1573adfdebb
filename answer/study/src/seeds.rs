//! What each run of a cell says for itself, and how far its runs lie apart.
//!
//! A guest under counted time repeats itself to the last bit, so that one seed is one trajectory and shows no variation at
//! all. What a change of the kernel must exceed, and what a claim must survive, is the spread over seeds: the smallest and the
//! largest value that a run has. It is a range of what was seen, with the number of runs beside it, and no interval.

use prazo_run::Run;
use prazo_run::run::Quantity;
use prazo_stats::Latencies;
use prazo_stats::level::Level;
use prazo_stats::observed_range::Ends;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The figures of each run of a cell, and their spread over the runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Seeds {
    /// True if all runs were measured in guests under counted time (the clock counts instructions); the seed alone then determines each run.
    pub counted: bool,
    /// The figures of each run, in the order of the cell's files.
    pub runs: Vec<RunFigures>,
    /// Smallest and largest mean of the runs; null if the mean of any run is unknown.
    pub mean: Option<Ends>,
    /// Smallest and largest median of the runs; null if the median of any run is unknown.
    pub median: Option<Ends>,
    /// Smallest and largest 99 % quantile of the runs; null if this quantile of any run is unknown.
    pub q99: Option<Ends>,
    /// Smallest and largest 99.9 % quantile of the runs; null if this quantile of any run is unknown.
    pub q999: Option<Ends>,
    /// Smallest and largest 99.999 % quantile of the runs; null if this quantile of any run is unknown.
    pub q99999: Option<Ends>,
    /// Smallest and largest observed maximum of the runs; null if the maximum of any run is unknown.
    pub max: Option<Ends>,
}

/// Figures of one quantity in one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunFigures {
    /// Seed of the run's plan; null for an imported run.
    pub seed: Option<u64>,
    /// Number of samples, overflow included, warm-up excluded.
    pub count: u64,
    /// Mean of the samples; null where some lie beyond the histogram.
    pub mean_ns: Option<f64>,
    /// Median of the samples; null where fewer than ten lie above it, or it lies beyond the histogram.
    pub median_ns: Option<i64>,
    /// The 99 % quantile of the samples; null where fewer than ten lie above it, or it lies beyond the histogram.
    pub q99_ns: Option<i64>,
    /// The 99.9 % quantile of the samples; null where fewer than ten lie above it, or it lies beyond the histogram.
    pub q999_ns: Option<i64>,
    /// The 99.999 % quantile of the samples; null where fewer than ten lie above it, or it lies beyond the histogram.
    pub q99999_ns: Option<i64>,
    /// Largest observed value; null where it is only known to lie beyond the histogram.
    pub max_ns: Option<i64>,
}

impl Seeds {
    /// Of one quantity of runs; `None` without a run.
    pub fn of(runs: &[Run], quantity: Quantity) -> Option<Self> {
        let each: Vec<RunFigures> = runs.iter().map(|run| RunFigures::of(run, quantity)).collect();
        let integer = |of: fn(&RunFigures) -> Option<i64>| Ends::of(each.iter().map(|run| of(run).map(|ns| ns as f64)));
        let all = Self {
            counted: runs.iter().all(is_counted),
            mean: Ends::of(each.iter().map(|run| run.mean_ns)),
            median: integer(|run| run.median_ns),
            q99: integer(|run| run.q99_ns),
            q999: integer(|run| run.q999_ns),
            q99999: integer(|run| run.q99999_ns),
            max: integer(|run| run.max_ns),
            runs: each,
        };
        (!runs.is_empty()).then_some(all)
    }

    /// True where there is more to say than one run of a real machine says.
    pub fn tells(&self) -> bool {
        self.counted || self.runs.len() > 1
    }
}

impl RunFigures {
    /// Of one quantity of a run.
    pub fn of(run: &Run, quantity: Quantity) -> Self {
        let latencies = Latencies::of(std::slice::from_ref(run), quantity);
        Self {
            seed: run.plan.as_ref().map(|plan| plan.seed),
            count: latencies.count(),
            mean_ns: latencies.mean_ns(),
            median_ns: latencies.quantile_ns(Level::nines(2)),
            q99_ns: latencies.quantile_ns(Level::nines(100)),
            q999_ns: latencies.quantile_ns(Level::nines(1_000)),
            q99999_ns: latencies.quantile_ns(Level::nines(100_000)),
            max_ns: latencies.max_ns(),
        }
    }
}

/// True for a guest's run whose clocks count instructions.
pub fn is_counted(run: &Run) -> bool {
    shift(run).is_some()
}

/// The shift of a run under counted time: an instruction takes 2^shift ns.
pub fn shift(run: &Run) -> Option<u32> {
    run.platform_before.as_ref()?.get("lab.shift")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_platform::fingerprint::{Fact, Fingerprint};
    use prazo_run::Series;

    fn run(values: &[i64]) -> Run {
        let mut series = Series::default();
        values.iter().for_each(|value| series.histogram.add(*value, 100));
        Run { series: vec![series], ..Run::default() }
    }

    fn counted(values: &[i64]) -> Run {
        let fact = Fact { value: Some("3".into()), source: "test".into() };
        let facts = [("lab.shift".to_owned(), fact)].into();
        Run { platform_before: Some(Fingerprint { facts }), ..run(values) }
    }

    fn of(runs: &[Run]) -> Seeds {
        Seeds::of(runs, Quantity::ResponseLatency).unwrap()
    }

    #[test]
    fn the_spread_is_the_smallest_and_the_largest_value_of_a_run() {
        let seeds = of(&[counted(&[10, 30]), counted(&[12, 20]), counted(&[11, 40])]);
        assert_eq!((seeds.counted, seeds.runs.len()), (true, 3));
        assert_eq!(seeds.max, Some(Ends { low_ns: 20.0, high_ns: 40.0 }));
        assert_eq!(seeds.median, Some(Ends { low_ns: 10.0, high_ns: 12.0 }));
        assert_eq!(seeds.mean.map(Ends::width), Some(25.5 - 16.0));
        assert_eq!(seeds.runs.iter().map(|run| run.count).collect::<Vec<_>>(), [200; 3]);
    }

    #[test]
    fn what_one_run_does_not_support_has_no_spread() {
        let mut beyond = counted(&[10]);
        beyond.series[0].histogram.add_overflow(1);
        let seeds = of(&[counted(&[10, 30]), beyond]);
        assert_eq!((seeds.q999, seeds.max, seeds.mean), (None, None, None));
        assert!(seeds.median.is_some());
    }

    #[test]
    fn one_seed_has_something_to_say_and_one_run_of_a_real_machine_has_not() {
        assert!(of(&[counted(&[1])]).tells() && !of(&[run(&[1])]).tells());
        let mixed = of(&[run(&[1]), counted(&[1])]);
        assert!(mixed.tells() && !mixed.counted);
        assert!(Seeds::of(&[], Quantity::ResponseLatency).is_none());
    }
}
