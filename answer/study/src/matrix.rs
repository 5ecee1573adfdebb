//! Platforms x loads x probes: how a study's rows become cells with ids that stay the same.

use crate::cell::{Cell, CellSource, Here};
use crate::costed::{self, costed};
use crate::load::Load;
use crate::probe::Probe;
use crate::remote_target::RemoteTarget;
use crate::study::{PlatformEntry, Row, Study};
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_core::hash::{GOLDEN, mixed};
use prazo_core::text;
use prazo_core::time::Duration;
use prazo_lab::Platform;
use prazo_probe::guest_request::CARD;
use prazo_run::Plan;
use prazo_run::plan::{Length, Splitting, ThreadPlan};
use prazo_run::source::{EventSource, ReceiveStamp, Source, Station, Transport};
use prazo_verdict::claim::Name;
use prazo_verdict::claim::document::{Document, DocumentError, choose};
use std::collections::{BTreeMap, BTreeSet};

/// Nobody waits for more, and a slip of the finger shall not fill the memory.
const REPEATS_MAX: u32 = 1_000;

/// One product of a row.
#[derive(Clone, Copy)]
struct Product<'a> {
    platform: &'a PlatformEntry,
    load: &'a Load,
    probe: &'a Probe,
    row: &'a Row,
}

/// All cells, in the order in which the study lists them: measured ones first, then imports.
pub fn cells(study: &Study, here: &Here) -> Vec<Cell> {
    let of_row = |row: &Row| {
        let costs = costed(study, row).filter(|_| costs(row)).map(|costed| costed.cell(study, here));
        products(study, row).map(|product| product.cell(study, here)).chain(costs).collect::<Vec<_>>()
    };
    let measured = rows(study).iter().flat_map(of_row).collect::<Vec<_>>();
    let imported = study
        .imports
        .iter()
        .map(|import| Cell { id: import.id.get_ref().clone(), source: CellSource::Import(import.clone()) });
    measured.into_iter().chain(imported).collect()
}

/// The ids of all cells.
pub fn ids(study: &Study) -> BTreeSet<String> {
    let of_row = |row: &Row| {
        let costs = costed(study, row).filter(|_| costs(row)).map(|costed| costed.id());
        products(study, row).map(|product| product.id()).chain(costs).collect::<Vec<_>>()
    };
    let measured = rows(study).iter().flat_map(of_row).collect::<Vec<_>>();
    measured.into_iter().chain(unmeasured(study)).collect()
}

/// The cells that a gate compares, each with its repeats.
pub fn gated(study: &Study, here: &Here) -> BTreeMap<String, usize> {
    let gated = cells(study, here).into_iter().filter(Cell::is_gated);
    gated.map(|cell| (cell.id.clone(), cell.repeats())).collect()
}

/// The ids of cells that are not products of platforms, loads and probes.
fn unmeasured(study: &Study) -> impl Iterator<Item = String> {
    let imports = study.imports.iter().map(|import| &import.id);
    imports.chain(study.stated.iter().map(|stated| &stated.id)).map(|id| id.get_ref().clone())
}

/// How long measuring everything once takes, lead-ins included; cells that end by count are estimated by their period.
pub fn measuring_time(study: &Study, here: &Here) -> Duration {
    let cells = cells(study, here);
    let plans = cells.iter().flat_map(|cell| match &cell.source {
        CellSource::Measure { plans, .. } => plans.as_slice(),
        CellSource::Import(_) => &[],
    });
    Duration::from_ns(plans.map(takes).fold(0, |sum: u64, one| sum.saturating_add(one.as_ns())))
}

/// How long one plan takes, its lead-in included.
pub fn takes(plan: &Plan) -> Duration {
    if !plan.workloads.is_empty() {
        return plan.warm_up_kept_apart() + costed::takes(plan.workloads.len());
    }
    Duration::from_ns(plan.lead_in.as_ns().saturating_add(plan.run_length().as_ns()))
}

