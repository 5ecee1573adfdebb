//! The verdict over a task set, as scripts read it.

use super::judged::{Chosen, Judged};
use super::latency::Latency;
use super::machine::MachineCosts;
use super::observed::Observed;
use super::scheduler::Unavailable;
use crate::error::Error;
use crate::report_content::each_once;
use crate::sched::{CpuOrder, RunSet};
use prazo_analysis::Verdict;
use prazo_analysis::roomiest::Candidate;
use prazo_core::text::counted;
use prazo_report::schedulability::answered::SensitivityRow;
use prazo_report::words;
use prazo_run::run::LoadRecord;
use prazo_run::{Caveat, Severity};
use prazo_scenario::Scenario;
use prazo_verdict::Outcome;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Answer for a task set, as `prazo evaluate --tasks --json` prints it. Times are nanoseconds; what was not measured is
/// null.
#[derive(Serialize, JsonSchema)]
pub struct EvaluatedTasks {
    /// Name of the scenario.
    pub name: String,
    /// pass: proven, no observed miss, and no doubt; fail: a miss was observed, or no scheduler of this machine can serve the set;
    /// otherwise inconclusive.
    pub verdict: Outcome,
    /// The verdict with its reasons, as a sentence.
    pub sentence: String,
    /// Why a proof without observed misses is not a pass: overheads not charged, late wake-ups, severe caveats, an
    /// interruption.
    pub doubts: Vec<String>,
    /// Names of the tasks; a task's index elsewhere in this document is its position in this list.
    pub tasks: Vec<String>,
    /// The schedulers: first those that this machine can be set up for, which are analysed, simplest first; then the
    /// others, which are not analysed.
    pub ways: Vec<SchedulerRow>,
    /// Scheduler under which to deploy the set; null where the set is proven under none.
    pub chosen: Option<String>,
    /// Scenario file with the processors, policy and budget of each task, for `prazo sched deploy`; null where the set is proven under no scheduler.
    pub placed: Option<PathBuf>,
    /// Order in which the clusters of the chosen scheduler take this machine's processors, for `--cpus`; null where the default order applies, or the set is proven under no scheduler.
    pub cpus: Option<String>,
    /// Folder with the tables and run files of the overheads that were charged.
    pub overheads: PathBuf,
    /// Loads that disturbed the machine while the overheads were traced.
    pub overheads_loads: Vec<LoadRecord>,
    /// Latency of timer wake-ups on this machine under load; null where it could not be measured.
    pub latency: Option<Latency>,
    /// Why the latency could not be measured; null where it was measured.
    pub latency_not_measured: Option<String>,
    /// Result of running the set under the chosen scheduler, with load; null where no scheduler was chosen or the set
    /// could not run.
    pub observed: Option<RunSet>,
    /// Why the set could not run; null where it ran, or where no scheduler was chosen.
    pub not_observed: Option<String>,
    /// Loads that disturbed the machine while the set ran.
    pub loads: Vec<LoadRecord>,
    /// Threats to the validity of the answer, in addition to those of the run in `observed`.
    pub caveats: Vec<Caveat>,
}

/// One scheduler, with the answers of the analysis.
#[derive(Serialize, JsonSchema)]
pub struct SchedulerRow {
    /// Name of the scheduler, such as `partitioned-edf` or `global-rm`.
    pub name: String,
    /// The processors of each ready queue; empty where this machine cannot be set up for this scheduler.
    pub clusters: Vec<String>,
    /// Why this scheduler is not available on this machine; null where it is available.
    pub barred: Option<String>,
    /// Answer of the analysis with the largest measured overheads charged: proven, disproven or unknown; null where the
    /// scheduler is not available.
    pub by_largest: Option<&'static str>,
    /// Answer of the analysis with the mean measured overheads charged: proven, disproven or unknown; null where the
    /// scheduler is not available.
    pub by_mean: Option<&'static str>,
    /// Factor by which all costs may grow with the largest overheads charged; null where the set is not proven.
    pub room_by_largest: Option<f64>,
    /// Factor by which all costs may grow with the mean overheads charged; null where the set is not proven.
    pub room_by_mean: Option<f64>,
    /// Changes that would make the set provable with mean overheads charged; null where a scheduler was chosen, or
    /// this scheduler is not available.
    pub sensitivity: Option<SensitivityRow>,
}

