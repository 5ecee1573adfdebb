//! The answer as scripts read it, and its lines for people.

use super::judged::{Chosen, Judged};
use super::observed::Observed;
use super::ways::Barred;
use crate::cmd::sched::run::{self, RunSet};
use crate::exit::Exit;
use crate::flags::cpus::CpuOrder;
use prazo_analysis::Verdict;
use prazo_analysis::choice::Candidate;
use prazo_report::words;
use prazo_run::run::LoadRecord;
use prazo_run::{Caveat, Severity};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What `prazo evaluate --tasks --json` prints. Times are nanoseconds; what was not measured is null.
#[derive(Serialize, JsonSchema)]
pub struct EvaluatedTasks {
    /// The scenario's name.
    pub name: String,
    /// pass: proven, none observed to miss, and no doubt; fail: a miss was observed, or no way can serve the set; inconclusive: else.
    pub verdict: &'static str,
    /// The answer in words.
    pub sentence: String,
    /// Why a proof without observed misses is no pass: what is not charged, severe caveats, an interruption.
    pub doubts: Vec<String>,
    /// The ways in which this machine's processors can be shared, simplest first.
    pub ways: Vec<WayRow>,
    /// The way to deploy; null where none is proven.
    pub chosen: Option<String>,
    /// The scenario with each task placed, for `prazo sched deploy`; null as above.
    pub placed: Option<PathBuf>,
    /// The order in which its clusters take this machine's processors, for `--cpus`; null as above, or where it is the usual one.
    pub cpus: Option<String>,
    /// The overheads that were charged: tables and run files lie here.
    pub overheads: PathBuf,
    /// The chosen way as it ran under load; null where none was chosen or it could not run.
    pub observed: Option<RunSet>,
    /// Why it could not run.
    pub not_observed: Option<String>,
    /// What disturbed it.
    pub loads: Vec<LoadRecord>,
    /// What threatens validity, beside the run's own.
    pub caveats: Vec<Caveat>,
}

/// One way.
#[derive(Serialize, JsonSchema)]
pub struct WayRow {
    /// `partitioned-edf`, `global-rm`.
    pub name: String,
    /// The processors of each ready queue; empty where this machine cannot be set so.
    pub clusters: Vec<String>,
    /// Why it cannot.
    pub barred: Option<String>,
    /// With the largest overheads that were measured: proven, disproven, unknown; null where barred.
    pub by_largest: Option<&'static str>,
    /// With their means.
    pub by_mean: Option<&'static str>,
    /// The factor by which all costs may grow with the largest overheads; null unless proven.
    pub room_by_largest: Option<f64>,
    /// The same with the means.
    pub room_by_mean: Option<f64>,
}

/// Everything that the answer rests on.
pub struct Evidence<'a> {
    pub name: &'a str,
    pub judged: &'a [Judged],
    pub barred: &'a [Barred],
    pub chosen: Option<&'a Chosen>,
    pub placed: Option<&'a Path>,
    /// Where the deployer would not take the processors in this order by itself.
    pub order: Option<CpuOrder>,
    pub overheads: &'a Path,
    /// What is charged nothing since it could not be measured.
    pub uncharged: Vec<String>,
    pub observed: Option<Result<Observed, String>>,
    pub caveats: Vec<Caveat>,
}

impl EvaluatedTasks {
    /// The answer.
    pub fn new(evidence: Evidence<'_>) -> Self {
        let way = evidence.chosen.map(|chosen| &evidence.judged[chosen.index].way);
        let (observed, not_observed) = match evidence.observed {
            Some(Ok(observed)) => (Some(observed), None),
            Some(Err(why)) => (None, Some(why)),
            None => (None, None),
        };
        let severe = |caveat: &&Caveat| matches!(caveat.severity, Severity::High | Severity::Fatal);
        let of_run = observed.iter().flat_map(|observed| observed.set.caveats.iter().chain(&observed.caveats));
        let caveats: BTreeSet<&str> =
            evidence.caveats.iter().chain(of_run).filter(severe).map(|caveat| caveat.id.as_str()).collect();
        let doubts: Vec<String> = evidence
            .uncharged
            .iter()
            .map(|what| format!("not charged: {what}"))
            .chain(caveats.into_iter().map(|id| format!("caveat: {id}")))
            .chain(observed.iter().filter(|observed| observed.set.interrupted).map(|_| "interrupted".to_owned()))
            .collect();
        let (verdict, sentence) = judge(evidence.judged, evidence.chosen, observed.as_ref(), &doubts);
        let rows = evidence.judged.iter().map(WayRow::judged).chain(evidence.barred.iter().map(WayRow::barred));
        let (set, loads, more) =
            observed.map_or((None, vec![], vec![]), |observed| (Some(observed.set), observed.loads, observed.caveats));
        Self {
            name: evidence.name.to_owned(),
            verdict,
            sentence,
            doubts,
            ways: rows.collect(),
            chosen: way.map(|way| way.name.clone()),
            placed: evidence.placed.map(Path::to_owned),
            cpus: evidence.order.map(|order| order.to_string()),
            overheads: evidence.overheads.to_owned(),
            observed: set,
            not_observed,
            loads,
            caveats: evidence.caveats.into_iter().chain(more).collect(),
        }
    }

    /// How the command ends.
    pub fn exit(&self) -> Exit {
        match self.verdict {
            "pass" => Exit::Pass,
            "fail" => Exit::Fail,
            _ => Exit::Inconclusive,
        }
    }
}

