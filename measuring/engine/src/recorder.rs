//! The recording thread: once a second it empties the rings, hands complete seconds on, and shows how the run stands.
//!
//! It runs below the measured threads, on the housekeeping processor, aligned to the run's seconds and a little behind them, so
//! that the second that has just ended is complete.

use super::assemble::{Assembler, Frame, Totals};
use super::control::Reason;
use super::error::{ProbeError, SinkError};
use super::live::Live;
use super::ring::{Consumer, Gap};
use super::sink::{Counted, Observer, Phase, Progress, Sink};
use super::stop_flag::StopFlag;
use super::team::Team;
use prazo_core::time::Duration;
use prazo_run::store::SeriesSecond;
use prazo_sys::clock;

const SECOND_NS: u64 = 1_000_000_000;
/// How far behind each full second the recorder works.
const BEHIND_NS: u64 = 30_000_000;
/// How soon it looks again at workers that were asked to stop.
const STOPPING_NS: u64 = 10_000_000;

/// Who takes the samples, who watches, who may stop it.
pub struct Outlets<'a> {
    /// Takes the samples.
    pub sink: &'a mut dyn Sink,
    /// Watches.
    pub observer: &'a mut dyn Observer,
    /// The user's wish to stop.
    pub stop: &'a StopFlag,
}

/// What the recorder knows in the end.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    /// What became of each series' activations.
    pub totals: Vec<Totals>,
    /// Its own longest delay.
    pub delay_max: Duration,
    /// From the common start to the last worker's report.
    pub elapsed: Duration,
}

/// The recorder of one run.
pub(crate) struct Recorder<'m, 'o> {
    start_ns: u64,
    planned: Duration,
    warm_up: Duration,
    counted: Counted,
    consumers: Vec<Consumer<'m>>,
    assemblers: Vec<Assembler>,
    live: Live,
    outlets: Outlets<'o>,
    delay_max_ns: u64,
    next_ns: u64,
}

/// What a recorder is made for.
pub(crate) struct Assignment<'m> {
    /// The common start.
    pub start_ns: u64,
    /// How long the run should take.
    pub planned: Duration,
    /// How much of it is warm-up, in whole seconds.
    pub warm_up: Duration,
    /// What the samples are of.
    pub counted: Counted,
    /// The processors, in the plan's order.
    pub cpus: Vec<u32>,
    /// Their rings.
    pub consumers: Vec<Consumer<'m>>,
    /// Their series.
    pub frames: Vec<Frame>,
}

impl<'m, 'o> Recorder<'m, 'o> {
    /// A recorder with nothing recorded.
    pub(crate) fn new(assignment: Assignment<'m>, outlets: Outlets<'o>) -> Self {
        Self {
            start_ns: assignment.start_ns,
            planned: assignment.planned,
            warm_up: assignment.warm_up,
            counted: assignment.counted,
            consumers: assignment.consumers,
            assemblers: assignment.frames.into_iter().map(Assembler::new).collect(),
            live: Live::new(assignment.cpus),
            outlets,
            delay_max_ns: 0,
            next_ns: assignment.start_ns + SECOND_NS + BEHIND_NS,
        }
    }

    /// Records until every worker has ended.
    pub(crate) fn run(mut self, team: &mut Team<'_, 'm>) -> Result<Recorded, ProbeError> {
        loop {
            let stopping = self.wait(team);
            let ended = team.listen()?;
            self.collect()?;
            if ended {
                return self.finish(team);
            }
            if stopping {
                team.poke();
            }
            self.show(stopping);
        }
    }

    /// Waits for the next second, or a worker, or the user; true once the run is being stopped.
    fn wait(&mut self, team: &Team<'_, 'm>) -> bool {
        let stopped = team.control().is_stopped();
        let soon_ns = clock::monotonic_ns() + STOPPING_NS;
        team.wait_until(if stopped { soon_ns.min(self.next_ns) } else { self.next_ns });
        if self.outlets.stop.is_set() {
            team.control().stop(Reason::Asked);
        }
        self.note_delay(clock::monotonic_ns());
        team.control().is_stopped()
    }

    /// How late a planned second was; then plans the next one.
    fn note_delay(&mut self, now_ns: u64) {
        if let Some(late_ns) = now_ns.checked_sub(self.next_ns) {
            self.delay_max_ns = self.delay_max_ns.max(late_ns);
            self.next_ns += (late_ns / SECOND_NS + 1) * SECOND_NS;
        }
    }

    fn collect(&mut self) -> Result<(), ProbeError> {
        let mut done = hand_on(&mut self.live, self.outlets.sink);
        for (consumer, assembler) in self.consumers.iter_mut().zip(&mut self.assemblers) {
            consumer.drain(|entry| assembler.take(entry, &mut done)).map_err(ProbeError::Sink)?;
        }
        drop(done);
        Ok(())
    }

    /// Completes the last seconds; every worker has ended, and what it wrote was collected after that was known.
    fn finish(mut self, team: &Team<'_, 'm>) -> Result<Recorded, ProbeError> {
        let elapsed = Duration::from_ns(self.elapsed_ns());
        let mut totals = Vec::new();
        let mut done = hand_on(&mut self.live, self.outlets.sink);
        for (assembler, (_, finished)) in self.assemblers.iter_mut().zip(team.reports()) {
            let unwritten = finished.map(|end| Gap { lost: end.lost, skipped: end.skipped }).unwrap_or_default();
            totals.push(assembler.finish(unwritten, &mut done).map_err(ProbeError::Sink)?);
        }
        drop(done);
        self.show(true);
        Ok(Recorded { totals, delay_max: Duration::from_ns(self.delay_max_ns), elapsed })
    }

    fn show(&mut self, stopping: bool) {
        let elapsed = Duration::from_ns(self.elapsed_ns());
        let phase = match stopping {
            true => Phase::Stopping,
            false if elapsed < self.warm_up => Phase::WarmUp,
            false => Phase::Measuring,
        };
        let (cpus, recent) = (self.live.cpus().to_vec(), self.live.recent());
        let is_asked_for = self.outlets.stop.take_figures_request();
        let (total, left_in_all, counted) = (self.planned, None, self.counted);
        let progress = Progress { elapsed, total, left_in_all, phase, counted, cpus, recent, is_asked_for };
        self.outlets.observer.progress(&progress);
    }

    fn elapsed_ns(&self) -> u64 {
        clock::monotonic_ns().saturating_sub(self.start_ns)
    }
}

/// What happens to a complete second: the live figures see it, the sink keeps it.
fn hand_on<'a>(live: &'a mut Live, sink: &'a mut dyn Sink) -> impl FnMut(&SeriesSecond) -> Result<(), SinkError> + 'a {
    |batch| {
        live.add(batch);
        sink.second(batch)
    }
}
