//! The run file while it is being won: opened before the first sample, fed each second, closed with everything known.

use super::platform_before::PlatformBefore;
use super::splitting::SampleSplitter;
use super::{Request, SessionResult};
use crate::interrupt;
use prazo_core::time::Duration;
use prazo_engine::{Sink, SinkError};
use prazo_platform::fingerprint::capture;
use prazo_platform::root::Root;
use prazo_run::run::{Origin, Quantity};
use prazo_run::source::{InterruptSource, Source};
use prazo_run::split::Splitter as By;
use prazo_run::store::{Closing, Opening, Recorded, SeriesOpening, SeriesSecond, StoreError, Writer};
use prazo_run::{Caveat, Plan};
use prazo_sys::clock;
use prazo_trace::overheads;
use std::path::{Path, PathBuf};

/// A run file that is being written.
pub(super) struct Recording {
    writer: Writer,
    splitter: Option<SampleSplitter>,
    any_sample: bool,
}

impl Recording {
    /// Makes the file with everything known before the first sample.
    pub(super) fn open(request: &Request<'_>, around: &PlatformBefore, root: &Root) -> Result<Self, StoreError> {
        let (splitter, not_split) = SampleSplitter::attach(&request.plan, root);
        let writer = Writer::create(request.file, &opening(request, around, splitter.as_ref(), not_split))?;
        Ok(Self { writer, splitter, any_sample: false })
    }

    /// True where the events around the worst samples are kept as well.
    pub(super) fn has_events(&self) -> bool {
        self.splitter.as_ref().is_some_and(SampleSplitter::has_events)
    }

    /// The events up to the latency that stopped the run, as text; `None` where none are kept.
    pub(super) fn events_of(&self, cpu: u32, latency_ns: i64) -> Option<String> {
        self.splitter.as_ref()?.events_of(cpu, latency_ns)
    }

    /// Closes the file and tells where it is: a place that failed while measuring is left for another.
    pub(super) fn close(
        self,
        done: SessionResult,
        around: &PlatformBefore,
        root: &Root,
    ) -> Result<PathBuf, StoreError> {
        let after = capture(root);
        let SessionResult { measured, loads, caveats, mut splits, overheads, noise, probe_cost, trace: _ } = done;
        let drift = around.drift(&after, &measured.caveats);
        let (of_threads, of_splits) = self.splitter.map(SampleSplitter::finish).unwrap_or_default();
        splits.extend(of_threads);
        let closing = Closing {
            ending: measured.ending,
            elapsed: Some(measured.elapsed),
            platform_after: Some(after),
            loads,
            tunables: measured.tunables,
            recorder_delay_max: Some(measured.recorder_delay_max),
            probe_cost,
            caveats: measured.caveats.into_iter().chain(drift).chain(caveats).chain(of_splits).collect(),
            outstanding: measured.series.iter().map(|series| series.activations.outstanding).collect(),
            splits,
            overheads,
            noise,
            watched: None,
        };
        Ok(self.writer.finish(&closing)?.path)
    }

    /// Leaves no file where there was no sample; one with samples stays, and opens as a run that died.
    pub(super) fn abandon(self) {
        let path = self.writer.path().to_owned();
        let empty = !self.any_sample;
        drop(self.writer);
        if empty {
            remove_with_companions(&path);
        }
    }
}

impl Sink for Recording {
    fn prepared(&mut self, thread_ids: &[i32], start_ns: u64) {
        if let Some(splitter) = &mut self.splitter {
            splitter.follow(thread_ids, start_ns);
        }
    }

    fn second(&mut self, batch: &SeriesSecond) -> Result<(), SinkError> {
        self.any_sample |= !batch.samples.is_empty();
        let parts = self.splitter.as_mut().map(|splitter| splitter.second(batch)).unwrap_or_default();
        let all: Vec<SeriesSecond> = std::iter::once(batch.clone()).chain(parts).collect();
        match self.writer.append(&all) {
            // What waits is tried again with the next second; the store itself counts and reports what it must give up.
            Recorded::Stored | Recorded::Waiting { .. } => Ok(()),
        }
    }
}

/// Removes an empty run file and the write-ahead log beside it; what is gone already need not be removed.
fn remove_with_companions(path: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let _ = std::fs::remove_file(name);
    }
}

fn opening(
    request: &Request<'_>,
    around: &PlatformBefore,
    splitter: Option<&SampleSplitter>,
    not_split: Option<Caveat>,
) -> Opening {
    let wholes = series(&request.plan);
    Opening {
        name: request.name.clone(),
        origin: Origin::Measured,
        plan: request.plan.clone(),
        command: request.command.clone(),
        started_at_unix_ns: clock::unix_ns(),
        platform_before: Some(around.fingerprint.clone()),
        tunables: Vec::new(),
        caveats: around.caveats.iter().cloned().chain(not_split).collect(),
        split_by: split_by(&request.plan, splitter),
        series: splitter.map_or(wholes.clone(), |splitter| splitter.series(wholes)),
    }
}

/// The module's stamps are in its own samples.
fn split_by(plan: &Plan, splitter: Option<&SampleSplitter>) -> Option<By> {
    match plan.source {
        Source::Interrupt(_) => Some(By::Module),
        _ => splitter.map(|_| By::Bpf),
    }
}

fn series(plan: &Plan) -> Vec<SeriesOpening> {
    match &plan.source {
        Source::Interrupt(source) => series_of_line(plan, source),
        Source::Overheads(source) => overheads::series_of(source),
        _ => series_of_threads(plan),
    }
}

/// The response of the one task, and its parts.
fn series_of_line(plan: &Plan, source: &InterruptSource) -> Vec<SeriesOpening> {
    let of = |(place, quantity): (usize, &Quantity)| SeriesOpening {
        cpu: plan.threads.first().map(|thread| thread.cpu),
        quantity: *quantity,
        // With a jitter there is a shortest distance, and no grid.
        period: None,
        resolution: Duration::from_ns(1),
        part_of: (place > 0).then_some(0),
    };
    interrupt::series_of(source).iter().enumerate().map(of).collect()
}

fn series_of_threads(plan: &Plan) -> Vec<SeriesOpening> {
    let of_thread = |thread: &prazo_run::plan::ThreadPlan| SeriesOpening {
        cpu: Some(thread.cpu),
        quantity: plan.source.quantity(),
        period: plan.has_due_grid().then_some(thread.period),
        resolution: Duration::from_ns(1),
        part_of: None,
    };
    plan.threads.iter().map(of_thread).collect()
}
