//! Where a wake-up's time goes, on a stock kernel: BPF stamps inside the kernel, joined with the threads' own stamps.
//!
//! ```text
//! due ─ timer slack ─► expiry ─ interrupt ─► handler ─ handling ─► waking ─ wake-up ─► switch ─ own stamp ─► t3
//! interrupt ─ thread start ─► thread ─ receive path ─► receive stamp ─ handling ─► waking ─ wake-up ─► switch ─ own stamp ─► t3
//! ```
//! No system call is traced and the measuring loop does not change: what the kernel saw of a wake-up is joined later, by the
//! recording thread, with the sample that the loop stored. What cannot be joined is counted with a reason. Without BPF, BTF
//! or privileges the run says so and is otherwise the same.

mod around_text;
mod arrival;
mod card;
pub(crate) mod cause;
pub(crate) mod causes;
mod error;
pub(crate) mod events;
pub(crate) mod join;
pub mod objects;
pub(crate) mod parts;
pub(crate) mod program;
pub(crate) mod quantities;
pub(crate) mod record;
mod splitter;
mod urgent;

pub use error::NoSplit;
pub use splitter::{SeriesSplit, Splitter};
