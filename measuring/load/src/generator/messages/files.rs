//! Messages through the kernel: two joined sockets or a pipe, written and read as files are, which is how hackbench does it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use super::channel::{Channel, MESSAGE_BYTES, Message};

/// Both ends of a channel. Messages of several writers do not mix: each is one write that the kernel keeps together.
pub(super) struct Files {
    sending: File,
    receiving: File,
}

impl Files {
    pub(super) fn sockets() -> io::Result<Self> {
        UnixStream::pair().map(|(sending, receiving)| Self::of(sending, receiving))
    }

    pub(super) fn pipe() -> io::Result<Self> {
        io::pipe().map(|(receiving, sending)| Self::of(sending, receiving))
    }

    fn of(sending: impl Into<OwnedFd>, receiving: impl Into<OwnedFd>) -> Self {
        Self { sending: sending.into().into(), receiving: receiving.into().into() }
    }
}

impl Channel for Files {
    fn send(&self, message: &Message) -> io::Result<()> {
        (&self.sending).write_all(message)
    }

    fn receive(&self) -> io::Result<Message> {
        let mut message = [0; MESSAGE_BYTES];
        (&self.receiving).read_exact(&mut message)?;
        Ok(message)
    }
}
