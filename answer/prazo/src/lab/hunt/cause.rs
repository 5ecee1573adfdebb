//! The proof of the cause, boot by boot: those of an earlier call are found in the folder.

use super::boot::{Booted, Guest};
use super::folder::{Folder, Record};
use crate::error::Error;
use crate::guest::guest_error;
use crate::progress::{Count, Progress, Stop};
use prazo_study::hunt::{self, Boots, Candidate, Cause, Latencies};
use std::path::PathBuf;

/// What makes the worst boot late; runs of the tests are in `file`, one after the other.
pub(super) fn cause(
    guest: Guest<'_>,
    folder: &mut Folder,
    worst: &Booted,
    file: PathBuf,
    progress: &mut dyn Progress,
) -> Result<Cause, Error> {
    let stop = progress.stop().map_err(Error::failed)?;
    let (activation, latency_ns) = (worst.outcome.activation, worst.outcome.latency_ns.unwrap_or_default());
    let total = hunt::boots_max(worst.candidate.loads.len()) as u64;
    progress.stage("testing which loads cause the latency");
    let mut boots = Tests { guest, folder, activation, file, stop, progress, made: 0, found: 0, total };
    hunt::cause(guest.space, &worst.candidate, latency_ns, activation, &mut boots)
}

struct Tests<'a> {
    guest: Guest<'a>,
    folder: &'a mut Folder,
    activation: u64,
    file: PathBuf,
    stop: Stop,
    progress: &'a mut dyn Progress,
    made: u64,
    /// Boots of an earlier call.
    found: u64,
    /// Boots at most.
    total: u64,
}

impl Boots for Tests<'_> {
    type Error = Error;

    fn latencies(&mut self, candidate: &Candidate) -> Result<Latencies, Error> {
        let Self { made: done, found, total, .. } = *self;
        self.progress.count(&Count { parts: "boots at most", done, found, total, left: None, elapsed: None });
        self.made += 1;
        let study = candidate.study(self.guest.space, None);
        if let Some(latencies) = self.folder.tested(&study) {
            self.found += 1;
            return Ok(latencies);
        }
        let stop = &self.stop;
        let latencies = self.guest.latencies(candidate, &self.file, self.activation, &|| stop.is_set());
        let latencies =
            latencies.map_err(|error| if stop.is_set() { Error::Interrupted } else { guest_error(error) })?;
        self.folder.add(Record::of_test(&study, latencies))?;
        Ok(latencies)
    }
}
