//! Why activations were late: the run's boot again, with every instruction of its worst activations recorded.
//!
//! ```text
//! run ─► job, checked against the run's facts ─► boot with clock readings ─► where the worst activations are
//!     ─► boot with their windows ─► calls ─► phases, functions, sentence
//! two runs ─► both explained ─► difference by phase and by function, sentence
//! ```
//! Every boot must repeat the run's samples; otherwise there is no answer.

mod activation;
pub(super) mod again;
mod against;
pub mod debug;
mod difference;
mod document;
mod files;
mod path;
mod phases;
pub(super) mod readings;
mod sentence;
mod text;

pub use activation::{Activation, EventInterrupt};
pub use difference::{DifferenceDocument, PhaseDifference};
pub use document::{Against, Explained, ExplainedRun, FunctionDocument, PhaseDocument, WorstDocument};
pub use phases::PhaseKind;
pub use prazo_study::function_difference::{FunctionDifference, Times};
pub(super) use sentence::{callers_of, micros};

use crate::error::Error;
use crate::guest::lab_error;
use crate::progress::{GuestProgress, Progress, Stop};
use again::Again;
use prazo_core::time::Duration;
use prazo_lab::calls::{call_tree, span};
use prazo_lab::machine::Time;
use prazo_lab::recording::{self, ClockReading, PluginRecorder, RecordedBoot, Recording, WindowRequest};
use prazo_lab::{GuestJob, GuestLook, Lab, LabError, Platform};
use prazo_run::run::{Quantity, WorstSample};
use prazo_run::source::{Source, TaskSide};
use prazo_run::{Run, store};
use prazo_study::replay::{self, ReplayError};
use readings::Found;
use std::path::{Path, PathBuf};

/// Instructions that are recorded before an activation is due, so that the first functions in it have callers.
const LEAD: u64 = 50_000;
/// Instructions that are recorded after the reading that ended a latency.
const TAIL: u64 = 64;

/// The module's thread that ends the latencies of a line.
const KERNEL_TASK: &str = "irqlat";

/// A guest that is watched gets so much more elapsed time than the run.
const SLOWER: u32 = 4;

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
    /// Who called whom is a part of the text; without calls of fewer instructions than this.
    pub path_least: Option<u64>,
    /// Files to write: a trace (.json) with all of them, or a chart (.svg) of the worst of each run.
    pub outputs: Vec<PathBuf>,
}

/// A run that was measured in the lab.
#[derive(Clone, Debug)]
pub struct LabRun {
    /// The run file.
    pub file: PathBuf,
    /// The platform, for runs of a kernel that the lab does not carry.
    pub platform: Option<Platform>,
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
    if let Some((_, other)) = runs.iter().find(|(_, run)| awaited(run) != awaited(&runs[0].1)) {
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

    let (run, activations) = subjects[0].explained(&lab, progress)?;
    let (document, path_least) = (Explained { run, against: None }, request.path_least);
    let mut explanation = Explanation { document, activations, against: Vec::new(), path_least };
    if let Some(other) = subjects.get(1) {
        let (run, against) = other.explained(&lab, progress)?;
        let pair = [&explanation.activations[0], &against[0]];
        let difference = difference::difference(pair, request.names.clone().unwrap_or_else(|| names(&subjects)));
        let sentence = against::sentence(&difference, pair);
        explanation.document.against = Some(Against { run, sentence, difference });
        explanation.against = against;
    }
    let all = [explanation.activations.as_slice(), explanation.against.as_slice()];
    request.outputs.iter().try_for_each(|file| files::write(file, &explanation.document, all, progress))?;
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

/// A run with everything that its boots take.
pub(super) struct Subject<'a> {
    file: &'a Path,
    pub(super) run: &'a Run,
    pub(super) job: GuestJob,
    samples: Vec<WorstSample>,
    pub(super) again: Again,
    /// The caller's request to stop, which ends a boot early; `None` if the caller cannot stop it.
    stop: Option<Stop>,
}

impl<'a> Subject<'a> {
    pub(super) fn of(of: &'a LabRun, run: &'a Run, count: usize, lab: &Lab) -> Result<Self, Error> {
        let mut job = replay::job(run, of.platform.clone(), lab).map_err(replay_error)?;
        recording::check(&job).map_err(watch_error)?;
        job.limit *= SLOWER;
        let samples = worst(run, count)?;
        let again = Again::of(&of.file, run)?;
        Ok(Self { file: &of.file, run, job, samples, again, stop: None })
    }

