//! How a study's cells are measured, into run files: here, in guests, in pairs of guests, and on boards.

use crate::guest::{self, Conditions, GuestRequest};
use crate::matrix;
use crate::measure::{Heard, Measure, MeasureError, PlannedRun, StudyStep};
use crate::on_board;
use crate::pair::{self, PairRequest};
use crate::remote_target::{LAB, RemoteTarget};
use crate::work_list::{WorkList, WorkQueue};
use prazo_board::Board;
use prazo_core::time::Duration;
use prazo_lab::{Lab, Platform};
use prazo_platform::fingerprint::Fingerprint;
use prazo_platform::root::Root;
use prazo_probe::session::{self, RecordedRun, Request, SessionError};
use prazo_probe::{Observer, Phase, Progress, StopFlag};
use prazo_run::run::Ending;
use prazo_run::{Plan, Run};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::thread;
use std::time::Instant;

/// What the caller shows of a study under way.
pub trait Viewer {
    /// Calls `measure` once, with what shall observe a measurement of this title.
    fn observe(
        &self,
        title: &str,
        measure: &mut dyn FnMut(&mut dyn Observer) -> Result<RecordedRun, SessionError>,
    ) -> Result<RecordedRun, SessionError>;

    /// Shows a line about a guest or a board. Their samples cannot be shown while they are measured.
    fn line(&self, line: &str);

    /// The runs of this study in guests and on boards begin.
    fn runs_begin(&self, study: &str);

    /// Shows how many of these runs are done, several times a second.
    fn runs_done(&self, runs: &RunsDone);
}

/// How far a study's runs in guests and on boards are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunsDone {
    /// How many runs are done.
    pub done: usize,
    /// How many there are.
    pub of: usize,
    /// Time since the first began.
    pub elapsed: Duration,
    /// Time that the others take if they take as long as those before; `None` before one is done.
    pub left: Option<Duration>,
}

impl RunsDone {
    /// The last of `done` runs ended after `at_last`.
    fn new(done: usize, of: usize, elapsed: Duration, at_last: Duration) -> Self {
        let all_ns = at_last.as_ns().saturating_mul(of.saturating_sub(done) as u64).checked_div(done as u64);
        let since_ns = elapsed.as_ns().saturating_sub(at_last.as_ns());
        Self { done, of, elapsed, left: all_ns.map(|all| Duration::from_ns(all.saturating_sub(since_ns))) }
    }
}

/// How much longer runs on this machine take than they measure: loads are prepared before and ended after.
#[derive(Clone, Copy, Debug, Default)]
pub struct BeyondPlans {
    sum_ns: u64,
    runs: u64,
}

impl BeyondPlans {
    fn add(&mut self, planned: Duration, taken: Duration) {
        self.sum_ns = self.sum_ns.saturating_add(taken.as_ns().saturating_sub(planned.as_ns()));
        self.runs += 1;
    }

    /// Of one run, as the earlier ones had it; zero before one is done.
    fn mean(self) -> Duration {
        Duration::from_ns(self.sum_ns.checked_div(self.runs).unwrap_or(0))
    }
}

/// Measures cells on this machine.
pub struct CellMeasurer<'a> {
    /// Which study the cells belong to, for the view's title.
    pub study: &'a str,
    /// The command line that repeats the study, as it is recorded in runs.
    pub command: &'a str,
    /// Shows what is under way.
    pub viewer: &'a (dyn Viewer + Sync),
    /// The user's wish to stop.
    pub stop: &'a StopFlag,
    /// What earlier runs took beyond their plans.
    pub beyond_plans: BeyondPlans,
    /// What guests would be measured under now.
    pub conditions: Conditions,
}

