//! Compares the samples of a boot with those of the run: each one where the run kept them, else its histograms and lists.

use crate::error::Error;
use prazo_lab::GuestAnswer;
use prazo_run::store::{self, Sample};
use prazo_run::{Run, run::Series};
use std::io::Write;
use std::path::Path;

/// The samples that a boot must repeat.
#[derive(Clone, Debug)]
pub(in crate::lab) struct Again {
    series: Vec<Series>,
    samples: Vec<(usize, Vec<Sample>)>,
}

impl Again {
    /// The samples of the run in a file.
    pub(super) fn of(file: &Path, run: &Run) -> Result<Self, Error> {
        let mut samples = Vec::new();
        store::samples(file, |series, all| samples.push((series, all.to_vec()))).map_err(Error::failed)?;
        Ok(Self { series: run.series.clone(), samples })
    }

    /// The samples of a series, the warm-up included; empty where the run did not keep them.
    pub(super) fn raw(&self, series: usize) -> impl Iterator<Item = &Sample> {
        self.samples.iter().filter(move |(of, _)| *of == series).flat_map(|(_, samples)| samples)
    }

    /// How many samples are compared.
    pub(in crate::lab) fn count(&self) -> u64 {
        self.series.iter().map(|series| series.activations.served).sum()
    }

    /// An error where the boot's samples differ.
    pub(in crate::lab) fn compare(&self, answer: &GuestAnswer) -> Result<(), Error> {
        let failed = |error: std::io::Error| Error::failed(error).attempting("cannot store the run file of a guest");
        let mut file = tempfile::NamedTempFile::with_suffix(".prazo").map_err(failed)?;
        file.write_all(&answer.file).map_err(failed)?;
        let run = store::open(file.path()).map_err(Error::failed)?;
        let other = Self::of(file.path(), &run)?;
        if self.series == other.series && self.samples == other.samples {
            return Ok(());
        }
        Err(Error::failed(
            "another boot of the run's guest measured different samples than the run, so this boot shows nothing \
             about the run",
        )
        .with_remedy("measure again; report this if it happens again"))
    }
}