    /// Shows how far a boot is, and ends it where the caller asks to stop.
    fn look<'p>(&self, progress: &'p mut dyn Progress, does: &'static str) -> impl FnMut(GuestLook) -> bool + use<'p> {
        let (mut show, stop) = (shown(progress, &self.job, does), self.stop.clone());
        move |look| show(look) || stop.as_ref().is_some_and(|stop| stop.is_set())
    }

    /// Boots the guest with the plugin to find the activations; everything else is compared with the run.
    pub(super) fn found(
        &self,
        watcher: &PluginRecorder,
        lab: &Lab,
        progress: &mut dyn Progress,
    ) -> Result<(RecordedBoot, Vec<Found>), Error> {
        let surveyed = watcher.clocks(&self.job, lab, &mut self.look(progress, "finding the activations"));
        let surveyed = surveyed.map_err(watch_error)?;
        self.again.compare(&surveyed.answer)?;
        let found = found(self.run, &self.samples, &surveyed.recording)?;
        Ok((surveyed, found))
    }

    fn explained(&self, lab: &Lab, progress: &mut dyn Progress) -> Result<(ExplainedRun, Vec<Activation>), Error> {
        let Self { run, job, again, .. } = self;
        let Watched { watcher, surveyed, watched, activations, .. } = self.watched(lab, progress)?;
        let document = ExplainedRun::of(run, job, again, &watcher, [&surveyed, &watched], &activations);
        Ok((document, activations))
    }

    /// Boots the guest twice with the plugin: to find the activations, and to record them.
    fn watched(&self, lab: &Lab, progress: &mut dyn Progress) -> Result<Watched, Error> {
        let Self { run, job, again, .. } = self;
        let instruction_ns = instruction_ns(job);
        let watcher = PluginRecorder::find(job, lab, &mut self.look(progress, "reading symbols"));
        let watcher = watcher.map_err(watch_error)?;
        let (surveyed, found) = self.found(&watcher, lab, progress)?;
        let windows = windows(&found, instruction_ns);
        let watched = watcher.windows(job, lab, &windows, &mut self.look(progress, "recording"));
        let watched = watched.map_err(watch_error)?;
        progress.measured();
        again.compare(&watched.answer)?;
        let activations =
            activations(&found, &windows, &watched, &watcher, (awaited(run), ends_in_kernel(run)), instruction_ns)?;
        Ok(Watched { watcher, found, surveyed, watched, activations })
    }
}

/// What the two boots with the plugin show.
struct Watched {
    watcher: PluginRecorder,
    found: Vec<Found>,
    surveyed: RecordedBoot,
    watched: RecordedBoot,
    activations: Vec<Activation>,
}

fn replay_error(error: ReplayError) -> Error {
    Error::blaming(error.is_usage(), error)
}

pub(super) fn watch_error(error: LabError) -> Error {
    match error {
        LabError::Stopped => Error::Interrupted,
        LabError::NotWatched { .. } => Error::refused(error),
        other => Error::failed(other),
    }
}

/// [`PluginRecorder::find`] refuses guests whose time is not counted.
pub(super) fn instruction_ns(job: &GuestJob) -> u64 {
    match job.machine.time {
        Time::Counted { shift } => 1 << shift,
        Time::Free => 1,
    }
}

pub(super) fn shown<'a>(
    progress: &'a mut dyn Progress,
    job: &GuestJob,
    does: &'static str,
) -> impl FnMut(GuestLook) -> bool + use<'a> {
    let name = format!("lab:{}", job.platform.name);
    move |look| {
        let (elapsed, limit) = (Duration::from(look.elapsed), Duration::from(look.limit));
        progress.guest(&GuestProgress { name: name.clone(), does, elapsed, limit });
        false
    }
}

/// The error for a run without an activation to look for in its boot.
pub(super) fn no_latency(run: &Run, remedy: &'static str) -> Error {
    Error::refused(format!("run '{}' lists no activation with a response latency", run.name)).with_remedy(remedy)
}

