//! Small messages between many processes: the pattern of hackbench.
//!
//! ```text
//! a group: 20 senders ── 100 bytes to each receiver in turn ──► 20 receivers, each with a socket of its own
//! ```

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use super::super::numbers::Numbers;
use super::workers::{self, Endless};

const RECEIVERS: u32 = 20;
const SENDERS: u32 = 20;
const MESSAGE_BYTES: usize = 100;

/// The order in which a sender serves the receivers, again and again.
fn turns(seed: u64, group: u32, sender: u32) -> Vec<u32> {
    Numbers::of_worker(seed, group * SENDERS + sender).shuffled(RECEIVERS)
}

/// Exchanges messages in every group until one of its processes ends.
pub(super) fn exchange(seed: u64, groups: u32) -> Endless {
    (0..groups).try_for_each(|group| start(seed, group))?;
    workers::wait()
}

/// Starts the processes of a group; this one keeps no socket of theirs.
fn start(seed: u64, group: u32) -> io::Result<()> {
    let pairs = (0..RECEIVERS).map(|_| pair()).collect::<io::Result<Vec<_>>>()?;
    let (sending, receiving): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    receiving.iter().try_for_each(|socket| workers::start(|| receive(socket)))?;
    (0..SENDERS).try_for_each(|sender| workers::start(|| send(&sending, &turns(seed, group, sender))))
}

/// Two joined sockets, written and read as files are, which is how hackbench does it.
fn pair() -> io::Result<(File, File)> {
    let (sending, receiving) = UnixStream::pair()?;
    Ok((OwnedFd::from(sending).into(), OwnedFd::from(receiving).into()))
}

fn receive(mut socket: &File) -> Endless {
    let mut message = [0; MESSAGE_BYTES];
    loop {
        socket.read_exact(&mut message)?;
    }
}

fn send(sockets: &[File], turns: &[u32]) -> Endless {
    let message = [0; MESSAGE_BYTES];
    loop {
        for receiver in turns {
            (&sockets[*receiver as usize]).write_all(&message)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_serves_every_receiver_in_an_order_of_its_own_that_the_seed_decides() {
        let mut sorted = turns(1, 0, 0);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..RECEIVERS).collect::<Vec<_>>());
        assert_eq!(turns(1, 2, 3), turns(1, 2, 3));
        assert_ne!(turns(1, 0, 0), turns(1, 0, 1));
        assert_ne!(turns(1, 0, 0), turns(1, 1, 0));
        assert_ne!(turns(1, 0, 0), turns(2, 0, 0));
    }
}
