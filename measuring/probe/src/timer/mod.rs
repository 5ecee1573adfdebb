//! The timer probe: threads that sleep until an instant and note how late they woke.
//!
//! ```text
//! plan ─► orders ─► workers (thread or child): loop ─► ring ─► recorder: seconds ─► sink, observer
//! ```
//! The loop does one sleep, one clock read, one store; everything else happens on the recording thread, below it.

mod assemble;
pub mod child;
mod control;
pub(crate) mod crossing;
mod engine;
pub mod error;
mod follow;
mod layout;
pub(crate) mod live;
pub(crate) mod measure;
pub mod measured;
pub(crate) mod method;
mod order;
pub mod plan_check;
#[cfg(test)]
#[path = "../../tests/common/plans.rs"]
mod plans;
pub(crate) mod policy;
pub(crate) mod process_settings;
mod recorder;
pub mod refusal;
mod ring;
pub(crate) mod rivals;
pub mod sink;
mod stop_flag;
mod surroundings;
pub(crate) mod sys;
mod team;
mod trace_mark;
mod validity;
mod watch;
pub(crate) mod when_late;
mod worker;

pub use error::{ProbeError, SetupError, SinkError};
pub use measure::{check_plan, measure, measure_event, measure_in};
pub use measured::{Measured, SelfCheck, SeriesOutcome};
pub use plan_check::PlanError;
pub use recorder::Outlets;
pub use sink::{CpuProgress, Observer, Phase, Progress, Sink, Unobserved};
pub use stop_flag::StopFlag;
pub use surroundings::Surroundings;
