//! What both of cyclictest's formats need: threads in whole microseconds, floored as cyclictest floors.
//!
//! Its overflow stays an overflow, even where the values are known, so that its files read like cyclictest's own.

use super::ExportError;
use crate::run::{Quantity, WorstSample};
use crate::{Run, Series, overflow};
use std::collections::BTreeMap;

/// One thread's figures, in microseconds.
pub(super) struct Thread {
    /// The processor.
    pub cpu: Option<u32>,
    /// Latency and count.
    pub cells: BTreeMap<u64, u64>,
    /// Wake-ups: the cells' and the overflow.
    pub cycles: u64,
    /// Above the cells.
    pub overflow: u64,
    /// The overflow as far as it is listed, worst first.
    pub listed: Vec<WorstSample>,
    /// Smallest.
    pub min: u64,
    /// Mean; where the overflow has no values, what the source states, or else the mean of the rest.
    pub mean: f64,
    /// Largest.
    pub max: u64,
}

/// The run's response latencies, thread by thread; series without samples are left out, as they have no minimum.
pub(super) fn threads(run: &Run, format: &'static str) -> Result<Vec<Thread>, ExportError> {
    let unfit = |why: String| ExportError::Unfit { run: run.name.clone(), format, why };
    let series = run.of(Quantity::ResponseLatency).filter(|series| !series.histogram.is_empty());
    let threads: Vec<_> = series.map(|series| thread(run, series)).collect::<Result<_, _>>().map_err(unfit)?;
    if threads.is_empty() { Err(unfit("the run has no response latencies".into())) } else { Ok(threads) }
}

fn thread(run: &Run, series: &Series) -> Result<Thread, String> {
    let mut cells = BTreeMap::new();
    for (latency_ns, count) in series.histogram.cells() {
        *cells.entry(us(latency_ns)?).or_default() += count;
    }
    let largest = overflow::max_ns(run, series).ok_or("the latencies above the histogram's bound are unknown")?;
    Ok(Thread {
        cpu: series.cpu,
        min: cells.keys().next().map_or_else(|| least_known(run, series), |least| Ok(*least))?,
        mean: mean(run, series, &cells),
        cells,
        cycles: series.histogram.total(),
        overflow: series.histogram.overflow(),
        listed: overflow::listed(run, series),
        max: us(largest)?,
    })
}

fn us(latency_ns: i64) -> Result<u64, String> {
    u64::try_from(latency_ns.div_euclid(1_000)).map_err(|_| format!("the run has negative latencies ({latency_ns} ns)"))
}

/// The minimum of a series without anything in range.
fn least_known(run: &Run, series: &Series) -> Result<u64, String> {
    let known = overflow::known_ns(run, series);
    let least = known.last().copied().filter(|_| known.len() as u64 == series.histogram.overflow());
    us(least.or(series.stated.and_then(|stated| stated.min_ns)).ok_or("the run's smallest latency is unknown")?)
}

fn mean(run: &Run, series: &Series, cells: &BTreeMap<u64, u64>) -> f64 {
    let beyond = overflow::known_ns(run, series);
    let known = series.histogram.in_range() + beyond.len() as u64;
    let sum = cells.iter().map(|(us, count)| *us as f64 * *count as f64).sum::<f64>()
        + beyond.iter().map(|ns| (ns / 1_000) as f64).sum::<f64>();
    let stated = series.stated.and_then(|stated| stated.mean_ns).map(|mean_ns| mean_ns / 1_000.0);
    let complete = beyond.len() as u64 == series.histogram.overflow();
    stated.filter(|_| !complete).unwrap_or(sum / known.max(1) as f64)
}
