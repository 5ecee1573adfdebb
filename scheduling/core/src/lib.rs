//! Pure scheduling vocabulary that every other crate shares.
//!
//! Nothing here reads a clock, allocates or does I/O: `now` and `cpu` come in as arguments and values go out, so that a
//! simulator, a kernel and a measuring engine can speak of the same things.
#![no_std]
#![forbid(unsafe_code)]

pub mod cpu;
pub mod overheads;
pub mod ratio;
pub mod task;
pub mod time;
