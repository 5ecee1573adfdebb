//! What every probe drives: real-time threads that wait for an instant and note how late they woke.
//!
//! ```text
//! plan ─► orders ─► workers (thread or child): loop ─► ring ─► recorder: seconds ─► sink, observer
//! ```
//! The loop does one sleep (or a busy loop's look at the clock), one clock read, one store; everything else happens on the recording thread, below it.

mod assemble;
pub mod child;
mod control;
pub mod crossing;
pub mod error;
pub mod follow;
mod layout;
pub mod live;
mod machine_readings;
mod measure;
pub mod measured;
pub mod plan_check;
#[cfg(test)]
#[path = "../../probe/tests/common/plans.rs"]
mod plans;
pub mod policy;
pub mod process_settings;
mod recorder;
mod ring;
pub mod rivals;
mod serve;
pub mod sink;
mod stop_flag;
mod surroundings;
mod team;
mod thread_defaults;
pub mod timer;
mod trace_mark;
mod validity;
mod wait_source;
pub mod when_late;
mod worker;
mod worker_request;

pub use error::{ProbeError, SetupError, SinkError};
pub use machine_readings::{between_readings, stolen_ns};
pub use measure::{check_plan, machine, measure, not_followed};
pub use measured::{Measured, SelfCheck, SeriesOutcome};
pub use plan_check::PlanError;
pub use recorder::Outlets;
pub use serve::Pace;
pub use sink::{Counted, CpuProgress, Observer, Phase, Progress, Sink, Unobserved};
pub use stop_flag::StopFlag;
pub use surroundings::Surroundings;
pub use thread_defaults::{LEAD_NS, STACK_BYTES};
pub use trace_mark::MarkedTrace;
pub use wait_source::WaitSource;
pub use worker::{Activations, Finished};
pub use worker_request::WorkerRequest;
