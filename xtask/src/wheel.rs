//! The wheels: the module for Python, its package, and the program of `cargo xtask dist` as a script, packed by maturin; and the agents that
//! the program has behind it, which `prazo[lab]` installs.

use crate::dist::TARGETS;
use crate::root::root;
use prazo_lab::agent;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What to pack.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Processor, as `uname -m` names it [default: this machine's]
    #[arg(long, value_name = "PROCESSOR", value_parser = ["x86_64", "aarch64"], default_value = std::env::consts::ARCH)]
    target: String,
    /// How the module is compiled; `wheel` is what is published
    #[arg(long, default_value = "wheel")]
    profile: String,
    /// Program to carry, such as target/release/prazo [default: target/dist/prazo-PROCESSOR]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// The lowest version of the C library that the wheel runs with: Debian 11's.
const COMPATIBLE: &str = "manylinux_2_31";
/// The most that a wheel may have, in bytes.
const SIZE_MAX: u64 = 15_000_000;

impl Args {
    /// Packs it into `target/wheels`.
    pub(crate) fn run(&self) -> Result<(), String> {
        let root = root()?;
        let target = TARGETS.iter().find(|one| one.machine == self.target).ok_or("it is no target")?;
        let python = root.join("answer/python");
        let default = || root.join("target/dist").join(format!("prazo-{}", target.machine));
        let program = self.program.clone().unwrap_or_else(default);
        if !program.is_file() {
            let machine = target.machine;
            return Err(format!(
                "{} is missing, and the wheel carries it: `cargo xtask dist --target {machine}`",
                program.display()
            ));
        }
        let agents = apart(&program, &python.join("prazo.data/scripts/prazo"))?;
        for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
            copy(&root.join(license), &python.join(license))?;
        }
        let wheels = root.join("target/wheels");
        let mut maturin = Command::new("maturin");
        maturin.args(["build", "--locked", "--strip", "--profile", &self.profile, "--target", target.triple]);
        // Zig links for an older C library than this machine's, and for another processor; maturin checks what came out.
        maturin.args(["--zig", "--compatibility", COMPATIBLE, "--auditwheel", "check", "--out"]).arg(&wheels);
        agent::build::from_any_folder(&mut maturin, root, target.triple, None);
        // A module is loaded by a program that has a C library, so that one inside would be a second.
        maturin.current_dir(&python).env("RUSTFLAGS", module_flags(root)).stdout(Stdio::inherit());
        let remedy = "`pip install maturin ziglang`";
        let status = maturin.status().map_err(|error| format!("cannot start maturin: {error}; {remedy}"))?;
        if !status.success() {
            return Err(format!("maturin could not build the wheel; it needs {remedy}"));
        }
        if !agents.is_empty() {
            pack_agents(root, &agents, &wheels)?;
        }
        measured(&wheels, target.machine, self.profile == "wheel" && self.program.is_none())
    }
}

/// Copies a program without the agents behind it; returns those.
fn apart(program: &Path, to: &Path) -> Result<Vec<u8>, String> {
    let unread = |error| format!("cannot read {}: {error}", program.display());
    let length = agent::inside::length_without(program).map_err(unread)?;
    let mut bytes = fs::read(program).map_err(unread)?;
    copy(program, to)?;
    let agents = bytes.split_off(usize::try_from(length).map_err(|_| "the program is too long")?);
    let failed = |error| format!("cannot write {}: {error}", to.display());
    fs::OpenOptions::new().write(true).open(to).and_then(|file| file.set_len(length)).map_err(failed)?;
    Ok(agents)
}

/// The wheel `prazo-lab`.
fn pack_agents(root: &Path, agents: &[u8], wheels: &Path) -> Result<(), String> {
    let file = root.join("target/dist/agents");
    fs::write(&file, agents).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    let mut python = Command::new("python3");
    python.arg(root.join("scripts/lab-wheel.py")).args([&*file, Path::new(env!("CARGO_PKG_VERSION")), wheels]);
    let status = python.status().map_err(|error| format!("cannot start python3: {error}"))?;
    if status.success() { Ok(()) } else { Err("the wheel of the agents could not be packed".into()) }
}

/// Prints the size of each wheel, which is limited for those that are published.
fn measured(wheels: &Path, machine: &str, is_published: bool) -> Result<(), String> {
    let unread = |error| format!("cannot read {}: {error}", wheels.display());
    let endings = [format!("{machine}.whl"), "none-any.whl".to_owned()];
    for entry in fs::read_dir(wheels).map_err(unread)? {
        let (path, size) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?.len()))).map_err(unread)?;
        if endings.iter().any(|ending| path.to_string_lossy().ends_with(ending)) {
            println!("{}: {:.1} MB", path.display(), size as f64 / 1e6);
            if is_published && size > SIZE_MAX {
                return Err(format!("{} is larger than {} MB", path.display(), SIZE_MAX / 1_000_000));
            }
        }
    }
    Ok(())
}

fn module_flags(root: &Path) -> String {
    format!("--remap-path-prefix={}=/prazo", root.display())
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |error| format!("cannot write {}: {error}", to.display());
    to.parent().map_or(Ok(()), fs::create_dir_all).map_err(failed)?;
    fs::copy(from, to).map(drop).map_err(failed)
}
