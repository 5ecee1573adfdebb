//! The run file while it is being won: opened before the first sample, fed each second, closed with everything known.

use super::around::Around;
use super::{Done, Request};
use crate::timer::{Sink, SinkError};
use prazo_core::time::Duration;
use prazo_platform::fingerprint::capture;
use prazo_platform::root::Root;
use prazo_run::Plan;
use prazo_run::run::{Origin, Quantity};
use prazo_run::store::{Closing, Opening, Recorded, SeriesOpening, SeriesSecond, StoreError, Writer};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A run file that is being written.
pub struct Recording {
    writer: Writer,
    any_sample: bool,
}

impl Recording {
    /// Makes the file with everything known before the first sample.
    pub fn open(request: &Request<'_>, around: &Around) -> Result<Self, StoreError> {
        let writer = Writer::create(request.file, &opening(request, around))?;
        Ok(Self { writer, any_sample: false })
    }

    /// Closes the file and tells where it is: a place that failed while measuring is left for another.
    pub fn close(self, done: Done, around: &Around, root: &Root) -> Result<PathBuf, StoreError> {
        let after = capture(root);
        let Done { measured, loads, caveats } = done;
        let drift = around.drift(&after);
        let closing = Closing {
            ending: measured.ending,
            elapsed: Some(measured.elapsed),
            platform_after: Some(after),
            loads,
            tunables: measured.tunables,
            recorder_delay_max: Some(measured.recorder_delay_max),
            caveats: measured.caveats.into_iter().chain(drift).chain(caveats).collect(),
            outstanding: measured.series.iter().map(|series| series.activations.outstanding).collect(),
            splits: Vec::new(),
        };
        Ok(self.writer.finish(&closing)?.path)
    }

    /// Leaves no file where there was no sample; one with samples stays, and opens as a run that died.
    pub fn abandon(self) {
        let path = self.writer.path().to_owned();
        let empty = !self.any_sample;
        drop(self.writer);
        if empty {
            remove_with_companions(&path);
        }
    }
}

impl Sink for Recording {
    fn second(&mut self, batch: &SeriesSecond) -> Result<(), SinkError> {
        self.any_sample |= !batch.samples.is_empty();
        match self.writer.append(std::slice::from_ref(batch)) {
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

fn opening(request: &Request<'_>, around: &Around) -> Opening {
    Opening {
        name: request.name.clone(),
        origin: Origin::Measured,
        plan: request.plan.clone(),
        command: request.command.clone(),
        started_at_unix_ns: now_unix_ns(),
        platform_before: Some(around.before.clone()),
        tunables: Vec::new(),
        caveats: around.caveats.clone(),
        series: series(&request.plan),
        split_by: None,
    }
}

fn series(plan: &Plan) -> Vec<SeriesOpening> {
    let of_thread = |thread: &prazo_run::plan::ThreadPlan| SeriesOpening {
        cpu: Some(thread.cpu),
        quantity: Quantity::ResponseLatency,
        period: plan.method.has_due_grid().then_some(thread.period),
        resolution: Duration::from_ns(1),
        part_of: None,
    };
    plan.threads.iter().map(of_thread).collect()
}

/// The wall clock, for the label of the run only.
fn now_unix_ns() -> Option<i64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_nanos()).ok()
}
