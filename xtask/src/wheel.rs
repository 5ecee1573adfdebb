//! The wheel: the module for Python, its package, and the program of `cargo xtask dist` as a script, packed by maturin.

use crate::dist::TARGETS;
use prazo_lab::agent;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What to pack.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Processor, as `uname -m` names it [default: this machine's]
    #[arg(long, value_name = "PROCESSOR", value_parser = ["x86_64", "aarch64"], default_value = std::env::consts::ARCH)]
    target: String,
    /// How the module is compiled; `wheel` is what is published
    #[arg(long, default_value = "wheel")]
    profile: String,
}

/// The lowest version of the C library that the wheel runs with: Debian 11's.
const COMPATIBLE: &str = "manylinux_2_31";

impl Args {
    /// Packs it into `target/wheels`.
    pub(crate) fn run(&self) -> Result<(), String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask is not in a workspace")?;
        let target = TARGETS.iter().find(|one| one.machine == self.target).ok_or("it is no target")?;
        let python = root.join("answer/python");
        let program = root.join("target/dist").join(format!("prazo-{}", target.machine));
        if !program.is_file() {
            let machine = target.machine;
            return Err(format!(
                "{} is missing, and the wheel carries it: `cargo xtask dist --target {machine}`",
                program.display()
            ));
        }
        copy(&program, &python.join("prazo.data/scripts/prazo"))?;
        for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
            copy(&root.join(license), &python.join(license))?;
        }
        let mut maturin = Command::new("maturin");
        maturin.current_dir(&python).args(["build", "--locked", "--strip", "--profile", &self.profile]);
        maturin.args(["--target", target.triple, "--compatibility", COMPATIBLE, "--auditwheel", "skip", "--out"]);
        maturin.arg(root.join("target/wheels"));
        agent::build::from_any_folder(&mut maturin, root, target.triple, target.cross_compiler());
        // A module is loaded by a program that has a C library, so that one inside would be a second.
        maturin.current_dir(&python).env("RUSTFLAGS", module_flags(root));
        let status =
            maturin.status().map_err(|error| format!("cannot start maturin: {error}; `pip install maturin`"))?;
        if status.success() { Ok(()) } else { Err("maturin could not build the wheel".into()) }
    }
}

fn module_flags(root: &Path) -> String {
    format!("--remap-path-prefix={}=/prazo", root.display())
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |error| format!("cannot write {}: {error}", to.display());
    to.parent().map_or(Ok(()), fs::create_dir_all).map_err(failed)?;
    fs::copy(from, to).map(drop).map_err(failed)
}
