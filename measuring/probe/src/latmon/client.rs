//! The conversation with a board: start, take bulks until the time is over, stop, take the rest.

use super::collected::Collected;
use super::error::LatmonError;
use super::protocol::{BULK_BYTES, Bulk, CELLS_MAX, PERIOD_US_MAX, Request, cells};
use super::request::LatmonRequest;
use prazo_core::time::Duration;
use prazo_engine::StopFlag;
use prazo_run::Run;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration as Wait, Instant};

/// How soon a wish to stop is seen.
const LOOK: Wait = Wait::from_millis(100);
/// What a connection may take.
const CONNECT: Wait = Wait::from_secs(5);

/// Has a board measure.
pub fn measure(request: LatmonRequest, stop: &StopFlag) -> Result<Run, LatmonError> {
    let encoded = encoded(request)?;
    let broken = LatmonError::Broken;
    let socket = TcpStream::connect_timeout(&request.board, CONNECT)
        .map_err(|source| LatmonError::Connect { board: request.board, source })?;
    socket.set_read_timeout(Some(LOOK)).map_err(broken)?;
    let mut talk = Talk { socket, board: request.board, patience: Wait::from_nanos(request.patience.as_ns()) };
    let begun = Instant::now();
    talk.say(encoded)?;
    let until = begun + Wait::from_nanos(request.length.as_ns());
    let mut collected = Collected::default();
    while let Some(bulk) = talk.bulk(|| stop.is_set() || Instant::now() >= until)? {
        collected.take(bulk);
    }
    let elapsed = begun.elapsed();
    talk.say(Request { period_us: 0, cells: 0 })?;
    while let Some(bulk) = talk.bulk(|| false)?.filter(|bulk| bulk.samples > 0) {
        collected.take(bulk);
    }
    collected.cells = cells(&talk.bytes(4 * request.cells as usize)?);
    collected.run(request, Duration::from(elapsed), stop.is_set())
}

fn encoded(request: LatmonRequest) -> Result<Request, LatmonError> {
    let period_us = request.period.as_ns() / 1_000;
    let is_whole = request.period.as_ns().is_multiple_of(1_000);
    if !is_whole || !(1..=u64::from(PERIOD_US_MAX)).contains(&period_us) {
        return Err(LatmonError::Period(request.period));
    }
    if request.cells > CELLS_MAX {
        return Err(LatmonError::Cells(request.cells));
    }
    Ok(Request { period_us: period_us as u32, cells: request.cells })
}

struct Talk {
    socket: TcpStream,
    board: SocketAddr,
    patience: Wait,
}

impl Talk {
    fn say(&mut self, request: Request) -> Result<(), LatmonError> {
        self.socket.write_all(&request.encode()).map_err(LatmonError::Broken)
    }

    /// The next bulk; `None` where `over` became true before its first byte.
    fn bulk(&mut self, over: impl Fn() -> bool) -> Result<Option<Bulk>, LatmonError> {
        let mut bytes = [0; BULK_BYTES];
        if !self.fill(&mut bytes, over)? {
            return Ok(None);
        }
        let bulk = Bulk::decode(&bytes);
        match bulk.is_garbage() {
            true => Err(LatmonError::Garbage { board: self.board, what: bulk.to_string() }),
            false => Ok(Some(bulk)),
        }
    }

    fn bytes(&mut self, length: usize) -> Result<Vec<u8>, LatmonError> {
        let mut bytes = vec![0; length];
        self.fill(&mut bytes, || false)?;
        Ok(bytes)
    }

    /// Fills `bytes`; false where `over` became true before the first of them. What has begun is read to its end.
    fn fill(&mut self, bytes: &mut [u8], over: impl Fn() -> bool) -> Result<bool, LatmonError> {
        let (mut filled, mut heard) = (0, Instant::now());
        while filled < bytes.len() {
            if filled == 0 && over() {
                return Ok(false);
            }
            match self.socket.read(&mut bytes[filled..]) {
                Ok(0) => return Err(LatmonError::Broken(ErrorKind::UnexpectedEof.into())),
                Ok(more) => (filled, heard) = (filled + more, Instant::now()),
                Err(error) if is_timeout(error.kind()) && heard.elapsed() > self.patience => {
                    return Err(LatmonError::Silent { seconds: self.patience.as_secs() });
                }
                Err(error) if is_timeout(error.kind()) => {}
                Err(error) => return Err(LatmonError::Broken(error)),
            }
        }
        Ok(true)
    }
}

const fn is_timeout(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_between_two_microseconds_is_refused_as_it_was_given() {
        let request = LatmonRequest {
            board: "127.0.0.1:2306".parse().unwrap(),
            period: Duration::from_ns(1_500),
            length: Duration::from_ms(1),
            cells: 10,
            patience: Duration::from_ms(1),
        };
        let Err(refused) = encoded(request) else { panic!("it was accepted") };
        assert!(refused.to_string().starts_with("--period is 1.5us; "), "{refused}");
    }
}
