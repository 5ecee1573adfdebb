//! What the kernel did while something was measured, seen by BPF on a stock kernel: latencies [`split`] into parts with the causes of the
//! worst ones, the gaps of busy loops into [`noise`] of each kind, scheduling [`overheads`] of many tasks, the jobs of [`deployed`] tasks, and the activations of any of the [`programs`] that run.

pub mod answerer;
pub mod deployed;
pub mod noise;
pub mod overheads;
pub mod programs;
mod short_time;
pub mod split;
