//! The proof of the cause, boot by boot: those of an earlier call are found in the folder.

use super::boot::Guest;
use super::folder::{Folder, Record};
use super::{Booted, Hunt};
use crate::error::Error;
use crate::guest::guest_error;
use crate::progress::{Progress, Stop};
use prazo_study::hunt::{self, Boots, Candidate, Cause, Latencies};
use std::path::PathBuf;

impl Hunt<'_> {
    /// What makes the worst boot late.
    pub(super) fn cause(&mut self, worst: &Booted, progress: &mut dyn Progress) -> Result<Cause, Error> {
        let stop = progress.stop().map_err(Error::failed)?;
        let (activation, latency_ns) = (worst.outcome.activation, worst.outcome.latency_ns.unwrap_or_default());
        let file = self.request.folder.join(".boot-test.prazo");
        let (guest, space) = (self.guest, self.guest.space);
        let mut boots = Tests { guest, folder: self.folder, activation, file, stop, progress, made: 0 };
        let cause = hunt::cause(space, &worst.candidate, latency_ns, activation, &mut boots);
        self.folder.clear()?;
        cause
    }
}

struct Tests<'a> {
    guest: Guest<'a>,
    folder: &'a mut Folder,
    activation: u64,
    file: PathBuf,
    stop: Stop,
    progress: &'a mut dyn Progress,
    made: usize,
}

impl Boots for Tests<'_> {
    type Error = Error;

    fn latencies(&mut self, candidate: &Candidate) -> Result<Latencies, Error> {
        self.made += 1;
        self.progress.stage(&format!("proving the cause, boot {}", self.made));
        let study = candidate.study(self.guest.space, None);
        if let Some(latencies) = self.folder.tested(&study) {
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
