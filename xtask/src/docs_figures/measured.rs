//! What the tables are made from: answers of `prazo`, and run files that stay in target/.

use crate::root::root;
use prazo_core::text::grouped;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder for run files and charts, made if it is missing.
pub(super) fn folder() -> Result<PathBuf, String> {
    let folder = root()?.join("target/docs-figures");
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    Ok(folder)
}

/// The text of a file.
pub(super) fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

/// Replaces the text of a file.
pub(super) fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// Removes an earlier run file of this name; its path.
pub(super) fn fresh(name: &str) -> Result<PathBuf, String> {
    let file = folder()?.join(format!("{name}.prazo"));
    match std::fs::remove_file(&file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("cannot remove {}: {error}", file.display()))
        }
        _ => Ok(file),
    }
}

/// Measures a 1 ms timer under `compile` for two seconds, seed 1; the path of the run file.
pub(super) fn compile_run(platform: &str) -> Result<PathBuf, String> {
    let file = fresh(&format!("compile-{platform}"))?;
    prazo(|command| {
        command.args(["measure", "timer", "--json", "--plain", "-D", "2s", "--load", "compile"]);
        command.arg(format!("--platform=lab:{platform}")).arg("--output").arg(&file);
    })?;
    Ok(file)
}

/// What a command of prazo prints as JSON. A verdict (exit status 1 or 3) is no error.
pub(super) fn prazo(add_arguments: impl FnOnce(&mut Command)) -> Result<Value, String> {
    let text = prazo_text(add_arguments)?;
    serde_json::from_str(&text).map_err(|error| format!("prazo printed no JSON: {error}; it printed: {text}"))
}

/// What a command of prazo prints. A verdict (exit status 1 or 3) is no error.
pub(super) fn prazo_text(add_arguments: impl FnOnce(&mut Command)) -> Result<String, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let mut command = Command::new(program.with_file_name("prazo"));
    add_arguments(&mut command);
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| format!("cannot start prazo: {error}"))?;
    if !matches!(output.status.code(), Some(0 | 1 | 3)) || output.stdout.is_empty() {
        return Err(format!("{command:?} ended with {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{command:?}: {error}"))
}

/// A number of an answer; an error where it is missing.
pub(super) fn number(value: &Value, key: &str) -> Result<u64, String> {
    value[key].as_u64().ok_or_else(|| format!("no number '{key}' in {value}"))
}

/// A text of an answer; an error where it is missing.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, String> {
    value[key].as_str().ok_or_else(|| format!("no text '{key}' in {value}"))
}

/// A list of an answer; an error where it is missing.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> Result<&'a [Value], String> {
    value[key].as_array().map(Vec::as_slice).ok_or_else(|| format!("no list '{key}' in {value}"))
}

/// Three digits of a time in microseconds, or more where the integer part has more.
pub(super) fn micros(ns: u64) -> String {
    match ns {
        ..10_000 => format!("{:.2}", ns as f64 / 1e3),
        10_000..100_000 => format!("{:.1}", ns as f64 / 1e3),
        _ => grouped((ns + 500) / 1_000).to_string(),
    }
}

/// What a run in the lab was measured with, as the rest of a sentence.
pub(super) fn origin(file: &Path) -> Result<String, String> {
    let run = prazo_run::store::open(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let platform = run.platform_before.ok_or_else(|| format!("{}: no facts of the platform", file.display()))?;
    let fact = |name: &str| platform.get(name).ok_or_else(|| format!("{}: no fact '{name}'", file.display()));
    let short = |name: &str| Ok::<_, String>(fact(name)?.chars().take(12).collect::<String>());
    Ok(format!(
        "was measured with kernel {} (SHA-256 {}...), agent {}..., {}.",
        fact("kernel.release")?,
        short("lab.kernel_sha256")?,
        short("lab.agent_sha256")?,
        fact("lab.emulator")?
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        let shown = [412, 9_994, 50_856, 151_152, 1_979_400].map(micros);
        assert_eq!(shown, ["0.41", "9.99", "50.9", "151", "1,979"]);
    }
}