fn judge(
    judged: &[Judged],
    chosen: Option<&Chosen>,
    observed: Option<&Observed>,
    doubts: &[String],
) -> (&'static str, String) {
    let Some(chosen) = chosen else {
        return match judged.iter().all(Judged::is_disproven) {
            true => ("fail", "No: no way of sharing these processors serves the set.".into()),
            false => (
                "inconclusive",
                "Not proven: no test here proves the set under any way of sharing these processors.".into(),
            ),
        };
    };
    let Judged { way, by_max, by_mean } = &judged[chosen.index];
    let (candidate, cost) = match chosen.is_by_max {
        true => (by_max, "the largest overheads measured here"),
        false => (by_mean, "the mean overheads measured here"),
    };
    let proof = format!(
        "under {} every deadline is proven with {cost} charged, and all costs may grow {:.3} times",
        way.name,
        room(candidate).unwrap_or(1.0)
    );
    match observed.map(|observed| (observed.set.misses, observed.set.jobs)) {
        Some((0, jobs)) if chosen.is_by_max && !doubts.is_empty() => (
            "inconclusive",
            format!(
                "Open: {proof}, and none of {} missed under load; but {}.",
                words::counted(jobs, "job"),
                doubts.join("; ")
            ),
        ),
        Some((0, jobs)) if chosen.is_by_max => {
            ("pass", format!("Yes: {proof}; none of {} missed under load.", words::counted(jobs, "job")))
        }
        Some((0, jobs)) => (
            "inconclusive",
            format!(
                "By the means alone: {proof}; none of {} missed under load. With the largest overheads nothing is proven.",
                words::counted(jobs, "job")
            ),
        ),
        Some((misses, jobs)) => (
            "fail",
            format!(
                "No: {proof}, but {} of {} were observed to miss under load, so that costs or overheads are larger than what was charged.",
                words::count(misses),
                words::counted(jobs, "job")
            ),
        ),
        None => ("inconclusive", format!("Proven and not observed: {proof}.")),
    }
}

fn room(candidate: &Candidate) -> Option<f64> {
    candidate.room.map(|room| room.0 as f64 / 1_000.0)
}

impl WayRow {
    fn judged(one: &Judged) -> Self {
        let verdict = |candidate: &Candidate| Some(Verdict::name(candidate.answer.verdict));
        Self {
            name: one.way.name.clone(),
            clusters: one.way.clusters.iter().map(ToString::to_string).collect(),
            barred: None,
            by_largest: verdict(&one.by_max),
            by_mean: verdict(&one.by_mean),
            room_by_largest: room(&one.by_max),
            room_by_mean: room(&one.by_mean),
        }
    }

    fn barred(one: &Barred) -> Self {
        Self {
            name: one.name.clone(),
            clusters: Vec::new(),
            barred: Some(one.why.clone()),
            by_largest: None,
            by_mean: None,
            room_by_largest: None,
            room_by_mean: None,
        }
    }
}

/// The lines for people: the answer first.
pub fn text(of: &EvaluatedTasks) -> String {
    let mut lines = vec![format!("{}: {}", of.name, of.sentence), String::new()];
    lines.extend(ways(of));
    lines.extend(observed(of));
    lines.extend(of.caveats.iter().map(|caveat| format!("! {}: {}; {}", caveat.id, caveat.what, caveat.remedy)));
    lines.push(String::new());
    lines.extend(of.placed.iter().map(|file| {
        let cpus = of.cpus.as_ref().map_or(String::new(), |order| format!(" --cpus {order}"));
        format!(
            "deploy it:  prazo sched deploy {}{cpus} (each task's processors, policy and budget are in it)",
            file.display()
        )
    }));
    lines.push(format!("overheads:  {}", of.overheads.display()));
    lines.join("\n")
}

fn ways(of: &EvaluatedTasks) -> Vec<String> {
    let head = format!(
        "{:<16} {:<10} {:>14} {:<10} {:>14}  processors",
        "way", "largest", "costs may grow", "means", "costs may grow"
    );
    let grow = |room: Option<f64>| room.map_or(words::ABSENT.to_owned(), |room| format!("{room:.3} times"));
    let row = |way: &WayRow| match &way.barred {
        Some(why) => format!("{:<16} cannot be had here: {why}", way.name),
        None => format!(
            "{:<16} {:<10} {:>14} {:<10} {:>14}  {}",
            way.name,
            way.by_largest.unwrap_or_default(),
            grow(way.room_by_largest),
            way.by_mean.unwrap_or_default(),
            grow(way.room_by_mean),
            way.clusters.join(" | ")
        ),
    };
    std::iter::once(head).chain(of.ways.iter().map(row)).collect()
}

fn observed(of: &EvaluatedTasks) -> Vec<String> {
    let why = of.not_observed.iter().map(|why| format!("\nIt could not be run: {why}"));
    let run = of.observed.iter().map(|set| format!("\n{}", run::text(set, of.chosen.as_deref().unwrap_or_default())));
    let loads = of.loads.iter().map(|load| {
        let reached = load.reached.map_or(words::ABSENT.to_owned(), |rate| words::decimals(rate, 1));
        format!("load {}: {reached} {}", load.name, load.unit)
    });
    why.chain(run).chain(loads).collect()
}
