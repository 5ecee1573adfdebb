//! cyclictest's `--json` of rt-tests 2.x.
//!
//! `resolution_in_ns` is a flag: 0 means microseconds, 1 nanoseconds. The overflow is not stored; it is the cycles less the
//! histogram's samples. Without `-h` there is no histogram at all. The mean includes the overflow.

use super::accounting::{self, Length};
use super::context::{Context, NS, US, series, series_without_samples};
use super::cyclictest_command::Command;
use super::error::Problem;
use super::input::Input;
use super::rt_tests_json::{RtTestsFile, Thread, parse, record_header};
use super::tally::{SERIES_MAX, Tally, believable_count};
use super::{agreement, caveats, date};
use crate::Run;
use crate::run::{Ending, Quantity, Series, StatedFigures};
use prazo_core::text::counted;
use prazo_core::time::Duration;

/// Reads the file.
pub(super) fn read(input: &mut Input, context: &Context) -> Result<Run, Problem> {
    let file: RtTestsFile = parse(input)?;
    if file.thread.0.len() > SERIES_MAX {
        return Err(Problem::TooMuch { what: "too many threads".into(), limit: SERIES_MAX as u64 });
    }
    let command = file.cmdline.as_deref().and_then(Command::parse);
    let mut run = context.run();
    record_header(&mut run, &file);
    if let Some(command) = &command {
        command.record(&mut run);
    }
    threads(&mut run, &file, command.as_ref(), context)?;
    samples_without_value(&mut run, command.as_ref(), unit(&file));
    agreement::compare(&mut run);
    ending(&mut run, &file, command.as_ref());
    let length = length(&run, &file, command.as_ref(), context);
    accounting::account_for(&mut run, length);
    Ok(run)
}

fn unit(file: &RtTestsFile) -> Duration {
    if file.resolution_in_ns == Some(1) { NS } else { US }
}

fn threads(run: &mut Run, file: &RtTestsFile, command: Option<&Command>, context: &Context) -> Result<(), Problem> {
    let has_bound = command.and_then(Command::bound).is_some();
    for (number, thread) in &file.thread.0 {
        let cycles = believable_count(thread.cycles.ok_or_else(|| no_cycles(*number))?)?;
        if cycles == 0 {
            run.caveats.push(caveats::thread_without_samples(*number));
            continue;
        }
        let stated = thread.stated(Some(cycles), unit(file)).unwrap_or_else(|garbage| {
            run.caveats.push(caveats::garbage_refused(&garbage));
            StatedFigures { count: Some(cycles), ..StatedFigures::default() }
        });
        let mut series = of_thread(thread, *number, cycles, stated, unit(file), has_bound)?;
        series.period = command.and_then(|command| command.period(*number)).or(context.options.period);
        run.series.push(series);
    }
    if run.series.is_empty() { Err(Problem::NoSamples("no thread ever woke up".into())) } else { Ok(()) }
}

fn no_cycles(thread: u64) -> Problem {
    Problem::malformed(&format!("thread {thread}"), "a thread with the field 'cycles'")
}

fn of_thread(
    thread: &Thread,
    number: u64,
    cycles: u64,
    stated: StatedFigures,
    unit: Duration,
    has_bound: bool,
) -> Result<Series, Problem> {
    // Without -h, cyclictest 2.40 writes an empty histogram; with -h, an empty one has all samples beyond its bound.
    let histogram = thread.histogram.as_ref().filter(|histogram| !histogram.0.is_empty() || has_bound);
    let mut series = match histogram {
        Some(histogram) => {
            let mut tally = Tally::new(unit);
            for (value, count) in &histogram.0 {
                tally.add(i64::try_from(*value).unwrap_or(i64::MAX), *count)?;
            }
            tally.add_overflow(overflow(number, cycles, tally.total())?)?;
            series(Quantity::ResponseLatency, unit, tally, stated)
        }
        None => series_without_samples(Quantity::ResponseLatency, unit, stated),
    };
    series.cpu = thread.processor();
    Ok(series)
}

fn overflow(thread: u64, cycles: u64, in_range: u64) -> Result<u64, Problem> {
    let contradiction = || {
        format!(
            "thread {thread} has {}, but {} in its histogram",
            counted(cycles, "cycle"),
            counted(in_range, "sample")
        )
    };
    cycles.checked_sub(in_range).ok_or_else(|| Problem::Contradiction(contradiction()))
}

