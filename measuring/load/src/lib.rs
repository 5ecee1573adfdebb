//! Named disturbances beside a measurement: each contained, each in its rhythm, each with the rate that it really reached.
//!
//! A plan names loads of the [`catalogue`]; [`start`] prepares and starts them; [`Loads::mark_start`] says when measuring
//! began; [`Loads::stop`] ends them and gives the records and caveats for the run. Each load runs under a keeper of its own
//! (`keeper/`); prazo's own loads are made by `generator/`. Both are this program again: `main` calls [`child_main`] before
//! anything else.
//!
//! ```no_run
//! use prazo_run::plan::LoadPlan;
//!
//! let arguments: Vec<_> = std::env::args_os().skip(1).collect();
//! if let Some(code) = prazo_load::child_main(&arguments) {
//!     std::process::exit(if code == std::process::ExitCode::SUCCESS { 0 } else { 1 });
//! }
//! let flood = LoadPlan { name: "udp-flood".into(), rate: Some(50_000.0), rhythm: None };
//! let loads = prazo_load::start(&[flood], 1, &prazo_load::Options::default()).unwrap();
//! let (records, caveats) = loads.stop();
//! ```

mod cards;
mod catalogue;
mod containment;
mod counters;
mod error;
mod finished_load;
mod folder;
pub mod foreign_application;
mod generator;
mod keeper;
mod kept;
mod load_kind;
mod loads;
mod numbers;
pub mod rhythm;
mod system_calls;
mod versions;

pub use cards::{Cards, ethernet_address};
pub use catalogue::{catalogue, find, over_cards};
pub use containment::Containment;
pub use counters::{CountedRate, idle_rates};
pub use error::LoadError;
pub use generator::card_flood::flood_another;
pub use load_kind::{BadRate, LoadKind, Measure, Rate, Workers};
pub use loads::{KeeperId, LoadState, LoadStatus, Loads, Options, start, start_unless};

/// Becomes a keeper or a generator if `args` (the program's own name left out) ask for one, and returns when its work is over.
///
/// Every program that calls [`start`] calls this first in its `main`, before it starts any thread: keepers and prazo's own
/// generators are the same program again.
pub fn child_main(args: &[std::ffi::OsString]) -> Option<std::process::ExitCode> {
    keeper::child_main(args).or_else(|| generator::child_main(args))
}
