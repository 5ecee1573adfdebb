//! How late this machine wakes a thread under the load: the cell of plain `prazo evaluate`, for a shorter time.
//!
//! What is charged are the parts of a wake-up, traced one by one; this is the whole, from when a timer was due to the woken thread's
//! own first stamp, while none of the set's runs.

use crate::error::Error;
use crate::evaluate::request::{DEADLINE, EvaluateTasksRequest};
use crate::progress::{Progress, Remark};
use crate::study;
use crate::{output, report_content};
use prazo_core::time::Duration;
use prazo_platform::root::Root;
use prazo_probe::session::{self, RecordedRun, Request};
use prazo_probe::timer::Unobserved;
use prazo_report::{RunEvidence, html};
use prazo_run::plan::Length;
use prazo_run::{Caveat, Plan};
use prazo_scenario::Scenario;
use prazo_stats::{MissRate, Per, Summary, miss_rate};
use prazo_study::{CellSource, builtin, matrix};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// Long enough for ten thousand wake-ups of each processor.
const LENGTH_MAX: Duration = Duration::from_s(10);
/// Of the study `evaluate`: a thread under fifo, with the load.
const CELL: &str = "here.loaded.fifo";

/// Latency of timer wake-ups on this machine under load. Times are nanoseconds; unknown values are null.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Latency {
    /// Number of wake-ups that should have happened, on all processors, warm-up excluded.
    pub due: u64,
    /// Number of wake-ups that came later than `deadline_ns`, or not at all.
    pub late: u64,
    /// The shortest relative deadline of the task set.
    pub deadline_ns: u64,
    /// Period of the wake-ups on each processor.
    pub period_ns: u64,
    /// Number of wake-ups for which it is unknown whether they came late: the record was lost, or a skip had an unknown
    /// length.
    pub undecided: u64,
    /// Median latency of the due wake-ups; a skipped wake-up counts with its minimum lateness.
    pub median_ns: Option<i64>,
    /// 99.9 % quantile of the latency of the due wake-ups.
    pub p999_ns: Option<i64>,
    /// Observed maximum latency of the due wake-ups; not a bound.
    pub max_ns: Option<i64>,
    /// Cause of the largest latency.
    pub cause: Option<String>,
    /// Run file of the latency measurement.
    pub run_file: PathBuf,
    /// Report on the latency measurement: every processor, the parts of the latencies, and the largest latencies with
    /// their causes.
    pub report: PathBuf,
    /// Threats to the validity of the latency measurement.
    #[serde(skip)]
    pub caveats: Vec<Caveat>,
}

impl Latency {
    /// Measures into the request's folder, no longer than its length.
    pub(super) fn measured(
        scenario: &Scenario,
        request: &EvaluateTasksRequest,
        progress: &mut dyn Progress,
    ) -> Result<Self, Error> {
        let (deadline, length) = (shortest_deadline(scenario), request.duration.min(LENGTH_MAX));
        let plan = plan(deadline, length)?;
        progress.remark(&Remark::Text(format!("measuring timer latency under load for {length}")));
        let period_ns = plan.threads.first().map_or(0, |thread| thread.period.as_ns());
        let [file, report] = ["latency.prazo", "latency.html"].map(|name| request.folder.join(name));
        let to_measure = Request { plan, file: &file, name: "latency".into(), command: request.command.clone() };
        let stop = progress.stop().map_err(Error::failed)?;
        let RecordedRun { run, file, .. } = session::execute(&to_measure, &Root::system(), &mut Unobserved, &stop)?;
        let misses = miss_rate(&run, deadline);
        let content = report_content::of_runs("Timer latency under load", vec![run], None, &request.command);
        output::replace(&report, html::render(&content))?;
        Ok(Self { period_ns, run_file: file, report, ..Self::of(&content.runs[0], &misses) })
    }