/// Everything that the answer rests on.
pub(super) struct Findings<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) judged: &'a [Judged],
    pub(super) unavailable: &'a [Unavailable],
    pub(super) chosen: Option<&'a Chosen>,
    pub(super) placed: Option<&'a Path>,
    /// Where the deployer would not take the processors in this order by itself.
    pub(super) order: Option<CpuOrder>,
    pub(super) overheads: &'a Path,
    pub(super) machine: MachineCosts,
    pub(super) observed: Option<Result<Observed, Error>>,
}

impl EvaluatedTasks {
    /// The answer.
    pub(super) fn new(findings: Findings<'_>) -> Self {
        let Findings { scenario, judged, unavailable, chosen, placed, order, overheads, machine, observed } = findings;
        let (observed, not_observed) = observed.map_or((None, None), split);
        let doubts = doubts(&machine, observed.as_ref());
        let (verdict, sentence) = judge(judged, chosen, observed.as_ref(), &doubts);
        let rows = judged.iter().map(SchedulerRow::judged).chain(unavailable.iter().map(SchedulerRow::unavailable));
        let (latency, latency_not_measured) = split(machine.latency);
        let (set, loads, more) =
            observed.map_or((None, vec![], vec![]), |observed| (Some(observed.set), observed.loads, observed.caveats));
        Self {
            name: scenario.name.clone(),
            verdict,
            sentence,
            doubts,
            tasks: scenario.tasks.iter().map(|task| task.name.clone()).collect(),
            ways: rows.collect(),
            chosen: chosen.map(|chosen| judged[chosen.index].scheduler.name.clone()),
            placed: placed.map(Path::to_owned),
            cpus: order.map(|order| order.to_string()),
            overheads: overheads.to_owned(),
            overheads_loads: machine.loads,
            latency,
            latency_not_measured,
            observed: set,
            not_observed,
            loads,
            caveats: each_once(machine.caveats.iter().chain(&more)),
        }
    }
}

/// What there is, or why it is not.
fn split<T>(result: Result<T, Error>) -> (Option<T>, Option<String>) {
    match result {
        Ok(value) => (Some(value), None),
        Err(error) => (None, Some(error.to_string())),
    }
}

/// Why a proof that no miss contradicts is no Yes.
fn doubts(machine: &MachineCosts, observed: Option<&Observed>) -> Vec<String> {
    let of_run = observed.into_iter().flat_map(|observed| observed.set.caveats.iter().chain(&observed.caveats));
    let severe = |caveat: &&Caveat| matches!(caveat.severity, Severity::High | Severity::Fatal);
    let severe: BTreeSet<&str> =
        machine.caveats.iter().chain(of_run).filter(severe).map(|caveat| caveat.id.as_str()).collect();
    let uncharged = machine.uncharged.iter().map(|what| format!("an overhead is not charged ({what})"));
    let late = match &machine.latency {
        Ok(latency) => latency.doubt(),
        Err(why) => Some(format!("the latency of wake-ups was not measured: {why}")),
    };
    let interrupted =
        observed.filter(|observed| observed.set.interrupted).map(|_| "the run was interrupted".to_owned());
    uncharged
        .chain(late)
        .chain(severe.into_iter().map(|id| format!("the caveat {id} applies")))
        .chain(interrupted)
        .collect()
}

