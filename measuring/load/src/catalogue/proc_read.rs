//! The machine's /proc read over and over, as monitors do.

use super::super::load_kind::{
    Lasts, LoadKind, Measure, PLAIN, Rate, Scene, Side, StartsIn, Step, WORKERS_MAX, Workers,
};
use super::programs::CAT;

pub(super) const KIND: LoadKind = LoadKind {
    name: "proc-read",
    disturbs: "Reading /proc takes locks of the process table, of memory maps and of interrupt statistics, some with \
               interrupts off.",
    source: "Blaess 2014: dohell's cat /proc/interrupts and ps w",
    programs: &[CAT],
    rate: Rate::Workers { default: Workers::One, most: WORKERS_MAX },
    measure: Measure::Passes,
    starts_in: StartsIn::MachineProc,
    steps,
    ..PLAIN
};

/// A process that ends while it is read makes cat answer 1.
fn steps(scene: &Scene) -> Vec<Step> {
    let line = "exec cat interrupts softirqs stat meminfo vmstat slabinfo [0-9]*/stat [0-9]*/status [0-9]*/maps";
    let arguments = vec!["-c".into(), line.into()];
    let step = Step { program: "sh", arguments, side: Side::Receiver, lasts: Lasts::OnePass(&[0, 1]) };
    vec![step; scene.demand.workers as usize]
}
