//! Any kernel that can print is measured: its stamps come over a serial line and become a run.
//!
//! ```text
//! bytes ─► lines ─► records (checked) ─► received: counts and losses ─► run
//! ```
//! The protocol is docs/serial-line.md; `target/` is its other end. Whatever is damaged, repeated or missing is counted, and the
//! count reaches the run as a caveat.
#![forbid(unsafe_code)]

mod board;
mod emulator;
mod error;
mod image;
mod measure;
mod received;
mod record;
mod run;

pub use board::Board;
pub use emulator::{BoardEmulator, EmulatedGuest, PROGRAM};
pub use error::SerialError;
pub use measure::{INSTRUCTION_FACT, Request, SerialSource, measure};
pub use received::Received;
pub use record::{Header, NotARecord, SerialRecord, parse};
pub use run::{POLICY_FACT, TASKS_FACT, TOOL};
