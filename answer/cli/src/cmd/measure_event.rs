//! `prazo measure event`: how late a task runs after another station's frame.

use super::files;
use super::measure::{Outlet, refused};
use crate::exit::{Exit, Failure};
use crate::flags::load::LoadFlags;
use crate::flags::plan::{PolicyFlag, SplitFlag};
use crate::flags::recording::RecordingFlags;
use crate::flags::requirement::RequirementFlags;
use crate::flags::station::{self, SeriesFlags};
use crate::live;
use crate::out;
use clap::ValueEnum;
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_probe::StopFlag;
use prazo_probe::event::link::{Link, PORT, Peer, Wire};
use prazo_probe::event::{Answerer, Endpoint, EventError, Raised, Stage, StationNetwork};
use prazo_probe::session::{self, RecordedRun, Request};
use prazo_probe::station::Order;
use prazo_run::plan::{Length, Plan, Policy, Splitting, ThreadPlan, TimerMethod, WhenLate, warm_up_kept_apart};
use prazo_run::source::{EventSource, Source, Station, Transport};
use prazo_verdict::Requirement;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;

/// How late a task runs after another station's frame.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure event                                     a station of our own, behind a pair of virtual interfaces
  prazo measure event --station loopback -p other         the same without privileges
  prazo measure event --split                             where each latency's time went, and why
  prazo measure event --station remote                    `prazo trigger THIS-MACHINE` on the other one
  prazo measure event --station remote --interface eth1 --raw-frames
  prazo measure event --station remote --interface eth1 --stamp hardware
  prazo measure event -i 50ms -n 12000 --load udp-flood   the papers' rate, under a flood")]
pub(super) struct Event {
    /// Which station triggers
    #[arg(long, value_enum, value_name = "STATION", default_value_t = StationFlag::Veth)]
    station: StationFlag,
    /// Listen to a remote station on this interface only
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
    /// Raw Ethernet frames (0x88B5) instead of UDP
    #[arg(long)]
    raw_frames: bool,
    /// Where the first stamp comes from; auto takes the card's where a remote station's --interface has them
    #[arg(long, value_enum, value_name = "WHERE", default_value_t = StampFlag::Auto)]
    stamp: StampFlag,
    /// The port to listen at for a remote station
    #[arg(long, value_name = "PORT", default_value_t = PORT)]
    port: u16,
    /// How long to wait for a remote station
    #[arg(long, value_name = "TIME", default_value = "60s")]
    patience: Duration,
    /// Answer each trigger of a remote station, which measures from outside with `prazo trigger --answers`
    #[arg(long, value_enum, value_name = "WHO")]
    answer: Option<AnswerFlag>,
    /// Put off the task's answer by this long (Regnier 2008: 10us), so that two answers in a row do not queue at the station
    #[arg(long, value_name = "TIME", requires = "answer", default_value = "0ns")]
    answer_delay: Duration,
    #[command(flatten)]
    series: SeriesFlags,
    /// Scheduling policy of the task
    #[arg(long, short, value_enum, value_name = "POLICY", default_value_t = PolicyFlag::Fifo)]
    policy: PolicyFlag,
    /// Real-time priority of the task under fifo and rr, 1 to 99
    #[arg(long, value_name = "N", default_value_t = 95)]
    priority: u8,
    /// The task's processor [default: the first that this process may use]
    #[arg(long, short, value_name = "CPU")]
    cpu: Option<u32>,
    /// Take triggers for this long before measuring (rounded up to whole seconds); the samples are labelled warm-up and left out of the figures. A --station remote sends its own series, of which this is the beginning
    #[arg(long, value_name = "TIME", default_value = "1s")]
    warm_up: Duration,
    /// Stop at the first latency above this, with a mark in the kernel's trace
    #[arg(long, short = 'b', value_name = "TIME")]
    stop_above: Option<Duration>,
    /// Split each latency by BPF (root, Linux 5.11 or newer), and say what happened around the worst
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "causes")]
    split: Option<SplitFlag>,
    #[command(flatten)]
    recording: RecordingFlags,
    #[command(flatten)]
    loads: LoadFlags,
    #[command(flatten)]
    requirement: RequirementFlags,
    #[command(flatten)]
    outlet: Outlet,
}

/// First stamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum StampFlag {
    /// The card's, where there are any and nothing is split; else the kernel's.
    Auto,
    /// The network card's, before its interrupt: the figure is the response latency.
    Hardware,
    /// The kernel's, behind most of the interrupt latency: the figure is receive to task.
    Software,
}

/// Who answers triggers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum AnswerFlag {
    /// The task.
    Task,
    /// A program in the kernel's receive path, before the task is woken, and then the task; needs root and Linux 6.6.
    Both,
}

/// Stations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StationFlag {
    /// Our own, in a network namespace of its own; needs root.
    Veth,
    /// Our own, over loopback.
    Loopback,
    /// Another machine's.
    Remote,
}

