//! Priority inversions that priority inheritance ends.

use super::super::super::generator::INVERSION_PRIORITIES;
use super::super::super::load_kind::{Lasts, LoadKind, Scene, Side, Step, words};
use super::super::priority_inversion;
use prazo_platform::foreign_programs::PI_STRESS;

pub(super) const KIND: LoadKind = LoadKind {
    name: "pi-stress",
    peer: Some(priority_inversion::KIND.name),
    programs: &[PI_STRESS],
    // Its main thread is one above its groups.
    real_time: Some(INVERSION_PRIORITIES[2] + 1),
    prepare: |_| Ok(()),
    steps,
    ..priority_inversion::KIND
};

/// The priorities of prazo's own threads: pi_stress' own defaults are among those of measured threads.
fn steps(scene: &Scene) -> Vec<Step> {
    let [low, medium, high] = INVERSION_PRIORITIES;
    let thread = |id, priority| format!("--sched id={id},policy=fifo,priority={priority}");
    let threads = [thread("low", low), thread("med", medium), thread("high", high)].join(" ");
    let arguments = words(&format!("--groups {} --quiet {threads}", scene.demand.workers));
    vec![Step { program: "pi_stress", arguments, side: Side::Receiver, lasts: Lasts::ForEver }]
}