impl Measure for CellMeasurer<'_> {
    fn measure(&mut self, plan: &Plan, into: &Path, step: &StudyStep) -> Result<Run, MeasureError> {
        if self.stop.is_set() {
            return Err(MeasureError::Interrupted);
        }
        if step.on.is_some() {
            let work = PlannedRun { plan: plan.clone(), into: into.to_owned(), step: step.clone() };
            return self.measure_work(&mut None, &work, &|| self.stop.is_set());
        }
        let (title, begun) = (named(self.study, step), Instant::now());
        let request =
            Request { plan: plan.clone(), file: into, name: step.cell.clone(), command: self.command.to_owned() };
        let (planned, beyond) = (matrix::takes(plan), self.beyond_plans.mean());
        let later_ns = beyond.as_ns().saturating_mul(step.later as u64);
        let later = Duration::from_ns(step.remaining.as_ns().saturating_sub(planned.as_ns()).saturating_add(later_ns));
        let mut execute = |view: &mut dyn Observer| {
            let mut view = Within { view, measuring: plan.run_length(), planned: planned + beyond, later, begun };
            session::execute(&request, &Root::system(), &mut view, self.stop)
        };
        let observed = self.viewer.observe(&title, &mut execute);
        if observed.as_ref().is_ok_and(|recorded| recorded.run.ending == Ending::Complete) {
            self.beyond_plans.add(planned, begun.elapsed().into());
        }
        match observed {
            Ok(recorded) if recorded.run.ending == Ending::Interrupted => Err(MeasureError::Interrupted),
            // A study finds its runs by their names.
            Ok(recorded) if is_elsewhere(&recorded.file, into) => Err(MeasureError::Refused(format!(
                "{} could not be written completely; the complete run is in {}",
                into.display(),
                recorded.file.display()
            ))),
            Ok(recorded) => Ok(recorded.run),
            Err(error) if error.is_interrupted() => Err(MeasureError::Interrupted),
            Err(error) => Err(MeasureError::Refused(error.to_string())),
        }
    }

    fn conditions(&mut self, plan: &Plan, on: &Platform, station: Option<&Platform>) -> Option<Fingerprint> {
        let lab = Lab::find().ok()?;
        let Some(station) = station else { return self.conditions.of(on, plan, &lab) };
        let (name, command) = (String::new(), String::new());
        let (platform, plan) = (on.clone(), plan.clone());
        let guest = GuestRequest { platform, plan, file: Path::new(""), name, command, limit: None };
        pair::conditions(&mut self.conditions, &PairRequest { guest, station: station.clone() }, &lab)
    }

    fn measure_elsewhere(&mut self, works: &[PlannedRun], done: &mut Heard<'_>) {
        if works.is_empty() {
            return;
        }
        let (engine, begun, mut count, mut at_last) = (&*self, Instant::now(), 0, Duration::ZERO);
        let show = |count, elapsed, at_last| {
            engine.viewer.runs_done(&RunsDone::new(count, works.len(), elapsed, at_last));
        };
        engine.viewer.runs_begin(engine.study);
        show(0, Duration::ZERO, Duration::ZERO);
        let queues = queues(works);
        let list = WorkList { queues: &queues, is_stopped: &|| engine.stop.is_set() };
        let one = |kept: &mut Option<Board>, place: usize, is_stopped: &dyn Fn() -> bool| {
            engine.measure_work(kept, &works[place], is_stopped)
        };
        list.each_watched(&one, &mut |ended| {
            let elapsed = Duration::from(begun.elapsed());
            let next = match ended {
                Some((place, answer)) => {
                    (count, at_last) = (count + 1, elapsed);
                    done(place, answer)
                }
                None => ControlFlow::Continue(()),
            };
            show(count, elapsed, at_last);
            next
        });
    }
}

/// One guest to a processor, since more would only take turns; one run at a time on each board.
fn queues(works: &[PlannedRun]) -> Vec<WorkQueue> {
    let board = |work: &PlannedRun| work.step.on.as_ref().and_then(RemoteTarget::board).map(ToString::to_string);
    let mut places: BTreeMap<Option<String>, Vec<usize>> = BTreeMap::new();
    for (place, work) in works.iter().enumerate() {
        places.entry(board(work)).or_default().push(place);
    }
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let queue = |(board, places): (Option<String>, _)| WorkQueue { places, threads: board.map_or(processors, |_| 1) };
    places.into_iter().map(queue).collect()
}

impl CellMeasurer<'_> {
    /// In a guest or on a board. The board is kept for the next work.
    fn measure_work(
        &self,
        kept: &mut Option<Board>,
        work: &PlannedRun,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Run, MeasureError> {
        let step = &work.step;
        let nowhere =
            || MeasureError::Refused(format!("cell {} is measured neither in a guest nor on a board", step.cell));
        let place = step.on.as_ref().ok_or_else(nowhere)?;
        let beside = step.station.as_ref().map(|station| format!(", measured from the station {LAB}{}", station.name));
        let beside = beside.unwrap_or_default();
        self.viewer.line(&format!("{}, on {place}{beside}", named(self.study, step)));
        match place {
            RemoteTarget::Guest(platform) => self.measure_in(platform, work, is_stopped),
            RemoteTarget::Board(address) => {
                let board = kept.take().filter(|board| board.address() == address);
                let board = kept.insert(board.unwrap_or_else(|| Board::new(address)));
                on_board::measure(work, board, self.command, is_stopped)
            }
        }
    }

    /// On a platform of the lab.
    fn measure_in(&self, on: &Platform, work: &PlannedRun, stop: &dyn Fn() -> bool) -> Result<Run, MeasureError> {
        let PlannedRun { plan, into: file, step } = work;
        let (name, command) = (step.cell.clone(), self.command.to_owned());
        let request = GuestRequest { platform: on.clone(), plan: plan.clone(), file, name, command, limit: None };
        let lab = Lab::find().map_err(|error| MeasureError::Refused(error.to_string()))?;
        let measured = match step.station.clone() {
            Some(station) => pair::measure(&PairRequest { guest: request, station }, &lab, stop),
            None => guest::measure(&request, &lab, stop),
        };
        measured.map_err(|error| match error.is_interrupted() {
            true => MeasureError::Interrupted,
            false => MeasureError::Refused(error.to_string()),
        })
    }
}

