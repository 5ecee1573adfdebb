//! The file tree searched for source files, and a word in them.

use super::super::load_kind::{Lasts, LoadKind, Measure, PLAIN, Rate, Scene, Side, Step, WORKERS_MAX, Workers};
use super::programs::{FIND, GREP, XARGS};

pub(super) const KIND: LoadKind = LoadKind {
    name: "file-tree",
    disturbs: "The virtual file system: directories, inodes and small files, first from disk, then from caches that \
               the kernel must reclaim.",
    source: "Regnier 2008 and Regnier 2008 (WSO), section 5.2: find / -name \"*.c\" | xargs egrep include; Blaess 2014: dohell's ls -lR /",
    programs: &[FIND, XARGS, GREP],
    rate: Rate::Workers { default: Workers::One, most: WORKERS_MAX },
    measure: Measure::BusyProcessors,
    steps,
    ..PLAIN
};

/// `-xdev` keeps out of network mounts, /proc and /sys; xargs answers 123 where grep found nothing in a file.
fn steps(scene: &Scene) -> Vec<Step> {
    let line = "find / -xdev -type f -name '*.[ch]' -print0 | xargs -0 grep --count include";
    let arguments = vec!["-c".into(), line.into()];
    let step = Step { program: "sh", arguments, side: Side::Receiver, lasts: Lasts::OnePass(&[0, 1, 123]) };
    vec![step; scene.demand.workers as usize]
}
