//! The file tree searched for source files, and a word in them.

use super::super::super::load_kind::{Invocation, Lasts, LoadKind, Scene, Side, nothing};
use super::super::file_tree;
use prazo_platform::foreign_programs::{FIND, GREP, XARGS};

pub(super) const KIND: LoadKind = LoadKind {
    name: "find-grep",
    peer: Some(file_tree::KIND.name),
    programs: &[FIND, XARGS, GREP],
    disk_mb_max: 0,
    prepare: nothing,
    steps,
    ..file_tree::KIND
};

/// `-xdev` keeps out of network mounts, /proc and /sys; xargs answers 123 where grep found nothing in a file.
fn steps(scene: &Scene) -> Vec<Invocation> {
    let line = "find / -xdev -type f -name '*.[ch]' -print0 | xargs -0 grep --count include";
    let arguments = vec!["-c".into(), line.into()];
    let step = Invocation { program: "sh", arguments, side: Side::Receiver, lasts: Lasts::OnePass(&[0, 1, 123]) };
    vec![step; scene.demand.workers as usize]
}
