//! Starting loads together, watching them, and ending them with their records.

use std::path::PathBuf;
use std::time::Duration;

use prazo_core::cpu::CpuSet;
use prazo_core::time::Instant;
use prazo_platform::programs::search_path;
use prazo_run::Caveat;
use prazo_run::plan::{LoadPlan, Rhythm};
use prazo_run::run::LoadRecord;

use super::cards::Cards;
use super::containment::Containment;
use super::counters::CountedRate;
use super::error::LoadError;
use super::finished_load::FinishedLoad;
use super::keeper::KeeperRequest;
use super::kept::{Answer, Kept};
use super::load_kind::LoadKind;
use super::{catalogue, folder, versions};

/// How and where loads run; the default is right for a measurement.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program whose `main` calls [`super::child_main`] first; by default this one.
    pub executable: PathBuf,
    /// Where loads make their folders: a folder on the disk that shall be loaded.
    pub work: PathBuf,
    /// Containments to try, in this order.
    pub containments: Vec<Containment>,
    /// The processors that loads may use; `None` is all that exist and are allowed.
    pub cpus: Option<CpuSet>,
    /// The search path for foreign programs.
    pub path: String,
    /// False sends packets over loopback instead of between two network namespaces.
    pub join_namespaces: bool,
    /// Two cards of this machine's that floods travel between, instead of between two network namespaces.
    pub cards: Option<Cards>,
    /// True counts the system calls of the loads, by a tracepoint. While it is on, every system call of every process on the machine takes
    /// longer: right for comparing loads, wrong beside a measurement.
    pub counts_system_calls: bool,
    /// How long a load may take to be prepared.
    pub ready_within: Duration,
    /// How long a load may take to end.
    pub end_within: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            executable: "/proc/self/exe".into(),
            work: "/var/tmp".into(),
            containments: Containment::ALL.into(),
            cpus: None,
            path: search_path(),
            join_namespaces: true,
            cards: None,
            counts_system_calls: false,
            ready_within: Duration::from_secs(30),
            end_within: Duration::from_secs(30),
        }
    }
}

/// Loads that run. Dropping it ends them; [`Loads::stop`] ends them and tells what they did.
#[derive(Debug)]
pub struct Loads {
    loads: Vec<Load>,
    end_within: Duration,
    epoch_ns: u64,
}

#[derive(Debug)]
struct Load {
    kind: &'static LoadKind,
    versions: Vec<String>,
    kept: Kept,
}

/// How a load is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadStatus {
    /// Its name in the catalogue.
    pub name: &'static str,
    /// Its state.
    pub state: LoadState,
}

/// The state of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadState {
    /// Its generators run.
    On,
    /// Its rhythm has it rest, or it has not begun.
    Resting,
    /// It died before it was stopped: why. (A later turn of its rhythm may have started it again; it stays in the record.)
    Died(String),
}

/// Where a load is to be found on the machine, for watching it from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeeperId {
    /// The load's name in the catalogue.
    pub name: &'static str,
    /// The process number of its keeper's outer half.
    pub pid: u32,
    /// Its folder.
    pub work: PathBuf,
}

/// Prepares all loads, then turns all of them on at once. `seed` decides the lengths in their rhythms.
///
/// Nothing is on while any load is being prepared. After an error everything that was prepared has been ended.
pub fn start(plans: &[LoadPlan], seed: u64, options: &Options) -> Result<Loads, LoadError> {
    start_unless(plans, seed, options, &|| false)
}

/// The same for a caller who may be asked to stop before the loads are prepared.
pub fn start_unless(
    plans: &[LoadPlan],
    seed: u64,
    options: &Options,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Loads, LoadError> {
    folder::sweep(&options.work);
    let kinds = plans.iter().map(|plan| known(plan, options)).collect::<Result<Vec<_>, _>>()?;
    let versions = kinds.iter().map(|kind| versions::versions(kind, &options.path)).collect::<Result<Vec<_>, _>>()?;
    let requests = plans.iter().zip(&kinds).map(|(plan, kind)| request(plan, kind, seed, options));
    let requests = requests.collect::<Result<Vec<_>, _>>()?;
    let mut loads = Loads { loads: Vec::new(), end_within: options.end_within, epoch_ns: 0 };
    for ((kind, versions), request) in kinds.into_iter().zip(versions).zip(requests) {
        let kept = Kept::spawn(request, &options.executable)?;
        loads.loads.push(Load { kind, versions, kept });
    }
    loads.loads.iter_mut().try_for_each(|load| await_ready(load, options, is_stopped))?;
    loads.epoch_ns = prazo_sys::clock::monotonic_ns();
    loads.loads.iter_mut().for_each(|load| load.kept.go());
    Ok(loads)
}

fn known(plan: &LoadPlan, options: &Options) -> Result<&'static LoadKind, LoadError> {
    let over_cards = options.cards.as_ref().and_then(|_| catalogue::over_cards(&plan.name));
    over_cards.or_else(|| catalogue::find(&plan.name)).ok_or_else(|| {
        let names: Vec<_> = catalogue::catalogue().map(|kind| kind.name).collect();
        LoadError::Unknown { name: plan.name.clone(), known: names.join(", ") }
    })
}

