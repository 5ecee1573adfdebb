//! A TCP connection: a sender of large blocks, and a reader.

use std::io::{Read, Write};
use std::net::{SocketAddrV4, TcpListener, TcpStream};

use super::pace::Pace;
use super::workers::Endless;

const BLOCK_BYTES: usize = 128 << 10;
const GRID_NS: u64 = 1_000_000;

/// Reads one connection after the other, for ever.
pub(super) fn read(at: SocketAddrV4) -> Endless {
    let listener = TcpListener::bind(at)?;
    let mut block = vec![0; BLOCK_BYTES];
    loop {
        let (mut stream, _) = listener.accept()?;
        while stream.read(&mut block)? > 0 {}
    }
}

/// Sends `rate` bytes a second, or as many as it can.
pub(super) fn send(to: SocketAddrV4, rate: Option<f64>) -> Endless {
    let mut stream = TcpStream::connect(to)?;
    let block = vec![0; BLOCK_BYTES];
    let mut pace = Pace::new(rate.map(|rate| rate / BLOCK_BYTES as f64), GRID_NS);
    loop {
        for _ in 0..pace.next_bunch() {
            stream.write_all(&block)?;
        }
    }
}
