//! How late a task runs after another station's frame.

use super::target::{Target, processors};
use crate::error::Error;
use crate::output::make_parent;
use crate::progress::{Progress, Remark};
use crate::shared_progress::observed;
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_platform::root::Root;
use prazo_probe::StopFlag;
use prazo_probe::event::link::{Link, PORT, Peer, Wire};
use prazo_probe::event::{Answerer, Endpoint, EventError, Raised, Stage, StationNetwork};
use prazo_probe::session::{self, RecordedRun};
use prazo_probe::station::SeriesRequest;
use prazo_run::plan::{Length, Plan, Policy, Splitting, ThreadPlan, WhenLate};
use prazo_run::source::{EventSource, Source, Station, Transport};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// A task that waits for another station's frames.
#[derive(Clone, Debug)]
pub struct EventRequest {
    /// Which station triggers.
    pub station: Station,
    /// Listen to a remote station on this interface only.
    pub interface: Option<String>,
    /// Raw Ethernet frames (0x88B5) instead of UDP.
    pub raw_frames: bool,
    /// Where the first stamp comes from.
    pub stamp: FirstStamp,
    /// The port to listen at for a remote station.
    pub port: u16,
    /// How long to wait for a remote station.
    pub connect_timeout: Duration,
    /// Who answers each trigger of a remote station; `None` answers none.
    pub answering: Option<Answering>,
    /// The task's answer is put off by this long.
    pub answer_delay: Duration,
    /// The triggers of a station of our own.
    pub series: TriggerSeries,
    /// The task's processor; `None` is the first that this process may use.
    pub cpu: Option<u32>,
    /// All else that is measured; its source, thread and length follow from the station's series.
    pub plan: Plan,
}

/// How often a station triggers, and how many times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TriggerSeries {
    /// Distance of two triggers; not zero.
    pub period: Duration,
    /// A trigger leaves up to this long after its instant.
    pub jitter: Duration,
    /// How many triggers.
    pub count: u64,
}

impl TriggerSeries {
    /// A series of this length; the jitter is a tenth of the period unless it is given.
    ///
    /// # Errors
    /// The period is zero.
    pub fn new(period: Duration, jitter: Option<Duration>, length: Length) -> Result<Self, Error> {
        if period.is_zero() {
            let zero = Error::field("period", "the period must be above 0");
            return Err(zero.with_value(0).with_remedy("give at least 10us"));
        }
        let count = match length {
            Length::Activations { count } => count,
            Length::Duration { length } => length.as_ns() / period.as_ns(),
        };
        Ok(Self { period, jitter: jitter.unwrap_or(Duration::from_ns(period.as_ns() / 10)), count })
    }
}

/// Refuses the deadline policy to threads whose activations come from elsewhere: they do not keep the kernel's period.
pub(crate) fn not_deadline(policy: Policy) -> Result<(), Error> {
    match policy {
        Policy::Deadline { .. } => {
            Err(Error::field("policy", "the threads of this command cannot run under the deadline policy")
                .with_value("deadline")
                .with_remedy("choose fifo or rr"))
        }
        Policy::Other | Policy::Fifo { .. } | Policy::Rr { .. } => Ok(()),
    }
}

/// Where the first stamp of a latency comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstStamp {
    /// The card's, where there are any and nothing is split; else the kernel's.
    Auto,
    /// The network card's, before its interrupt: the figure is the response latency.
    Hardware,
    /// The kernel's, behind most of the interrupt latency: the figure is receive to task.
    Software,
}

/// Who answers triggers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answering {
    /// The task.
    Task,
    /// A program in the kernel's receive path, before the task is woken, and then the task; needs root and Linux 6.6.
    Both,
}

impl EventRequest {
    pub(super) fn measure(
        &self,
        target: &Target<'_>,
        deadline: Option<Duration>,
        progress: &mut dyn Progress,
    ) -> Result<RecordedRun, Error> {
        not_deadline(self.plan.policy)?;
        self.check_stamp()?;
        let allowed = processors(None)?;
        let cpu = self.cpu.unwrap_or_else(|| allowed.first().number());
        let stop = progress.stop().map_err(Error::failed)?;
        let series = self.series(cpu, allowed)?;
        let met = self.meet(series, &stop, progress);
        let mut endpoint = met.map_err(|error| Error::blaming(error.is_usage(), error))?;
        self.stamp(&mut endpoint, cpu)?;
        endpoint.answer_delay = self.answering.map(|_| self.answer_delay);
        endpoint.answerer = self.answerer()?;
        let plan = Plan { deadline, ..self.planned(&endpoint, cpu) };
        make_parent(target.file)?;
        let title = format!("event, {}, {}", station_name(self.station), plan.policy.name());
        let request = target.request(plan);
        let measured = observed(progress, &title, |view| {
            session::execute_event(&request, &Root::system(), &endpoint, view, &stop)
        });
        measured.map_err(|error| Error::blaming(error.is_usage(), error))
    }

