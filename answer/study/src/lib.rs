//! Studies: platforms, loads and probes as data, and claims about the outcome, each checked against what was measured.
//!
//! ```text
//! TOML ─► Study ─► cells ─► Runner (measures or imports what is missing) ─► Evidence ─► claims ─► StudyResult
//! ```
//! A study is data: nothing here knows a paper or a board. What measures ([`Measure`]) and what keeps files ([`RunStorage`])
//! come in as traits, so that a study can be tried without root, without a disk and without waiting.
#![forbid(unsafe_code)]

pub mod builtin;
pub mod cell;
pub mod cell_measurer;
pub mod claim;
pub mod cost;
pub mod costed;
pub mod error;
pub mod evidence;
pub mod figure;
pub mod function_difference;
pub mod gate;
mod gathered;
pub mod guest;
pub mod hunt;
pub mod import;
pub mod interrupt_line;
pub mod journal;
pub mod load;
pub mod matrix;
pub mod measure;
mod missing;
mod needs;
mod on_board;
pub mod order;
mod outdated;
pub mod pair;
pub mod probe;
mod remote_target;
pub mod replay;
pub mod result;
pub mod run_storage;
pub mod runner;
pub mod seeds;
pub mod stated;
mod stated_and_measured;
pub mod statistic;
pub mod study;
pub mod table;
pub mod task_sets;
mod together;
mod toml_values;
pub mod work_list;

pub use cell::{Cell, CellSource, Here};
pub use claim::{Check, Claim};
pub use error::RunnerError;
pub use evidence::Evidence;
pub use figure::Figures;
pub use guest::{GuestError, GuestRequest};
pub use measure::{Measure, MeasureError, PlannedRun, StudyStep};
pub use missing::missing_programs;
pub use on_board::PlanFile;
pub use remote_target::{LAB, RemoteTarget};
pub use result::{CellResult, CellState, StudyResult};
pub use run_storage::{FileStorage, RunStorage};
pub use runner::{Finished, Runner};
pub use seeds::Seeds;
pub use stated_and_measured::StatedAndMeasured;
pub use study::Study;
