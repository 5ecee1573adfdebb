//! Rows with workloads: each platform executes them in sequence within one boot, alone or beside each probe that the row names.
//!
//! ```text
//! [[workload]] name, size ─┐
//! [[measure]] workloads ───┴─► platform.cost.alone, platform.cost.PROBE, each with a run for every seed
//! ```
//! Sizes are the study's and never a pilot run's: every platform executes the same work, or there would be no ratio.

use crate::cell::{ALONE, COST, Cell, CellSource, Here};
use crate::matrix::{at, named, repeats_are_few, seed};
use crate::probe::Probe;
use crate::study::{PlatformEntry, Row, Study};
use prazo_core::time::Duration;
use prazo_cost::workload;
use prazo_run::Plan;
use prazo_run::plan::{Length, Policy};
use prazo_run::source::Source;
use prazo_run::workload::WorkloadPlan;
use prazo_verdict::claim::Name;
use prazo_verdict::claim::document::{Document, DocumentError};
use serde::Deserialize;
use std::collections::BTreeSet;

/// One `[[workload]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkloadEntry {
    /// A name from the catalogue of `prazo cost --list`.
    pub name: toml::Spanned<String>,
    /// Its size, in its own unit.
    pub size: u64,
}

/// What a workload takes of a guest's time, as long as nobody knows better; and what the probe takes before the first.
const USUALLY: Duration = Duration::from_s(2);

/// The longest that a workload may take with being prepared; the guest's agent itself gives each a minute.
const LONGEST: Duration = Duration::from_s(90);

/// One cell of a row with workloads.
#[derive(Clone, Copy)]
pub struct Costed<'a> {
    platform: &'a PlatformEntry,
    probe: Option<&'a Probe>,
    row: &'a Row,
}

/// How long a plan with so many workloads takes, about.
pub fn takes(workloads: usize) -> Duration {
    USUALLY.checked_mul(workloads as u64 + 1).unwrap_or(USUALLY)
}

/// The cells of a row with workloads: each platform alone, or beside each probe where the row names any.
pub fn costed<'a>(study: &'a Study, row: &'a Row) -> impl Iterator<Item = Costed<'a>> {
    let is_named = |names: &[Name], id: &str| names.iter().any(|name| name.id == id);
    let beside = study.probes.iter().filter(move |probe| is_named(&row.probes, probe.id.get_ref())).map(Some);
    let probes: Vec<Option<&Probe>> = if row.probes.is_empty() { vec![None] } else { beside.collect() };
    let chosen = move |entry: &&PlatformEntry| row.platforms.is_empty() || is_named(&row.platforms, entry.id.get_ref());
    let of = move |platform| probes.clone().into_iter().map(move |probe| Costed { platform, probe, row });
    study.platforms.iter().filter(chosen).flat_map(of)
}

/// Refuses workloads that nobody knows, and rows that ask more than a guest with workloads does.
pub(crate) fn check(study: &Study, place: &Document<'_>) -> Result<(), DocumentError> {
    place.ids("workload", study.workloads.iter().map(|entry| &entry.name))?;
    study.workloads.iter().try_for_each(|entry| entry.check(place))?;
    for row in &study.measures {
        named(place, "workload", &row.workloads, study.workloads.iter().map(|entry| entry.name.get_ref()))?;
        row.workloads.first().map_or(Ok(()), |first| check_row(row, first, place))?;
    }
    Ok(())
}

impl WorkloadEntry {
    fn check(&self, place: &Document<'_>) -> Result<(), DocumentError> {
        let (at, name) = (self.name.span().start, self.name.get_ref());
        if workload::find(name).is_none() {
            let known: Vec<&str> = workload::catalogue().iter().map(|workload| workload.name).collect();
            let remedy = format!("choose one of {}", known.join(", "));
            return Err(place.error(at, &format!("there is no workload '{name}'"), &remedy));
        }
        let nothing = || place.error(at, &format!("workload '{name}' has size 0"), "write a size of at least 1");
        if self.size == 0 { Err(nothing()) } else { Ok(()) }
    }

