//! From a plan to what a run records: the samples as seconds for the sink, the figures for whoever watches, the rest at the end.

use super::error::InterruptError;
use super::findings;
use super::measure::{End, InterruptOutcome, measure};
use super::seconds::{Frame, Seconds, quantities};
use super::setting::{OwnFrames, Setting};
use crate::event::frame::Offer;
use prazo_abi::irqlat::{Counts, Sample};
use prazo_core::time::{Duration, Instant, Offset};
use prazo_engine::live::Live;
use prazo_engine::process_settings::ProcessSettings;
use prazo_engine::{Counted, Outlets, Phase, Progress, SeriesOutcome, SinkError, StopFlag, Surroundings};
use prazo_load::Cards;
use prazo_run::Plan;
use prazo_run::plan::{Length, Policy};
use prazo_run::run::{Ending, Quantity};
use prazo_run::source::{HandlerPlace, InterruptSource, Trigger};
use prazo_run::split::SplitCounts;
use prazo_sys::{clock, scheduling};

/// What was measured, and how many responses were split.
#[derive(Clone, Debug)]
pub struct InterruptMeasured {
    /// As the timer probe's.
    pub measured: prazo_engine::Measured,
    /// All that were kept.
    pub split: SplitCounts,
}

/// The whole and its parts, in the order of the sink's series.
pub fn series_of(source: &InterruptSource) -> &'static [Quantity] {
    quantities(source.handler == HandlerPlace::Thread)
}

/// Measures what `plan` asks for through the loaded module. The calling thread becomes the reader and has its place back
/// afterwards.
pub fn run(
    plan: &Plan,
    source: &InterruptSource,
    cards: Option<&Cards>,
    mut outlets: Outlets<'_>,
) -> Result<InterruptMeasured, InterruptError> {
    let setting = setting(plan, source, cards)?;
    let usable = scheduling::usable_cpus().map_err(InterruptError::Place)?;
    let settings = ProcessSettings::apply(plan, &usable, &Surroundings::default()).map_err(InterruptError::Process)?;
    let started_ns = clock::monotonic_ns();
    let mut taker = Taker::new(plan, &setting, &mut outlets);
    let stop = taker.stop;
    let measured = measure(&setting, &mut |samples, counts| taker.take(samples, counts), stop)?;
    taker.finish(&measured.counts).map_err(InterruptError::Sink)?;
    let seconds = taker.seconds;
    let (housekeeping_cpu, tunables) = (settings.housekeeping.number(), settings.put_back());
    let start_ns = seconds.start_ns().unwrap_or(started_ns);
    Ok(InterruptMeasured {
        split: seconds.split(),
        measured: prazo_engine::Measured {
            ending: ending(&measured),
            start: Instant::from_ns(start_ns),
            elapsed: Duration::from_ns(clock::monotonic_ns() - start_ns),
            housekeeping_cpu,
            recorder_delay_max: measured.reader_delay_max,
            caveats: findings::caveats(&setting, &measured, &seconds),
            tunables: tunables.into_iter().chain(findings::tunables(&setting, &measured)).collect(),
            series: vec![outcome(&setting, &seconds, &measured)],
            self_checks: Vec::new(),
        },
    })
}

/// The plan in the module's terms; what it cannot be is the user's to change.
fn setting(plan: &Plan, source: &InterruptSource, cards: Option<&Cards>) -> Result<Setting, InterruptError> {
    let wrong = |what: &str| Err(InterruptError::Setting(what.into()));
    let [thread] = plan.threads.as_slice() else {
        return wrong("give one processor with --cpu; an interrupt line is handled on one processor");
    };
    let Policy::Fifo { priority } = plan.policy else {
        return wrong("give --priority; the measured task runs under fifo");
    };
    if plan.stop_above.is_some() {
        return wrong("an interrupt measurement cannot stop at a threshold; omit --stop-above");
    }
    let (cpu, period, source) = (thread.cpu, thread.period, source.clone());
    let own_frames = own_frames(plan, &source, cards, period)?;
    let triggers = triggers(plan, distance(&source, period));
    Ok(Setting { source, cpu, task_priority: priority, period, triggers, seed: plan.seed, own_frames })
}