/// The activations that the run lists, worst first.
fn listed(run: &Run) -> &[WorstSample] {
    run.of(Quantity::ResponseLatency).next().map(|series| series.worst.as_slice()).unwrap_or_default()
}

/// The worst `count` samples that the run lists.
fn worst(run: &Run, count: usize) -> Result<Vec<WorstSample>, Error> {
    let listed = listed(run);
    match (count, listed.len()) {
        (_, 0) => Err(no_latency(
            run,
            "use a run of `prazo measure timer --platform lab:NAME` or of `prazo measure interrupt --platform lab:NAME`",
        )),
        (0, _) => Err(Error::field("worst", "no activation would be explained").with_remedy("give 1 or more")),
        (count, there) if count > there => {
            Err(Error::field("worst", format!("the run lists only {there} of its activations"))
                .with_value(count)
                .with_remedy(format!("give at most {there}")))
        }
        (count, _) => Ok(listed[..count].to_vec()),
    }
}

/// The interrupt that the activations of a run wait for.
pub(super) fn awaited(run: &Run) -> EventInterrupt {
    match run.plan.as_ref().map(|plan| &plan.source) {
        Some(Source::Interrupt(_)) => EventInterrupt::Line,
        _ => EventInterrupt::Timer,
    }
}

/// True where a thread of the kernel reads the clock that ends a latency.
fn ends_in_kernel(run: &Run) -> bool {
    let source = run.plan.as_ref().map(|plan| &plan.source);
    matches!(source, Some(Source::Interrupt(line)) if line.task == TaskSide::Kernel)
}

/// Where the worst activations are, in the counter's time and in instructions. All activations that the run lists help to find them.
fn found(run: &Run, samples: &[WorstSample], recording: &Recording) -> Result<Vec<Found>, Error> {
    let listed = listed(run);
    let may_end = |reading: &&ClockReading| reading.in_user_mode != ends_in_kernel(run);
    let clocks: Vec<_> = recording.clocks.iter().filter(may_end).copied().collect();
    readings::find(samples, listed, &clocks).ok_or_else(|| {
        Error::failed(
            "the guest's clock readings do not cover the activations of the run, so prazo cannot explain them",
        )
    })
}

/// The windows to record, in order: each activation with instructions before it; windows that overlap are joined.
fn windows(found: &[Found], instruction_ns: u64) -> Vec<WindowRequest> {
    let mut all: Vec<_> = found.iter().map(|one| one.window(instruction_ns, LEAD, TAIL)).collect();
    join(&mut all);
    all
}

/// Windows in order; those that overlap become one.
pub(super) fn join(windows: &mut Vec<WindowRequest>) {
    windows.sort();
    windows.dedup_by(|next, last| {
        let overlap = next.from <= last.to;
        if overlap {
            last.to = last.to.max(next.to);
        }
        overlap
    });
}

fn activations(
    found: &[Found],
    windows: &[WindowRequest],
    watched: &RecordedBoot,
    watcher: &PluginRecorder,
    (awaited, in_kernel): (EventInterrupt, bool),
    instruction_ns: u64,
) -> Result<Vec<Activation>, Error> {
    let recording = &watched.recording;
    if recording.windows.len() != windows.len() {
        return Err(Error::failed(format!(
            "only {} of {} windows around activations were recorded",
            recording.windows.len(),
            windows.len()
        )));
    }
    let one = |one: &Found| {
        let within = recording
            .windows
            .iter()
            .find_map(|window| span(window, one.counter, one.latency, instruction_ns).map(|span| (window, span)));
        let (window, span) = within.ok_or_else(|| {
            Error::failed(format!("no recorded window contains all of activation {}", one.sample.activation))
        })?;
        let tree = call_tree(recording, window, watcher.symbols(), &span);
        let last = tree.roots.last().map(|root| tree.nodes[*root].name.as_str());
        if in_kernel && last != Some(KERNEL_TASK) {
            return Err(Error::failed(format!(
                "the end of activation {} was not found: the clock reading that fits is not one of the thread {KERNEL_TASK}",
                one.sample.activation
            )));
        }
        Ok(Activation { awaited, sample: one.sample, span, tree, instruction_ns })
    };
    found.iter().map(one).collect()
}
