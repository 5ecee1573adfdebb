//! Why a board measured nothing: what was asked, what came back, what to do.

use prazo_core::time::Duration;
use std::io;
use std::net::SocketAddr;

/// Why there is no run of a board.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // Each variant's message says what it is.
pub enum LatmonError {
    #[error("--period is {0}; a board accepts whole µs from 1 µs to 1 s")]
    Period(Duration),
    #[error("--cells is {0}; a board keeps at most 1000 cells of 1 µs")]
    Cells(u32),
    #[error(
        "no board at {board}: {source}; check that the board runs latmon, and read the board's address on its console"
    )]
    Connect { board: SocketAddr, source: io::Error },
    #[error(
        "lost the connection to the board: {0}; check the board's power, the cable, and that no other client has taken over the board"
    )]
    Broken(#[source] io::Error),
    #[error(
        "the board sent nothing for {seconds} s, probably because its pulses were not answered; check the wiring and start \
         the program that answers"
    )]
    Silent { seconds: u64 },
    #[error("{board} sent data that is not a measurement ({what}); check that it is a latmon board")]
    Garbage { board: SocketAddr, what: String },
    #[error("the board had no result when it was stopped; measure longer than 3 s")]
    Nothing,
}

impl LatmonError {
    /// True where the user asked for something that cannot be.
    pub const fn is_usage(&self) -> bool {
        matches!(self, Self::Period(_) | Self::Cells(_))
    }
}
