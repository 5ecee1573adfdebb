//! What the kernel's scheduling costs many periodic tasks: BPF stamps pairs of instants around each piece of its work.
//!
//! ```text
//! tasks (threads) ─ run ─►  kernel: pairs of stamps ─► records, a stretch for each processor
//! records ─(after the end)─► kinds: samples, marked pairs ─► sink
//! ```
//! The part that Feather-Trace plays for LITMUS^RT in Vitor 2013 section IV, on a stock kernel. Nothing reads while the tasks run,
//! so that the same plan takes the same way each time; a pair that is no clean sample is marked and counted. What a kernel does
//! not let us trace has a reason instead of samples, and the other kinds are measured all the same.

mod cache;
mod chain;
mod draw;
mod kinds;
mod measure;
mod points;
mod record;
mod symbols;
mod task;
mod team;
mod trace;

pub use draw::{Draw, PRIORITY};
pub use kinds::{NOT_ASKED, series_of};
pub use measure::{OverheadsMeasured, check, measure};
