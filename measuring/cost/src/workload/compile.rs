//! A generated C program of many files, compiled by make.

use super::kind::{Scene, Workload, always, no_server};
use prazo_platform::foreign_programs::{CC, MAKE};
use std::fmt::Write as _;
use std::io;

pub(super) const WORKLOAD: Workload = Workload {
    name: "compile",
    what: "Compiles generated C files on all processors: short-lived processes, page faults and computation.",
    source: "Regnier 2008 and Regnier 2008 (WSO), section 5.2: make in a kernel source tree",
    unit: "files",
    first_size: 2,
    programs: &[MAKE, CC],
    prepare,
    server: no_server,
    check: always,
    command,
};

const FUNCTIONS: u64 = 6;

/// As many sources as the size says, and no object of an earlier run.
fn prepare(scene: &Scene, size: u64) -> io::Result<()> {
    for index in 0..size {
        let source = scene.work.join(format!("part{index}.c"));
        if !source.exists() {
            std::fs::write(source, program(index))?;
        }
        match std::fs::remove_file(scene.work.join(format!("part{index}.o"))) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    std::fs::write(scene.work.join("Makefile"), "all: $(patsubst %,part%.o,$(PARTS))\n%.o: %.c\n\tcc -O2 -c -o $@ $<\n")
}

fn program(index: u64) -> String {
    let mut text = String::from("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n");
    for function in 0..FUNCTIONS {
        let body = format!(
            "for (int i = 0; i < n; i++) for (int j = i; j < n; j++) a[i] = a[j] * {function} + a[i] / {};",
            index + 1
        );
        let _ = writeln!(
            text,
            "void part_{index}_{function}(double *a, int n) {{ {body} if (a[0] > 1e9) printf(\"%f\\n\", a[0]); }}"
        );
    }
    text
}

fn command(scene: &Scene, size: u64) -> Vec<String> {
    let parts: Vec<String> = (0..size).map(|index| index.to_string()).collect();
    vec!["make".into(), "--silent".into(), format!("--jobs={}", scene.processors), format!("PARTS={}", parts.join(" "))]
}
