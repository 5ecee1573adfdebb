//! Schedulability analysis: a task set and what a platform costs go in, a bound or an answer with its reason comes out.
//!
//! One folder a question, one file a published test. Everything is exact: a set's times are whole ticks, utilizations
//! fractions, and a float appears only where a margin is shown to a reader. Arrivals are at any real instant,
//! including between ticks, unless a caller asks for [`TimeModel::Discrete`]: then a proof holds for arrivals at whole
//! ticks only. Work is counted in evaluated terms, never in seconds, so that an answer is the same on every machine.
#![forbid(unsafe_code)]

pub mod answer;
pub mod blocking;
pub mod budget;
mod capped;
pub mod certificate;
pub mod chain;
pub mod demand;
pub mod disproof;
pub mod exact;
pub mod executor;
pub mod gedf;
pub mod gfp;
pub mod hyperperiod;
pub mod linux;
pub mod mixed;
pub mod overheads;
pub mod partition;
pub mod question;
pub mod reach;
pub mod roomiest;
pub mod schedule_graph;
pub mod sensitivity;
pub mod served;
pub mod set;
pub mod tardiness;
pub mod uniprocessor;

pub use answer::{
    Arrival, ExecutedJob, Finding, LateExecution, LateJob, LatePattern, Margin, MissedJob, Quantity, Reason, Response,
    Verdict,
};
pub use budget::Budget;
pub use prazo_core::task::{DeadlineKind, TICKS_MAX, Task, Ticks};
pub use prazo_core::time_model::TimeModel;
pub use set::{SetError, TaskSet};
