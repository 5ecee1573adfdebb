//! Groups of flags that several commands share, and the values they make.

pub mod cpus;
pub mod gate;
pub mod guest;
pub mod interrupt;
pub mod load;
pub mod overheads;
pub mod plan;
pub mod recording;
pub mod requirement;
pub mod sched;
pub mod station;
