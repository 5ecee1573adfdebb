//! A run of the lab with what its boots take: its guest's job, its samples, and the activations that are found and recorded.

use super::activation::Activation;
use super::again::Again;
use super::chosen::Chosen;
use super::measured::{awaited, ends_in_kernel, is_of_tool};
use super::readings::Found;
use crate::error::Error;
use crate::progress::{GuestProgress, Progress, Stop};
use prazo_core::time::Duration;
use prazo_lab::calls::{call_tree, span};
use prazo_lab::machine::Time;
use prazo_lab::recording::{self, PluginRecorder, RecordedBoot, Recording, Window, WindowRequest};
use prazo_lab::{Architecture, GuestJob, GuestLook, Lab, LabError, Platform};
use prazo_run::Run;
use prazo_study::replay::{self, ReplayError};
use std::path::{Path, PathBuf};

/// Instructions that are recorded before an activation is due, so that the first functions in it have callers.
const LEAD: u64 = 50_000;
/// Instructions that are recorded after the reading that ended a latency.
const TAIL: u64 = 64;

/// The module's thread that ends the latencies of a line.
const KERNEL_TASK: &str = "irqlat";

/// A guest that is watched gets so much more elapsed time than the run.
const SLOWER: u32 = 4;

/// A run that was measured in the lab.
#[derive(Clone, Debug)]
pub struct LabRun {
    /// The run file.
    pub file: PathBuf,
    /// The platform, for runs of a kernel that the lab does not carry.
    pub platform: Option<Platform>,
}

/// A run with everything that its boots take.
pub(in crate::lab) struct Subject<'a> {
    pub(super) file: &'a Path,
    pub(in crate::lab) run: &'a Run,
    pub(in crate::lab) job: GuestJob,
    pub(super) chosen: Chosen,
    pub(in crate::lab) again: Again,
    /// The caller's request to stop, which ends a boot early; `None` if the caller cannot stop it.
    pub(super) stop: Option<Stop>,
}

impl<'a> Subject<'a> {
    pub(in crate::lab) fn of(of: &'a LabRun, run: &'a Run, count: usize, lab: &Lab) -> Result<Self, Error> {
        let mut job = replay::job(run, of.platform.clone(), lab).map_err(replay_error)?;
        recording::check(&job).map_err(watch_error)?;
        if is_of_tool(run) && job.machine.architecture != Architecture::X86_64 {
            let refused =
                format!("run '{}' was measured by a core's own tool on another processor than x86-64", run.name);
            return Err(Error::refused(refused).with_remedy("explain a run of an x86-64 guest"));
        }
        job.limit *= SLOWER;
        let chosen = Chosen::worst(run, count)?;
        let again = Again::of(&of.file, run)?;
        Ok(Self { file: &of.file, run, job, chosen, again, stop: None })
    }

