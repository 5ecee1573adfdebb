//! What a command and all its descendants cost: processor time, waits, switches, faults, from the kernel's own accounting.
//!
//! Data flows platform, probe, run, statistics; this stands beside the probe: a [`Task`](command::Task) comes in, an
//! [`Account`] goes out. No one source of the kernel knows everything, so several watch the same run, and each figure says
//! where it is from and what that leaves out. A figure that no source gives is missing with a reason, never 0.
//!
//! Nothing is left: the command's descendants come to this process when their parents end (it is a subreaper), are
//! waited for up to a limit, and then ended by their ids. docs/cost.md has the definitions.
#![forbid(unsafe_code)]

mod account;
mod apart;
pub mod command;
pub mod companion;
mod counters;
mod descendants;
mod ending;
mod figure;
mod group;
pub mod machine;
mod name;
mod order;
mod run;
mod signals;
mod taskstats;
mod usage;
mod watch;
pub mod workload;

pub use account::Account;
pub use ending::{CommandEnding, Exit};
pub use figure::Figure;
pub use order::{Round, rounds};
pub use run::{CostError, cost};
