//! A hunt: which seeds, phases, rates and rhythms of a guest's boot give the largest latency, and which load is its cause.
//!
//! ```text
//! Space ─► generation ─► Candidate ─► a study of one cell (TOML) ─► boot ─► latency ─► the next generation
//!                            └─► cause: the same without a load, or with one that ends earlier
//! ```
//! Everything here is a pure function of the hunt's seed and of the latencies so far: a hunt that was interrupted goes on as if it
//! had not been, and the number of workers changes nothing. A candidate's file is a study, so that `prazo study run` measures it,
//! `prazo gate` judges it, and `prazo lab explain` explains its run.

mod candidate;
mod cause;
mod drawn;
mod draws;
mod search;
mod space;

pub use candidate::{CELL, Candidate, Change, LoadChoice, OnOff};
pub use cause::{Boots, Cause, LastInstant, Latencies, ShortestPause, Without, boots_max, cause};
pub use search::{Method, Tried, generation};
pub use space::{LoadRange, Rates, Space, SpaceError, Task};
