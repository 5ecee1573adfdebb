//! Echo requests, each sent when the last was answered, or so many a second.

use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::time::Duration;

use prazo_sys::socket::echo_socket;

use super::card_flood::{ECHO_BYTES, Packet};
use super::pace::Pace;
use super::workers::Endless;

/// What the kernel sends back.
const ANSWER: u8 = 0;
/// Without an answer, the next request follows after this, as ping(8) floods.
const PATIENCE: Duration = Duration::from_millis(10);
const GRID_NS: u64 = 100_000;

/// Sends requests for ever and reads their answers.
pub(super) fn request(to: Ipv4Addr, rate: Option<f64>) -> Endless {
    let (socket, header_bytes) = echo_socket()?;
    let socket = UdpSocket::from(socket);
    socket.connect((to, 0))?;
    socket.set_read_timeout(Some(PATIENCE))?;
    let mut request = [0; ECHO_BYTES];
    Packet::Echo.fill(&mut request, 0);
    let mut pace = Pace::new(rate, GRID_NS);
    loop {
        for _ in 0..pace.next_bunch() {
            socket.send(&request)?;
            await_answer(&socket, header_bytes)?;
        }
    }
}

/// Over loopback, a socket that sees whole packets sees the requests, too.
fn await_answer(socket: &UdpSocket, header_bytes: usize) -> io::Result<()> {
    let mut bytes = [0; 256];
    loop {
        match socket.recv(&mut bytes) {
            Ok(length) if length > header_bytes && bytes[header_bytes] == ANSWER => return Ok(()),
            Ok(_) => {}
            Err(error) if [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut].contains(&error.kind()) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}
