//! The triggering station: offers a series of triggers, waits for the word to go, and sends them from a real-time thread.
//!
//! ```text
//! request ─► open the wire ─► become real-time ─► hello .. hello ◄─ go ─► trigger, trigger, .. ─► end
//! ```
//! `prazo trigger` is this; so is the process that `prazo measure event` starts in a network namespace of its own.

mod answers;
mod error;
mod grid;
mod outside;
mod send;
mod series_request;

pub use answers::{Answered, Answers};
pub use error::StationError;
pub(crate) use grid::Grid;
pub use outside::{Delta, caveats, series};
pub use send::Sent;
pub use series_request::{BadSeries, SeriesRequest};

use crate::event::EventError;
use crate::event::frame::{Frame, Word};
use crate::event::link::Link;
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_core::time::Duration;
use prazo_engine::{SetupError, StopFlag, policy};
use prazo_sys::scheduling::{self, Resource, SchedAttr};
use prazo_sys::{clock, memory};
use send::Sender;
use std::ffi::OsString;
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// The hidden first argument that makes the program a station of its own run.
const ARGUMENT: &str = "__prazo-station";
/// How often a series is offered.
const OFFER_EVERY_US: u32 = 50_000;
/// A sender that cannot keep up must not hold a processor for ever: the kernel ends it.
const PROCESSOR_TIME_LIMIT_US: u64 = 1_000_000;
/// Without a word to go, the first trigger is due this much later.
const BLIND_LEAD_NS: u64 = 100_000_000;

/// What a station did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What it counted.
    pub sent: Sent,
    /// How long it offered the series.
    pub offered_for: Duration,
    /// The answers, where they were asked for.
    pub answers: Option<Answers>,
}

/// Carries out a request on the calling thread, which keeps the sender's policy and place.
pub fn run(request: &SeriesRequest, stop: &StopFlag) -> Result<Report, StationError> {
    request.check()?;
    let mut link = Link::open(&request.wire).map_err(|source| EventError::Open { what: opening(request), source })?;
    link.meet(request.to).map_err(|source| EventError::Socket { what: "connecting to the measuring side", source })?;
    become_sender(request)?;
    let session = fastrand::u64(..);
    let begun_ns = clock::monotonic_ns();
    let start_ns = match request.patience_ns {
        Some(patience_ns) => offer(request, &link, session, patience_ns, stop)?,
        None => begun_ns + BLIND_LEAD_NS,
    };
    let offered_for = Duration::from_ns(clock::monotonic_ns() - begun_ns);
    let sender = Sender::new(request, &link, session, start_ns);
    if !request.takes_answers {
        return Ok(Report { sent: sender.run(stop)?.0, offered_for, answers: None });
    }
    let (sent, answers) = answered(request, &link, session, sender, stop)?;
    Ok(Report { sent, offered_for, answers: Some(answers) })
}

/// Sends from this thread and listens on another, ordinary one: the kernel stamps the answers, so that it may be late.
fn answered(
    request: &SeriesRequest,
    link: &Link,
    session: u64,
    sender: Sender<'_>,
    stop: &StopFlag,
) -> Result<(Sent, Answers), StationError> {
    prazo_sys::socket::stamp_arrivals(link.as_fd()).map_err(|source| EventError::Socket {
        what: "enabling time stamps of received answers (SO_TIMESTAMPING)",
        source,
    })?;
    let (room, done) = (Answers::with_room(request.count), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let listening = scope.spawn(|| {
            // It inherits the sender's policy; refused, it is a listener that is never late.
            let _ = scheduling::set_attributes(&SchedAttr::default());
            answers::listen(link, session, room, &done)
        });
        let sent = sender.run(stop);
        done.store(true, Ordering::Release);
        let mut answers = listening.join().expect("the listener does not panic");
        let (sent, sent_ns) = sent?;
        answers.join(&sent_ns);
        Ok((sent, answers))
    })
}

