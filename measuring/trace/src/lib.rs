//! What the kernel did while something was measured, seen by BPF on a stock kernel: latencies [`split`] into parts with the causes of the
//! worst ones, the gaps of busy loops into [`noise`] of each kind, scheduling [`overheads`] of many tasks, the jobs of deployed tasks ([`watch`]), and the [`activations`] of any program.

pub mod activations;
pub mod answerer;
pub mod noise;
pub mod overheads;
mod short_time;
pub mod split;
pub mod watch;
