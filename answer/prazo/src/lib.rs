//! The library: one function for each thing that prazo does.
//!
//! A typed request comes in and a typed answer goes out; what happens meanwhile goes to the caller's [`Progress`]. Nothing is
//! printed, nothing is parsed from text that another part of prazo wrote, and no exit status is known here. The answers
//! serialize to the documents of `docs/schema`. The `prazo` command is flags, one call and printing over these functions;
//! Python and tests call the same ones.
//!
//! ```text
//! request ─► prazo::sched::verify(&request, &mut progress) ─► answer, or Error
//! ```
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

pub mod board;
pub mod check;
mod cluster;
pub mod cost;
pub mod dates;
mod error;
pub mod evaluate;
pub mod export;
pub mod files;
pub mod guest;
pub mod import;
pub mod lab;
pub mod load;
pub mod load_peers;
pub mod measure;
pub mod output;
pub mod overhead_table;
mod program_costs;
mod progress;
pub mod report;
pub mod report_content;
pub mod sched;
pub mod schema;
mod serve;
mod shared_progress;
pub mod study;
pub mod trigger;
pub mod tune;
pub mod watch;

pub use error::{BadRequest, Error, Fault};
pub use progress::{Count, FileKind, Glance, GuestProgress, Progress, Quiet, Remark, Stop};
