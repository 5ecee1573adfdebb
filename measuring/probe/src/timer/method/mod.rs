//! How a thread waits for its next activation: one file a method, one system call an activation.

pub mod clock_nanosleep;
pub mod nanosleep;
pub mod posix_timer;
pub mod setitimer;
pub mod timerfd;
