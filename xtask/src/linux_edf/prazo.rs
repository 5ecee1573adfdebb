//! The built command, asked by files of records: what is proven, what misses, and what Linux makes of it.

use super::draw::SetClaim;
use prazo_core::time::Duration;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// The least tardiness that counts as a miss to be expected.
const LATE_US: f64 = 10_000.0;

/// What `prazo sched run --batch` answers of a set.
#[derive(Debug, Deserialize)]
pub(super) struct BatchAnswer {
    pub jobs: Option<u64>,
    pub misses: Option<u64>,
    pub outside: Option<u64>,
    pub error: Option<String>,
}

/// Of each record, whether what is claimed holds.
pub(super) fn decide(kind: SetClaim, records: &[Value]) -> Result<Vec<bool>, String> {
    let folder = folder()?;
    let file = written(folder.path(), records)?;
    let verb = if kind == SetClaim::Proven { "test" } else { "simulate" };
    let lines = lines(&["sched", verb, "--batch", &file])?;
    let holds = |line: &Value| match kind {
        SetClaim::Proven => line["verdict"] == "proven",
        SetClaim::Missing => line["max_tardiness_us"].as_f64().is_some_and(|late| late >= LATE_US),
    };
    Ok(lines.iter().map(holds).collect())
}

/// Runs the records in one boot.
pub(super) fn run(records: &[Value], platform: &str, length: Duration, seed: u64) -> Result<Vec<BatchAnswer>, String> {
    let folder = folder()?;
    let file = written(folder.path(), records)?;
    let (length, seed) = (format!("{}ns", length.as_ns()), seed.to_string());
    let out = folder.path().join("sets.prazo").display().to_string();
    let limit = "--timeout=3h";
    let words =
        ["sched", "run", "--batch", &file, "--platform", platform, "-D", &length, "--seed", &seed, "-o", &out, limit];
    let lines = lines(&words)?;
    let read = |line: Value| {
        let line: BatchAnswer = serde_json::from_value(line).map_err(|error| error.to_string())?;
        line.error.iter().for_each(|why| eprintln!("{why}"));
        Ok(line)
    };
    lines.into_iter().map(read).collect()
}

fn folder() -> Result<tempfile::TempDir, String> {
    tempfile::tempdir().map_err(|error| format!("cannot make a folder for the sets: {error}"))
}

fn written(folder: &Path, records: &[Value]) -> Result<String, String> {
    let file = folder.join("sets.jsonl");
    let text: String = records.iter().map(|record| format!("{record}\n")).collect();
    std::fs::write(&file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    Ok(file.display().to_string())
}

fn lines(words: &[&str]) -> Result<Vec<Value>, String> {
    let mut command = Command::new("target/debug/prazo");
    let output = command.args(words).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot start {:?}: {error}", command.get_program()))?;
    if !output.status.success() {
        return Err(format!("prazo {} ended with {}", words.join(" "), output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).map_err(|error| format!("{error} in {line}"))).collect()
}
