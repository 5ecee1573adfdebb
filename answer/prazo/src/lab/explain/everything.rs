//! All activations of a run: found among the clock readings, recorded in one more boot, and added up one window at a time.

use super::activation::EventInterrupt;
use super::profile::{Profile, ProfileDocument};
use super::readings::{self, Found};
use super::subject::{Subject, TAIL, awaited, clocks_of, instruction_ns, join, no_latency, watch_error};
use crate::error::Error;
use crate::progress::Progress;
use prazo_core::text::{counted, grouped};
use prazo_lab::Lab;
use prazo_lab::calls::Overlay;
use prazo_lab::recording::{PluginRecorder, Recording};
use prazo_run::run::{Quantity, Series, WorstSample};

/// Instructions that are recorded before an activation is due.
const LEAD: u64 = 256;
/// How far the sum of all latencies may be from that of the run, for each activation: readings are rounded.
const ROUNDED_NS: i64 = 16;

/// Refuses a run whose activations cannot all be found; boots nothing.
pub(super) fn check(subject: &Subject<'_>) -> Result<(), Error> {
    let (place, series) = series(subject)?;
    if series.activations.lost > 0 {
        return Err(Error::refused(format!(
            "run '{}' lost the records of {}, so that a profile would lack them",
            subject.run.name,
            counted(series.activations.lost, "activation")
        ))
        .with_remedy("measure again for a shorter time, or explain without --profile"));
    }
    let is_known = subject.again.raw(place).next().is_some() || series.activations.served == series.worst.len() as u64;
    if !is_known && (awaited(subject.run) == EventInterrupt::Line || series.period.is_none()) {
        return Err(Error::refused(format!(
            "run '{}' lists only the {} worst of its {}, so that the others cannot be found",
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
    let instruction_ns = instruction_ns(&subject.job);
    let mut windows: Vec<_> = found.iter().map(|one| one.window(instruction_ns, LEAD, TAIL)).collect();
    join(&mut windows);
    let mut look = subject.look(progress, "recording all activations");
    let boot = watcher.unread_windows(&subject.job, lab, &windows, &mut look).map_err(watch_error)?;
    subject.again.compare(&boot.answer)?;
    let (mut profile, mut left, mut failed) = (Profile::default(), found.iter().peekable(), None);
    let read = boot.each_window(&mut |recording, window| {
        while let Some(one) = left.next_if(|one| one.instructions <= window.closed) {
            match subject.activation(one, [&window].into_iter(), recording, watcher) {
                Ok(activation) => profile.add(&activation),
                Err(error) => failed = failed.take().or(Some(error)),
            }
        }
        Ok(())
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
    let found = match series.period.filter(|_| known.is_empty()) {
        Some(period) => {
            let (period_ns, due) = (period.as_ns() as i64, series.activations.due.unwrap_or(0));
            let first = warm_up_ns.cast_unsigned().div_ceil(period.as_ns().max(1));
            let dues = (first..first + due).map(|number| (number, number as i64 * period_ns));
            readings::periodic(dues, &series.worst, &clocks)
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

/// True where the number of activations and the sum and the maximum of their latencies are those of the run.
fn agrees(found: &[Found], series: &Series) -> bool {
    let served = series.activations.served;
    let seconds = series.timeline.iter().filter(|second| !second.warm_up);
    let sum: i64 = found.iter().map(|one| one.sample.latency_ns).sum();
    let max = found.iter().map(|one| one.sample.latency_ns).max();
    let is_near = |one: i64, other: i64, count: i64| one.abs_diff(other) <= (count * ROUNDED_NS).unsigned_abs();
    found.len() as u64 == served
        && is_near(sum, seconds.map(|second| second.sum_ns).sum(), served as i64)
        && max.zip(series.worst.first()).is_none_or(|(max, worst)| is_near(max, worst.latency_ns, 1))
}
