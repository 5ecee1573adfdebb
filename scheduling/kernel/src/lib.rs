//! The parts of the kernel that need no machine, so that the host can test them.
#![no_std]
#![forbid(unsafe_code)]

pub mod alarms;
