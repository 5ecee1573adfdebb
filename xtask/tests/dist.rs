//! Programs of `cargo xtask dist` do what they are copied for, each on its processor or under qemu-user.

use prazo_testing::{Need, or_skip, program, skip};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn programs_that_were_built_for_other_processors_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let programs = programs(&root.join("target/dist"));
    if programs.is_empty() {
        skip!(Need::DistPrograms, "target/dist has none");
    }
    let script = Command::new(root.join("scripts/dist-tests.sh")).arg("--commands").args(&programs).output();
    let output = script.expect("the script starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}");
    let last = printed.lines().last().unwrap_or_default();
    if !last.ends_with(" 0 skipped") {
        skip!(Need::DistPrograms, "{printed}");
    }
}

/// `./run` in a repository of its own, whose only commands are those that it needs: what would install or build is not there.
#[test]
fn run_takes_the_program_of_its_own_commit_and_builds_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let (root, at) = (Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), |name: &str| folder.path().join(name));
    let machine = std::env::consts::ARCH;
    for name in ["scripts", "commands", "target/dist"] {
        std::fs::create_dir_all(at(name)).unwrap();
    }
    for name in ["run", "scripts/setup.sh", "rust-toolchain.toml"] {
        std::fs::copy(root.join(name), at(name)).unwrap();
    }
    let commands = ["bash", "git", "uname", "cat", "cp", "mkdir", "id", "dirname", "sort", "tr", "sed", "grep"];
    for name in commands {
        symlink(or_skip!(program(name)), at("commands").join(name)).unwrap();
    }
    let executable = |name: &str, text: &str| {
        std::fs::write(at(name), text).unwrap();
        std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    executable(&format!("target/dist/prazo-{machine}"), "#!/bin/sh\necho \"measured: $*\"; exit 3\n");
    executable("commands/rustup", "#!/bin/sh\nexit 1\n");
    executable("commands/cargo", "#!/bin/sh\necho built; exit 7\n");
    let git = |words: &[&str]| {
        let names = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
        let output = Command::new("git").args(names).args(words).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "--quiet"]);
    git(&["add", "run", "scripts", "rust-toolchain.toml"]);
    git(&["commit", "--quiet", "-m", "first"]);
    let commit = git(&["rev-parse", "HEAD"]);
    let run = || {
        let mut run = Command::new(at("run"));
        // As root, so that sudo is not asked for; without root it is not there.
        let output = run.args(["-D", "1s"]).env("PATH", at("commands")).env("HOME", folder.path()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    std::fs::write(at(&format!("target/dist/commit-{machine}")), &commit).unwrap();
    let (code, printed, said) = run();
    assert_eq!((code, printed.as_str()), (Some(0), "measured: evaluate -D 1s\n"), "{said}");
    assert!(said.contains("nothing is built again") && at("target/release/prazo").is_file(), "{said}");
    // Another commit's program, and one of sources that were changed since.
    std::fs::write(at(&format!("target/dist/commit-{machine}")), "0123\n").unwrap();
    assert!(!run().2.contains("nothing is built again"));
    std::fs::write(at(&format!("target/dist/commit-{machine}")), &commit).unwrap();
    std::fs::write(at("rust-toolchain.toml"), "[toolchain]\nchannel = \"0.0\"\n").unwrap();
    assert!(!run().2.contains("nothing is built again"));
}

/// `prazo-PROCESSOR`, sorted.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_program = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("prazo-") && !name.contains('.')
    };
    let mut programs: Vec<_> = entries.map(|entry| entry.path()).filter(is_program).collect();
    programs.sort();
    programs
}