    /// The figures of all processors together.
    fn of(evidence: &RunEvidence, misses: &MissRate) -> Self {
        let is_of_all = |row: &&Summary| row.cpu.is_none() && Some(row.quantity) == misses.quantity;
        let row = evidence.summary.summaries.iter().find(|row| is_of_all(row) && row.per == Per::DueActivation);
        let quantile = |q: f64| row?.quantiles.iter().find(|one| (one.q - q).abs() < 1e-9)?.value_ns;
        let splits = evidence.run.series.iter().filter_map(|series| series.split.as_deref());
        let worst = splits.flat_map(|split| &split.causes).max_by_key(|cause| cause.sample.latency_ns);
        Self {
            due: misses.due,
            late: misses.missed,
            undecided: misses.undecided,
            deadline_ns: misses.deadline_ns,
            median_ns: quantile(0.5),
            p999_ns: quantile(0.999),
            max_ns: row.and_then(|row| row.max_ns),
            cause: worst.map(|cause| cause.sentence.clone()),
            caveats: evidence.run.caveats.clone(),
            ..Self::default()
        }
    }

    /// Why a proof is no Yes beside it; `None` where there were wake-ups, and none of them came too late for the set.
    pub(super) fn doubt(&self) -> Option<String> {
        use prazo_core::text::counted;
        use prazo_report::words::count;
        let unknown = match self.undecided {
            0 => String::new(),
            undecided => format!(" (and perhaps {} more)", count(undecided)),
        };
        match (self.late, self.undecided) {
            _ if self.due == 0 => Some("no wake-up was due during the latency measurement".into()),
            (0, 0) => None,
            (0, undecided) => Some(format!(
                "in the separate latency measurement, for {} of {} it is unknown whether the latency exceeded the set's \
                 shortest deadline",
                count(undecided),
                counted(self.due, "timer wake-up")
            )),
            _ => Some(format!(
                "in the separate latency measurement, in which no task of the set ran, {} of {} had a latency above the \
                 set's shortest deadline or did not happen{unknown}",
                count(self.late),
                counted(self.due, "timer wake-up")
            )),
        }
    }
}

/// The study's own plan, held against this deadline, for a shorter time.
fn plan(deadline: Duration, length: Duration) -> Result<Plan, Error> {
    let evaluate = builtin::find("evaluate").expect("the program carries it");
    let cells = matrix::cells(&evaluate, &study::here(None, Some(deadline))?);
    let plans = cells.into_iter().find(|cell| cell.id == CELL).map(|cell| cell.source);
    let Some(CellSource::Measure { mut plans, .. }) = plans else { unreachable!("the study measures it") };
    let plan = plans.swap_remove(0);
    Ok(Plan { length: Length::Duration { length }, ..plan })
}

/// That of the most urgent task; that of plain `prazo evaluate` for a set that has none.
fn shortest_deadline(scenario: &Scenario) -> Duration {
    let ns_per_tick = scenario.unit.map_or(1, prazo_scenario::Unit::ns);
    let shortest = scenario.tasks.iter().map(|task| task.task.deadline).min();
    shortest.map_or(DEADLINE, |ticks| Duration::from_ns(ticks.saturating_mul(ns_per_tick)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_scenario::read;

    #[test]
    fn the_plan_is_the_studys_under_the_sets_shortest_deadline() {
        let text = "name = 'two'\n[task.a]\ncost = '1ms'\nperiod = '9ms'\n[task.b]\ncost = '1us'\nperiod = '8ms'\ndeadline = '300us'\n";
        let deadline = shortest_deadline(&read::any("two.toml".as_ref(), text).unwrap());
        assert_eq!(deadline, Duration::from_us(300));
        let plan = plan(deadline, Duration::from_s(3)).unwrap();
        let length = Duration::from_s(3);
        assert_eq!((plan.deadline, plan.length), (Some(deadline), Length::Duration { length }));
        assert!(plan.loads.len() > 3 && !plan.warm_up.is_zero(), "{plan:?}");
    }

    #[test]
    fn late_wake_ups_are_a_doubt_and_others_are_none() {
        assert_eq!(Latency { due: 9, ..Latency::default() }.doubt(), None);
        let doubt = Latency { due: 1_000, late: 2, ..Latency::default() }.doubt().unwrap();
        assert!(doubt.contains("2 of 1,000 timer wake-ups had a latency above"), "{doubt}");
        let unknown = Latency { due: 1_000, undecided: 1, ..Latency::default() }.doubt().unwrap();
        assert!(unknown.contains("for 1 of 1,000 timer wake-ups it is unknown"), "{unknown}");
        let both = Latency { due: 1_000, late: 2, undecided: 1, ..Latency::default() }.doubt().unwrap();
        assert!(both.ends_with("or did not happen (and perhaps 1 more)"), "{both}");
        assert!(Latency::default().doubt().is_some(), "nothing was seen");
    }
}
