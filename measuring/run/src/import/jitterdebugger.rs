//! jitterdebugger's results.json, version 3.
//!
//! `resolution_in_ns` is the unit itself (1000 is a microsecond). The histogram ends at 1 ms: what is longer is dropped from
//! it and shows only in `count`. A missed target is served late, never jumped over, so every due activation has a sample.

use super::context::{Context, series, series_without_samples};
use super::error::Problem;
use super::input::Input;
use super::rt_tests_json::{SysInfo, Thread, parse, record_system};
use super::tally::{SERIES_MAX, Tally, believable_count};
use super::unique::Unique;
use super::{agreement, caveats};
use crate::Run;
use crate::run::{Quantity, Series, StatedFigures};
use prazo_core::time::Duration;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Results {
    version: u64,
    #[serde(default)]
    sysinfo: SysInfo,
    cpu: Unique<Thread>,
}

/// Reads the file.
pub(super) fn read(input: &mut Input, context: &Context) -> Result<Run, Problem> {
    let file: Results = parse(input)?;
    if file.version != 3 {
        let what = format!("version {} of jitterdebugger's results", file.version);
        return Err(super::format::not_imported(what, "import results of version 3, which jitterdebugger 0.3 writes"));
    }
    if file.cpu.0.len() > SERIES_MAX {
        return Err(Problem::TooMuch { what: "too many processors".into(), limit: SERIES_MAX as u64 });
    }
    let unit = unit(&file.sysinfo, context)?;
    let mut run = context.run();
    record_system(&mut run, &file.sysinfo);
    for (cpu, thread) in &file.cpu.0 {
        processor(&mut run, *cpu, thread, unit, context)?;
    }
    finish(run)
}

fn unit(system: &SysInfo, context: &Context) -> Result<Duration, Problem> {
    match system.resolution_in_ns {
        None => Ok(context.unit()),
        Some(ns @ (1 | 1_000)) => Ok(Duration::from_ns(ns)),
        Some(other) => Err(Problem::malformed(&other.to_string(), "a resolution_in_ns of 1 or 1000")),
    }
}

fn processor(run: &mut Run, cpu: u64, thread: &Thread, unit: Duration, context: &Context) -> Result<(), Problem> {
    let count = thread
        .cycles
        .ok_or_else(|| Problem::malformed(&format!("processor {cpu}"), "a processor with the field 'count'"))?;
    if believable_count(count)? == 0 {
        run.caveats.push(caveats::thread_without_samples(cpu));
        return Ok(());
    }
    let stated = thread.stated(Some(count), unit).unwrap_or_else(|garbage| {
        run.caveats.push(caveats::garbage_refused(&garbage));
        StatedFigures { count: Some(count), ..StatedFigures::default() }
    });
    let mut series = samples(cpu, thread, count, stated, unit)?;
    series.cpu = Some(u32::try_from(cpu).map_err(|_| Problem::malformed(&cpu.to_string(), "a processor's number"))?);
    series.period = context.options.period;
    run.series.push(series);
    Ok(())
}

fn samples(cpu: u64, thread: &Thread, count: u64, stated: StatedFigures, unit: Duration) -> Result<Series, Problem> {
    let Some(histogram) = &thread.histogram else {
        return Ok(series_without_samples(Quantity::ResponseLatency, unit, stated));
    };
    let mut tally = Tally::new(unit);
    for (value, count) in &histogram.0 {
        tally.add(i64::try_from(*value).unwrap_or(i64::MAX), *count)?;
    }
    let held = tally.total();
    let more = || {
        Problem::Contradiction(format!("processor {cpu} has a count of {count}, but {held} samples in its histogram"))
    };
    tally.add_overflow(count.checked_sub(held).ok_or_else(more)?)?;
    let mut series = series(Quantity::ResponseLatency, unit, tally, stated);
    series.activations.due = Some(count);
    series.activations.skipped = Some(0);
    Ok(series)
}

fn finish(mut run: Run) -> Result<Run, Problem> {
    if run.series.is_empty() {
        return Err(Problem::NoSamples("no processor has samples".into()));
    }
    let dropped: u64 = run.series.iter().map(|series| series.histogram.overflow()).sum();
    if dropped > 0 {
        run.caveats.push(caveats::jitterdebugger_drops(dropped));
    }
    if run.series.iter().any(|series| series.histogram.is_empty()) {
        run.caveats.push(caveats::no_histogram());
    }
    agreement::compare(&mut run);
    Ok(run)
}
