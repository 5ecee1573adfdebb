//! The triggering station of an event run.

mod answers;

pub use answers::{Outside, OutsideLatency};

use crate::error::Error;
use crate::files::default_run_file;
use crate::measure::event::{TriggerSeries, not_deadline};
use crate::progress::Progress;
use prazo_core::text::{counted, grouped};
use prazo_core::time::Duration;
use prazo_probe::event::link::{BROADCAST, PORT, Peer, Wire};
use prazo_probe::station::{Report, SeriesRequest};
use prazo_run::plan::Policy;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

/// Whom a station triggers, how often, and what it notes.
#[derive(Clone, Debug)]
pub struct TriggerRequest {
    /// The measuring machine: its address or name, and its port where it is another than 50123; `None` sends raw Ethernet
    /// frames to whoever measures on the interface's wire.
    pub to: Option<String>,
    /// The interface to send through.
    pub interface: Option<String>,
    /// How often, and how many times.
    pub series: TriggerSeries,
    /// The sender's policy.
    pub policy: Policy,
    /// The sender's processor; `None` is any.
    pub cpu: Option<u32>,
    /// How long to offer triggers before giving up; `None` sends without asking whether anybody measures.
    pub connect_timeout: Option<Duration>,
    /// Seeds the jitter.
    pub seed: u64,
    /// Note when the answers to each trigger come.
    pub answers: Option<AnswersRequest>,
    /// The command that repeats it, which the run file keeps.
    pub command: String,
}

/// What becomes of the answers to triggers.
#[derive(Clone, Debug, Default)]
pub struct AnswersRequest {
    /// The run file; `None` is a new one in the folder of results.
    pub file: Option<PathBuf>,
    /// Detection delay of this station, subtracted from means: a time, or a run file of answers between two alike and idle
    /// stations.
    pub delta: Option<String>,
}

/// Result of the triggering station, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Triggered {
    /// Number of triggers that were planned.
    pub planned: u64,
    /// Number of triggers that were attempted, refused ones included; fewer than planned if the series was interrupted.
    pub sent: u64,
    /// Number of triggers that were attempted at least a period after they were due.
    pub late: u64,
    /// The longest delay of a trigger after it was due.
    pub latest_ns: u64,
    /// Number of frames that the kernel refused to send.
    pub refused: u64,
    /// Time that the station waited until a receiver requested the series of triggers.
    pub offered_for_ns: u64,
    /// Latencies seen from the triggering station; null where answers were not requested.
    pub answers: Option<Outside>,
}

/// Triggers until the series is over.
///
/// # Errors
/// The request cannot be served, nobody took the series in time, or the network refused it.
pub fn trigger(request: &TriggerRequest, progress: &mut dyn Progress) -> Result<Triggered, Error> {
    not_deadline(request.policy)?;
    let series = request.series()?;
    let stop = progress.stop().map_err(Error::failed)?;
    let wanted = request.answers.clone().unwrap_or_default();
    let delta = wanted.delta.as_deref().map(answers::delta).transpose()?;
    let report = prazo_probe::station::run(&series, &stop).map_err(|error| Error::blaming(error.is_usage(), error))?;
    let file = wanted.file.unwrap_or_else(|| default_run_file("answers"));
    let seen =
        report.answers.as_ref().map(|answers| Outside::of(answers, delta, &file, &request.command)).transpose()?;
    Ok(Triggered::of(&series, &report, seen))
}

impl TriggerRequest {
    fn series(&self) -> Result<SeriesRequest, Error> {
        let (wire, to) = match (&self.to, &self.interface) {
            (Some(to), interface) => udp(to, interface.clone())?,
            (None, Some(interface)) => (Wire::Ethernet { interface: interface.clone() }, Peer::Ethernet(BROADCAST)),
            (None, None) => {
                return Err(
                    Error::refused("no machine to trigger was named").with_remedy("give an ADDRESS or --interface")
                );
            }
        };
        Ok(SeriesRequest {
            wire,
            to,
            period_ns: self.series.period.as_ns(),
            jitter_ns: self.series.jitter.as_ns(),
            seed: self.seed,
            count: self.series.count,
            policy: self.policy,
            cpu: self.cpu,
            takes_answers: self.answers.is_some(),
            patience_ns: self.connect_timeout.map(|timeout| timeout.as_ns()),
        })
    }
}

/// The wire to an address, which may be a name and may lack its port.
fn udp(to: &str, interface: Option<String>) -> Result<(Wire, Peer), Error> {
    let with_port = to.parse::<IpAddr>().map(|address| SocketAddr::from((address, PORT))).ok();
    let resolve = || to.to_socket_addrs().or_else(|_| (to, PORT).to_socket_addrs()).ok()?.next();
    let address = with_port.or_else(resolve).ok_or_else(|| {
        Error::refused(format!("this machine cannot resolve the address '{to}'"))
            .with_remedy("give an address such as 192.168.7.2 or 192.168.7.2:50123")
    })?;
    let any: IpAddr = if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    Ok((Wire::Udp { local: SocketAddr::from((any, 0)), interface }, Peer::Udp(address)))
}

impl Triggered {
    fn of(series: &SeriesRequest, report: &Report, answers: Option<Outside>) -> Self {
        let Report { sent, offered_for, .. } = report;
        Self {
            planned: series.count,
            sent: sent.ending.sent,
            late: sent.ending.late,
            latest_ns: sent.ending.latest_ns,
            refused: sent.refused,
            offered_for_ns: offered_for.as_ns(),
            answers,
        }
    }
}

/// The lines that a person reads.
impl fmt::Display for Triggered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [sent, late, refused] = [self.sent, self.late, self.refused].map(grouped);
        let latest = Duration::from_ns(self.latest_ns);
        write!(
            f,
            "{sent} of {} attempted, {late} of these a period or more late, {refused} refused by the kernel; \
             longest delay {latest}",
            counted(self.planned, "trigger")
        )?;
        self.answers.as_ref().map_or(Ok(()), |answers| write!(f, "\n\n{answers}"))
    }
}
