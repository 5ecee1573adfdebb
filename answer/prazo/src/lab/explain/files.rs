//! The activations as files: a trace for Perfetto, a chart.

use super::activation::Activation;
use super::document::Explained;
use super::profile;
use super::sentence::micros;
use crate::error::Error;
use crate::output;
use crate::progress::{FileKind, Progress, Remark};
use prazo_lab::calls::Overlay;
use prazo_report::svg::{Setting, icicle, icicles};
use prazo_report::{AllCalls, Calls, trace};
use std::path::Path;

/// Refuses a file that could not be written at the end.
pub(super) fn check(file: &Path) -> Result<(), Error> {
    match form(file) {
        Some(_) => output::free(file),
        None => Err(Error::field("output", "the file's name ends with neither .json nor .svg")
            .with_value(file.display())
            .with_remedy("use .json for a trace that Perfetto opens, or .svg for a chart")),
    }
}

fn form(file: &Path) -> Option<FileKind> {
    match file.extension()?.to_str()? {
        "json" => Some(FileKind::Trace),
        "svg" => Some(FileKind::Picture),
        _ => None,
    }
}

/// Writes one file.
pub(super) fn write(
    file: &Path,
    document: &Explained,
    [activations, against]: [&[Activation]; 2],
    all: Option<&Overlay>,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    let difference = document.against.as_ref().map(|against| &against.difference);
    let own = Titled::all(activations, difference.map(|one| one.name.as_str()));
    let others = Titled::all(against, difference.map(|one| one.against_name.as_str()));
    let [own, others] = [&own, &others].map(|all| all.iter().map(Titled::calls).collect::<Vec<_>>());
    let what = form(file).unwrap_or(FileKind::Trace);
    match (what, difference) {
        (FileKind::Picture, Some(difference)) => {
            let names = [difference.name.as_str(), difference.against_name.as_str()];
            output::write(file, icicles([own[0], others[0]], names, Setting::Alone))?;
        }
        (FileKind::Picture, None) => {
            let title = document.run.profile.as_ref().map(profile::summary).unwrap_or_default();
            let activations = document.run.profile.as_ref().map_or(0, |profile| profile.activations);
            let all = all.map(|overlay| AllCalls { title: &title, overlay, activations });
            output::write(file, icicle(&own[0], all.as_ref(), Setting::Alone))?;
        }
        _ => output::stream(file, |out| trace::calls(&[own, others].concat(), out))?,
    }
    progress.remark(&Remark::Written { what, file: file.to_owned() });
    Ok(())
}

/// An activation with the title that it has in a file.
struct Titled<'a> {
    title: String,
    activation: &'a Activation,
}

impl<'a> Titled<'a> {
    /// Activations of a run, which is named where there is another one.
    fn all(activations: &'a [Activation], run: Option<&str>) -> Vec<Self> {
        let run = run.map(|run| format!("{run}, ")).unwrap_or_default();
        let titled = |activation: &'a Activation| {
            let latency = micros(activation.sample.latency_ns.unsigned_abs());
            Self { title: format!("{run}activation {}: {latency}", activation.sample.activation), activation }
        };
        activations.iter().map(titled).collect()
    }

    fn calls(&self) -> Calls<'_> {
        let Activation { tree, span, instruction_ns, .. } = self.activation;
        Calls { title: &self.title, tree, span, instruction_ns: *instruction_ns }
    }
}
