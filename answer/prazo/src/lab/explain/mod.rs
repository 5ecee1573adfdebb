//! Why activations were late: the run's boot again, with every instruction of its worst activations recorded.
//!
//! ```text
//! run ─► job, checked against the run's facts ─► boot with clock readings ─► where the worst activations are
//!     ─► boot with their windows ─► calls ─► phases, levels, functions, sentence
//!     ─► boot with the windows of all activations ─► profile
//! two runs ─► both explained ─► difference by phase and by function, sentence
//! ```
//! Every boot must repeat the run's samples; otherwise there is no answer.

mod activation;
pub(super) mod again;
mod against;
mod chosen;
pub mod debug;
mod difference;
mod document;
mod everything;
mod files;
mod levels;
mod measured;
mod path;
mod phases;
mod profile;
pub(super) mod readings;
mod sentence;
mod subject;
mod text;
mod tool;

pub use activation::{Activation, EventInterrupt};
pub use difference::{DifferenceDocument, PhaseDifference};
pub use document::{Against, Explained, ExplainedRun, FunctionDocument, PhaseDocument, WorstDocument};
pub use levels::LevelDocument;
pub use phases::PhaseKind;
pub use prazo_study::function_difference::{FunctionDifference, Times};
pub use profile::{FunctionTime, LevelShare, PhaseShare, ProfileDocument, Share};
pub(super) use sentence::{callers_of, micros};
pub use subject::LabRun;

pub(super) use measured::{awaited, is_of_tool, no_latency, series};
pub(super) use subject::{Subject, instruction_ns, join, shown, watch_error};

use crate::error::Error;
use crate::guest::lab_error;
use crate::progress::{Progress, Stop};
use prazo_lab::Lab;
use prazo_lab::calls::Overlay;
use prazo_run::{Run, store};
use std::path::PathBuf;

/// What is explained.
#[derive(Clone, Debug)]
pub struct ExplainRequest {
    /// The run whose worst activations are explained.
    pub run: LabRun,
    /// Another run, whose worst activation is compared with that of the first one.
    pub against: Option<LabRun>,
    /// Names of the two runs in the comparison; by default their platforms, or else their files.
    pub names: Option<[String; 2]>,
    /// Number of activations to explain of each run, from the worst on.
    pub worst: usize,
    /// Whether all activations are recorded, too, and where their time went is a part of the answer.
    pub profile: bool,
    /// Who called whom is a part of the text; without calls of fewer instructions than this.
    pub path_least: Option<u64>,
    /// Files to write: a trace (.json) with all of them, or a chart (.svg) of the worst of each run.
    pub outputs: Vec<PathBuf>,
}

/// The answer: the document, and the activations that it describes.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// What `--json` prints.
    pub document: Explained,
    /// The worst activations, worst first.
    pub activations: Vec<Activation>,
    /// Those of the other run; empty without one.
    pub against: Vec<Activation>,
    /// The calls of all activations of the run as one; `None` without a profile.
    pub all: Option<Overlay>,
    path_least: Option<u64>,
}

/// Explains the worst activations of a run, and how the worst one differs from that of another run.
///
/// # Errors
/// A run is not from the lab, something that decides its trajectory changed since, there is no compiler, or a boot did not
/// repeat the run's samples.
pub fn explain(request: &ExplainRequest, progress: &mut dyn Progress) -> Result<Explanation, Error> {
    explain_until(request, None, progress)
}

