//! The machine's /proc read over and over, as monitors do.

use super::super::generator::Work;
use super::super::load_kind::{
    Invocation, Lasts, LoadKind, Measure, PLAIN, Rate, Scene, Side, StartsIn, WORKERS_MAX, Workers,
};

pub(super) const KIND: LoadKind = LoadKind {
    name: "proc-read",
    disturbs: "Reading /proc takes locks of the process table, of memory maps and of interrupt statistics, some with \
               interrupts off.",
    source: "Blaess 2014: dohell's cat /proc/interrupts and ps w",
    rate: Rate::Workers { default: Workers::One, most: WORKERS_MAX },
    measure: Measure::Passes,
    starts_in: StartsIn::MachineProc,
    steps,
    ..PLAIN
};

fn steps(scene: &Scene) -> Vec<Invocation> {
    let step = Work::ReadProc.step(scene, Side::Receiver, Lasts::OnePass(&[0]));
    vec![step; scene.demand.workers as usize]
}