/// True where a run is in another file than the one asked for.
pub fn is_elsewhere(file: &Path, asked: &Path) -> bool {
    std::path::absolute(asked).map_or(true, |asked| asked != file) && file != asked
}

/// `evaluate 3/6 here.loaded.fifo`.
fn named(study: &str, step: &StudyStep) -> String {
    format!("{study} {}/{} {}", step.number, step.of, step.cell)
}

/// A run of a study: the time that is left for all of them moves with the run's own.
struct Within<'a> {
    view: &'a mut dyn Observer,
    /// What the run measures for, its warm-up included.
    measuring: Duration,
    /// What the run is expected to take.
    planned: Duration,
    /// What the runs after it are expected to take.
    later: Duration,
    begun: Instant,
}

impl Within<'_> {
    /// The time until the last run ends; what is left of this one follows from its own clock as soon as it has one.
    fn left_in_all(&self, progress: &Progress, since_begun: Duration) -> Duration {
        let minus = |a: Duration, b: Duration| Duration::from_ns(a.as_ns().saturating_sub(b.as_ns()));
        let of_phase = minus(progress.total, progress.elapsed);
        let own = match progress.phase {
            Phase::LeadIn => of_phase + self.measuring,
            _ => of_phase,
        };
        own.max(minus(self.planned, since_begun)) + self.later
    }
}

impl Observer for Within<'_> {
    fn progress(&mut self, progress: &Progress) {
        let left = self.left_in_all(progress, self.begun.elapsed().into());
        self.view.progress(&Progress { left_in_all: Some(left), ..progress.clone() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_probe::Counted;
    use prazo_run::Histogram;

    #[test]
    fn the_time_left_of_all_runs_counts_what_loads_take() {
        let mut beyond = BeyondPlans::default();
        assert_eq!(beyond.mean(), Duration::ZERO);
        beyond.add(Duration::from_s(10), Duration::from_s(13));
        beyond.add(Duration::from_s(10), Duration::from_s(12));
        assert_eq!(beyond.mean(), Duration::from_ms(2_500));
        let [measuring, planned, later] = [10, 14, 20].map(Duration::from_s);
        let within = Within { view: &mut Unshown, measuring, planned, later, begun: Instant::now() };
        let left_s = |phase, elapsed, total, since| {
            let [elapsed, total, since] = [elapsed, total, since].map(Duration::from_s);
            let progress = Progress { elapsed, total, phase, ..nothing_yet() };
            within.left_in_all(&progress, since).as_ns() / 1_000_000_000
        };
        assert_eq!(left_s(Phase::LeadIn, 0, 2, 1), 20 + 13, "loads were prepared for a second");
        assert_eq!(left_s(Phase::LeadIn, 0, 2, 9), 20 + 12, "that took longer than before");
        assert_eq!(left_s(Phase::Measuring, 4, 10, 9), 20 + 6);
    }

    struct Unshown;

    impl Observer for Unshown {
        fn progress(&mut self, _: &Progress) {}
    }

    fn nothing_yet() -> Progress {
        Progress {
            elapsed: Duration::ZERO,
            total: Duration::ZERO,
            left_in_all: None,
            phase: Phase::LeadIn,
            counted: Counted::Activations,
            cpus: Vec::new(),
            recent: Histogram::new(),
            is_asked_for: false,
        }
    }

    #[test]
    fn the_time_left_follows_from_the_runs_that_are_done_and_moves_between_them() {
        let left_s = |done, elapsed, at_last| {
            let runs = RunsDone::new(done, 12, Duration::from_s(elapsed), Duration::from_s(at_last));
            runs.left.map(|left| left.as_ns() / 1_000_000_000)
        };
        assert_eq!([left_s(0, 0, 0), left_s(0, 9, 0)], [None, None]);
        assert_eq!([left_s(3, 30, 30), left_s(3, 34, 30), left_s(3, 300, 30)], [Some(90), Some(86), Some(0)]);
        assert_eq!(left_s(12, 120, 120), Some(0));
    }
}
