//! All activations of a run: found among the clock readings, recorded in one more boot, and added up one window at a time.

use super::chosen::{all_of_tool, is_early, none_early};
use super::measured::{awaited, clocks_of, is_of_tool, no_latency};
use super::profile::{Profile, ProfileDocument};
use super::readings::{self, Found};
use super::subject::{Subject, instruction_ns, watch_error, windows};
use crate::error::Error;
use crate::progress::Progress;
use prazo_core::text::{counted, grouped};
use prazo_lab::calls::{Overlay, TICK_NS};
use prazo_lab::recording::{PluginRecorder, Recording};
use prazo_lab::{Lab, LabError};
use prazo_run::run::{Quantity, Second, Series, WorstSample};

/// Instructions that are recorded before an activation is due.
const LEAD: u64 = 1_024;

/// Refuses a run whose activations cannot all be found; boots nothing.
pub(super) fn check(subject: &Subject<'_>) -> Result<(), Error> {
    let (place, series) = series(subject)?;
    if series.activations.lost > 0 {
        return Err(Error::refused(format!(
            "run '{}' lost the records of {}, so a profile would be incomplete",
            subject.run.name,
            counted(series.activations.lost, "activation")
        ))
        .with_remedy("measure again for a shorter time, or explain without --profile"));
    }
    if subject.run.of(Quantity::ResponseLatency).count() > 1 {
        let several =
            format!("run '{}' measured several threads, which --profile does not tell apart", subject.run.name);
        return Err(Error::refused(several).with_remedy("measure one thread, or explain without --profile"));
    }
    if is_of_tool(subject.run) && series.stated.and_then(|stated| stated.min_ns).is_some_and(|min_ns| min_ns <= 0) {
        return Err(is_early(subject.run, None));
    }
    let is_known = is_of_tool(subject.run)
        || subject.again.raw(place).next().is_some()
        || series.activations.served == series.worst.len() as u64;
    if !is_known && (awaited(subject.run).is_line() || grid(series).is_none()) {
        return Err(Error::refused(format!(
            "run '{}' lists only the {} worst of its {}, so the others cannot be found",
            subject.run.name,
            grouped(series.worst.len() as u64),
            counted(series.activations.served, "activation")
        ))
        .with_remedy("measure again with --raw, or explain without --profile"));
    }
    Ok(())
}

/// Boots the guest once more with the windows of all activations.
pub(super) fn profiled(
    subject: &Subject<'_>,
    surveyed: &Recording,
    watcher: &PluginRecorder,
    lab: &Lab,
    progress: &mut dyn Progress,
) -> Result<(ProfileDocument, Overlay), Error> {
    let found = all(subject, surveyed)?;
    let windows = windows(&found, instruction_ns(&subject.job), LEAD);
    let mut look = subject.look(progress, "recording all activations");
    let boot = watcher.unread_windows(&subject.job, lab, &windows, &mut look).map_err(watch_error)?;
    subject.again.compare(&boot.answer)?;
    let (mut profile, mut left, mut failed) = (Profile::default(), found.iter().peekable(), None);
    let is_stopped = || subject.stop.as_ref().is_some_and(|stop| stop.is_set());
    let read = boot.each_window(&mut |recording, window| {
        while let Some(one) = left.next_if(|one| failed.is_none() && one.instructions <= window.closed) {
            let activation = subject.activation(one, [&window].into_iter(), recording, watcher);
            failed = activation.and_then(|activation| profile.add(&activation)).err();
        }
        if is_stopped() { Err(LabError::Stopped) } else { Ok(()) }
    });
    read.map_err(watch_error)?;
    match (failed, left.count()) {
        (Some(error), _) => Err(error),
        (None, 0) => Ok(profile.finish()),
        (None, missing) => Err(Error::failed(format!("the windows of {missing} activations were not recorded"))),
    }
}

/// All activations after the warm-up, in order.
fn all(subject: &Subject<'_>, surveyed: &Recording) -> Result<Vec<Found>, Error> {
    let (place, series) = series(subject)?;
    let clocks = clocks_of(subject.run, surveyed);
    if is_of_tool(subject.run) {
        return none_early(subject.run, all_of_tool(subject.run, &clocks)?);
    }
    let warm_up_ns = subject.run.plan.as_ref().map_or(0, |plan| plan.warm_up_kept_apart().as_ns() as i64);
    let raw = subject.again.raw(place).filter(|sample| sample.due_ns >= warm_up_ns).map(|sample| WorstSample {
        at_ns: sample.due_ns,
        latency_ns: sample.latency_ns,
        activation: sample.activation,
    });
    let mut known: Vec<_> = raw.collect();
    if known.is_empty() && series.activations.served == series.worst.len() as u64 {
        known.clone_from(&series.worst);
    }
    known.sort_by_key(|sample| sample.at_ns);
    let found = match grid(series).filter(|_| known.is_empty()) {
        Some(grid) => {
            // From the first activation on, because the last one of the warm-up may be late beyond its end.
            let end = series.timeline.last().map_or(0, |second| (i64::from(second.at_s) + 1) * 1_000_000_000);
            let all = readings::periodic(grid.until(end), &series.worst, &clocks);
            let served = |all: Vec<Found>| {
                let measured = all.into_iter().filter(|one| one.sample.at_ns >= warm_up_ns);
                measured.take(series.activations.served as usize).collect::<Vec<_>>()
            };
            all.map(served)
        }
        None => readings::find(&known, &series.worst, &clocks),
    };
    found.filter(|found| agrees(found, series)).ok_or_else(|| {
        Error::failed(format!(
            "the guest's clock readings do not show the run's {}",
            counted(series.activations.served, "activation")
        ))
        .with_remedy("measure again with --raw, or explain without --profile")
    })
}