fn opening(request: &SeriesRequest) -> String {
    match request.wire.interface() {
        Some(interface) => format!("opening interface {interface} for triggers"),
        None => "opening a socket for triggers".into(),
    }
}

/// Offers the series until somebody wants it; when its first trigger is due.
fn offer(
    request: &SeriesRequest,
    link: &Link,
    session: u64,
    patience_ns: u64,
    stop: &StopFlag,
) -> Result<u64, StationError> {
    let socket = |what| move |source| EventError::Socket { what, source };
    prazo_sys::socket::set_receive_timeout_us(link.as_fd(), OFFER_EVERY_US)
        .map_err(socket("setting the receive timeout for frames"))?;
    let until_ns = clock::monotonic_ns().saturating_add(patience_ns);
    while !stop.is_set() {
        match link.send(&Frame { session, word: Word::Hello(request.offer()) }) {
            Err(error) if !crate::event::link::is_nothing_yet(&error) => {
                return Err(
                    EventError::Socket { what: "offering triggers to the measuring side", source: error }.into()
                );
            }
            _ => {}
        }
        match link.receive().map_err(socket("waiting for the start command of the measuring side"))? {
            Some((Frame { session: of, word: Word::Go { start_in_ns, .. } }, _)) if of == session => {
                return Ok(clock::monotonic_ns() + start_in_ns);
            }
            _ if clock::monotonic_ns() >= until_ns => {
                return Err(StationError::NotWanted { to: encoded(request), patience: Duration::from_ns(patience_ns) });
            }
            _ => {}
        }
    }
    Err(StationError::Interrupted)
}

fn encoded(request: &SeriesRequest) -> String {
    match request.to {
        crate::event::link::Peer::Udp(address) => address.to_string(),
        crate::event::link::Peer::Ethernet(mac) => mac.map(|byte| format!("{byte:02x}")).join(":"),
    }
}

/// Place, policy, limit and memory of the sender.
fn become_sender(request: &SeriesRequest) -> Result<(), StationError> {
    let system = |what| move |source| StationError::System { what, source };
    let cpu = request.cpu.unwrap_or(0);
    if let Some(only) = request.cpu.and_then(Cpu::new).map(CpuSet::only) {
        scheduling::set_affinity(&only)
            .map_err(|error| SetupError::Affinity { cpu, errno: error.raw_os_error().unwrap_or(0) })?;
    }
    scheduling::set_soft_limit(Resource::RealTimeRun, PROCESSOR_TIME_LIMIT_US)
        .map_err(system("setting the limit on real-time processor time (RLIMIT_RTTIME)"))?;
    policy::set(cpu, request.policy, request.period_ns)?;
    // Refused without privileges, which costs the sender's punctuality and is told as its latest trigger.
    let _ = memory::lock_current();
    Ok(())
}

/// Does the work of our own station, where this process was started to be one. Behind its last word it stays until whoever
/// started it ends it: the interface that its last triggers are still on goes with it.
pub(crate) fn child_main(args: &[OsString]) -> Option<ExitCode> {
    let (first, rest) = args.split_first()?;
    if first != ARGUMENT {
        return None;
    }
    let request = rest.first().and_then(|text| serde_json::from_str::<SeriesRequest>(text.to_str()?).ok());
    let outcome = match (request, StopFlag::new()) {
        (Some(request), Ok(stop)) => run(&request, &stop).map_err(|error| error.to_string()),
        _ => Err(format!("{ARGUMENT} is for internal use by prazo")),
    };
    Some(match outcome {
        Ok(_) => loop {
            std::thread::park();
        },
        Err(words) => {
            eprintln!("{words}");
            ExitCode::FAILURE
        }
    })
}

/// The arguments that make the program a station.
pub(crate) fn arguments(request: &SeriesRequest) -> [OsString; 2] {
    let request = serde_json::to_string(request).expect("a request holds nothing that JSON cannot");
    [ARGUMENT.into(), request.into()]
}