impl Event {
    /// Measures.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        self.check_stamp()?;
        self.outlet.finish("event", requirement, |file| self.measure(file, requirement))
    }

    fn measure(&self, file: &Path, requirement: Option<Requirement>) -> Result<RecordedRun, Failure> {
        let root = Root::system();
        let allowed = Topology::read(&root).map_err(Failure::world)?.allowed;
        let cpu = self.cpu.unwrap_or_else(|| allowed.first().number());
        let policy = station::policy(self.policy, self.priority)?;
        let stop = StopFlag::on_interrupt().map_err(Failure::world)?;
        let order = self.order(policy, cpu, allowed)?;
        let mut endpoint = self.meet(order, stop).map_err(event_refused)?;
        self.stamp(&mut endpoint, cpu)?;
        endpoint.answer_delay = self.answer.map(|_| self.answer_delay);
        endpoint.answerer = self.answerer()?;
        let plan = self.plan(&endpoint, policy, cpu, requirement);
        files::make_parent(file)?;
        let title = format!("event, {}, {}", self.station.name(), plan.policy.name());
        let request = Request { plan, file, name: files::name_of(file), command: super::command_line() };
        let measured = live::with_view(self.outlet.plain, &title, |view| {
            session::execute_event(&request, &root, &endpoint, view, stop)
        });
        measured.map_err(refused)
    }

    /// What our own station does; checked even where it is not used, so that a bad flag is one with every station.
    fn order(&self, policy: Policy, cpu: u32, allowed: CpuSet) -> Result<Order, Failure> {
        let order = Order {
            wire: Wire::Udp { local: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), interface: None },
            to: Peer::Udp(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))),
            period_ns: self.series.period.as_ns(),
            jitter_ns: self.series.jitter().as_ns(),
            seed: self.loads.seed,
            count: self.series.count()?.saturating_add(self.warm_up_triggers()),
            policy: below(policy),
            cpu: allowed.iter().map(|other| other.number()).find(|other| *other != cpu),
            patience_ns: Some(self.patience.as_ns()),
            takes_answers: false,
        };
        order.check().map_err(Failure::usage)?;
        Ok(order)
    }

    fn meet(&self, order: Order, stop: &StopFlag) -> Result<Endpoint, EventError> {
        let place = match self.station {
            StationFlag::Remote => {
                let wire = self.wire();
                let link = Link::open(&wire).map_err(|source| EventError::Open { what: opening(&wire), source })?;
                out::note(format_args!("waiting for a station: prazo trigger {}", self.hint()));
                return Endpoint::meet(link, None, self.patience, stop);
            }
            StationFlag::Veth => StationNetwork::Veth,
            StationFlag::Loopback => StationNetwork::Loopback,
        };
        let Raised { link, stage } = Stage::set(place, self.raw_frames, order)?;
        Endpoint::meet(link, Some(stage), self.patience, stop)
    }

    /// What the card can only do for frames from outside, on an interface that is known.
    fn check_stamp(&self) -> Result<(), Failure> {
        match (self.stamp, self.station, &self.interface, self.split) {
            (StampFlag::Auto | StampFlag::Software, ..) => Ok(()),
            (_, StationFlag::Remote, Some(_), None) => Ok(()),
            (_, StationFlag::Remote, Some(_), Some(_)) => {
                Err(Failure::usage("--split begins at the kernel's stamp: give --stamp software with it"))
            }
            (_, StationFlag::Remote, None, _) => {
                Err(Failure::usage("--stamp hardware is one card's stamp; name its interface with --interface"))
            }
            _ => Err(Failure::usage("--stamp hardware is for frames from outside: give --station remote as well")),
        }
    }

    /// Has the card stamp, where that is asked for or can be had.
    fn stamp(&self, endpoint: &mut Endpoint, cpu: u32) -> Result<(), Failure> {
        let is_outside = self.station == StationFlag::Remote && self.interface.is_some();
        match self.stamp {
            StampFlag::Auto if is_outside && self.split.is_none() => {
                endpoint.software_because = endpoint.stamp_by_card(cpu).err().map(|refused| refused.to_string());
                Ok(())
            }
            StampFlag::Hardware => endpoint.stamp_by_card(cpu).map_err(|refused| {
                Failure::world(format!(
                    "{refused}; --stamp software measures from the kernel's own stamp (receive to task)"
                ))
            }),
            StampFlag::Auto | StampFlag::Software => Ok(()),
        }
    }

    /// The handler's answers, where they are asked for: they need an interface to be attached to.
    fn answerer(&self) -> Result<Option<Answerer>, Failure> {
        if self.answer.is_some() && self.station != StationFlag::Remote {
            return Err(Failure::usage("--answer is for a station that measures: give --station remote as well"));
        }
        let Some(AnswerFlag::Both) = self.answer else { return Ok(None) };
        let interface = self.interface.as_deref();
        let interface = interface.ok_or_else(|| {
            Failure::usage("--answer both answers from one interface's receive path; name it with --interface")
        })?;
        let refused = |error| {
            Failure::world(format!(
                "the handler cannot answer on {interface}: {error}; --answer task answers without it"
            ))
        };
        Answerer::attach(interface).map(Some).map_err(refused)
    }

    /// What our own station sends before the triggers that are measured; a remote one's series is its own to say.
    fn warm_up_triggers(&self) -> u64 {
        warm_up_kept_apart(self.warm_up).as_ns().div_ceil(self.series.period.as_ns())
    }

    fn source(&self, endpoint: &Endpoint) -> EventSource {
        let offer = endpoint.offer;
        EventSource {
            interface: endpoint.interface().unwrap_or("any").to_owned(),
            transport: if self.raw_frames { Transport::Frame } else { Transport::Udp },
            stamp: endpoint.stamp(),
            station: self.station.into(),
            jitter: Duration::from_ns(offer.jitter_ns),
            count: offer.count,
            answer_delay: endpoint.answer_delay,
        }
    }

    fn wire(&self) -> Wire {
        let any: IpAddr = Ipv4Addr::UNSPECIFIED.into();
        match (self.raw_frames, self.interface.clone()) {
            (true, Some(interface)) => Wire::Ethernet { interface },
            (_, interface) => Wire::Udp { local: SocketAddr::from((any, self.port)), interface },
        }
    }

    fn hint(&self) -> String {
        match (self.raw_frames, self.port) {
            (true, _) => "--interface NAME (on the same wire)".into(),
            (false, PORT) => "ADDRESS-OF-THIS-MACHINE".into(),
            (false, port) => format!("ADDRESS-OF-THIS-MACHINE:{port}"),
        }
    }

    fn plan(&self, endpoint: &Endpoint, policy: Policy, cpu: u32, requirement: Option<Requirement>) -> Plan {
        let period = Duration::from_ns(endpoint.offer.period_ns);
        Plan {
            source: Source::Event(self.source(endpoint)),
            split: self.split.map_or(Splitting::Off, Splitting::from),
            method: TimerMethod::ClockNanosleep,
            policy,
            when_late: WhenLate::CatchUp,
            length: Length::Duration { length: length(endpoint, warm_up_kept_apart(self.warm_up)) },
            warm_up: self.warm_up,
            lead_in: if self.loads.loads.is_empty() { Duration::ZERO } else { self.loads.lead_in },
            loads: self.loads.plans(),
            deadline: requirement.map(|requirement| requirement.deadline),
            stop_above: self.stop_above,
            looks_for: None,
            housekeeping_cpu: None,
            raw: self.recording.raw,
            hold_dma_latency: !self.recording.no_dma_latency,
            timer_slack: None,
            histogram_bound: self.recording.histogram_bound,
            beside_pid: None,
            seed: endpoint.offer.seed,
            workloads: Vec::new(),
            threads: vec![ThreadPlan { cpu, period, phase: Duration::ZERO }],
        }
    }
}

