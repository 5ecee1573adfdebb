//! How a thread waits for its next activation: one file a method, one system call an activation.

pub(super) mod clock_nanosleep;
pub(super) mod nanosleep;
pub(super) mod posix_timer;
pub(super) mod setitimer;
pub(super) mod timerfd;