/// Caveats about samples that the file counts and does not hold.
fn samples_without_value(run: &mut Run, command: Option<&Command>, unit: Duration) {
    if run.series.iter().any(|series| series.histogram.is_empty()) {
        run.caveats.push(caveats::no_histogram());
    }
    let count: u64 = run.series.iter().map(|series| series.histogram.overflow()).sum();
    if count > 0 {
        let bound = command.and_then(Command::bound).and_then(|bound| unit.checked_mul(bound));
        let max = run.series.iter().filter_map(|series| series.stated?.max_ns).max();
        run.caveats.push(caveats::overflow_without_values(&caveats::Overflow {
            count,
            above: bound.map_or("the end of the histogram".into(), |bound| bound.to_string()),
            max: max.map(|max| Duration::from_ns(max as u64).to_string()),
            bursts: None,
        }));
    }
}

/// Threshold, failure, or fewer cycles than asked.
fn ending(run: &mut Run, file: &RtTestsFile, command: Option<&Command>) {
    let worst = run.series.iter().filter_map(|series| Some((series.stated?.max_ns?, series.cpu.unwrap_or(0)))).max();
    let stop = command.and_then(Command::stop_above_us);
    if let Some((latency_ns, cpu)) = worst.filter(|(max, _)| stop.is_some_and(|us| *max as u64 / 1_000 > us)) {
        run.ending = Ending::Threshold { cpu, latency_ns };
        run.caveats.push(caveats::run_ended_early("cyclictest stopped at a latency above the threshold of -b"));
        return;
    }
    if let Some(code) = file.return_code.filter(|code| *code != 0) {
        run.ending = Ending::Interrupted;
        run.caveats.push(caveats::run_ended_early(&format!("the tool ended with return code {code}")));
    } else if let Some(what) = command.and_then(|command| shortfall(run, file, command)) {
        run.ending = Ending::Interrupted;
        run.caveats.push(caveats::run_ended_early(&what));
    }
}

/// What is missing from the loops or the duration that were asked for; the first of both ends a run.
fn shortfall(run: &Run, file: &RtTestsFile, command: &Command) -> Option<String> {
    let most = run.series.iter().map(|series| series.activations.served).max().unwrap_or(0);
    let loops = command.loops().filter(|loops| most < *loops);
    if command.loops().is_some() && loops.is_none() {
        return None;
    }
    match (command.duration(), elapsed_s(file)) {
        (Some(requested), Some(lasted)) if lasted + 1 < (requested.as_ns() / 1_000_000_000) as i64 => {
            Some(format!("the tool ran for {lasted} s of the requested {requested}"))
        }
        (None, _) => {
            loops.map(|loops| format!("no thread had more than {most} of the requested {}", counted(loops, "cycle")))
        }
        _ => None,
    }
}

/// Whole seconds of the wall clock, set-up included.
fn elapsed_s(file: &RtTestsFile) -> Option<i64> {
    let [start, end] = [&file.start_time, &file.end_time].map(|time| time.as_deref().and_then(date::unix_s));
    Some(end? - start?).filter(|lasted| (0..=10_000_000).contains(lasted))
}

/// How long it lasted: as asked where the duration ended it, else between the whole seconds of the file's clock.
fn length(run: &Run, file: &RtTestsFile, command: Option<&Command>, context: &Context) -> Length {
    if let Some(duration) = context.options.duration {
        return Length::Known(duration);
    }
    let most = run.series.iter().map(|series| series.activations.served).max().unwrap_or(0);
    let by_loops = |command: &&Command| command.loops().is_none_or(|loops| most < loops);
    let by_duration = command.filter(by_loops).and_then(Command::duration).filter(|_| run.ending == Ending::Complete);
    match (by_duration, elapsed_s(file)) {
        (Some(duration), _) => Length::Known(duration),
        (None, Some(lasted)) => Length::Between {
            at_least: Duration::from_s((lasted - 2).max(0) as u64),
            at_most: Duration::from_s(lasted as u64 + 1),
        },
        (None, None) => Length::Unknown,
    }
}