/// As long as the station's series behind the warm-up, and ten seconds for its last word, which ends the run: on a busy machine
/// task and station may have waited long for a processor.
fn length(endpoint: &Endpoint, warm_up: Duration) -> Duration {
    const LAST_WORD_NS: u64 = 10_000_000_000;
    let offer = endpoint.offer;
    let series_ns = offer.period_ns.saturating_mul(offer.count).saturating_add(offer.jitter_ns);
    Duration::from_ns(series_ns.saturating_sub(warm_up.as_ns()).saturating_add(LAST_WORD_NS))
}

/// Our own station stays below the task.
fn below(policy: Policy) -> Policy {
    match policy {
        Policy::Fifo { priority } => Policy::Fifo { priority: priority.saturating_sub(1).max(1) },
        Policy::Rr { priority } => Policy::Rr { priority: priority.saturating_sub(1).max(1) },
        other => other,
    }
}

fn opening(wire: &Wire) -> String {
    match wire {
        Wire::Ethernet { interface } => format!("listening for raw frames on interface {interface}"),
        Wire::Udp { local, interface: Some(interface) } => format!("listening at {local} on interface {interface}"),
        Wire::Udp { local, interface: None } => format!("listening at {local}"),
    }
}

fn event_refused(error: EventError) -> Failure {
    if error.is_usage() { Failure::usage(error) } else { Failure::world(error) }
}

impl From<StationFlag> for Station {
    fn from(flag: StationFlag) -> Self {
        match flag {
            StationFlag::Veth => Self::Veth,
            StationFlag::Loopback => Self::Loopback,
            StationFlag::Remote => Self::Remote,
        }
    }
}

impl StationFlag {
    const fn name(self) -> &'static str {
        match self {
            Self::Veth => "station behind veth",
            Self::Loopback => "station on loopback",
            Self::Remote => "remote station",
        }
    }
}
