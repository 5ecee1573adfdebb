//! The parts of a run's latencies, all processors together: how much of the time each one was.
//!
//! Parts are described, not judged: figures with their count, without intervals. Their means add up to the mean of what was
//! split; their quantiles and maxima do not add up, since they come from different activations.

use crate::distribution::{Bracket, Distribution};
use crate::level::Level;
use crate::moments::moments;
use crate::served::served;
use prazo_run::run::Quantity;
use prazo_run::split::Split;
use prazo_run::{Run, Series};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// The figures of one part of the split latencies or gaps.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PartSummary {
    /// The part of the latency or gap.
    pub quantity: Quantity,
    /// Number of activations, or gaps, that have a value of this part.
    pub count: u64,
    /// Smallest value of the part.
    pub min_ns: Option<i64>,
    /// Mean of the part; null where values lie beyond the histogram, so that only their number is known.
    pub mean_ns: Option<f64>,
    /// Sample standard deviation of the part; null where the mean is null, and for fewer than two values.
    pub sd_ns: Option<f64>,
    /// Median of the part, by nearest rank; null where there are too few values, or where it lies beyond the histogram.
    pub median_ns: Option<i64>,
    /// 99.9 % quantile of the part, by nearest rank; null where there are too few values, or where it lies beyond the histogram.
    pub p999_ns: Option<i64>,
    /// Largest observed value of the part; null where it lies beyond the histogram.
    pub max_ns: Option<i64>,
}

/// The parts of a run, in the order of TERMS; empty where nothing was split.
pub fn parts(run: &Run) -> Vec<PartSummary> {
    let all: Vec<&Series> = splits(run).flat_map(|split| &split.parts).collect();
    let quantities: BTreeSet<Quantity> = all.iter().map(|part| part.quantity).collect();
    quantities.into_iter().map(|quantity| summary(run, quantity, &all)).collect()
}

/// The splits of a run's series.
pub fn splits(run: &Run) -> impl Iterator<Item = &Split> {
    run.series.iter().filter_map(|series| series.split.as_deref())
}

fn summary(run: &Run, quantity: Quantity, all: &[&Series]) -> PartSummary {
    let of_quantity = all.iter().filter(|part| part.quantity == quantity);
    let each: Vec<Distribution> = of_quantity.map(|part| served(run, part)).collect();
    let together = Distribution::merged(&each);
    // What is known by its count alone would make them too small.
    let moments = moments(&together).filter(|_| together.vague_count() == 0);
    let quantile = |level| together.supported_quantile(level).and_then(Bracket::exact);
    PartSummary {
        quantity,
        count: together.count(),
        min_ns: together.min(),
        mean_ns: moments.as_ref().map(|moments| moments.mean_ns),
        sd_ns: moments.and_then(|moments| moments.sd_ns),
        median_ns: quantile(Level::nines(2)),
        p999_ns: quantile(Level::nines(1_000)),
        max_ns: together.max(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::Histogram;
    use prazo_run::split::{SplitCounts, Splitter};

    fn part(quantity: Quantity, values_ns: std::ops::Range<i64>) -> Series {
        let mut histogram = Histogram::new();
        values_ns.for_each(|value| histogram.add(value, 1));
        Series { quantity, histogram, ..Series::default() }
    }

    fn whole(parts: Vec<Series>) -> Series {
        let counts = SplitCounts { by: Splitter::Bpf, split: 100, never_slept: 0, unsplit: Default::default() };
        let split = Split { counts, parts, causes: Vec::new() };
        Series { split: Some(Box::new(split)), ..Series::default() }
    }

    #[test]
    fn parts_of_all_processors_are_one_and_keep_their_count() {
        let one = whole(vec![part(Quantity::InterruptLatency, 0..100), part(Quantity::ActivationLatency, 500..600)]);
        let two = whole(vec![part(Quantity::InterruptLatency, 100..200)]);
        let run = Run { series: vec![one, two, Series::default()], ..Run::default() };
        let parts = parts(&run);
        let [interrupt, activation] = parts.as_slice() else { panic!("{parts:?}") };
        assert_eq!((interrupt.quantity, interrupt.count), (Quantity::InterruptLatency, 200));
        assert_eq!((interrupt.min_ns, interrupt.max_ns, interrupt.mean_ns), (Some(0), Some(199), Some(99.5)));
        assert_eq!((interrupt.median_ns, interrupt.p999_ns), (Some(99), None));
        assert_eq!((activation.quantity, activation.count), (Quantity::ActivationLatency, 100));
    }

    #[test]
    fn a_run_that_was_not_split_has_no_parts() {
        assert!(parts(&Run { series: vec![Series::default()], ..Run::default() }).is_empty());
    }

    #[test]
    fn a_part_with_overflow_has_no_mean_that_looks_exact() {
        let mut part = part(Quantity::ActivationLatency, 0..100);
        part.histogram.add_overflow(30);
        let run = Run { series: vec![whole(vec![part])], ..Run::default() };
        let found = &parts(&run)[0];
        assert_eq!((found.mean_ns, found.sd_ns, found.max_ns), (None, None, None));
    }
}