/// Refuses rows that name what is not there, cells without a length and cells that come twice.
pub(crate) fn check(study: &Study, place: &Document) -> Result<(), DocumentError> {
    for row in &study.measures {
        named(place, "platform", &row.platforms, study.platforms.iter().map(|entry| entry.id.get_ref()))?;
        named(place, "load", &row.loads, study.loads.iter().map(|load| load.id.get_ref()))?;
        named(place, "probe", &row.probes, study.probes.iter().map(|probe| probe.id.get_ref()))?;
    }
    costed::check(study, place)?;
    let mut seen: BTreeSet<String> = unmeasured(study).collect();
    for row in &rows(study) {
        products(study, row).try_for_each(|product| product.check(place, &mut seen))?;
        costed(study, row).filter(|_| costs(row)).try_for_each(|costed| costed.check(place, &mut seen))?;
    }
    Ok(())
}

pub(crate) fn named<'a>(
    place: &Document,
    what: &str,
    names: &[Name],
    known: impl Iterator<Item = &'a String>,
) -> Result<(), DocumentError> {
    let known: Vec<&String> = known.collect();
    match names.iter().find(|name| !known.contains(&&name.id)) {
        Some(name) => Err(place.error(name.at, &format!("there is no {what} '{}'", name.id), &choose(known))),
        None => Ok(()),
    }
}

/// The study's rows, or one row with everything where it has none.
fn rows(study: &Study) -> Vec<Row> {
    if study.measures.is_empty() {
        vec![Row { platforms: vec![], loads: vec![], probes: vec![], workloads: vec![], length: None, repeats: 1 }]
    } else {
        study.measures.clone()
    }
}

/// True for a row whose cells execute workloads, and are no products with loads.
fn costs(row: &Row) -> bool {
    !row.workloads.is_empty()
}

fn products<'a>(study: &'a Study, row: &'a Row) -> impl Iterator<Item = Product<'a>> {
    let probes = move |platform, load| {
        let probes = study.probes.iter().filter(|probe| is_chosen(&row.probes, probe.id.get_ref()));
        probes.map(move |probe| Product { platform, load, probe, row })
    };
    let loads = move |platform| {
        let loads = study.loads.iter().filter(|load| is_chosen(&row.loads, load.id.get_ref()));
        loads.flat_map(move |load| probes(platform, load))
    };
    let chosen = |entry: &&PlatformEntry| !costs(row) && is_chosen(&row.platforms, entry.id.get_ref());
    study.platforms.iter().filter(chosen).flat_map(loads)
}

fn is_chosen(names: &[Name], id: &str) -> bool {
    names.is_empty() || names.iter().any(|name| name.id == id)
}

/// Refuses rows that are repeated never, or beyond anybody's patience.
pub(crate) fn repeats_are_few(row: &Row, at: usize, id: &str, place: &Document<'_>) -> Result<(), DocumentError> {
    let wrong = || format!("cell '{id}' is repeated {}", text::counted(u64::from(row.repeats), "time"));
    match (1..=REPEATS_MAX).contains(&row.repeats) {
        true => Ok(()),
        false => Err(place.error(at, &wrong(), "set repeats to a number from 1 to 1000")),
    }
}

