//! The guest's agent: built small, static, and the same from whatever folder, so that a guest's trajectory only changes
//! with the agent's own code.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The C library's own target, linked in whole: it needs no other compiler than the one that is there.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// How the agent is built.
#[derive(clap::Args)]
pub struct Args {}

impl Args {
    /// Builds it and leaves it where the lab looks: `target/guest/prazo-agent`.
    pub fn run(&self) -> Result<(), String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask is not in a workspace")?;
        let (built, place) = (build(root)?, root.join("target/guest/prazo-agent"));
        if is_same(&built, &place) {
            return Ok(());
        }
        // Beside it first, then in its place at once: a guest that starts just now takes the old one or the new one.
        let beside = place.with_extension("new");
        let copied = std::fs::copy(&built, &beside).and_then(|_| std::fs::rename(&beside, &place));
        copied.map_err(|error| format!("cannot make {}: {error}", place.display()))
    }
}

fn build(root: &Path) -> Result<PathBuf, String> {
    let target = root.join("target/guest");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--locked", "--package", "prazo-agent", "--profile", "guest", "--target", TARGET]);
    cargo.arg("--target-dir").arg(&target).current_dir(root).env("RUSTFLAGS", flags(root));
    let status = cargo.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    if !status.success() {
        return Err(format!("the agent does not build: {status}"));
    }
    Ok(target.join(TARGET).join("guest/prazo-agent"))
}

/// Static, and without the names of this machine's folders.
fn flags(root: &Path) -> String {
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default();
    let map = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    ["-C target-feature=+crt-static".to_owned(), map(root, "/prazo"), map(&cargo, "/cargo")].join(" ")
}

fn is_same(one: &Path, other: &Path) -> bool {
    let read = |path| std::fs::read(path).ok();
    read(one).is_some_and(|bytes| Some(bytes) == read(other))
}
