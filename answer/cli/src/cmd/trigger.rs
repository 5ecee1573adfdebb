//! `prazo trigger`: the other station of an event run.

use super::answers::{self, Outside};
use crate::exit::{Exit, Failure};
use crate::flags::plan::PolicyFlag;
use crate::flags::station::{self, SeriesFlags};
use crate::out;
use prazo_core::time::Duration;
use prazo_probe::StopFlag;
use prazo_probe::event::link::{BROADCAST, PORT, Peer, Wire};
use prazo_probe::station::{Order, Report, StationError};
use schemars::JsonSchema;
use serde::Serialize;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

/// The other station of an event run.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo trigger 192.168.7.2                          30 s at 1 kHz to `prazo measure event --station remote` there
  prazo trigger 192.168.7.2 -i 50ms -n 12000         the papers' rate, ten minutes
  prazo trigger --interface eth1                     raw Ethernet frames (0x88B5) to whoever measures on that wire
  prazo trigger --interface eth1 --blind -n 1000     frames for a handler that asks for nothing")]
pub(super) struct Args {
    /// The measuring machine: its address or name, and its port where it is another than 50123
    #[arg(value_name = "ADDRESS[:PORT]", required_unless_present = "interface")]
    to: Option<String>,
    /// Send through this interface; without an address, raw Ethernet frames
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
    #[command(flatten)]
    series: SeriesFlags,
    /// Scheduling policy of the sender
    #[arg(long, short, value_enum, value_name = "POLICY", default_value_t = PolicyFlag::Fifo)]
    policy: PolicyFlag,
    /// Real-time priority of the sender under fifo and rr, 1 to 99
    #[arg(long, value_name = "N", default_value_t = 90)]
    priority: u8,
    /// The sender's processor [default: any]
    #[arg(long, short, value_name = "CPU")]
    cpu: Option<u32>,
    /// How long to offer triggers before giving up
    #[arg(long, value_name = "TIME", default_value = "60s", conflicts_with = "blind")]
    patience: Duration,
    /// Send without asking whether anybody measures
    #[arg(long)]
    blind: bool,
    /// Note when the answers to each trigger come, into a run file (Regnier 2008, second set-up); the other side runs with --answer
    #[arg(long, conflicts_with = "blind")]
    answers: bool,
    /// The run file of the answers [default: prazo-results/answers-DATE.prazo]
    #[arg(long, short, value_name = "FILE", requires = "answers")]
    out: Option<PathBuf>,
    /// What this station takes to notice an answer, which comes off means: a time, or a run of answers between two alike and idle stations
    #[arg(long, value_name = "TIME|RUN", requires = "answers")]
    delta: Option<String>,
    /// Seeds the jitter, so that a series can be repeated
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What the station did, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub(super) struct Triggered {
    /// Triggers that were planned.
    planned: u64,
    /// Triggers that were sent; fewer where it was interrupted.
    sent: u64,
    /// Those that left a period or more after their instant.
    late: u64,
    /// The longest delay of a trigger behind its instant.
    latest_ns: u64,
    /// Frames that the kernel refused to send.
    refused: u64,
    /// How long the series was offered before somebody wanted it.
    offered_for_ns: u64,
    /// The latencies seen from outside; null where answers were not asked for.
    answers: Option<Outside>,
}

impl Args {
    /// Triggers.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let order = self.order()?;
        let stop = StopFlag::on_interrupt().map_err(Failure::world)?;
        let delta = self.delta.as_deref().map(answers::delta).transpose()?;
        let report = prazo_probe::station::run(&order, stop).map_err(refused)?;
        let file = self.out.clone().unwrap_or_else(|| prazo::files::default_run_file("answers"));
        let outside = report.answers.as_ref().map(|answers| Outside::of(answers, delta, &file)).transpose()?;
        let done = done(&order, &report, outside);
        if self.json {
            out::json(&done)?;
        } else {
            print(&done)?;
        }
        Ok(Exit::Pass)
    }

    fn order(&self) -> Result<Order, Failure> {
        let (wire, to) = match (&self.to, &self.interface) {
            (Some(to), interface) => udp(to, interface.clone())?,
            (None, Some(interface)) => (Wire::Ethernet { interface: interface.clone() }, Peer::Ethernet(BROADCAST)),
            (None, None) => return Err(Failure::usage("nobody to trigger is named; give an ADDRESS or --interface")),
        };
        Ok(Order {
            wire,
            to,
            period_ns: self.series.period.as_ns(),
            jitter_ns: self.series.jitter().as_ns(),
            seed: self.seed,
            count: self.series.count()?,
            policy: station::policy(self.policy, self.priority)?,
            cpu: self.cpu,
            takes_answers: self.answers,
            patience_ns: (!self.blind).then_some(self.patience.as_ns()),
        })
    }
}

/// The wire to an address, which may be a name and may lack its port.
fn udp(to: &str, interface: Option<String>) -> Result<(Wire, Peer), Failure> {
    let with_port = to.parse::<IpAddr>().map(|address| SocketAddr::from((address, PORT))).ok();
    let resolve = || to.to_socket_addrs().or_else(|_| (to, PORT).to_socket_addrs()).ok()?.next();
    let address = with_port.or_else(resolve).ok_or_else(|| {
        Failure::usage(format!(
            "'{to}' is no address that this machine knows; give one as 192.168.7.2 or 192.168.7.2:50123"
        ))
    })?;
    let any: IpAddr = if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    Ok((Wire::Udp { local: SocketAddr::from((any, 0)), interface }, Peer::Udp(address)))
}

fn refused(error: StationError) -> Failure {
    if error.is_usage() { Failure::usage(error) } else { Failure::world(error) }
}

fn done(order: &Order, report: &Report, answers: Option<Outside>) -> Triggered {
    let Report { sent, offered_for, .. } = report;
    Triggered {
        planned: order.count,
        sent: sent.ending.sent,
        late: sent.ending.late,
        latest_ns: sent.ending.latest_ns,
        refused: sent.refused,
        offered_for_ns: offered_for.as_ns(),
        answers,
    }
}

fn print(done: &Triggered) -> Result<(), Failure> {
    out::text_line(&format!(
        "{} of {} triggers sent, {} of them late by a period or more (the latest by {}), {} refused by the kernel",
        done.sent,
        done.planned,
        done.late,
        Duration::from_ns(done.latest_ns),
        done.refused
    ))?;
    done.answers.as_ref().map_or(Ok(()), Outside::print)
}
