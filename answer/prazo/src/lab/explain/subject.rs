//! A run of the lab with what its boots take: its guest's job, its samples, and the activations that are found and recorded.

use super::activation::{Activation, EventInterrupt};
use super::again::Again;
use super::readings::{self, Found};
use super::tool;
use crate::error::Error;
use crate::progress::{GuestProgress, Progress, Stop};
use prazo_core::time::Duration;
use prazo_lab::calls::{call_tree, span};
use prazo_lab::machine::Time;
use prazo_lab::recording::{self, ClockReading, PluginRecorder, RecordedBoot, Recording, Window, WindowRequest};
use prazo_lab::{GuestJob, GuestLook, Lab, LabError, Platform};
use prazo_platform::co_kernel::Core;
use prazo_run::Run;
use prazo_run::run::{Quantity, Series, WorstSample};
use prazo_run::source::{Source, TaskSide};
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

/// Which activations are explained.
#[derive(Clone, Debug)]
pub(super) enum Chosen {
    /// These, which the run lists.
    Listed(Vec<WorstSample>),
    /// The worst ones of a run whose tool lists none.
    Worst(usize),
    /// The one with this number, of such a run.
    Number(u64),
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
        job.limit *= SLOWER;
        let chosen = worst(run, count)?;
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

/// The error for a run without an activation to look for in its boot.
pub(in crate::lab) fn no_latency(run: &Run, remedy: &'static str) -> Error {
    Error::refused(format!("run '{}' lists no activation with a response latency", run.name)).with_remedy(remedy)
}

/// The latencies of the first measured thread.
pub(in crate::lab) fn series(run: &Run) -> Option<&Series> {
    run.of(Quantity::ResponseLatency).next()
}

/// The activations that the run lists, worst first.
pub(super) fn listed(run: &Run) -> &[WorstSample] {
    series(run).map(|series| series.worst.as_slice()).unwrap_or_default()
}

/// The worst `count` activations.
fn worst(run: &Run, count: usize) -> Result<Chosen, Error> {
    let listed = listed(run);
    let is_tools = tool::measured(run);
    let there = if is_tools { tool_activations(run)? } else { listed.len() };
    match (count, there) {
        (_, 0) => Err(no_latency(
            run,
            "use a run of `prazo measure timer --platform lab:NAME` or of `prazo measure interrupt --platform lab:NAME`",
        )),
        (0, _) => Err(Error::field("worst", "no activation would be explained").with_remedy("give 1 or more")),
        (count, there) if count > there => {
            let lists = if is_tools { "has" } else { "lists" };
            Err(Error::field("worst", format!("the run {lists} only {there} of its activations"))
                .with_value(count)
                .with_remedy(format!("give at most {there}")))
        }
        (count, _) if is_tools => Ok(Chosen::Worst(count)),
        (count, _) => Ok(Chosen::Listed(listed[..count].to_vec())),
    }
}

/// The interrupt that the activations of a run wait for.
pub(in crate::lab) fn awaited(run: &Run) -> EventInterrupt {
    match run.plan.as_ref().map(|plan| &plan.source) {
        Some(Source::Interrupt(_)) => EventInterrupt::Line,
        Some(Source::Xenomai(_)) if !runs_on_linux(run) => EventInterrupt::CoreTimer,
        _ => EventInterrupt::Timer,
    }
}

/// True where the core is Mercury, whose threads and timers are those of Linux.
fn runs_on_linux(run: &Run) -> bool {
    let core = run.platform_before.as_ref().and_then(|facts| facts.get("xenomai.core"));
    core == Some(Core::Mercury.name())
}

/// True where a thread of the kernel reads the clock that ends a latency.
fn ends_in_kernel(run: &Run) -> bool {
    let source = run.plan.as_ref().map(|plan| &plan.source);
    matches!(source, Some(Source::Interrupt(line)) if line.task == TaskSide::Kernel)
}

impl Chosen {
    /// Where they are, in the counter's time and in instructions. All activations that the run lists help to find them.
    fn found(&self, run: &Run, recording: &Recording) -> Result<Vec<Found>, Error> {
        let clocks = clocks_of(run, recording);
        match self {
            Self::Listed(samples) => {
                readings::find(samples, listed(run), &clocks).ok_or_else(|| not_covered("the activations of the run"))
            }
            Self::Worst(count) => {
                let mut all = all_of_tool(run, &clocks)?;
                all.sort_by_key(|one| std::cmp::Reverse(one.sample.latency_ns));
                all.truncate(*count);
                Ok(all)
            }
            Self::Number(number) => {
                Ok(all_of_tool(run, &clocks)?.into_iter().filter(|one| one.sample.activation == *number).collect())
            }
        }
    }
}

/// All activations of a run that a core's own tool measured, in order.
pub(super) fn all_of_tool(run: &Run, clocks: &[ClockReading]) -> Result<Vec<Found>, Error> {
    series(run)
        .and_then(|series| tool::activations(series, clocks))
        .ok_or_else(|| not_covered("activations with the figures of the run's tool"))
}

/// How many activations the tool measured.
pub(super) fn tool_activations(run: &Run) -> Result<usize, Error> {
    let Some(series) = series(run) else { return Ok(0) };
    match tool::obstacle(series) {
        Some((why, remedy)) => Err(Error::refused(format!("run '{}' {why}", run.name)).with_remedy(remedy)),
        None => Ok(series.histogram.total() as usize),
    }
}

fn not_covered(what: &str) -> Error {
    Error::failed(format!("the guest's clock readings do not cover {what}, so prazo cannot explain them"))
}

/// The readings that may end an activation.
pub(super) fn clocks_of(run: &Run, recording: &Recording) -> Vec<ClockReading> {
    let may_end = |reading: &&ClockReading| reading.in_user_mode != ends_in_kernel(run);
    recording.clocks.iter().filter(may_end).copied().collect()
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
