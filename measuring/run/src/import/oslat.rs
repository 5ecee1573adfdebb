//! oslat's `--json`: gaps in a busy loop that reads the processor's clock.
//!
//! Bucket k holds gaps of [k - 1, k) microseconds. The last bucket (32, or `-b`) also holds every longer gap: its samples
//! are overflow here. With `-B` the buckets start at a bias that the file does not state.

use super::command::{Flags, OSLAT};
use super::context::{Context, US, series};
use super::error::Problem;
use super::input::Input;
use super::rt_tests_json::{RtTestsFile, Thread, parse, record_header};
use super::tally::{SERIES_MAX, Tally};
use super::{agreement, caveats};
use crate::Run;
use crate::run::{Ending, Quantity, Series, StatedFigures};
use prazo_core::time::Duration;

/// oslat's buckets without `-b`.
const BUCKETS: u64 = 32;

/// Reads the file.
pub(super) fn read(input: &mut Input, context: &Context) -> Result<Run, Problem> {
    let file: RtTestsFile = parse(input)?;
    if file.thread.0.len() > SERIES_MAX {
        return Err(Problem::TooMuch { what: "too many threads".into(), limit: SERIES_MAX as u64 });
    }
    let flags = file.cmdline.as_deref().map(|line| Flags::parse(line, &OSLAT));
    let mut run = context.run();
    record_header(&mut run, &file);
    for thread in file.thread.0.values() {
        let stated = thread.stated(None, US).unwrap_or_else(|garbage| {
            run.caveats.push(caveats::garbage_refused(&garbage));
            StatedFigures::default()
        });
        run.series.extend(of_thread(thread, stated, flags.as_ref())?);
    }
    if run.series.is_empty() {
        return Err(Problem::NoSamples("no thread has a histogram".into()));
    }
    run.elapsed = file.thread.0.values().filter_map(|thread| seconds(thread.duration?)).max();
    caveats(&mut run, &file);
    Ok(run)
}

fn seconds(seconds: f64) -> Option<Duration> {
    (0.0..1e7).contains(&seconds).then(|| Duration::from_ns((seconds * 1e9) as u64))
}

fn of_thread(thread: &Thread, stated: StatedFigures, flags: Option<&Flags>) -> Result<Option<Series>, Problem> {
    let Some(buckets) = thread.histogram.as_ref().filter(|buckets| !buckets.0.is_empty()) else {
        return Ok(None);
    };
    let last = buckets.0.keys().next_back().copied().unwrap_or(0);
    let catches_all = catch_all(last, stated.max_ns, flags);
    let mut tally = Tally::new(US);
    for (bucket, count) in &buckets.0 {
        match catches_all && *bucket == last {
            true => tally.add_overflow(*count)?,
            false => tally.add(i64::try_from(*bucket).unwrap_or(i64::MAX), *count)?,
        }
    }
    Ok(Some(Series { cpu: thread.processor(), ..series(Quantity::Noise, US, tally, stated) }))
}

/// True if the largest bucket of the file is the one that holds all longer gaps.
fn catch_all(last: u64, max_ns: Option<i64>, flags: Option<&Flags>) -> bool {
    let size = flags.filter(|flags| !flags.has('B')).map(|flags| flags.number('b').unwrap_or(BUCKETS));
    let longer = max_ns.is_some_and(|max| max / 1_000 > i64::try_from(last).unwrap_or(i64::MAX));
    size == Some(last) || longer
}

fn caveats(run: &mut Run, file: &RtTestsFile) {
    run.caveats.push(caveats::iterations_not_activations("iterations of a busy loop"));
    run.caveats.push(caveats::rounded_up());
    let count: u64 = run.series.iter().map(|series| series.histogram.overflow()).sum();
    if count > 0 {
        let max = run.series.iter().filter_map(|series| series.stated?.max_ns).max();
        run.caveats.push(caveats::overflow_without_values(&caveats::Overflow {
            count,
            above: "the last bucket".into(),
            max: max.map(|max| Duration::from_ns(max as u64).to_string()),
            bursts: None,
        }));
    }
    if let Some(code) = file.return_code.filter(|code| *code != 0) {
        run.ending = Ending::Interrupted;
        run.caveats.push(caveats::run_ended_early(&format!("the tool ended with return code {code}")));
    }
    agreement::compare(run);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bucket_catches_all_by_its_number_or_by_the_maximum() {
        let flags = |line| Flags::parse(line, &OSLAT);
        assert!(catch_all(32, Some(4_066_000), None));
        assert!(catch_all(32, Some(32_000), Some(&flags("oslat -c 1"))));
        assert!(!catch_all(31, Some(31_000), Some(&flags("oslat -c 1"))));
        assert!(catch_all(64, Some(64_000), Some(&flags("oslat -b 64"))));
        assert!(!catch_all(32, Some(32_000), Some(&flags("oslat -b 64"))));
        assert!(!catch_all(32, Some(32_000), Some(&flags("oslat -B"))));
    }
}
