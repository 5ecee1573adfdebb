//! What two programs agree on: record layouts that Rust shares with C, each a header in `include/` and its twin here, compared
//! by a test; and the paths and the answer that the lab and the agent in its guests agree on ([`guest`]). Crates that have C code of their own
//! declare twins with [`record!`].
//!
//! A record is read and written by bytes, field by field and in the machine's own order, so that neither side trusts the other's
//! compiler and no unsafe code is needed.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod guest;
pub mod irqlat;
mod record;

pub use record::{Field, Record};
