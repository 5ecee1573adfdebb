//! Prazo's own loads beside the foreign programs that make the same disturbance: what the kernel counts of both.
//!
//! Each pair runs in turns, own, foreign, foreign, own, so that a machine that changes slowly favours neither.

use crate::error::Error;
use crate::progress::{Progress, Remark};
use prazo_core::time::Duration;
use prazo_load::{self as load, CountedRate, LoadError, LoadKind, Options};
use prazo_run::Caveat;
use prazo_run::plan::LoadPlan;
use prazo_run::run::LoadRecord;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::ops::ControlFlow;

/// Which own loads are compared with their peers, and for how long.
#[derive(Clone, Debug)]
pub struct PeersRequest {
    /// Prazo's own loads; none is all of them.
    pub loads: Vec<LoadPlan>,
    /// Decides what they do, and the rhythms of both.
    pub seed: u64,
    /// The length of each turn.
    pub turn: Duration,
}

/// Comparison of prazo's own loads with the same loads by foreign programs, as `--json` prints it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PeersAnswer {
    /// Length of each turn, in seconds; each load has two turns.
    pub turn_s: f64,
    /// The compared pairs of loads, in the order of the request.
    pub pairs: Vec<PeerPair>,
}

/// One of prazo's own loads, and the load of foreign programs compared with it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PeerPair {
    /// The load that prazo makes itself.
    pub load: String,
    /// The load of foreign programs.
    pub peer: String,
    /// Commands and version of prazo's own load.
    pub own_generator: String,
    /// Commands and versions of the foreign programs.
    pub foreign_generator: String,
    /// Counters of both loads: first the rate of the load, then all others.
    pub counters: Vec<PeerCounter>,
    /// Threats to the validity of the comparison.
    pub caveats: Vec<Caveat>,
    /// Why there is no comparison, if a foreign program is missing; null otherwise.
    pub missing: Option<String>,
}

/// One counter, read under both loads.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PeerCounter {
    /// What the counter counts.
    pub name: String,
    /// Unit of the counter.
    pub unit: String,
    /// Values under prazo's own load, one for each of its turns; empty where the counter is missing.
    pub own: Vec<f64>,
    /// Values under the foreign programs, one for each of their turns; empty where the counter is missing.
    pub foreign: Vec<f64>,
    /// Mean of `own` divided by mean of `foreign`; null where either mean is missing or 0.
    pub ratio: Option<f64>,
    /// For a counter of the whole machine: its rate before the loads of this pair ran. Null for other counters.
    pub idle: Option<f64>,
    /// Why the counter is missing, if it takes rights or a set-up that prazo did not have; null otherwise.
    pub missing: Option<String>,
}

/// Runs each pair in turns.
///
/// # Errors
/// A load is unknown or is one of foreign programs, its rate cannot be had, or it cannot be started here.
pub fn compare(request: &PeersRequest, progress: &mut dyn Progress) -> Result<PeersAnswer, Error> {
    let plans = plans(request)?;
    let stop = progress.stop().map_err(Error::failed)?;
    let mut pairs = Vec::new();
    for plan in plans {
        let pair = Pair { peer: peer(&plan.name)?.name, plan, request };
        match pair.compared(&mut |turn| {
            progress.remark(&Remark::Text(format!("{turn}: {}", request.turn)));
            if stop.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })? {
            ControlFlow::Continue(pair) => pairs.push(pair),
            ControlFlow::Break(()) => break,
        }
    }
    Ok(PeersAnswer { turn_s: request.turn.as_s_f64(), pairs })
}

fn plans(request: &PeersRequest) -> Result<Vec<LoadPlan>, Error> {
    if !request.loads.is_empty() {
        return Ok(request.loads.clone());
    }
    let own = load::catalogue().filter(|kind| kind.is_own());
    Ok(own.map(|kind| LoadPlan { name: kind.name.into(), rate: None, rhythm: None }).collect())
}

