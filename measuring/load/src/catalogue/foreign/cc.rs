//! A small C program of many files, compiled over and over.

use std::fmt::Write as _;
use std::io;

use super::super::super::load_kind::{Invocation, Lasts, LoadKind, Rate, Scene, Side, WORKERS_MAX, Workers};
use super::super::compile;
use prazo_platform::foreign_programs::{CC, XARGS};

pub(super) const KIND: LoadKind = LoadKind {
    name: "cc",
    peer: Some(compile::KIND.name),
    programs: &[CC, XARGS],
    rate: Rate::Workers { default: Workers::PerCpu, most: WORKERS_MAX },
    disk_mb_max: 16,
    prepare,
    steps,
    ..compile::KIND
};

const FILES: usize = 12;
const FUNCTIONS: usize = 30;

/// A kernel tree would have to be fetched; files made here are the same everywhere.
fn prepare(scene: &Scene) -> io::Result<()> {
    let program = source();
    (0..FILES).try_for_each(|file| std::fs::write(scene.work.join(format!("part{file}.c")), &program))
}

fn source() -> String {
    let mut text = String::from("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\n");
    for function in 0..FUNCTIONS {
        let body =
            format!("for (int i = 0; i < n; i++) for (int j = i; j < n; j++) a[i] = a[j] * {function} + sqrt(a[i]);");
        let check = "if (a[0] > 1e9) { printf(\"%f\\n\", a[0]); memset(a, 0, sizeof *a * n); }";
        let _ = writeln!(text, "void part_{function}(double *a, int n) {{ {body} {check} }}");
    }
    text
}

fn steps(scene: &Scene) -> Vec<Invocation> {
    let line = format!("ls part*.c | xargs -n 1 -P {} cc -O2 -c", scene.demand.workers);
    let arguments = vec!["-c".into(), line];
    vec![Invocation { program: "sh", arguments, side: Side::Receiver, lasts: Lasts::OnePass(&[0]) }]
}
