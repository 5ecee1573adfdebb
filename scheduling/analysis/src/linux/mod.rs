//! What Linux would say of a task set under SCHED_DEADLINE, beside what is guaranteed.
//!
//! The two differ. Admission looks at bandwidth alone, runtime over period, and leaves the deadline out; on one processor
//! and with D = T that is enough for every deadline, on several it bounds only how late a job can be.

pub mod admission;
mod guarantee;

pub use admission::{Admission, Bandwidth, Limits, Refusal, Reservation, Server, admission};
pub use guarantee::{Guarantee, guarantee};