fn series<'a>(subject: &Subject<'a>) -> Result<(usize, &'a Series), Error> {
    let all = subject.run.series.iter().enumerate();
    let mut of_latency = all.filter(|(_, series)| series.quantity == Quantity::ResponseLatency);
    of_latency.next().ok_or_else(|| no_latency(subject.run, "use a run of `prazo measure timer --platform lab:NAME`"))
}

/// Where the due instants of a periodic series lie: `first + number x period`.
#[derive(Clone, Copy)]
struct Grid {
    first_ns: i64,
    period_ns: i64,
}

/// The grid on which all listed activations lie; `None` without one, as after a re-phase.
fn grid(series: &Series) -> Option<Grid> {
    let period_ns = i64::try_from(series.period?.as_ns()).ok().filter(|period_ns| *period_ns > 0)?;
    let first = |sample: &WorstSample| sample.at_ns - sample.activation as i64 * period_ns;
    let grid = Grid { first_ns: first(series.worst.first()?), period_ns };
    series.worst.iter().all(|sample| first(sample) == grid.first_ns).then_some(grid)
}

impl Grid {
    /// Each activation with its due instant, up to an instant.
    fn until(self, end_ns: i64) -> impl Iterator<Item = (u64, i64)> {
        let all = (0..).map(move |number| (number, self.first_ns + number as i64 * self.period_ns));
        all.take_while(move |(_, at_ns)| *at_ns < end_ns)
    }
}

/// True where the activations are those of the run, each to a tick of the clock: in each second their number, their sum and their maximum,
/// and each one that the run lists.
fn agrees(found: &[Found], series: &Series) -> bool {
    let is_near = |one: i64, other: i64, count: u64| one.abs_diff(other) <= count * TICK_NS;
    let of_second = |second: &Second| {
        let begin = i64::from(second.at_s) * 1_000_000_000;
        let first = found.partition_point(|one| one.sample.at_ns < begin);
        let behind = found.partition_point(|one| one.sample.at_ns < begin + 1_000_000_000);
        let latencies = || found[first..behind].iter().map(|one| one.sample.latency_ns);
        (behind - first) as u64 == second.count
            && is_near(latencies().sum(), second.sum_ns, second.count)
            && latencies().max().zip(second.max_ns).is_none_or(|(found, max)| is_near(found, max, 1))
    };
    let is_there = |listed: &WorstSample| {
        let place = found.binary_search_by_key(&listed.activation, |one| one.sample.activation);
        place.is_ok_and(|place| is_near(found[place].sample.latency_ns, listed.latency_ns, 1))
    };
    found.len() as u64 == series.activations.served
        && series.timeline.iter().filter(|second| !second.warm_up).all(of_second)
        && series.worst.iter().all(is_there)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::time::Duration;

    const MS: i64 = 1_000_000;

    fn found(activation: u64, latency_ns: i64) -> Found {
        let sample = WorstSample { at_ns: 250 + activation as i64 * MS, latency_ns, activation };
        Found { sample, counter: 0, instructions: 0, latency: latency_ns as u64 }
    }

    /// Two seconds of a thousand activations each, as a run lists them.
    fn series(all: &[Found]) -> Series {
        let second = |at_s: u32| {
            let of_it = || all.iter().skip(at_s as usize * 1_000).take(1_000).map(|one| one.sample.latency_ns);
            let (sum_ns, max_ns) = (of_it().sum(), of_it().max());
            Second { at_s, count: of_it().count() as u64, sum_ns, max_ns, ..Second::default() }
        };
        let mut worst: Vec<_> = all.iter().map(|one| one.sample).collect();
        worst.sort_by_key(|sample| std::cmp::Reverse(sample.latency_ns));
        worst.truncate(500);
        let mut series = Series { period: Some(Duration::from_ms(1)), worst, ..Series::default() };
        series.timeline = (0..2).map(second).collect();
        series.activations.served = all.len() as u64;
        series
    }

    #[test]
    fn a_single_activation_that_differs_is_noticed_wherever_it_is() {
        let all: Vec<_> = (0..2_000).map(|number| found(number, 30_000 + number as i64 * 7_919 % 9_001)).collect();
        let series = series(&all);
        assert!(agrees(&all, &series));
        let mut rounded = all.clone();
        rounded.iter_mut().for_each(|one| one.sample.latency_ns += 7);
        assert!(agrees(&rounded, &series));
        // What was found in place of one activation is 25 µs shorter.
        for place in [0, 777, 1_999] {
            let mut wrong = all.clone();
            wrong[place].sample.latency_ns -= 25_000;
            assert!(!agrees(&wrong, &series), "{place}");
        }
        assert!(!agrees(&all[..1_999], &series));
    }

    #[test]
    fn a_grid_has_the_phase_of_the_listed_activations() {
        let all: Vec<_> = (0..2_000).map(|number| found(number, 30_000)).collect();
        let mut series = series(&all);
        let dues: Vec<_> = grid(&series).unwrap().until(2_001 * MS).collect();
        assert_eq!((dues.len(), dues[3]), (2_001, (3, 250 + 3 * MS)));
        series.worst[7].at_ns += 1;
        assert!(grid(&series).is_none());
    }
}
