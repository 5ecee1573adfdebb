//! A task set as the kernel takes it from its boot loader: little-endian, of fixed size, read in place without allocation.
//!
//! ```text
//! head      24 bytes   "PRAZOSET", version u16, size of a record u16, records u32, processors u16, queues u16, 0 u32
//! record    64 bytes   cost, period, deadline, offset u64 (ns); jobs u64; budget, server period u64 (ns);
//!                      priority u32, queue u16, overrun policy u8, 0 u8                          ... as many as the head says
//! checksum   4 bytes   CRC-32 (IEEE 802.3) of everything before it
//! ```
//!
//! Every time is in nanoseconds and at most an hour. Who reads a [`TaskTable`] has checked it: each field is as it may be, and
//! not one byte is missing or left over. What a shape makes of it (as many queues, as many processors) is for its reader to say.

mod checksum;
mod fault;
mod record;
mod table;
#[cfg(feature = "std")]
mod write;

pub use fault::{Fault, TableError};
pub use record::{ServerTimes, TaskRecord};
pub use table::TaskTable;
#[cfg(feature = "std")]
pub use write::bytes;

use prazo_core::time::Duration;

/// What a table begins with.
pub const MAGIC: [u8; 8] = *b"PRAZOSET";
/// The version that is written, and the only one that is read.
pub const VERSION: u16 = 1;
/// The longest time that a record may name, so that sums over a run stay small.
pub const LONGEST: Duration = Duration::from_s(3_600);
/// The shortest period of a task or a server: releases closer together than their handling takes would leave no time for
/// anything else, the end of the run included.
pub const SHORTEST_PERIOD: Duration = Duration::from_us(10);

const HEAD: usize = 24;
const RECORD: usize = 64;
const CHECKSUM: usize = 4;

/// The `N` bytes of `bytes` from `at` on. Panics where there are fewer: lengths are checked before.
fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut found = [0; N];
    found.copy_from_slice(&bytes[at..at + N]);
    found
}
