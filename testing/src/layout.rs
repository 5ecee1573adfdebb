//! Sizes and offsets of C structs, as a C compiler has them, for tests of their Rust twins.

use crate::{Need, OrSkipped, Skipped};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// A struct: its name, its size, and name, offset and size of each field.
pub type Shape<'a> = (&'a str, usize, &'a [(&'a str, usize, usize)]);

/// The twins' sizes and offsets, a line each.
pub fn lines(shapes: &[Shape<'_>]) -> String {
    let mut lines = String::new();
    for (name, size, fields) in shapes {
        let _ = writeln!(lines, "{name} {size}");
        for (field, offset, size) in *fields {
            let _ = writeln!(lines, "{name}.{field} {offset} {size}");
        }
    }
    lines
}

/// Statements of C that print the same lines about the structs `PREFIXNAME`.
pub fn statements(prefix: &str, shapes: &[Shape<'_>]) -> String {
    let mut statements = String::new();
    for (name, _, fields) in shapes {
        let _ = writeln!(statements, "printf(\"{name} %zu\\n\", sizeof(struct {prefix}{name}));");
        for (field, ..) in *fields {
            let place = format!("offsetof(struct {prefix}{name}, {field})");
            let room = format!("sizeof(((struct {prefix}{name} *)0)->{field})");
            let _ = writeln!(statements, "printf(\"{name}.{field} %zu %zu\\n\", {place}, {room});");
        }
    }
    statements
}

/// Compiles and runs a program with these statements, which may use what `header` says; a skip without a C compiler.
///
/// # Panics
/// The program does not compile or does not run.
pub fn printed_by_c(header: &Path, statements: &str) -> Result<String, Skipped> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (source, program) = (folder.path().join("layout.c"), folder.path().join("layout"));
    let includes = "#include <stdio.h>\n#include <stddef.h>\n#include <linux/types.h>\n";
    let text = format!("{includes}#include \"{}\"\nint main(void) {{\n{statements}return 0; }}\n", header.display());
    std::fs::write(&source, text).expect("a temporary file can be written");
    let status = Command::new("cc").arg(&source).arg("-o").arg(&program).status().or_skipped(Need::Program("cc"))?;
    assert!(status.success(), "{} does not compile", header.display());
    let output = Command::new(program).output().expect("the program was just made");
    Ok(String::from_utf8(output.stdout).expect("it prints names and numbers"))
}

/// Compares what C printed with the twins' lines.
///
/// # Panics
/// They differ.
pub fn assert_alike(compiled: &str, twins: &str) {
    for (c, rust) in compiled.lines().zip(twins.lines()) {
        assert_eq!(c, rust, "the header (left) and its twin (right) differ");
    }
    assert_eq!(compiled.lines().count(), twins.lines().count());
}