fn request(plan: &LoadPlan, kind: &LoadKind, seed: u64, options: &Options) -> Result<KeeperRequest, LoadError> {
    let cpus = cpus(options);
    let demand = kind.demand(plan.rate, cpus.len() as u32).map_err(|bad| LoadError::Rate {
        name: plan.name.clone(),
        rate: plan.rate.unwrap_or_default(),
        wanted: bad.wanted,
    })?;
    if plan.rhythm.is_some_and(|rhythm| !possible(rhythm)) {
        return Err(LoadError::Rhythm { name: plan.name.clone() });
    }
    Ok(KeeperRequest {
        load: plan.name.clone(),
        demand,
        rhythm: plan.rhythm,
        seed,
        containment: options.containments.first().copied().unwrap_or(Containment::Namespaces),
        cpus,
        path: options.path.clone(),
        work: folder::fresh_name(&options.work),
        join_namespaces: options.join_namespaces,
        counts_system_calls: options.counts_system_calls,
        cards: options.cards.clone().filter(|_| catalogue::over_cards(&plan.name).is_some()),
    })
}

fn possible(rhythm: Rhythm) -> bool {
    const CYCLE_NS_MIN: u64 = 1_000_000;
    rhythm.cycle.as_ns() >= CYCLE_NS_MIN && rhythm.on_min <= rhythm.on_max && rhythm.on_max <= rhythm.cycle
}

/// The processors that are asked for, or all that exist: the calling thread's own affinity is the measurement's business.
fn cpus(options: &Options) -> Vec<u32> {
    if let Some(set) = options.cpus {
        return set.iter().map(|cpu| cpu.number()).collect();
    }
    let online = std::fs::read_to_string("/sys/devices/system/cpu/online").ok();
    let online = online.and_then(|text| text.parse::<CpuSet>().ok());
    online.map_or_else(|| vec![0], |set| set.iter().map(|cpu| cpu.number()).collect())
}

/// Waits for a keeper; where its containment is refused, another is started with the next one.
fn await_ready(load: &mut Load, options: &Options, is_stopped: &dyn Fn() -> bool) -> Result<(), LoadError> {
    loop {
        let Answer::Refused(why) = load.kept.answer(options.ready_within, is_stopped)? else { return Ok(()) };
        load.kept.see_end(options.end_within);
        let tried = load.kept.request.containment;
        let Some(next) = options.containments.iter().copied().skip_while(|level| *level != tried).nth(1) else {
            return Err(LoadError::NotContained { load: load.kind.name.into(), tried, why });
        };
        let mut refused = std::mem::take(&mut load.kept.history.refused);
        refused.push(format!("{}: {why}", tried.name()));
        let work = folder::fresh_name(&options.work);
        let request = KeeperRequest { containment: next, work, ..load.kept.request.clone() };
        load.kept = Kept::spawn(request, &options.executable)?;
        load.kept.history.refused = refused;
    }
}

impl Loads {
    /// Times in the records count from `instant` of CLOCK_MONOTONIC: the run's first due activation. Until this is called,
    /// they count from the loads' own start.
    pub fn mark_start(&mut self, instant: Instant) {
        self.epoch_ns = instant.as_ns();
    }

    /// How the loads are doing now; never waits.
    pub fn poll(&mut self) -> Vec<LoadStatus> {
        self.loads.iter_mut().map(Load::status).collect()
    }

    /// Where the loads are to be found on the machine.
    pub fn keepers(&self) -> Vec<KeeperId> {
        let id = |load: &Load| KeeperId { name: load.kind.name, pid: load.kept.pid(), work: load.kept.work() };
        self.loads.iter().map(id).collect()
    }

    /// Ends all loads, waits until they are gone, and tells what they did and what threatens the result, in the order
    /// of the plans.
    pub fn stop(mut self) -> (Vec<LoadRecord>, Vec<Caveat>) {
        self.end();
        self.outcomes()
    }

    /// As [`Loads::stop`], with everything that the kernel counted of each load.
    pub fn stop_counted(mut self) -> (Vec<LoadRecord>, Vec<Caveat>, Vec<Vec<CountedRate>>) {
        self.end();
        let (records, caveats) = self.outcomes();
        (records, caveats, self.loads.iter().map(|load| load.outcome().rates()).collect())
    }

    fn outcomes(&self) -> (Vec<LoadRecord>, Vec<Caveat>) {
        let (mut records, mut caveats) = (Vec::new(), Vec::new());
        for load in &self.loads {
            let outcome = load.outcome();
            records.push(outcome.record(self.epoch_ns));
            caveats.extend(outcome.caveats());
        }
        (records, caveats)
    }

    /// All are asked before any is waited for, so that none works alone at the end.
    fn end(&mut self) {
        for load in &mut self.loads {
            load.kept.listen();
            load.kept.ask_to_end();
        }
        self.loads.iter_mut().for_each(|load| load.kept.see_end(self.end_within));
    }
}

impl Drop for Loads {
    fn drop(&mut self) {
        self.end();
    }
}

impl Load {
    fn status(&mut self) -> LoadStatus {
        self.kept.listen();
        let history = &self.kept.history;
        let state = match (&history.died, history.on_since_ns) {
            (Some((_, what)), _) => LoadState::Died(what.clone()),
            (None, Some(_)) => LoadState::On,
            (None, None) => LoadState::Resting,
        };
        LoadStatus { name: self.kind.name, state }
    }

    fn outcome(&self) -> FinishedLoad<'_> {
        let Kept { request, commands, history, .. } = &self.kept;
        FinishedLoad { kind: self.kind, request, commands, versions: &self.versions, history }
    }
}