fn judge(
    judged: &[Judged],
    chosen: Option<&Chosen>,
    observed: Option<&Observed>,
    doubts: &[String],
) -> (Outcome, String) {
    let Some(chosen) = chosen else {
        return match judged.iter().all(Judged::is_disproven) {
            true => (Outcome::Fail, "No: no scheduler of this machine can serve the set.".into()),
            false => (
                Outcome::Inconclusive,
                "Not proven: no test proves the set under any scheduler of this machine.".into(),
            ),
        };
    };
    let Judged { scheduler, by_max, by_mean, .. } = &judged[chosen.index];
    let (candidate, cost) = match chosen.is_by_max {
        true => (by_max, "the largest overheads measured here"),
        false => (by_mean, "the mean overheads measured here"),
    };
    let proof = format!(
        "under {} every deadline is proven after charging {cost}, and all costs may grow by a factor of {:.3}",
        scheduler.name,
        room(candidate).unwrap_or(1.0)
    );
    match observed.map(|observed| (observed.set.misses, observed.set.jobs)) {
        Some((0, jobs)) if chosen.is_by_max && !doubts.is_empty() => (
            Outcome::Inconclusive,
            format!(
                "Undecided: {proof}, and none of {} missed its deadline under load; but {}.",
                counted(jobs, "job"),
                doubts.join("; ")
            ),
        ),
        Some((0, jobs)) if chosen.is_by_max => {
            (Outcome::Pass, format!("Yes: {proof}; none of {} missed its deadline under load.", counted(jobs, "job")))
        }
        Some((0, jobs)) => (
            Outcome::Inconclusive,
            format!(
                "With mean overheads only: {proof}; none of {} missed its deadline under load. With the largest \
                 overheads nothing is proven.",
                counted(jobs, "job")
            ),
        ),
        Some((misses, jobs)) => (
            Outcome::Fail,
            format!(
                "No: {proof}, but {} of {} missed deadlines under load, so costs or overheads exceed what was charged.",
                words::count(misses),
                counted(jobs, "job")
            ),
        ),
        None => (Outcome::Inconclusive, format!("Proven, but the set could not be run: {proof}.")),
    }
}

fn room(candidate: &Candidate) -> Option<f64> {
    candidate.room.map(|room| room.0 as f64 / 1_000.0)
}

impl SchedulerRow {
    fn judged(one: &Judged) -> Self {
        let verdict = |candidate: &Candidate| Some(Verdict::name(candidate.answer.verdict));
        Self {
            name: one.scheduler.name.clone(),
            clusters: one.scheduler.clusters.iter().map(ToString::to_string).collect(),
            barred: None,
            by_largest: verdict(&one.by_max),
            by_mean: verdict(&one.by_mean),
            room_by_largest: room(&one.by_max),
            room_by_mean: room(&one.by_mean),
            sensitivity: one.edge.clone(),
        }
    }

    fn unavailable(one: &Unavailable) -> Self {
        Self {
            name: one.name.clone(),
            clusters: Vec::new(),
            barred: Some(one.why.clone()),
            by_largest: None,
            by_mean: None,
            room_by_largest: None,
            room_by_mean: None,
            sensitivity: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::tasks::judged::Costs;
    use prazo_run::run::Quantity;
    use prazo_scenario::{Unit, overheads};
    use prazo_stats::overheads::Uncharged;

    fn machine(latency: Result<Latency, Error>, uncharged: &[Quantity], severity: Severity) -> MachineCosts {
        let text = "source = 'assumed'\n[release]\nconstant = '1us'\n";
        let table = overheads::read("table.toml", text, Some(Unit::Nanosecond)).unwrap();
        let costs = Costs { max: table.clone(), mean: table };
        let uncharged = uncharged.iter().map(|kind| Uncharged { kind: *kind, why: "no such point".into() }).collect();
        let caveat = Caveat { id: "steal".into(), severity, what: String::new(), remedy: String::new() };
        MachineCosts { edf: costs.clone(), fixed: costs, uncharged, latency, loads: vec![], caveats: vec![caveat] }
    }

    #[test]
    fn what_keeps_a_proof_from_being_a_yes_is_named() {
        let in_time = Latency { due: 9, ..Latency::default() };
        assert!(doubts(&machine(Ok(in_time), &[], Severity::Medium), None).is_empty());
        let late = Latency { due: 9, late: 1, ..Latency::default() };
        let doubts = doubts(&machine(Ok(late), &[Quantity::TickOverhead], Severity::High), None);
        assert_eq!(
            (doubts.len(), doubts[0].as_str(), doubts[2].as_str()),
            (3, "an overhead is not charged (tick: no such point)", "the caveat steal applies")
        );
        assert!(doubts[1].contains("1 of 9 timer wake-ups had a latency above"), "{doubts:?}");
    }

    #[test]
    fn a_latency_that_is_not_known_is_a_doubt() {
        let doubts = doubts(&machine(Err(Error::failed("no such policy")), &[], Severity::Medium), None);
        assert_eq!(doubts, ["the latency of wake-ups was not measured: no such policy"]);
    }
}