/// The same, which ends early where the caller asks to stop.
pub(crate) fn explain_until(
    request: &ExplainRequest,
    stop: Option<&Stop>,
    progress: &mut dyn Progress,
) -> Result<Explanation, Error> {
    request.outputs.iter().try_for_each(|file| files::check(file))?;
    let runs: Vec<_> = std::iter::once(&request.run).chain(&request.against).collect();
    let runs = runs.into_iter().map(|of| Ok((of, store::open(&of.file).map_err(Error::reading)?)));
    let runs: Vec<(&LabRun, Run)> = runs.collect::<Result<_, Error>>()?;
    if let Some((_, other)) = runs.iter().find(|(_, run)| awaited(run).is_line() != awaited(&runs[0].1).is_line()) {
        let differ = format!(
            "run '{}' and run '{}' measured different events, a timer and an interrupt line",
            runs[0].1.name, other.name
        );
        return Err(Error::refused(differ).with_remedy("compare two runs of the same command"));
    }
    let lab = Lab::find().map_err(lab_error)?;
    // Everything that can be refused is refused before the first boot, which takes a while.
    let subjects = runs.iter().map(|(of, run)| Subject::of(of, run, request.worst, &lab));
    let mut subjects: Vec<_> = subjects.collect::<Result<_, _>>()?;
    subjects.iter_mut().for_each(|subject| subject.stop = stop.cloned());
    subjects.iter().filter(|_| request.profile).try_for_each(everything::check)?;

    let ExplainedSubject { run, activations, all } = explained(&subjects[0], request.profile, &lab, progress)?;
    let (document, path_least) = (Explained { run, against: None }, request.path_least);
    let mut explanation = Explanation { document, activations, against: Vec::new(), all, path_least };
    if let Some(other) = subjects.get(1) {
        let ExplainedSubject { run, activations: against, .. } = explained(other, request.profile, &lab, progress)?;
        let pair = [&explanation.activations[0], &against[0]];
        let difference = difference::difference(pair, request.names.clone().unwrap_or_else(|| names(&subjects)));
        let sentence = against::sentence(&difference, pair);
        explanation.document.against = Some(Against { run, sentence, difference });
        explanation.against = against;
    }
    let Explanation { document, activations, against, all, .. } = &explanation;
    let mut write = |file: &PathBuf| files::write(file, document, [activations, against], all.as_ref(), progress);
    request.outputs.iter().try_for_each(&mut write)?;
    Ok(explanation)
}

/// Refuses a run that cannot be explained; boots nothing.
pub(crate) fn check(of: &LabRun) -> Result<(), Error> {
    let run = store::open(&of.file).map_err(Error::reading)?;
    let lab = Lab::find().map_err(lab_error)?;
    Subject::of(of, &run, 1, &lab).map(drop)
}

/// What tells two runs apart: their platforms, or else their files.
fn names(subjects: &[Subject]) -> [String; 2] {
    let of = |name: &dyn Fn(&Subject) -> String| [name(&subjects[0]), name(&subjects[1])];
    let platforms = of(&|subject| subject.job.platform.name.clone());
    let stems = of(&|subject| subject.file.file_stem().unwrap_or_default().to_string_lossy().into_owned());
    let paths = of(&|subject| subject.file.display().to_string());
    [platforms, stems].into_iter().find(|[first, second]| first != second).unwrap_or(paths)
}

/// What the boots of one run show.
struct ExplainedSubject {
    run: ExplainedRun,
    activations: Vec<Activation>,
    all: Option<Overlay>,
}

/// Boots the guest of a run twice with the plugin, to find the worst activations and to record them, and once more for a profile.
fn explained(
    subject: &Subject<'_>,
    profile: bool,
    lab: &Lab,
    progress: &mut dyn Progress,
) -> Result<ExplainedSubject, Error> {
    let Subject { run, job, again, .. } = subject;
    let watcher = subject.watcher(lab, progress)?;
    let (surveyed, found) = subject.found(&watcher, lab, progress)?;
    let (watched, activations) = subject.recorded(&found, &watcher, lab, progress)?;
    let document = ExplainedRun::of(run, job, again, &watcher, [&surveyed, &watched], &activations);
    let mut explained = ExplainedSubject { run: document, activations, all: None };
    if profile {
        let (profile, calls) = everything::profiled(subject, &surveyed.recording, &watcher, lab, progress)?;
        (explained.run.profile, explained.all) = (Some(profile), Some(calls));
    }
    progress.measured();
    Ok(explained)
}
