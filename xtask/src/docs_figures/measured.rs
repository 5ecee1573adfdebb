//! What the tables are made from: answers of `prazo`, and run files that stay in target/.

use crate::root::root;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where run files stay for the next call.
pub(super) fn folder() -> Result<PathBuf, String> {
    let folder = root()?.join("target/docs-figures");
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    Ok(folder)
}

/// What a command of prazo prints as JSON, whatever its verdict.
pub(super) fn prazo(add_arguments: impl FnOnce(&mut Command)) -> Result<Value, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let mut command = Command::new(program.with_file_name("prazo"));
    add_arguments(&mut command);
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| format!("cannot start prazo: {error}"))?;
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{command:?} ended with {} and printed no JSON: {error}", output.status))
}

/// What a run in the lab was measured on.
pub(super) fn origin(file: &Path) -> Result<String, String> {
    let run = prazo_run::store::open(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let platform = run.platform_before.ok_or_else(|| format!("{}: no facts of the platform", file.display()))?;
    let fact = |name: &str| platform.get(name).unwrap_or_default().to_owned();
    let short = |name: &str| fact(name).chars().take(12).collect::<String>();
    Ok(format!(
        "kernel {} (SHA-256 {}...), agent {}..., {}.",
        fact("kernel.release"),
        short("lab.kernel_sha256"),
        short("lab.agent_sha256"),
        fact("lab.emulator")
    ))
}
