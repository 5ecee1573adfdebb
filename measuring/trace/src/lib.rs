//! What the kernel did while something was measured, seen by BPF on a stock kernel: latencies [`split`] into parts with the causes of the
//! worst ones, scheduling [`overheads`] of many tasks, and the jobs of programs that run already ([`watch`]).

pub mod answerer;
pub mod overheads;
pub mod split;
pub mod watch;
