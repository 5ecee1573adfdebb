//! Why activations were late: the run's boot again, with every instruction of its worst activations recorded.
//!
//! ```text
//! run ─► job, checked against the run's facts ─► boot with clock readings ─► where the worst activations are
//!     ─► boot with their windows ─► calls ─► phases, functions, sentence
//! ```
//! Both boots must bring the run's samples back, one by one; otherwise there is no answer.

mod activation;
mod again;
mod document;
mod files;
mod path;
mod phases;
mod readings;
mod sentence;

pub use activation::Activation;
pub use document::{Explained, FunctionDocument, PhaseDocument, WorstDocument};
pub use path::path_lines;

use crate::error::Error;
use crate::guest::lab_error;
use crate::progress::{GuestProgress, Progress};
use again::Again;
use prazo_core::time::Duration;
use prazo_lab::calls::{call_tree, span};
use prazo_lab::machine::Time;
use prazo_lab::watch::{Recording, Watched, Watcher, WindowRequest};
use prazo_lab::{GuestJob, GuestLook, Lab, LabError, Platform};
use prazo_run::run::{Quantity, WorstSample};
use prazo_run::{Run, store};
use prazo_study::replay::{self, ReplayError};
use readings::Found;
use std::path::PathBuf;

/// Instructions that are recorded before an activation is due, so that the first functions in it have callers.
const LEAD: u64 = 50_000;
/// Instructions that are recorded behind the reading that ended a latency.
const TAIL: u64 = 64;

/// What is explained.
#[derive(Clone, Debug)]
pub struct ExplainRequest {
    /// A run file that was measured in the lab.
    pub file: PathBuf,
    /// How many of its worst activations.
    pub worst: usize,
    /// The platform, for runs of a kernel that the lab does not carry.
    pub platform: Option<Platform>,
    /// Files to write: a trace (.json) with all of them, or a chart (.svg) of the worst.
    pub outputs: Vec<PathBuf>,
}

/// The answer: the document, and the activations that it is of.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// What `--json` prints.
    pub document: Explained,
    /// The worst activations, worst first.
    pub activations: Vec<Activation>,
}

/// Explains the worst activations of a run.
///
/// # Errors
/// The run is not from the lab, something that decides its trajectory is another than then, there is no compiler, or a boot
/// did not bring the run's samples back.
pub fn explain(request: &ExplainRequest, progress: &mut dyn Progress) -> Result<Explanation, Error> {
    request.outputs.iter().try_for_each(|file| files::check(file))?;
    let run = store::open(&request.file).map_err(Error::failed)?;
    let lab = Lab::find().map_err(lab_error)?;
    let job = replay::job(&run, request.platform.clone(), &lab).map_err(replay_error)?;
    let instruction_ns = instruction_ns(&job);
    let samples = worst(&run, request.worst)?;
    let again = Again::of(&request.file, &run)?;

    let watcher = Watcher::find(&job, &lab, &mut shown(progress, &job, "asking for symbols"));
    let watcher = watcher.map_err(watch_error)?;
    let surveyed = watcher.clocks(&job, &lab, &mut shown(progress, &job, "finding the activations"));
    let surveyed = surveyed.map_err(watch_error)?;
    again.compare(&surveyed)?;
    let found = found(&run, &samples, &surveyed.recording)?;

    let windows = windows(&found, instruction_ns);
    let watched = watcher.windows(&job, &lab, &windows, &mut shown(progress, &job, "recording"));
    let watched = watched.map_err(watch_error)?;
    progress.measured();
    again.compare(&watched)?;
    let activations = activations(&found, &windows, &watched, &watcher, instruction_ns)?;
    let document = Explained::of(&run, &job, &again, &watcher, [&surveyed, &watched], &activations);
    let explanation = Explanation { document, activations };
    request.outputs.iter().try_for_each(|file| files::write(file, &explanation.activations, progress))?;
    Ok(explanation)
}

fn replay_error(error: ReplayError) -> Error {
    Error::blaming(error.is_usage(), error)
}

fn watch_error(error: LabError) -> Error {
    match error {
        LabError::Stopped => Error::Interrupted,
        LabError::NotWatched { .. } => Error::refused(error),
        other => Error::failed(other),
    }
}

/// A watched guest's time is counted: [`Watcher::find`] refuses others.
fn instruction_ns(job: &GuestJob) -> u64 {
    match job.machine.time {
        Time::Counted { shift } => 1 << shift,
        Time::Free => 1,
    }
}

fn shown<'a>(
    progress: &'a mut dyn Progress,
    job: &GuestJob,
    does: &'static str,
) -> impl FnMut(GuestLook) -> bool + use<'a> {
    let name = format!("lab:{}", job.platform.name);
    let duration = |length: std::time::Duration| Duration::from_ns(length.as_nanos() as u64);
    move |look| {
        let (elapsed, limit) = (duration(look.elapsed), duration(look.limit));
        progress.guest(&GuestProgress { name: name.clone(), does, elapsed, limit });
        false
    }
}

/// The worst samples that the run lists.
fn worst(run: &Run, count: usize) -> Result<Vec<WorstSample>, Error> {
    let series = run.of(Quantity::ResponseLatency).next();
    let listed = series.map(|series| series.worst.as_slice()).unwrap_or_default();
    match (count, listed.len()) {
        (_, 0) => Err(Error::refused(format!("{} lists no response latency", run.name))),
        (0, _) => Err(Error::field("worst", "there is nothing to explain").with_remedy("ask for one or more")),
        (count, there) if count > there => {
            Err(Error::field("worst", format!("the run lists {there} of its activations"))
                .with_value(count)
                .with_remedy(format!("ask for at most {there}")))
        }
        (count, _) => Ok(listed[..count].to_vec()),
    }
}

/// Where the worst activations are, in the counter's time and in instructions. All that the run lists help to find them.
fn found(run: &Run, samples: &[WorstSample], recording: &Recording) -> Result<Vec<Found>, Error> {
    let listed = run.of(Quantity::ResponseLatency).next().map(|series| series.worst.as_slice()).unwrap_or_default();
    readings::find(samples, listed, &recording.clocks).ok_or_else(|| {
        Error::failed(
            "the activations of the run are not among the readings of the guest's clock, so that nothing is explained",
        )
    })
}

/// Where to record: each activation with something before it, in order; those that overlap together.
fn windows(found: &[Found], instruction_ns: u64) -> Vec<WindowRequest> {
    let mut all: Vec<_> = found.iter().map(|one| one.window(instruction_ns, LEAD, TAIL)).collect();
    all.sort();
    all.dedup_by(|next, last| {
        let overlap = next.from <= last.to;
        if overlap {
            last.to = last.to.max(next.to);
        }
        overlap
    });
    all
}

fn activations(
    found: &[Found],
    windows: &[WindowRequest],
    watched: &Watched,
    watcher: &Watcher,
    instruction_ns: u64,
) -> Result<Vec<Activation>, Error> {
    let recording = &watched.recording;
    if recording.windows.len() != windows.len() {
        return Err(Error::failed(format!("{} of {} windows were recorded", recording.windows.len(), windows.len())));
    }
    let one = |one: &Found| {
        let within = recording
            .windows
            .iter()
            .find_map(|window| span(window, one.counter, one.latency, instruction_ns).map(|span| (window, span)));
        let (window, span) = within
            .ok_or_else(|| Error::failed(format!("activation {} is not whole in its window", one.sample.activation)))?;
        let tree = call_tree(recording, window, watcher.symbols(), &span);
        Ok(Activation { sample: one.sample, span, tree, instruction_ns })
    };
    found.iter().map(one).collect()
}
