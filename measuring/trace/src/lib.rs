//! What the kernel did while something was measured, seen by BPF on a stock kernel: latencies [`split`] into parts with the causes of the
//! worst ones, the gaps of busy loops into [`noise`] of each kind, scheduling [`overheads`] of many tasks, and the activations of any of the [`programs`] that run, or their jobs where they are deployed.

pub mod activations;
pub mod answerer;
pub mod noise;
pub mod overheads;
mod short_time;
pub mod split;
mod thread_name;