    fn plan(&self) -> WorkloadPlan {
        WorkloadPlan { name: self.name.get_ref().clone(), size: self.size }
    }
}

fn check_row(row: &Row, first: &Name, place: &Document<'_>) -> Result<(), DocumentError> {
    let wrong = |problem, remedy| Err(place.error(first.at, problem, remedy));
    match row {
        Row { loads, .. } if !loads.is_empty() => wrong(
            "a [[measure]] row with workloads also has loads",
            "give loads a [[measure]] row of their own, since the cost of loads is not measured",
        ),
        Row { length: Some(_), .. } => {
            wrong("a [[measure]] row with workloads has a length", "remove length; the row ends with its last workload")
        }
        _ => Ok(()),
    }
}

impl Costed<'_> {
    /// `platform.cost.alone`, `platform.cost.fifo-500`.
    pub fn id(&self) -> String {
        let beside = self.probe.map_or(ALONE, |probe| probe.id.get_ref());
        format!("{}{COST}{beside}", self.platform.id.get_ref())
    }

    /// Refuses what no guest does, and cells that come twice.
    pub(crate) fn check(&self, place: &Document<'_>, seen: &mut BTreeSet<String>) -> Result<(), DocumentError> {
        let (at, id) = (self.row.workloads[0].at, self.id());
        repeats_are_few(self.row, at, &id, place)?;
        if self.platform.guest().is_none() || self.platform.station.is_some() {
            let problem = format!("cell '{id}' has workloads on a platform that is not a single guest of the lab");
            let remedy = "name platforms with on = \"lab:NAME\" and without a station; `prazo cost --vs` compares \
                          commands on this machine";
            return Err(place.error(at, &problem, remedy));
        }
        if self.probe.is_some_and(|probe| probe.interrupt.is_some()) {
            let problem = format!("cell '{id}' has workloads together with an interrupt line");
            return Err(place.error(at, &problem, "in this [[measure]] row, name only probes that wait for a timer"));
        }
        let twice = || {
            place.error(at, &format!("cell '{id}' is defined twice"), "name all its workloads in one [[measure]] row")
        };
        if seen.insert(id.clone()) { Ok(()) } else { Err(twice()) }
    }

    /// The cell, with a plan for each seed.
    pub fn cell(&self, study: &Study, here: &Here) -> Cell {
        let on = self.platform.place().and_then(Result::ok);
        let there = at(on.as_ref(), here);
        let plans =
            (0..self.row.repeats).map(|repeat| self.plan(study, &there, seed(study.head.seed, repeat))).collect();
        let platform = self.platform.id.get_ref().clone();
        Cell { id: self.id(), source: CellSource::Measure { platform, on, every_cpu: false, station: None, plans } }
    }

    fn plan(&self, study: &Study, here: &Here, seed: u64) -> Plan {
        let alone = alone(self.workloads(study), seed);
        let Some(probe) = self.probe else { return alone };
        Plan {
            split: probe.split,
            method: probe.method,
            policy: probe.policy(),
            when_late: probe.when_late,
            threads: probe.threads(probe.cpus.unwrap_or(here.cpus)),
            warm_up: probe.warm_up,
            deadline: here.deadline,
            looks_for: probe.looks_for,
            raw: probe.raw,
            timer_slack: probe.timer_slack,
            ..alone
        }
    }

    /// In the row's order.
    fn workloads(&self, study: &Study) -> Vec<WorkloadPlan> {
        let entry = |name: &Name| study.workloads.iter().find(|entry| *entry.name.get_ref() == name.id);
        self.row.workloads.iter().filter_map(entry).map(WorkloadEntry::plan).collect()
    }
}

/// No thread measures, and the run lasts as long as its workloads.
fn alone(workloads: Vec<WorkloadPlan>, seed: u64) -> Plan {
    let length = LONGEST.checked_mul(workloads.len() as u64 + 1).unwrap_or(LONGEST);
    Plan { seed, workloads, ..Plan::new(Source::Timer, Policy::Other, Vec::new(), Length::Duration { length }) }
}
