//! Measuring engine: real-time threads and loads; a plan and a platform make a run.
//!
//! [`session`] takes a plan from the first look at the platform to the finished run file, [`tasks`] a set of tasks; [`timer`] and [`interrupt`] measure,
//! [`event`] has another [`station`] trigger, [`wakeup`] has one thread wake another, [`noise`] looks for gaps in busy loops, [`overheads`] traces what the kernel does for many tasks, [`prazo_load`] disturbs, [`watch`] looks at tasks that run already, [`activations`] at any program; [`xenomai`] and [`latmon`] have a co-kernel's tools and a
//! microcontroller measure.

pub mod event;
pub mod interrupt;
pub mod latmon;
pub mod noise;
pub mod session;
pub mod station;
pub mod tasks;
pub mod timer;
pub mod wakeup;
pub mod xenomai;

pub use prazo_trace::{overheads, programs, split};

pub use prazo_engine::{Counted, CpuProgress, Observer, Phase, Progress, StopFlag};

use std::ffi::OsString;
use std::process::ExitCode;

/// Does the work of a child, where this process was started to be one, and answers how to exit; `None` for every other
/// process. `args` begins with the program's name. A program that measures or loads calls this first in its `main`.
pub fn child_main(args: &[OsString]) -> Option<ExitCode> {
    prazo_engine::child::child_main(args, &timer::Timers)
        .or_else(|| prazo_load::child_main(args.get(1..)?))
        .or_else(|| station::child_main(args.get(1..)?))
}