/// The frames of a guest alone, whose other card sends them.
fn own_frames(
    plan: &Plan,
    source: &InterruptSource,
    cards: Option<&Cards>,
    period: Duration,
) -> Result<Option<OwnFrames>, InterruptError> {
    let (Trigger::Frame, Some(card), Some(cards)) = (source.trigger, &source.card, cards) else { return Ok(None) };
    if source.jitter >= period {
        let what = format!("the jitter of the frames ({}) must be below their period ({period})", source.jitter);
        return Err(InterruptError::Setting(what));
    }
    // Sent until the module has seen enough of them, some of which may be lost.
    let (period_ns, jitter_ns) = (period.as_ns(), source.jitter.as_ns());
    Ok(OwnFrames::to_card(card, cards, Offer { period_ns, count: u64::MAX, jitter_ns, seed: plan.seed }))
}

/// Between two triggers, in the mean: a timer's period is longer by its jitter, frames leave on a grid.
fn distance(source: &InterruptSource, period: Duration) -> Duration {
    match source.trigger {
        Trigger::Frame => period,
        Trigger::Hrtimer | Trigger::OtherCpu => period + Duration::from_ns(source.jitter.as_ns() / 2),
    }
}

/// As many as fill the warm-up and then the length, at the mean distance.
fn triggers(plan: &Plan, distance: Duration) -> u64 {
    let fill = |length: Duration| length.as_ns().div_ceil(distance.as_ns().max(1));
    match plan.length {
        Length::Duration { .. } => fill(plan.run_length()),
        Length::Activations { count } => count.saturating_add(fill(plan.warm_up_kept_apart())),
    }
}

fn ending(measured: &InterruptOutcome) -> Ending {
    match measured.end {
        End::AllSent => Ending::Complete,
        End::Stopped | End::TriggersCeased => Ending::Interrupted,
    }
}

fn outcome(setting: &Setting, seconds: &Seconds, measured: &InterruptOutcome) -> SeriesOutcome {
    let (activations, warm_up) = seconds.activations(measured.counts.outstanding);
    SeriesOutcome { cpu: setting.cpu, period: setting.period, first_due: Offset::from_ns(0), activations, warm_up }
}

/// Takes what the reader reads.
struct Taker<'t, 'o> {
    seconds: Seconds,
    live: Live,
    outlets: &'t mut Outlets<'o>,
    stop: &'o StopFlag,
    total: Duration,
    warm_up: Duration,
    shown_s: Option<u64>,
}

impl<'t, 'o> Taker<'t, 'o> {
    fn new(plan: &Plan, setting: &Setting, outlets: &'t mut Outlets<'o>) -> Self {
        let distance_ns = distance(&setting.source, setting.period).as_ns();
        let frame = Frame {
            deadline_ns: plan.deadline.map(Duration::as_ns),
            warm_up_ns: plan.warm_up.as_ns(),
            period_ns: distance_ns,
            cpu: setting.cpu,
            has_hard_stamp: setting.source.handler == HandlerPlace::Thread,
        };
        Self {
            seconds: Seconds::new(frame),
            live: Live::new([setting.cpu]),
            stop: outlets.stop,
            outlets,
            total: Duration::from_ns(distance_ns.saturating_mul(setting.triggers)),
            warm_up: plan.warm_up_kept_apart(),
            shown_s: None,
        }
    }

    fn take(&mut self, samples: &[Sample], counts: &Counts) -> Result<(), SinkError> {
        for second in self.seconds.take(samples, counts) {
            self.hand_on(&second)?;
        }
        self.show();
        Ok(())
    }

    fn finish(&mut self, counts: &Counts) -> Result<(), SinkError> {
        self.seconds.finish(counts).iter().try_for_each(|second| self.hand_on(second))
    }

    fn hand_on(&mut self, second: &prazo_run::store::SeriesSecond) -> Result<(), SinkError> {
        if second.series == 0 {
            self.live.add(second);
        }
        self.outlets.sink.second(second)
    }

    /// Once a second, and when figures are asked for.
    fn show(&mut self) {
        let Some(start_ns) = self.seconds.start_ns() else { return };
        let elapsed = Duration::from_ns(clock::monotonic_ns() - start_ns);
        let second = elapsed.as_ns() / 1_000_000_000;
        let is_asked_for = self.stop.take_figures_request();
        if self.shown_s.replace(second) == Some(second) && !is_asked_for {
            return;
        }
        let phase = if elapsed < self.warm_up { Phase::WarmUp } else { Phase::Measuring };
        let (cpus, recent) = (self.live.cpus().to_vec(), self.live.recent());
        let (total, left_in_all, counted) = (self.total, None, Counted::Activations);
        let progress = Progress { elapsed, total, left_in_all, phase, counted, cpus, recent, is_asked_for };
        self.outlets.observer.progress(&progress);
    }
}
