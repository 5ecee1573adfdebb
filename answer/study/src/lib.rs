//! Studies: platforms, loads and probes as data, and claims about the outcome, each checked against what was measured.
//!
//! ```text
//! TOML ─► Study ─► cells ─► Runner (measures or imports what is missing) ─► Evidence ─► claims ─► StudyResult
//! ```
//! A study is data: nothing here knows a paper or a board. What measures ([`Measure`]) and what keeps files ([`Shelf`])
//! come in as traits, so that a study can be tried without root, without a disk and without waiting.
#![forbid(unsafe_code)]

mod beside;
pub mod builtin;
pub mod cell;
pub mod claim;
pub mod cost;
pub mod costed;
mod edge;
pub mod engine;
pub mod error;
pub mod evidence;
pub mod figure;
pub mod gate;
mod gathered;
pub mod guest;
pub mod hunt;
pub mod import;
pub mod journal;
pub mod line;
pub mod load;
pub mod matrix;
pub mod measure;
mod missing;
mod needs;
mod on_board;
pub mod order;
mod outdated;
pub mod pair;
mod place;
pub mod probe;
pub mod replay;
pub mod result;
pub mod runner;
pub mod seeds;
pub mod shelf;
pub mod stated;
pub mod statistic;
pub mod study;
pub mod table;
pub mod task_sets;
mod together;
pub mod work_list;

pub use beside::Beside;
pub use cell::{Cell, Here, Way};
pub use claim::{Check, Claim};
pub use error::RunnerError;
pub use evidence::Evidence;
pub use figure::Figures;
pub use guest::{GuestError, GuestRequest};
pub use measure::{Measure, MeasureError, Step, Work};
pub use missing::missing_programs;
pub use on_board::PlanFile;
pub use place::{LAB, Place};
pub use result::{CellResult, CellState, StudyResult};
pub use runner::{Finished, Runner};
pub use seeds::Seeds;
pub use shelf::{FileShelf, Shelf};
pub use study::Study;
