//! The inner half of a keeper: prepares the load, turns it on and off in its rhythm, and counts what it did.
//!
//! It has one thread and sleeps until prazo says something, a process ends or the rhythm is due.

use std::fs::{self, File};
use std::io::{self, Read};
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::process::ExitCode;

use prazo_core::time::Duration;
use prazo_run::Caveat;
use prazo_run::plan::Policy;

use super::super::counters::Counters;
use super::super::generator::card_flood::AGREED_PORT;
use super::super::generator::counted_inversions;
use super::super::load_kind::{Invocation, LoadKind, Scene, StartsIn};
use super::super::rhythm::{self, OnInterval};
use super::super::system_calls::SystemCalls;
use super::descendants;
use super::generator::Generator;
use super::network::Network;
use super::request::{KeeperRequest, Report};
use super::station::{Station, Word};
use prazo_sys::poll::wait_readable;
use prazo_sys::{containment as sys, scheduling};

/// Runs the inner half until prazo ends it or is gone.
pub(super) fn run(request: &KeeperRequest) -> ExitCode {
    let Ok(mut station) = Station::new() else { return ExitCode::FAILURE };
    match Keeper::new(request) {
        Ok((mut keeper, ready)) => match station.say(&ready).and_then(|()| keeper.perform(&mut station)) {
            // Nobody reads: prazo is gone. What runs ends with this process, or is ended by the outer half.
            Err(_) => ExitCode::FAILURE,
            Ok(()) => ExitCode::SUCCESS,
        },
        Err(report) => {
            let _ = station.say(&report);
            ExitCode::FAILURE
        }
    }
}

struct Keeper {
    generator: Generator,
    network: Option<Network>,
    system_calls: SystemCalls,
    /// Readable when a process has ended.
    endings: File,
    schedule: Box<dyn Iterator<Item = OnInterval>>,
    phase: Phase,
}

/// Where in its schedule a load is; times in nanoseconds of CLOCK_MONOTONIC.
enum Phase {
    Waiting,
    Resting { next: OnInterval, epoch_ns: u64 },
    On { since_ns: u64, until_ns: Option<u64>, before: Box<Counters>, epoch_ns: u64 },
    Over,
}

impl Keeper {
    fn new(request: &KeeperRequest) -> Result<(Self, Report), Report> {
        let failed = |what: &str, error: io::Error| Report::Failed { what: format!("{what}: {error}") };
        let kind =
            request.kind().ok_or_else(|| Report::Failed { what: format!("there is no load '{}'", request.load) })?;
        settle(request, kind).map_err(|error| Report::Refused { why: error.to_string() })?;
        let endings = sys::child_endings().map(File::from).map_err(|error| failed("signalfd", error))?;
        let (network, caveats) =
            network(request, kind).map_err(|error| failed("cannot set up the load's network", error))?;
        let scene = scene(request, network.as_ref())
            .map_err(|error| failed("cannot find a free port for the load's server", error))?;
        (kind.prepare)(&scene).map_err(|error| failed(&request.work.display().to_string(), error))?;
        bind_generators(kind, request.cards.is_some());
        may_be_real_time(kind).map_err(|what| Report::Failed { what })?;
        let steps = (kind.steps)(&scene);
        let commands = steps.iter().map(Invocation::command_line).collect();
        let schedule = Box::new(rhythm::schedule(request.seed, &request.load, request.rhythm));
        let generator = Generator::new(request, steps);
        let system_calls = if request.counts_system_calls { SystemCalls::open() } else { SystemCalls::NotRequested };
        let keeper = Self { generator, network, system_calls, endings, schedule, phase: Phase::Waiting };
        Ok((keeper, Report::Ready { commands, caveats }))
    }

    fn perform(&mut self, station: &mut Station) -> io::Result<()> {
        loop {
            let [readable, ended] = wait_readable([station.as_fd(), self.endings.as_fd()], self.timeout_ms());
            if ended {
                self.collect(station)?;
            }
            match if readable { station.listen() } else { Word::None } {
                Word::Go => self.rest_until_next(prazo_sys::clock::monotonic_ns()),
                Word::End => return self.turn_off(station),
                Word::None => {}
            }
            self.keep_time(station)?;
        }
    }