/// The load of foreign programs that makes the same disturbance.
fn peer(name: &str) -> Result<&'static LoadKind, Error> {
    load::catalogue().find(|kind| kind.peer == Some(name)).ok_or_else(|| {
        let own: Vec<_> = load::catalogue().filter(|kind| kind.is_own()).map(|kind| kind.name).collect();
        Error::refused(format!("'{name}' is not one of prazo's own loads"))
            .with_remedy(format!("choose one of {}", own.join(", ")))
    })
}

struct Pair<'a> {
    plan: LoadPlan,
    peer: &'static str,
    request: &'a PeersRequest,
}

/// What a load did in one turn.
struct Turn {
    record: LoadRecord,
    caveats: Vec<Caveat>,
    rates: Vec<CountedRate>,
}

type Before<'a> = &'a mut dyn FnMut(&str) -> ControlFlow<()>;

impl Pair<'_> {
    fn compared(&self, before: Before<'_>) -> Result<ControlFlow<(), PeerPair>, Error> {
        let idle = load::idle_rates(self.length());
        let (mut own, mut foreign) = (Vec::new(), Vec::new());
        for is_own in [true, false, false, true] {
            let name = if is_own { &self.plan.name } else { self.peer };
            if before(name).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            match self.turn(name) {
                Ok(turn) if is_own => own.push(turn),
                Ok(turn) => foreign.push(turn),
                Err(error @ LoadError::MissingGenerator { .. }) => {
                    return Ok(ControlFlow::Continue(self.pair(&own, &foreign, &idle, Some(error.to_string()))));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(ControlFlow::Continue(self.pair(&own, &foreign, &idle, None)))
    }

    fn length(&self) -> std::time::Duration {
        std::time::Duration::from_nanos(self.request.turn.as_ns())
    }

    fn turn(&self, name: &str) -> Result<Turn, LoadError> {
        let plan = LoadPlan { name: name.into(), ..self.plan.clone() };
        let options = Options { counts_system_calls: true, ..Options::default() };
        let running = load::start(&[plan], self.request.seed, &options)?;
        std::thread::sleep(self.length());
        let (mut records, caveats, mut rates) = running.stop_counted();
        Ok(Turn { record: records.remove(0), caveats, rates: rates.remove(0) })
    }

    fn pair(&self, own: &[Turn], foreign: &[Turn], idle: &[CountedRate], missing: Option<String>) -> PeerPair {
        let generator = |turns: &[Turn]| turns.first().map_or_else(String::new, |turn| turn.record.generator.clone());
        let reached = |turns: &[Turn]| turns.iter().filter_map(|turn| turn.record.reached).collect();
        let unit = own.first().map_or("", |turn| &turn.record.unit);
        let main = PeerCounter::new("the load's rate", unit, reached(own), reached(foreign), None);
        let names = own.first().map_or(&[][..], |turn| &turn.rates);
        let others = names.iter().map(|one| {
            let of = |turns: &[Turn]| turns.iter().filter_map(|turn| rate(&turn.rates, one.name)).collect();
            let counter = PeerCounter::new(one.name, one.unit, of(own), of(foreign), rate(idle, one.name));
            let turns = own.iter().chain(foreign).flat_map(|turn| &turn.rates);
            let missing = turns.filter(|rate| rate.name == one.name).find_map(|rate| rate.missing.clone());
            PeerCounter { missing, ..counter }
        });
        PeerPair {
            load: self.plan.name.clone(),
            peer: self.peer.into(),
            own_generator: generator(own),
            foreign_generator: generator(foreign),
            counters: std::iter::once(main).chain(others).filter(PeerCounter::is_shown).collect(),
            caveats: own.iter().chain(foreign).flat_map(|turn| turn.caveats.iter().cloned()).collect(),
            missing,
        }
    }
}

fn rate(rates: &[CountedRate], name: &str) -> Option<f64> {
    rates.iter().find(|rate| rate.name == name)?.per_second
}

fn mean(turns: &[f64]) -> Option<f64> {
    (!turns.is_empty()).then(|| turns.iter().sum::<f64>() / turns.len() as f64)
}

impl PeerCounter {
    fn new(name: &str, unit: &str, own: Vec<f64>, foreign: Vec<f64>, idle: Option<f64>) -> Self {
        let ratio = mean(&own).zip(mean(&foreign)).map(|(own, foreign)| own / foreign);
        let ratio = ratio.filter(|ratio| ratio.is_finite() && *ratio > 0.0);
        Self { name: name.into(), unit: unit.into(), own, foreign, ratio, idle, missing: None }
    }

    /// False for what the machine does not count and nobody can change.
    fn is_shown(&self) -> bool {
        !self.own.is_empty() || !self.foreign.is_empty() || self.missing.is_some()
    }
}

/// The lines that a person reads.
impl fmt::Display for PeersAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "own: prazo's load; foreign: other programs. Means of two turns of {} s each, in the order own, foreign, foreign, own; `no load` is one measurement before the turns",
            self.turn_s
        )?;
        for pair in &self.pairs {
            write!(f, "\n\n{:<34} {:>13} {:>13} {:>8} {:>10}", pair.title(), "own", "foreign", "ratio", "no load")?;
            for counter in &pair.counters {
                let name = format!("{} ({})", counter.name, counter.unit);
                let [own, foreign] = [&counter.own, &counter.foreign].map(|turns| figure(mean(turns)));
                let ratio = counter.ratio.map_or_else(|| "-".into(), |ratio| format!("{ratio:.2}"));
                write!(f, "\n  {name:<32} {own:>13} {foreign:>13} {ratio:>8} {:>10}", figure(counter.idle))?;
                counter.missing.iter().try_for_each(|why| write!(f, "\n    not counted: {why}"))?;
            }
            pair.missing.iter().try_for_each(|why| write!(f, "\n  no comparison: {why}"))?;
            pair.caveats.iter().try_for_each(|caveat| write!(f, "\n  ! {}: {}", caveat.id, caveat.what))?;
        }
        Ok(())
    }
}

