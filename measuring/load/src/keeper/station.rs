//! The keeper's end of its socket to prazo, which is its standard input.
//!
//! Prazo may be busy measuring for hours without reading. So nothing here ever waits for it: what the socket does not
//! take is kept and offered again with the next report.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use super::request::{GO, Report};

/// The keeper's end of the socket.
#[derive(Debug)]
pub(super) struct Station {
    socket: UnixStream,
    unsent: Vec<u8>,
}

/// What prazo has said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Nothing new.
    None,
    /// Turn the load on.
    Go,
    /// End; or prazo is gone, which is the same.
    End,
}

impl Station {
    /// Takes standard input for the socket.
    pub(super) fn new() -> io::Result<Self> {
        let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        socket.set_nonblocking(true)?;
        Ok(Self { socket, unsent: Vec::new() })
    }

    /// Reports to prazo, now or with a later report. An error means that nobody will read any more.
    pub(super) fn say(&mut self, report: &Report) -> io::Result<()> {
        self.unsent.extend(serde_json::to_vec(report)?);
        self.unsent.push(b'\n');
        self.offer()
    }

    /// What prazo has said since the last call.
    pub(super) fn listen(&mut self) -> Word {
        match self.socket.read(&mut [0]) {
            Ok(0) => Word::End,
            Ok(_) => Word::Go,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Word::None,
            Err(_) => Word::End,
        }
    }

    fn offer(&mut self) -> io::Result<()> {
        while !self.unsent.is_empty() {
            match self.socket.write(&self.unsent) {
                Ok(taken) => drop(self.unsent.drain(..taken)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl AsFd for Station {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// The other end: what prazo sends to turn a load on.
pub(crate) fn go(mut socket: &UnixStream) -> io::Result<()> {
    socket.write_all(&[GO])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (Station, UnixStream) {
        let (socket, prazo) = UnixStream::pair().unwrap();
        socket.set_nonblocking(true).unwrap();
        (Station { socket, unsent: Vec::new() }, prazo)
    }

    #[test]
    fn a_prazo_that_does_not_read_holds_nothing_up_and_loses_nothing() {
        let (mut station, prazo) = pair();
        const REPORTS: u64 = 20_000;
        for at_ns in 0..REPORTS {
            station.say(&Report::On { at_ns }).unwrap();
        }
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            (&prazo).read_to_string(&mut text).unwrap();
            text
        });
        while !station.unsent.is_empty() {
            station.offer().unwrap();
            std::thread::yield_now();
        }
        drop(station);
        let text = reader.join().unwrap();
        let seen: Vec<u64> = text
            .lines()
            .map(|line| match serde_json::from_str(line).unwrap() {
                Report::On { at_ns } => at_ns,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(seen, (0..REPORTS).collect::<Vec<_>>());
    }

    #[test]
    fn prazo_s_end_and_its_word_are_told_apart() {
        let (mut station, prazo) = pair();
        assert_eq!(station.listen(), Word::None);
        go(&prazo).unwrap();
        assert_eq!(station.listen(), Word::Go);
        drop(prazo);
        assert_eq!(station.listen(), Word::End);
        assert!(station.say(&Report::On { at_ns: 0 }).is_err());
    }
}