    /// Shows how far a boot is, and ends it where the caller asks to stop.
    pub(super) fn look<'p>(
        &self,
        progress: &'p mut dyn Progress,
        does: &'static str,
    ) -> impl FnMut(GuestLook) -> bool + use<'p> {
        let (mut show, stop) = (shown(progress, &self.job, does), self.stop.clone());
        move |look| show(look) || stop.as_ref().is_some_and(|stop| stop.is_set())
    }

    /// The plugin with the symbols of the guest's kernel, which may take a boot.
    pub(in crate::lab) fn watcher(&self, lab: &Lab, progress: &mut dyn Progress) -> Result<PluginRecorder, Error> {
        PluginRecorder::find(&self.job, lab, &mut self.look(progress, "reading symbols")).map_err(watch_error)
    }

    /// Boots the guest with the plugin to find the activations; everything else is compared with the run.
    pub(in crate::lab) fn found(
        &self,
        watcher: &PluginRecorder,
        lab: &Lab,
        progress: &mut dyn Progress,
    ) -> Result<(RecordedBoot, Vec<Found>), Error> {
        let surveyed = watcher.clocks(&self.job, lab, &mut self.look(progress, "finding the activations"));
        let surveyed = surveyed.map_err(watch_error)?;
        self.again.compare(&surveyed.answer)?;
        let found = self.chosen.found(self.run, &surveyed.recording)?;
        Ok((surveyed, found))
    }

    /// Boots the guest again and records the activations that were found.
    pub(super) fn recorded(
        &self,
        found: &[Found],
        watcher: &PluginRecorder,
        lab: &Lab,
        progress: &mut dyn Progress,
    ) -> Result<(RecordedBoot, Vec<Activation>), Error> {
        let windows = windows(found, instruction_ns(&self.job), LEAD);
        let watched = watcher.windows(&self.job, lab, &windows, &mut self.look(progress, "recording"));
        let watched = watched.map_err(watch_error)?;
        self.again.compare(&watched.answer)?;
        let recording = &watched.recording;
        if recording.windows.len() != windows.len() {
            return Err(Error::failed(format!(
                "only {} of {} windows around activations were recorded",
                recording.windows.len(),
                windows.len()
            )));
        }
        let one = |one| self.activation(one, recording.windows.iter(), recording, watcher);
        let activations = found.iter().map(one).collect::<Result<_, _>>()?;
        Ok((watched, activations))
    }

    /// The calls of one activation, in the window that holds it.
    pub(super) fn activation<'w>(
        &self,
        one: &Found,
        mut windows: impl Iterator<Item = &'w Window>,
        recording: &Recording,
        watcher: &PluginRecorder,
    ) -> Result<Activation, Error> {
        let instruction_ns = instruction_ns(&self.job);
        let within = windows
            .find_map(|window| span(window, one.counter, one.latency, instruction_ns).map(|span| (window, span)));
        let (window, span) = within.ok_or_else(|| {
            Error::failed(format!("no recorded window contains all of activation {}", one.sample.activation))
        })?;
        let tree = call_tree(recording, window, watcher.symbols(), &span);
        let last = tree.roots.last().map(|root| tree.nodes[*root].name.as_str());
        if ends_in_kernel(self.run) && last != Some(KERNEL_TASK) {
            return Err(Error::failed(format!(
                "the end of activation {} was not found: the clock reading that fits is not one of the thread {KERNEL_TASK}",
                one.sample.activation
            )));
        }
        Ok(Activation { awaited: awaited(self.run), sample: one.sample, span, tree, instruction_ns })
    }
}

fn replay_error(error: ReplayError) -> Error {
    Error::blaming(error.is_usage(), error)
}

pub(in crate::lab) fn watch_error(error: LabError) -> Error {
    match error {
        LabError::Stopped => Error::Interrupted,
        LabError::NotWatched { .. } => Error::refused(error),
        other => Error::failed(other),
    }
}

/// [`PluginRecorder::find`] refuses guests whose time is not counted.
pub(in crate::lab) fn instruction_ns(job: &GuestJob) -> u64 {
    match job.machine.time {
        Time::Counted { shift } => 1 << shift,
        Time::Free => 1,
    }
}

pub(in crate::lab) fn shown<'a>(
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

/// The windows to record, in order: each activation with `lead` instructions before it; windows that overlap are joined.
pub(super) fn windows(found: &[Found], instruction_ns: u64, lead: u64) -> Vec<WindowRequest> {
    let mut all: Vec<_> = found.iter().map(|one| one.window(instruction_ns, lead, TAIL)).collect();
    join(&mut all);
    all
}

/// Windows in order; those that overlap become one.
pub(in crate::lab) fn join(windows: &mut Vec<WindowRequest>) {
    windows.sort();
    windows.dedup_by(|next, last| {
        let overlap = next.from <= last.to;
        if overlap {
            last.to = last.to.max(next.to);
        }
        overlap
    });
}
