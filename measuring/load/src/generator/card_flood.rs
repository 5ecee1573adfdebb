//! A flood over network cards: a paced real-time sender of whole IPv4 packets.
//!
//! Between two cards of one machine the sender knows the receiver's Ethernet address and needs no address of its own, so that both cards stay in one network
//! namespace: the kernel would deliver packets between two addresses of its own without any card.

use super::super::cards::{self, RECEIVER};
use super::workers::Endless;
use prazo_platform::policy::grant;
use prazo_run::plan::Policy;
use prazo_sys::clock;
use prazo_sys::socket::{Mac, interface_index, packet_send, packet_socket};
use serde::{Deserialize, Serialize};
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, OwnedFd};

/// Below every measured thread and every interrupt's thread, above all ordinary ones.
const PRIORITY: u8 = 1;
/// A sender further behind than this gives up what it owes, so that it sleeps between any two packets.
const OWED_MAX: u64 = 10;

const IPV4: u16 = 0x0800;
const UDP: u8 = 17;
const ICMP: u8 = 1;
const HEADER_BYTES: usize = 20;
/// The smallest Ethernet frame of 64 bytes, less its header and check sequence.
const PACKET_BYTES: usize = 64 - 14 - 4;
/// An echo request in it.
pub(super) const ECHO_BYTES: usize = PACKET_BYTES - HEADER_BYTES;
/// The discard service's port: nobody answers to it.
const FROM_PORT: u16 = 9;

/// What a flood is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in super::super) enum Packet {
    /// A datagram to the reader's port.
    Udp,
    /// An echo request, which the kernel answers.
    Echo,
}

/// Where a reader waits for another machine's packets.
pub(in super::super) const AGREED_PORT: u16 = 50_124;

/// Sends UDP packets through a card to the reader on another machine, whose address is the receiver's of every load; comes back only
/// with the reason why it cannot go on. The calling thread becomes the real-time sender.
pub fn flood_another(through: &str, to: Mac, rate: f64) -> io::Error {
    let at = SocketAddrV4::new(RECEIVER, AGREED_PORT);
    let Err(error) = prepared(through, rate).and_then(|socket| keep_sending(&socket, to, &Packet::Udp.bytes(at), rate));
    error
}

/// Sends for ever: on an absolute grid, at most one packet each time it wakes.
pub(super) fn send(packet: Packet, through: &str, to_card: &str, to: SocketAddrV4, rate: f64) -> Endless {
    let mac = cards::ethernet_address(to_card)?;
    keep_sending(&prepared(through, rate)?, mac, &packet.bytes(to), rate)
}

/// The card's number and a socket on it, for a thread that is real-time from now on.
fn prepared(through: &str, rate: f64) -> io::Result<(u32, OwnedFd)> {
    const HEARS_NOTHING: u16 = 0;
    let index = interface_index(through)?;
    let socket = packet_socket(index, HEARS_NOTHING)?;
    grant(Policy::Fifo { priority: PRIORITY }, period_ns(rate)).map_err(io::Error::other)?;
    Ok((index, socket))
}

fn keep_sending((index, socket): &(u32, OwnedFd), to: Mac, packet: &[u8], rate: f64) -> Endless {
    let period_ns = period_ns(rate);
    let mut due_ns = clock::monotonic_ns();
    loop {
        due_ns = next_due_ns(due_ns, clock::monotonic_ns(), period_ns);
        clock::sleep_until(due_ns);
        match packet_send(socket.as_fd(), *index, IPV4, to, packet) {
            // The card's queue is full: the packet is lost, as on every wire.
            Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => {}
            Err(error) => return Err(error),
            Ok(()) => {}
        }
    }
}

fn period_ns(rate: f64) -> u64 {
    (1e9 / rate).round().max(1.0) as u64
}

fn next_due_ns(due_ns: u64, now_ns: u64, period_ns: u64) -> u64 {
    let next_ns = due_ns + period_ns;
    if next_ns + OWED_MAX * period_ns < now_ns { now_ns + period_ns } else { next_ns }
}

impl Packet {
    /// A whole IPv4 packet from the receiver's neighbour.
    fn bytes(self, to: SocketAddrV4) -> [u8; PACKET_BYTES] {
        let mut bytes = [0; PACKET_BYTES];
        let from = Ipv4Addr::from(u32::from(*to.ip()) + 1);
        bytes[0] = 0x45;
        bytes[2..4].copy_from_slice(&(PACKET_BYTES as u16).to_be_bytes());
        bytes[8] = 64;
        bytes[9] = if self == Self::Udp { UDP } else { ICMP };
        bytes[12..16].copy_from_slice(&from.octets());
        bytes[16..20].copy_from_slice(&to.ip().octets());
        let sum = checksum(&bytes[..HEADER_BYTES]);
        bytes[10..12].copy_from_slice(&sum.to_be_bytes());
        self.fill(&mut bytes[HEADER_BYTES..], to.port());
        bytes
    }

    /// A datagram without a checksum, as IPv4 allows; or an echo request.
    pub(super) fn fill(self, body: &mut [u8], port: u16) {
        match self {
            Self::Udp => {
                body[0..2].copy_from_slice(&FROM_PORT.to_be_bytes());
                body[2..4].copy_from_slice(&port.to_be_bytes());
                body[4..6].copy_from_slice(&((PACKET_BYTES - HEADER_BYTES) as u16).to_be_bytes());
            }
            Self::Echo => {
                body[0] = 8;
                let sum = checksum(body);
                body[2..4].copy_from_slice(&sum.to_be_bytes());
            }
        }
    }
}

/// The Internet checksum (RFC 1071) of an even number of bytes.
fn checksum(bytes: &[u8]) -> u16 {
    let sum: u32 = bytes.chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
    let once = (sum & 0xFFFF) + (sum >> 16);
    !((once & 0xFFFF) + (once >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    const TO: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 1), 5201);

    #[test]
    fn packets_carry_checksums_that_add_up_to_nothing() {
        for packet in [Packet::Udp, Packet::Echo] {
            let bytes = packet.bytes(TO);
            assert_eq!(checksum(&bytes[..HEADER_BYTES]), 0, "{packet:?}");
            assert_eq!(bytes[12..20], [10, 0, 0, 2, 10, 0, 0, 1]);
        }
        assert_eq!(checksum(&Packet::Echo.bytes(TO)[HEADER_BYTES..]), 0);
        assert_eq!(Packet::Udp.bytes(TO)[22..26], [0x14, 0x51, 0, 26], "port and length");
    }

    /// RFC 1071's own example, its sum complemented.
    #[test]
    fn rfc_1071_example() {
        assert_eq!(checksum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2);
    }

    #[test]
    fn a_sender_keeps_to_its_grid_and_gives_up_what_it_owes_for_long() {
        assert_eq!(next_due_ns(100, 150, 100), 200);
        assert_eq!(next_due_ns(100, 1_200, 100), 200, "ten are sent one behind the other");
        assert_eq!(next_due_ns(100, 1_201, 100), 1_301);
        assert_eq!(period_ns(2_000.0), 500_000);
    }
}
