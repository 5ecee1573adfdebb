//! Latmon as the outside world: a microcontroller board pulses a line, times the answer of the machine under test, and streams what
//! it measured over TCP.
//!
//! ```text
//! prazo ── request (period, cells) ──►  board: pulse ─► machine ─► answer, every period
//!       ◄── bulk, bulk, .. (each a second's count, minimum, maximum, sum)
//!       ── request (0, 0) ───────────►
//!       ◄── last bulk, empty bulk, histogram (cells of a microsecond)
//! ```
//! The protocol is the one that EVL's latmus and Zephyr's latmon speak, port 2306, all numbers big-endian. prazo only reads the board:
//! who answers its pulses is the user's own program or latmus, and that is whose response is measured.

mod client;
mod collected;
mod error;
pub mod protocol;
mod request;

pub use client::measure;
pub use error::LatmonError;
pub use request::LatmonRequest;
