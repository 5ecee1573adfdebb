//! Groups of flags that several commands share, and the values they make.

pub mod interrupt;
pub mod guest;
pub mod load;
pub mod plan;
pub mod requirement;
pub mod sched;
pub mod station;