impl PeerPair {
    fn title(&self) -> String {
        format!("{} / {}", self.load, self.peer)
    }
}

/// Three digits that mean something.
fn figure(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) if value >= 1.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_of_means_and_missing_where_either_is() {
        let counter = |own: &[f64], foreign: &[f64]| PeerCounter::new("x", "1/s", own.into(), foreign.into(), None);
        assert_eq!(counter(&[1.0, 3.0], &[4.0]).ratio, Some(0.5));
        assert_eq!(counter(&[], &[4.0]).ratio, None);
        assert_eq!(counter(&[1.0], &[0.0]).ratio, None);
        assert!(!counter(&[], &[]).is_shown() && counter(&[], &[1.0]).is_shown());
    }

    #[test]
    fn a_counter_that_takes_rights_is_shown_with_the_reason() {
        let counter = PeerCounter::new("system calls", "1/s", vec![], vec![], None);
        let counter = PeerCounter { missing: Some("tracefs is not mounted".into()), ..counter };
        assert!(counter.is_shown());
        let pair = PeerPair {
            load: "cpu".into(),
            peer: "stress-ng-cpu".into(),
            own_generator: String::new(),
            foreign_generator: String::new(),
            counters: vec![counter],
            caveats: vec![],
            missing: None,
        };
        let text = PeersAnswer { turn_s: 2.0, pairs: vec![pair] }.to_string();
        assert!(text.ends_with("not counted: tracefs is not mounted"), "{text}");
        let row = text.lines().rev().nth(1).unwrap().split_whitespace().collect::<Vec<_>>();
        assert_eq!(row, ["system", "calls", "(1/s)", "-", "-", "-", "-"]);
    }

    #[test]
    fn a_load_of_foreign_programs_has_no_peer_and_the_own_ones_are_named() {
        assert_eq!(peer("scheduler").unwrap().name, "hackbench");
        let error = peer("hackbench").unwrap_err().to_string();
        assert!(error.contains("'hackbench'"), "{error}");
    }
}
