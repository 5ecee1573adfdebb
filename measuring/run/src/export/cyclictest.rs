//! What both of cyclictest's formats need: threads in whole microseconds, floored as cyclictest floors.
//!
//! Its overflow stays an overflow, also where the values are known, so that its files read like cyclictest's own.

use super::ExportError;
use super::distribution::{Distribution, listed_overflow, max_ns};
use crate::run::{Quantity, WorstSample};
use crate::{Run, Series};
use std::collections::BTreeMap;

/// One thread's figures, in microseconds.
pub(super) struct Thread<'a> {
    /// The processor.
    pub cpu: Option<u32>,
    /// Latency and count.
    pub cells: BTreeMap<u64, u64>,
    /// Wake-ups: the cells' and the overflow.
    pub cycles: u64,
    /// Above the cells.
    pub overflow: u64,
    /// The overflow as far as it is listed, worst first.
    pub listed: &'a [WorstSample],
    /// Smallest.
    pub min: u64,
    /// Mean; where the overflow has no values, what the source states, or else the mean of the rest.
    pub mean: f64,
    /// Largest.
    pub max: u64,
}

/// The run's response latencies, thread by thread; series without samples are left out, as they have no minimum.
pub(super) fn threads<'a>(run: &'a Run, format: &'static str) -> Result<Vec<Thread<'a>>, ExportError> {
    let unfit = |why: String| ExportError::Unfit { run: run.name.clone(), format, why };
    let series = run.of(Quantity::ResponseLatency).filter(|series| !series.histogram.is_empty());
    let threads: Vec<_> = series.map(thread).collect::<Result<_, _>>().map_err(unfit)?;
    if threads.is_empty() { Err(unfit("it has no response latencies".into())) } else { Ok(threads) }
}

fn thread(series: &Series) -> Result<Thread<'_>, String> {
    let mut cells = BTreeMap::new();
    for (latency_ns, count) in series.histogram.cells() {
        *cells.entry(us(latency_ns)?).or_default() += count;
    }
    let largest = max_ns(series).ok_or("the values of its overflow are not known")?;
    Ok(Thread {
        cpu: series.cpu,
        min: cells.keys().next().map_or_else(|| least_listed(series), |least| Ok(*least))?,
        mean: mean(series, &cells),
        cells,
        cycles: series.histogram.total(),
        overflow: series.histogram.overflow(),
        listed: listed_overflow(series),
        max: us(largest)?,
    })
}

fn us(latency_ns: i64) -> Result<u64, String> {
    u64::try_from(latency_ns.div_euclid(1_000)).map_err(|_| format!("it has negative latencies ({latency_ns} ns)"))
}

/// The minimum of a series without anything in range.
fn least_listed(series: &Series) -> Result<u64, String> {
    let complete = listed_overflow(series).len() as u64 == series.histogram.overflow();
    let least = listed_overflow(series).last().filter(|_| complete).map(|sample| sample.latency_ns);
    us(least.or(series.stated.and_then(|stated| stated.min_ns)).ok_or("its minimum is not known")?)
}

fn mean(series: &Series, cells: &BTreeMap<u64, u64>) -> f64 {
    let listed = listed_overflow(series).iter().map(|sample| (sample.latency_ns / 1_000) as f64);
    let known = series.histogram.in_range() + listed.len() as u64;
    let sum = cells.iter().map(|(us, count)| *us as f64 * *count as f64).sum::<f64>() + listed.sum::<f64>();
    let stated = series.stated.and_then(|stated| stated.mean_ns).map(|mean_ns| mean_ns / 1_000.0);
    let complete = Distribution::of([series]).unlisted() == 0;
    stated.filter(|_| !complete).unwrap_or(sum / known.max(1) as f64)
}
