//! What a reader knows before it reads: the file's name, the caller's options, and how a run begins from them.

use super::Options;
use super::article_name::ArticleName;
use super::format::Format;
use super::tally::Tally;
use crate::Run;
use crate::run::{Activations, Origin, Quantity, Series, StatedFigures};
use prazo_core::time::Duration;
use prazo_platform::fingerprint::{Fact, Fingerprint};
use std::path::Path;

/// One microsecond, the unit of most files.
pub(super) const US: Duration = Duration::from_us(1);
/// One nanosecond.
pub(super) const NS: Duration = Duration::from_ns(1);

/// What is known before reading.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    /// The file as it was named.
    pub path: &'a Path,
    /// What the caller knows.
    pub options: &'a Options,
    /// The format that was chosen or detected.
    pub format: Format,
}

impl Context<'_> {
    /// A run without samples, named after the file.
    pub(super) fn run(&self) -> Run {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let mut run = self.run_of(&stem);
        run.origin = self.origin();
        run
    }

    /// A run without samples that once was in a file named `stem`, about which an Article's name tells more.
    pub(super) fn run_of(&self, stem: &str) -> Run {
        let name = self.options.label.clone().unwrap_or_else(|| stem.to_owned());
        let mut run = Run { name, origin: self.origin(), ..Run::default() };
        if let Some(article) = ArticleName::parse(stem) {
            article.record(&mut run);
        }
        run
    }

    /// The unit of a file that does not state its own.
    pub(super) fn unit(&self) -> Duration {
        self.options.resolution.filter(|unit| !unit.is_zero()).unwrap_or(US)
    }

    fn origin(&self) -> Origin {
        Origin::Imported { tool: self.format.tool().into(), file: self.path.display().to_string() }
    }
}

/// Notes a fact about the platform or the tool, with the place in the file that says so.
pub(super) fn note(run: &mut Run, name: &str, value: impl Into<String>, source: &str) {
    let fact = Fact { value: Some(value.into()), source: source.into() };
    run.platform_before.get_or_insert_with(Fingerprint::default).facts.insert(name.into(), fact);
}

/// A noted fact.
pub(super) fn noted<'a>(run: &'a Run, name: &str) -> Option<&'a str> {
    run.platform_before.as_ref()?.get(name)
}

/// A series of which every sample is in `tally`, with the source's own figures.
pub(super) fn series(quantity: Quantity, unit: Duration, tally: Tally, stated: StatedFigures) -> Series {
    let served = tally.total();
    Series {
        quantity,
        resolution: unit,
        activations: Activations { served, ..Activations::default() },
        histogram: tally.into_histogram(),
        stated: Some(stated),
        ..Series::default()
    }
}

/// A series of which the source counted `served` samples and kept none.
pub(super) fn series_without_samples(quantity: Quantity, unit: Duration, stated: StatedFigures) -> Series {
    let served = stated.count.unwrap_or(0);
    Series {
        quantity,
        resolution: unit,
        activations: Activations { served, lost: served, ..Activations::default() },
        stated: Some(stated),
        ..Series::default()
    }
}
