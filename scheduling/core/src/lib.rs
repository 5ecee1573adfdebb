//! Pure scheduling: the vocabulary that every other crate shares, and the scheduler that simulator and kernel drive.
//!
//! A [`criterion`] ranks jobs, a [`shape`] says how many queues there are and what each serves, the [`scheduler`] decides.
//! Nothing here reads a clock, allocates or does I/O: `now` and `cpu` come in as arguments and values go out, so that a
//! simulator, a kernel and a measuring engine can speak of the same things.
#![no_std]
#![forbid(unsafe_code)]

pub mod behaviour;
pub mod cpu;
pub mod criterion;
pub mod event;
pub mod hash;
mod heads;
pub mod inheritance;
pub mod job;
pub mod overheads;
pub mod overrun;
mod queue;
pub mod rank;
pub mod ratio;
pub mod scheduler;
pub mod server;
pub mod shape;
pub mod task;
pub mod text;
pub mod time;
pub mod time_model;
pub mod verdict;
pub mod words;