impl Product<'_> {
    fn id(&self) -> String {
        format!("{}.{}.{}", self.platform.id.get_ref(), self.load.id.get_ref(), self.probe.id.get_ref())
    }

    fn length(&self) -> Option<Length> {
        self.probe.length(self.row.length)
    }

    fn check(&self, place: &Document, seen: &mut BTreeSet<String>) -> Result<(), DocumentError> {
        let (at, id) = (self.probe.id.span().start, self.id());
        if self.length().is_none() {
            return Err(place.error(
                at,
                &format!("cell '{id}' has no length"),
                "give the probe or its [[measure]] row a length such as \"20s\"",
            ));
        }
        repeats_are_few(self.row, at, &id, place)?;
        if self.platform.station.is_some() && self.probe.interrupt.is_some() {
            return Err(place.error(
                at,
                &format!("cell '{id}' has both a station's frames and an interrupt line as its event"),
                "in a [[measure]] row that names a platform with a station, name only probes without an interrupt line",
            ));
        }
        if !seen.insert(id.clone()) {
            return Err(place.error(
                at,
                &format!("cell '{id}' is defined twice"),
                "define the cell in only one [[measure]] row; to measure it several times, set repeats there",
            ));
        }
        Ok(())
    }

    fn cell(&self, study: &Study, here: &Here) -> Cell {
        let on = self.platform.place().and_then(Result::ok);
        let there = at(on.as_ref(), here);
        let is_on_board = on.as_ref().is_some_and(|place| place.board().is_some());
        // A tool of a Xenomai core measures one processor.
        let every_cpu = is_on_board && self.probe.cpus.is_none() && self.probe.xenomai.is_none();
        let station = self.platform.station().and_then(Result::ok).map(Box::new);
        let plan = |seed| {
            let plan = self.plan(&there, seed);
            if station.is_some() { from_outside(plan) } else { plan }
        };
        let plans = (0..self.row.repeats).map(|repeat| plan(seed(study.head.seed, repeat))).collect();
        let platform = self.platform.id.get_ref().clone();
        Cell { id: self.id(), source: CellSource::Measure { platform, on, every_cpu, station, plans } }
    }

    fn plan(&self, here: &Here, seed: u64) -> Plan {
        let cpus = self.probe.cpus.unwrap_or(here.cpus);
        let source = self.probe.source(cpus, self.platform.guest().is_some());
        let length = self.length().expect("a study whose cells lack a length is refused while reading");
        Plan {
            split: self.probe.split,
            method: self.probe.method,
            when_late: self.probe.when_late,
            warm_up: self.probe.warm_up,
            lead_in: self.load.lead_in,
            loads: self.load.plans(),
            deadline: here.deadline,
            looks_for: self.probe.looks_for,
            housekeeping_cpu: here.housekeeping_cpu,
            raw: self.probe.raw,
            timer_slack: self.probe.timer_slack,
            seed,
            ..Plan::new(source, self.probe.policy(), self.probe.threads(cpus), length)
        }
    }
}

/// Where a count of periods is beyond any clock.
const LENGTH_MAX: Duration = Duration::from_s(1 << 30);

/// The same plan with a station's frames in place of its timer: one task answers them, and the station stamps. The station sends
/// for the warm-up, too.
fn from_outside(plan: Plan) -> Plan {
    const LAST_WORD: Duration = Duration::from_s(1);
    let period = plan.threads[0].period;
    let measured = match plan.length {
        Length::Activations { count } => count,
        Length::Duration { length } => length.as_ns() / period.as_ns(),
    };
    let count = measured + plan.warm_up_kept_apart().as_ns().div_ceil(period.as_ns());
    let source = EventSource {
        interface: CARD.into(),
        transport: Transport::Frame,
        stamp: ReceiveStamp::Software,
        station: Station::Remote,
        jitter: Duration::from_ns(period.as_ns() / 4),
        count,
        answer_delay: Some(Duration::ZERO),
    };
    let series = period.checked_mul(measured + 1).unwrap_or(LENGTH_MAX);
    Plan {
        source: Source::Event(source),
        split: Splitting::Off,
        threads: vec![ThreadPlan { cpu: 0, period, phase: Duration::ZERO }],
        length: Length::Duration { length: series + LAST_WORD },
        ..plan
    }
}

/// The only processor in the plan of a board: the board replaces it by all that it has.
const FIRST: Cpu = Cpu::new(0).expect("a processor's number");

/// The machine that a cell is measured on. Which processors a board has is known on the board only, so its plan has the first.
pub(crate) fn at(place: Option<&RemoteTarget>, here: &Here) -> Here {
    match place {
        None => here.clone(),
        Some(RemoteTarget::Guest(platform)) => in_guest(platform, here),
        Some(RemoteTarget::Board(_)) => Here { cpus: CpuSet::only(FIRST), housekeeping_cpu: None, ..here.clone() },
    }
}

/// What a guest is instead of this machine: every processor is measured, none is left for the recorder.
fn in_guest(platform: &Platform, here: &Here) -> Here {
    let count = platform.machine().map_or(1, |machine| machine.processors);
    let all = format!("0-{}", count - 1).parse().expect("a machine has at most 64 processors");
    Here { cpus: all, housekeeping_cpu: None, ..here.clone() }
}

/// The seed of a repeat: the same in every cell, so that each policy meets the same rhythm of the same load. Below 2^53, so
/// that every reader of JSON keeps it.
pub(crate) fn seed(study: u64, repeat: u32) -> u64 {
    mixed(study.wrapping_add(u64::from(repeat + 1).wrapping_mul(GOLDEN))) >> 11
}
