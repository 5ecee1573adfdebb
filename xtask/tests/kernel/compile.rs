//! A configuration that cannot be does not compile: the kernel's own sources, with one line of them wrong.

use std::path::{Path, PathBuf};
use std::process::Command;

const LINE: &str = "configuration!(EarliestDeadlineFirst on 4 processors, queues 0..2, 2..4);";

fn kernel() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("scheduling/kernel")
}

/// A copy of the kernel's sources whose clustered configuration is `line`.
fn copy_with(line: &str) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    let folder = kernel();
    for name in ["Cargo.toml", "Cargo.lock", "build.rs", "kernel.ld"] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let beside = format!("\"{}/", folder.parent().unwrap().display());
        std::fs::write(copy.path().join(name), text.replace("\"../", &beside)).unwrap();
    }
    copy_folder(&folder.join("src"), &copy.path().join("src"));
    let file = copy.path().join("src/configuration/clustered_edf.rs");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(LINE), "{text}");
    std::fs::write(file, text.replace(LINE, line)).unwrap();
    copy
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// What the compiler says of the kernel with `line`; nothing where it is content.
fn complaint(line: &str) -> Option<String> {
    let copy = copy_with(line);
    let checked = Command::new("cargo")
        .args(["check", "--quiet", "--target", "x86_64-unknown-none", "--target-dir"])
        .arg(kernel().join("target/wrong"))
        .current_dir(copy.path())
        .output()
        .unwrap();
    (!checked.status.success()).then(|| String::from_utf8_lossy(&checked.stderr).into_owned())
}

#[test]
fn a_wrong_configuration_does_not_compile() {
    assert_eq!(complaint(LINE), None, "as it is, it does");
    let wrong = |queues: &str, why: &str| {
        let line = format!("configuration!(EarliestDeadlineFirst on 4 processors, queues {queues});");
        let complaint = complaint(&line).unwrap_or_else(|| panic!("{line} compiles"));
        assert!(complaint.contains(why), "{line}: {complaint}");
    };
    wrong("0..2, 2..3", "the heads of all queues do not add up to the processors");
    wrong("0..3, 2..3", "each queue begins where the one before it ends");
    wrong("0..0, 0..4", "a queue serves no processor");
}
