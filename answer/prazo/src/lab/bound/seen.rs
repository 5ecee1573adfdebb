//! What the boots of runs showed: their sections, and how late the timer itself was.

use crate::error::Error;
use crate::lab::explain::{Subject, instruction_ns, readings::Found, shown, watch_error};
use crate::progress::Progress;
use prazo_lab::Lab;
use prazo_lab::coverage::Coverage;
use prazo_lab::recording::{ClockReading, Event, PluginRecorder, Window, WindowRequest};
use prazo_lab::sections::{Sections, lateness_ns, sections};
use prazo_run::Run;

/// What all boots showed.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub sections: Sections,
    /// The kernel's code that was executed.
    pub coverage: Coverage,
    /// How late the timer itself was at most.
    pub timer_ns: u64,
    /// Activations that this was seen of.
    pub timers: u64,
}

impl Seen {
    /// Boots the guest of a run twice, and adds what it showed.
    pub(super) fn add(
        &mut self,
        subject: &Subject,
        number: usize,
        watcher: &PluginRecorder,
        lab: &Lab,
        progress: &mut dyn Progress,
    ) -> Result<(), Error> {
        let (surveyed, found) = subject.found(watcher, lab, progress)?;
        let window = measured(subject.run, &found, &surveyed.recording.clocks)
            .ok_or_else(|| Error::failed("the guest's clock readings do not cover the measurement of the run"))?;
        let watched =
            watcher.steps(&subject.job, lab, window, &mut shown(progress, &subject.job, "recording sections"));
        let watched = watched.map_err(watch_error)?;
        subject.again.compare(&watched.answer)?;
        let window = watched.recording.windows.first().filter(|window| !window.steps.is_empty());
        let window = window.ok_or_else(|| Error::failed("the emulator's plugin recorded nothing of the run"))?;
        self.coverage.add(&window.executed);
        let task = measured_task(window, &found)
            .ok_or_else(|| Error::failed("no recorded context switch leads to the measured thread"))?;
        let sections = sections(window, watcher.symbols(), task);
        let instruction_ns = instruction_ns(&subject.job);
        let late = |one: &Found| lateness_ns(window, watcher.symbols(), one.instructions, one.latency, instruction_ns);
        let late: Vec<u64> = found.iter().filter_map(late).collect();
        self.timer_ns = late.iter().copied().max().unwrap_or(0).max(self.timer_ns);
        self.timers += late.len() as u64;
        self.sections.merge(sections, number);
        Ok(())
    }
}

/// The instructions of the run's measurement: from the last clock reading before its first due instant to the first one behind its
/// end.
fn measured(run: &Run, found: &[Found], clocks: &[ClockReading]) -> Option<WindowRequest> {
    let anchor = found.first()?;
    let zero = i128::from(anchor.counter) - i128::from(anchor.latency) - i128::from(anchor.sample.at_ns);
    let length = run.plan.as_ref()?.run_length();
    let from = clocks.iter().rfind(|read| i128::from(read.counter) < zero)?;
    let end = zero + i128::from(length.as_ns());
    let last = found.iter().map(|one| one.instructions).max()?;
    let to = clocks.iter().find(|read| i128::from(read.counter) > end && read.instructions > last);
    let to = to.or_else(|| clocks.last())?;
    Some(WindowRequest { from: from.instructions, to: to.instructions.max(last + 1) })
}

/// The task that ran when the worst activation was served.
fn measured_task(window: &Window, found: &[Found]) -> Option<u64> {
    let worst = found.first()?;
    let mut task = None;
    for event in &window.events {
        match event {
            Event::Thread { task: next, .. } => task = Some(*next),
            Event::Clock(read) if read.counter == worst.counter => return task,
            _ => {}
        }
    }
    None
}
