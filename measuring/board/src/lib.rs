//! Boards reached over SSH: this program is copied there, runs there, and its results come back.
//!
//! ```text
//! here                                 the board
//! session ──ssh, a beat a second──►    survey.sh     the folder; ends when the connection does
//! job     ──ssh, a copied prazo───►    guard ──► prazo COMMAND ...
//!         ◄──ssh, a tar archive────    pack          what it wrote
//! ```
//! OpenSSH's own client carries everything, so the user's configuration, keys and jump hosts hold; nothing listens on the
//! board. All of a job lies in one private folder there. The guard ends the command when no beat arrives any more.
#![forbid(unsafe_code)]

mod address;
mod board;
mod elf;
mod error;
pub mod guard;
mod job;
mod pack;
mod program;
mod session;
mod ssh;
mod survey;

pub use address::{Address, AddressError};
pub use board::Board;
pub use error::BoardError;
pub use job::{Argument, Done, Job, JobEnding, Output, fetch};
