//! Two unnamed network namespaces joined by a pair of virtual interfaces, or loopback where those cannot be had; or two
//! cards of the machine.
//!
//! Both namespaces are kept by nothing but the descriptors and the processes of this keeper, so that they and the
//! interfaces go with it. Addresses exist inside them only.

use std::fs::File;
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::AsFd;

use prazo_run::{Caveat, Severity};

use super::super::cards::{self, Cards, RECEIVER};
use super::generator::Side;
use super::request::KeeperRequest;
use prazo_sys::containment::{self as sys, Namespaces};
use prazo_sys::route::{self, End};

/// The receiving end, in the keeper's own network namespace.
const RECEIVING: End<'_> = End { interface: "load0", address: RECEIVER };
const SENDING: End<'_> = End { interface: "load1", address: Ipv4Addr::new(10, 0, 0, 2) };
/// Bits of both addresses that name their network.
const PREFIX: u8 = 30;

/// Where packets travel.
#[derive(Debug)]
pub(super) struct Network {
    /// The interface whose counters show what arrived.
    pub interface: String,
    /// The receiver's address.
    pub receiver: Ipv4Addr,
    /// The sender's network namespace; `None` where it is the keeper's. The receiver's is always the keeper's.
    sender: Option<File>,
}

impl Network {
    /// The cards that were named; else two joined namespaces, or loopback and the caveat that says why.
    pub(super) fn new(request: &KeeperRequest) -> io::Result<(Self, Option<Caveat>)> {
        if let Some(cards) = &request.cards {
            return Self::over(cards).map(|network| (network, None));
        }
        if !request.containment.has_namespaces() {
            return Ok((
                Self::loopback(),
                Some(on_loopback(request, "prazo is not permitted to make network namespaces")),
            ));
        }
        route::bring_up("lo")?;
        if !request.join_namespaces {
            return Ok((Self::loopback(), Some(on_loopback(request, "loopback was requested"))));
        }
        match joined() {
            Ok(network) => Ok((network, None)),
            Err(error) => Ok((Self::loopback(), Some(on_loopback(request, &error.to_string())))),
        }
    }

    /// The machine's own cards: the receiving one gets an address, and a neighbour whom the kernel's answers go to.
    fn over(cards: &Cards) -> io::Result<Self> {
        let receiving = &cards.receiving;
        cards::ethernet_address(receiving)?;
        route::set_address(receiving, RECEIVER, PREFIX)?;
        if let Some(sending) = &cards.sending {
            route::set_neighbour(receiving, SENDING.address, cards::ethernet_address(sending)?)?;
        }
        Ok(Self { interface: receiving.clone(), receiver: RECEIVER, sender: None })
    }

    fn loopback() -> Self {
        Self { interface: "lo".into(), receiver: Ipv4Addr::LOCALHOST, sender: None }
    }

    /// Does `action` in the network namespace of one end, and comes back to the receiver's.
    pub(super) fn at<T>(&self, side: Side, action: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        match &self.sender {
            Some(sender) if side == Side::Sender => sys::within_network(sender, action),
            _ => action(),
        }
    }
}

fn joined() -> io::Result<Network> {
    let receiver = sys::network()?;
    sys::unshare(Namespaces::NET)?;
    let sender = sys::network()?;
    let made = route::join(SENDING, RECEIVING, &receiver, PREFIX);
    sys::enter_network(receiver.as_fd())?;
    made?;
    Ok(Network { interface: RECEIVING.interface.into(), receiver: RECEIVING.address, sender: Some(sender) })
}

fn on_loopback(request: &KeeperRequest, why: &str) -> Caveat {
    Caveat::new(
        "load-on-loopback",
        Severity::Medium,
        format!(
            "load '{}' sends over loopback, not between two network namespaces ({why}); its rate counts all traffic \
             on loopback, including replies",
            request.load
        ),
        "run as root on a kernel with veth interfaces (CONFIG_VETH), so that packets cross an interface",
    )
}
