//! One processor: does earliest deadline first, or a fixed order of tasks, serve every deadline, and how long can a job
//! take?
//!
//! Here the theory is exact. What a bin of a partitioned system needs is one of [`edf::test`] and [`fixed_priority::test`];
//! the others are cheaper and weaker, or answer a finer question.
//!
//! All of it holds for arrivals at any real instant. On one processor the worst arrivals are known: all tasks together, as late
//! as their jitter allows, and then as often as they may (under EDF, the response time of one task also depends on when it
//! arrives itself). The work that has arrived by then steps at whole ticks only, so the first instant at which it is done is
//! a whole tick, and no arrival between ticks is worse. So a job that misses does so at whole ticks too, and the tests are exact
//! in both time models.

pub mod edf;
pub mod fixed_priority;
pub mod priority;
