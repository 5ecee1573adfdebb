//! A triggering station of our own on this machine: two unnamed network namespaces joined by a pair of virtual interfaces, or
//! loopback.
//!
//! ```text
//! measuring namespace (kept by our socket)         triggering namespace (kept by the station's process)
//!   event0 10.0.0.1 ◄───────── veth ─────────────── event1 10.0.0.2   process: prazo, as a station
//! ```
//! Both namespaces have no name and are kept by nothing but that socket and that process, so that the kernel removes them and the
//! interfaces when prazo ends, however it ends: the process dies with the thread that started it.

use super::error::EventError;
use super::link::{BROADCAST, Link, PORT, Peer, Wire};
use crate::station::{self, SeriesRequest};
use prazo_sys::child::tie_to_caller;
use prazo_sys::containment::{self as sys, Namespaces};
use prazo_sys::route::{self, End};
use std::fs::File;
use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::AsFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

const MEASURING: End<'_> = End { interface: "event0", address: Ipv4Addr::new(10, 0, 0, 1) };
const TRIGGERING: End<'_> = End { interface: "event1", address: Ipv4Addr::new(10, 0, 0, 2) };
/// Bits of both addresses that name their network.
const PREFIX: u8 = 30;

/// Where our own station stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StationNetwork {
    /// In a network namespace of its own, behind a pair of virtual interfaces; needs privileges.
    Veth,
    /// In ours, over loopback.
    Loopback,
}

/// Our own station. Dropped, it ends.
#[derive(Debug)]
pub struct Stage {
    station: Child,
    /// The thread that started the station: the station dies with it, so it stays.
    keeper: Option<(Sender<()>, JoinHandle<()>)>,
}

/// A station of our own that waits to be met.
#[derive(Debug)]
pub struct Raised {
    /// The measuring side's end of the wire.
    pub link: Link,
    /// The station.
    pub stage: Stage,
}

impl Stage {
    /// Starts a station that carries out `request` as soon as it is met; its wire and its peer are set here.
    pub fn set(place: StationNetwork, is_raw: bool, request: SeriesRequest) -> Result<Raised, EventError> {
        let (tell, lines) = channel();
        let (hold, held) = channel::<()>();
        let keep = move || {
            let made = match place {
                StationNetwork::Veth => over_veth(is_raw, request),
                StationNetwork::Loopback => over_loopback(request),
            };
            let _ = tell.send(made);
            wait_for_end(&held);
        };
        let keeper = std::thread::Builder::new().name("prazo-stage".into()).spawn(keep);
        let keeper = keeper.map_err(|error| EventError::Stage {
            what: format!("starting the thread that makes the network: {error}"),
        })?;
        let made = lines.recv().unwrap_or_else(|_| Err("the thread that makes the network panicked".into()));
        let (link, station) = made.map_err(|what| EventError::Stage { what })?;
        Ok(Raised { link, stage: Self { station, keeper: Some((hold, keeper)) } })
    }

    /// What the station said when it ended by itself; `None` while it runs.
    pub fn last_words(&mut self) -> Option<String> {
        let status = self.station.try_wait().ok().flatten()?;
        let mut words = String::new();
        let stderr_read = self.station.stderr.take().map(|mut pipe| pipe.read_to_string(&mut words));
        Some(if stderr_read.is_some() && !words.is_empty() { words.trim().to_owned() } else { status.to_string() })
    }

    /// False once the station has ended; one that nobody has waited for yet is a zombie.
    pub(super) fn lives(&self) -> bool {
        let lines = std::fs::read_to_string(format!("/proc/{}/stat", self.station.id()));
        lines.is_ok_and(|stat| stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X'])))
    }

    /// The station's process.
    pub fn process_id(&self) -> u32 {
        self.station.id()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // One that has ended already needs no killing.
        let _ = self.station.kill();
        let _ = self.station.wait();
        if let Some((hold, keeper)) = self.keeper.take() {
            drop(hold);
            let _ = keeper.join();
        }
    }
}

/// Returns when the other end of the channel is gone.
fn wait_for_end(held: &Receiver<()>) {
    while held.recv().is_ok() {}
}

type Made = Result<(Link, Child), String>;

fn failed(what: &str) -> impl Fn(io::Error) -> String {
    move |error| format!("{what}: {error}")
}

fn over_loopback(request: SeriesRequest) -> Made {
    let wire = Wire::Udp { local: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), interface: None };
    let link = Link::open(&wire).map_err(failed("opening a socket on loopback"))?;
    let to = link.local().ok_or("the loopback socket has no address")?;
    let station = start(&SeriesRequest { wire, to: Peer::Udp(to), ..request })?;
    Ok((link, station))
}

/// Moves the calling thread, which must be used for nothing else, between two namespaces of its own.
fn over_veth(is_raw: bool, request: SeriesRequest) -> Made {
    let measuring = enter_new().map_err(failed("making a network namespace"))?;
    enter_new().map_err(failed("making a second network namespace"))?;
    let joined = route::join(TRIGGERING, MEASURING, &measuring, PREFIX);
    joined.map_err(failed("joining two network namespaces by virtual interfaces"))?;
    let station = start(&SeriesRequest { wire: wire(is_raw, TRIGGERING, 0), to: target(is_raw), ..request })?;
    let open = || Link::open(&wire(is_raw, MEASURING, PORT));
    let link = sys::enter_network(measuring.as_fd()).and_then(|()| open());
    match link {
        Ok(link) => Ok((link, station)),
        Err(error) => {
            end(station);
            Err(format!("opening the socket of the measuring side: {error}"))
        }
    }
}

fn end(mut station: Child) {
    let _ = station.kill();
    let _ = station.wait();
}

fn wire(is_raw: bool, end: End<'_>, port: u16) -> Wire {
    let interface = end.interface.into();
    match is_raw {
        true => Wire::Ethernet { interface },
        false => Wire::Udp { local: SocketAddr::from((end.address, port)), interface: Some(interface) },
    }
}

fn target(is_raw: bool) -> Peer {
    if is_raw { Peer::Ethernet(BROADCAST) } else { Peer::Udp(SocketAddr::from((MEASURING.address, PORT))) }
}

/// A new network namespace, which the calling thread is in from now on.
fn enter_new() -> io::Result<File> {
    sys::unshare(Namespaces::NET)?;
    sys::network()
}

/// Starts the station in the caller's network namespace; it dies with the calling thread.
fn start(request: &SeriesRequest) -> Result<Child, String> {
    let mut command = Command::new("/proc/self/exe");
    command.args(station::arguments(request)).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    tie_to_caller(&mut command).spawn().map_err(failed("starting the station's process"))
}