    /// What our own station does; checked even where it is not used, so that a bad value is one with every station.
    fn series(&self, cpu: u32, allowed: CpuSet) -> Result<SeriesRequest, Error> {
        let TriggerSeries { period, jitter, count } = self.series;
        let series = SeriesRequest {
            wire: Wire::Udp { local: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), interface: None },
            to: Peer::Udp(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))),
            period_ns: period.as_ns(),
            jitter_ns: jitter.as_ns(),
            seed: self.plan.seed,
            count: count.saturating_add(self.warm_up_triggers()),
            policy: below(self.plan.policy),
            cpu: allowed.iter().map(|other| other.number()).find(|other| *other != cpu),
            patience_ns: Some(self.connect_timeout.as_ns()),
            takes_answers: false,
        };
        series.check().map_err(Error::refused)?;
        Ok(series)
    }

    fn meet(
        &self,
        series: SeriesRequest,
        stop: &StopFlag,
        progress: &mut dyn Progress,
    ) -> Result<Endpoint, EventError> {
        let place = match self.station {
            Station::Remote => {
                let wire = self.wire();
                let link = Link::open(&wire).map_err(|source| EventError::Open { what: opening(&wire), source })?;
                progress.remark(&Remark::Text(format!(
                    "waiting for a triggering station; start it with: prazo trigger {}",
                    self.hint()
                )));
                return Endpoint::meet(link, None, self.connect_timeout, stop);
            }
            Station::Veth => StationNetwork::Veth,
            Station::Loopback => StationNetwork::Loopback,
        };
        let Raised { link, stage } = Stage::set(place, self.raw_frames, series)?;
        Endpoint::meet(link, Some(stage), self.connect_timeout, stop)
    }

    /// What the card can only do for frames from outside, on an interface that is known.
    fn check_stamp(&self) -> Result<(), Error> {
        let is_split = self.plan.split != Splitting::Off;
        let hardware = |cause, remedy| Err(Error::field("stamp", cause).with_value("hardware").with_remedy(remedy));
        match (self.stamp, self.station, &self.interface) {
            (FirstStamp::Auto | FirstStamp::Software, ..) => Ok(()),
            (_, Station::Remote, Some(_)) if is_split => {
                Err(Error::field("split", "splitting begins at the kernel's stamp, not at the network card's")
                    .with_remedy("use --stamp software"))
            }
            (_, Station::Remote, Some(_)) => Ok(()),
            (_, Station::Remote, None) => {
                hardware("the hardware stamp comes from one network card", "name the card with --interface")
            }
            _ => hardware("a hardware stamp applies only to frames from another machine", "add --station remote"),
        }
    }

    /// Has the card stamp, where that is asked for or can be had.
    fn stamp(&self, endpoint: &mut Endpoint, cpu: u32) -> Result<(), Error> {
        let may_have_a_card = self.station == Station::Remote && self.interface.is_some();
        match self.stamp {
            FirstStamp::Auto if may_have_a_card && self.plan.split == Splitting::Off => {
                endpoint.software_because = endpoint.stamp_by_card(cpu).err().map(|refused| refused.to_string());
                Ok(())
            }
            FirstStamp::Hardware => endpoint.stamp_by_card(cpu).map_err(|refused| {
                Error::failed(refused)
                    .with_remedy("use --stamp software, which measures from the kernel's own stamp (receive to task)")
            }),
            FirstStamp::Auto | FirstStamp::Software => Ok(()),
        }
    }

    /// The handler's answers, where they are asked for: they need an interface to be attached to.
    fn answerer(&self) -> Result<Option<Answerer>, Error> {
        if self.answering.is_some() && self.station != Station::Remote {
            return Err(Error::field("answer", "answers apply only to a remote station, which measures them")
                .with_remedy("add --station remote"));
        }
        let Some(Answering::Both) = self.answering else { return Ok(None) };
        let interface = self.interface.as_deref().ok_or_else(|| {
            Error::field("answer", "the BPF program answers from the receive path of one interface")
                .with_value("both")
                .with_remedy("name that interface with --interface")
        })?;
        let refused = |error| {
            Error::failed(error)
                .attempting(format!("cannot attach the BPF program that answers on {interface}"))
                .with_remedy("use --answer task, which needs no BPF program")
        };
        Answerer::attach(interface).map(Some).map_err(refused)
    }

    /// What our own station sends before the triggers that are measured; a remote one's series is its own to say.
    fn warm_up_triggers(&self) -> u64 {
        self.plan.warm_up_kept_apart().as_ns().div_ceil(self.series.period.as_ns().max(1))
    }

    fn source(&self, endpoint: &Endpoint) -> EventSource {
        let offer = endpoint.offer;
        EventSource {
            interface: endpoint.interface().unwrap_or("any").to_owned(),
            transport: if self.raw_frames { Transport::Frame } else { Transport::Udp },
            stamp: endpoint.stamp(),
            station: self.station,
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

    fn planned(&self, endpoint: &Endpoint, cpu: u32) -> Plan {
        let period = Duration::from_ns(endpoint.offer.period_ns);
        Plan {
            source: Source::Event(self.source(endpoint)),
            when_late: WhenLate::CatchUp,
            threads: vec![ThreadPlan { cpu, period, phase: Duration::ZERO }],
            length: Length::Duration { length: length(endpoint, self.plan.warm_up_kept_apart()) },
            seed: endpoint.offer.seed,
            ..self.plan.clone()
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

/// Whatever wakes the task stays below it.
pub(super) fn below(policy: Policy) -> Policy {
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

const fn station_name(station: Station) -> &'static str {
    match station {
        Station::Veth => "station behind veth",
        Station::Loopback => "station on loopback",
        Station::Remote => "remote station",
    }
}
