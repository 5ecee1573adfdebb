//! What a board is asked to do.

use prazo_core::time::Duration;
use std::net::SocketAddr;

/// What a board is asked for.
#[derive(Clone, Copy, Debug)]
pub struct LatmonRequest {
    /// Where it listens.
    pub board: SocketAddr,
    /// Distance of two pulses.
    pub period: Duration,
    /// How long.
    pub length: Duration,
    /// Cells of the histogram, of a microsecond each.
    pub cells: u32,
    /// A silence longer than this is an error; a board speaks about once a second.
    pub patience: Duration,
}
