//! UDP packets in the smallest Ethernet frames, and the reader that takes them.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};

use super::pace::Pace;
use super::workers::Endless;

/// What UDP carries in the smallest frame: 64 bytes less Ethernet's header and check sequence, IP's and UDP's headers.
pub(in super::super) const PAYLOAD_BYTES: usize = 64 - 14 - 4 - 20 - 8;
/// Packets leave in bunches this far apart.
const GRID_NS: u64 = 100_000;

/// Reads datagrams for ever.
pub(super) fn read(at: SocketAddrV4) -> Endless {
    let socket = UdpSocket::bind(at)?;
    let mut bytes = [0; 2048];
    loop {
        socket.recv(&mut bytes)?;
    }
}

/// Sends `rate` datagrams a second, or as many as it can.
pub(super) fn send(to: SocketAddrV4, rate: Option<f64>) -> Endless {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    let mut pace = Pace::new(rate, GRID_NS);
    loop {
        for _ in 0..pace.next_bunch() {
            match socket.send_to(&[0; PAYLOAD_BYTES], to) {
                // The interface's queue is full: the packet is lost, as on every wire.
                Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => {}
                // The reader is not there yet, or not any more, which its own end tells.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                Err(error) => return Err(error),
                Ok(_) => {}
            }
        }
    }
}
