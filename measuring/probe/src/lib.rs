//! A plan becomes a run: probes of timers, interrupts, events, wake-ups, noise and task sets, and foreign instruments.
//!
//! [`session`] takes a plan from the first look at the platform to the finished run file. [`timer`], [`interrupt`],
//! [`wakeup`] and [`noise`] measure by themselves, [`event`] has another [`station`] trigger, [`tasks`] runs a set of
//! tasks; [`xenomai`] and [`latmon`] have a co-kernel's tools and a microcontroller measure. `prazo_engine` drives the
//! threads, [`prazo_load`] disturbs, and `prazo_trace` splits latencies ([`split`]), traces [`overheads`] and follows
//! [`activations`].

pub mod event;
pub mod guest_request;
pub mod interrupt;
pub mod latmon;
pub mod noise;
pub mod session;
pub mod station;
pub mod tasks;
pub mod timer;
pub mod wakeup;
pub mod xenomai;

pub use prazo_trace::{activations, overheads, split};

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