    /// Milliseconds until the rhythm is due, rounded up; `None` where nothing is.
    fn timeout_ms(&self) -> Option<u32> {
        let due_ns = match &self.phase {
            Phase::Resting { next, epoch_ns } => epoch_ns + next.from.as_ns(),
            Phase::On { until_ns, .. } => (*until_ns)?,
            Phase::Waiting | Phase::Over => return None,
        };
        let left = Duration::from_ns(due_ns.saturating_sub(prazo_sys::clock::monotonic_ns()));
        Some(left.as_ns().div_ceil(1_000_000).min(u64::from(u32::MAX)) as u32)
    }

    fn keep_time(&mut self, station: &mut Station) -> io::Result<()> {
        let now_ns = prazo_sys::clock::monotonic_ns();
        match &self.phase {
            Phase::Resting { next, epoch_ns } if now_ns >= epoch_ns + next.from.as_ns() => {
                let (until_ns, epoch_ns) = (next.to.map(|to| epoch_ns + to.as_ns()), *epoch_ns);
                self.turn_on(until_ns, epoch_ns, station)
            }
            Phase::On { until_ns: Some(until_ns), epoch_ns, .. } if now_ns >= *until_ns => {
                let epoch_ns = *epoch_ns;
                self.turn_off(station)?;
                self.rest_until_next(epoch_ns);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn rest_until_next(&mut self, epoch_ns: u64) {
        self.phase = self.schedule.next().map_or(Phase::Over, |next| Phase::Resting { next, epoch_ns });
    }

    fn turn_on(&mut self, until_ns: Option<u64>, epoch_ns: u64, station: &mut Station) -> io::Result<()> {
        let before = Box::new(self.processes(self.machine()));
        let since_ns = prazo_sys::clock::monotonic_ns();
        station.say(&Report::On { at_ns: since_ns })?;
        self.phase = Phase::On { since_ns, until_ns, before, epoch_ns };
        match self.generator.start(self.network.as_ref()) {
            Ok(()) => Ok(()),
            Err(error) => self.bury(error.to_string(), station),
        }
    }

    /// Ends the generators where they run, and reports what they did. The processes' own figures are whole only after
    /// the last of them was collected; those of the machine are read before, while the load still is one.
    fn turn_off(&mut self, station: &mut Station) -> io::Result<()> {
        let Phase::On { since_ns, before, .. } = std::mem::replace(&mut self.phase, Phase::Over) else { return Ok(()) };
        let (to_ns, machine) = (prazo_sys::clock::monotonic_ns(), self.machine());
        let ended = descendants::end_all();
        self.generator.forget();
        let counted = Box::new(self.processes(machine).since(&before));
        station.say(&Report::Off { from_ns: since_ns, to_ns, counted })?;
        ended.or_else(|pids| station.say(&Report::Left { pids }))
    }

    fn machine(&self) -> Counters {
        let own = Counters { passes: self.generator.passes, inversions: counted_inversions(), ..Counters::default() };
        own.read_machine(self.network.as_ref().map(|network| network.interface.as_str()))
    }

    /// `machine` with what the load's processes used.
    fn processes(&self, machine: Counters) -> Counters {
        Counters { system_calls: self.system_calls.read(), ..machine.read_processes() }
    }

    /// Collects every process that has ended, and takes note of those that should not have.
    fn collect(&mut self, station: &mut Station) -> io::Result<()> {
        drain(&self.endings);
        while let Some((pid, status)) = sys::collect_ended() {
            if let Err(what) = self.generator.ended(pid, status, self.network.as_ref()) {
                self.bury(what, station)?;
            }
        }
        Ok(())
    }

    /// A generator is dead: the others are ended, and the next turn of the rhythm, if there is one, starts them afresh.
    fn bury(&mut self, what: String, station: &mut Station) -> io::Result<()> {
        station.say(&Report::Died { at_ns: prazo_sys::clock::monotonic_ns(), what })?;
        let epoch_ns = match self.phase {
            Phase::On { epoch_ns, .. } => epoch_ns,
            _ => return Ok(()),
        };
        self.turn_off(station)?;
        self.rest_until_next(epoch_ns);
        Ok(())
    }
}

/// What the descriptor holds says only that somebody has ended, which collecting finds out better.
fn drain(mut endings: &File) {
    const RECORD_BYTES: usize = 128;
    let _ = endings.read(&mut [0; RECORD_BYTES]);
}

/// Makes this process what its containment promises: tied to the outer half, with a /proc of its own or the orphans' parent.
fn settle(request: &KeeperRequest, kind: &LoadKind) -> io::Result<()> {
    prazo_sys::process::die_with_parent()?;
    prazo_sys::process::adopt_orphans(true)?;
    // A process keeps the /proc it stands in, even when another is mounted over it.
    std::env::set_current_dir(match kind.starts_in {
        StartsIn::Work => request.work.as_path(),
        StartsIn::MachineProc => "/proc".as_ref(),
    })?;
    if request.containment.has_namespaces() {
        sys::keep_mounts_private()?;
        sys::mount_own_proc()?;
    }
    Ok(())
}

fn network(request: &KeeperRequest, kind: &LoadKind) -> io::Result<(Option<Network>, Vec<Caveat>)> {
    if !kind.network {
        return Ok((None, Vec::new()));
    }
    Network::new(request).map(|(network, caveat)| (Some(network), caveat.into_iter().collect()))
}

fn scene(request: &KeeperRequest, network: Option<&Network>) -> io::Result<Scene> {
    let (seed, demand, work, cards) = (request.seed, request.demand, request.work.clone(), request.cards.clone());
    let Some(network) = network else {
        return Ok(Scene { seed, demand, work, receiver: std::net::Ipv4Addr::LOCALHOST, port: 0, cards });
    };
    let is_agreed = cards.as_ref().is_some_and(|cards| cards.sending.is_none());
    let port = if is_agreed { AGREED_PORT } else { free_port(network.receiver)? };
    Ok(Scene { seed, demand, work, receiver: network.receiver, port, cards })
}

fn free_port(address: std::net::Ipv4Addr) -> io::Result<u16> {
    TcpListener::bind((address, 0))?.local_addr().map(|found| found.port())
}

/// Tries the highest priority of a load's threads, on a thread of its own; what the system says where it is refused.
fn may_be_real_time(kind: &LoadKind) -> Result<(), String> {
    let Some(priority) = kind.real_time else { return Ok(()) };
    let attributes = Policy::Fifo { priority }.attributes(0);
    match std::thread::spawn(move || scheduling::set_attributes(&attributes)).join() {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(format!(
            "the load needs real-time threads up to priority {priority}, which the system refused ({error}); run prazo as \
             root, or allow that priority first (ulimit -r {priority})"
        )),
        Err(_) => Err("the thread that tested whether the real-time priority is allowed panicked".into()),
    }
}

/// Sees to it that no generator can become real-time beyond what its load needs, fill the disk, dump core or survive the machine's want of memory.
///
/// Where privileges are missing to withhold a capability, there is none to withhold. A flood over cards is our own program,
/// whose sender keeps its pace as a real-time thread below all others.
fn bind_generators(kind: &LoadKind, is_paced_by_us: bool) {
    const MARGIN: u64 = 2;
    let is_real_time = is_paced_by_us || kind.real_time.is_some();
    let file_bytes = (u64::from(kind.disk_mb_max) * 1_000_000 * MARGIN).max(64 << 20);
    for limit in [
        sys::Limit::FileSize(file_bytes),
        sys::Limit::CoreSize(0),
        sys::Limit::RealTimePriority(kind.real_time.map_or(0, u64::from)),
    ] {
        let _ = sys::limit(limit);
    }
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    let is_kept = |number: &u32| KEPT_CAPABILITIES.contains(number) || (is_real_time && *number == MAY_BE_REAL_TIME);
    for capability in (0..=HIGHEST_CAPABILITY).filter(|number| !is_kept(number)) {
        let _ = sys::withhold_capability(capability);
    }
}

/// A kernel that knows fewer refuses the rest, and loses nothing.
const HIGHEST_CAPABILITY: u32 = 63;
/// CAP_DAC_READ_SEARCH, to read the whole file tree, and CAP_NET_RAW, to send echo requests.
const KEPT_CAPABILITIES: [u32; 2] = [2, 13];
/// CAP_SYS_NICE.
const MAY_BE_REAL_TIME: u32 = 23;
