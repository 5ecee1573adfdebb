//! Why a board measured nothing: what was asked, what came back, what to do.

use std::io;
use std::net::SocketAddr;

/// Why there is no run of a board.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // Each variant's message says what it is.
pub enum LatmonError {
    #[error("--period {0} us is not one that a board takes: 1 us to 1 s, in whole microseconds")]
    Period(u64),
    #[error("--cells {0} is more than a board keeps; at most 1000, of a microsecond each")]
    Cells(u32),
    #[error("no board at {board}: {source}; see that it runs latmon, and which address it tells on its console")]
    Connect { board: SocketAddr, source: io::Error },
    #[error("the connection to the board broke: {0}; power, cable, or another client that took it over")]
    Broken(#[source] io::Error),
    #[error(
        "the board said nothing for {seconds} s; nothing answers its pulses: wire its lines and start the program that answers"
    )]
    Silent { seconds: u64 },
    #[error("what came from {board} is no measurement ({what}); is it a latmon board?")]
    Garbage { board: SocketAddr, what: String },
    #[error("the board had measured nothing when it was stopped; measure longer than 3 s")]
    Nothing,
}

impl LatmonError {
    /// True where the user asked for something that cannot be.
    pub const fn is_usage(&self) -> bool {
        matches!(self, Self::Period(_) | Self::Cells(_))
    }
}
