//! Priority inversions that priority inheritance ends.

use super::super::super::generator::INVERSION_PRIORITIES;
use super::super::super::load_kind::{Invocation, Lasts, LoadKind, Rate, Scene, Side, Workers, words};
use super::super::priority_inversion::{self, GROUPS_MAX};
use prazo_core::text::counted;
use prazo_platform::foreign_programs::PI_STRESS;
use prazo_platform::root::Root;
use prazo_sys::scheduling;
use std::io;

pub(super) const KIND: LoadKind = LoadKind {
    name: "pi-stress",
    peer: Some(priority_inversion::KIND.name),
    programs: &[PI_STRESS],
    // Its main thread is one above its groups.
    real_time: Some(INVERSION_PRIORITIES[2] + 1),
    rate: Rate::Workers { default: Workers::One, most: GROUPS_MAX },
    prepare: |scene| leaves_a_processor(scene.demand.workers),
    steps,
    ..priority_inversion::KIND
};

/// Its threads never sleep. Where the kernel throttles no real-time threads, as many groups as processors would hang the machine.
fn leaves_a_processor(groups: u32) -> io::Result<()> {
    let usable = scheduling::affinity()?.iter().count();
    let runtime_us = Root::system().read("/proc/sys/kernel/sched_rt_runtime_us").unwrap_or_default();
    if (groups as usize) < usable || runtime_us.trim() != "-1" {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "pi_stress never sleeps, and the kernel does not throttle real-time threads (sched_rt_runtime_us is -1): {} would \
         leave no processor to ordinary threads; give fewer groups, or use the load priority-inversion",
        counted(groups.into(), "group")
    )))
}

/// The priorities of prazo's own threads: pi_stress' own defaults are among those of measured threads.
fn steps(scene: &Scene) -> Vec<Invocation> {
    let [low, medium, high] = INVERSION_PRIORITIES;
    let thread = |id, priority| format!("--sched id={id},policy=fifo,priority={priority}");
    let threads = [thread("low", low), thread("med", medium), thread("high", high)].join(" ");
    let arguments = words(&format!("--groups {} --quiet {threads}", scene.demand.workers));
    vec![Invocation { program: "pi_stress", arguments, side: Side::Receiver, lasts: Lasts::ForEver }]
}
