//! Texts to task sets, one file a format.
//!
//! A reader refuses what it does not understand, naming file, line, task, field and remedy. What it can read but the set
//! cannot say (a phase, a time-sliced policy) it either refuses with the reason or keeps as a remark: nothing is dropped
//! silently.

mod chain;
pub mod csv;
pub mod record;
pub mod rtapp;
pub mod toml;

mod fields;
mod whole;

use crate::error::{Problem, ReadError};
use crate::set::Scenario;
use std::io;
use std::path::Path;

/// Reads the file at `path`, in whichever format it is.
pub fn file(path: &Path) -> Result<Scenario, ReadError> {
    let text = std::fs::read_to_string(path).map_err(|cause| {
        Problem::new(format!("the file could not be read: {cause}"), "name a readable file")
            .at(&path.display().to_string(), None)
    })?;
    any(path, &text)
}

/// Reads `text`, in the format that `path` ends with or, where that says nothing, that the text looks like.
///
/// An overhead table that a TOML text refers to is looked for beside `path`.
pub fn any(path: &Path, text: &str) -> Result<Scenario, ReadError> {
    let file = path.display().to_string();
    let beside = |name: &str| std::fs::read_to_string(path.parent().unwrap_or(Path::new("")).join(name));
    match format(path, text) {
        Format::Toml => toml::read(&file, text, &beside),
        Format::Csv => csv::read(&file, text),
        Format::RtApp => rtapp::read(&file, text),
        Format::Record => one_record(&file, text),
    }
}

/// For texts that stand alone: every overhead table beside it is missing.
pub fn nothing_beside(name: &str) -> io::Result<String> {
    Err(io::Error::new(
        io::ErrorKind::NotFound,
        format!("there is no file '{name}': the text was not read from a file, so paths relative to it do not resolve"),
    ))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Toml,
    Csv,
    RtApp,
    Record,
}

fn format(path: &Path, text: &str) -> Format {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    match ending.as_deref() {
        Some("toml") => Format::Toml,
        Some("csv") => Format::Csv,
        Some("jsonl") => Format::Record,
        Some("json") => json(text),
        _ if text.trim_start().starts_with('{') || text.trim_start().starts_with("/*") => json(text),
        _ if text.lines().any(|line| line.trim_start().starts_with('[') || line.contains('=')) => Format::Toml,
        _ => Format::Csv,
    }
}

/// A workload of rt-app has tasks; a record has times.
fn json(text: &str) -> Format {
    if text.contains("\"tasks\"") || !text.contains("\"t\"") { Format::RtApp } else { Format::Record }
}

fn one_record(file: &str, text: &str) -> Result<Scenario, ReadError> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (at, line) =
        lines.next().ok_or_else(|| Problem::new("the file is empty", "write one record into it").at(file, None))?;
    if let Some((next, _)) = lines.next() {
        let problem = Problem::new("a second record follows the first", "read the file as a batch (--batch)");
        return Err(problem.at(file, Some(next as u32 + 1)));
    }
    let record = record::parse(line).map_err(|problem| problem.at(file, Some(at as u32 + 1)))?;
    Ok(record.into_scenario(&stem(file)))
}

/// `dhall` of `scenarios/dhall.toml`: what a set is called that does not name itself.
fn stem(file: &str) -> String {
    Path::new(file).file_stem().map_or_else(|| "unnamed".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_known_by_its_ending_or_by_its_look() {
        let of = |path: &str, text: &str| format(Path::new(path), text);
        assert_eq!(of("a.toml", ""), Format::Toml);
        assert_eq!(of("a.CSV", ""), Format::Csv);
        assert_eq!(of("a.json", "{\"tasks\":{}}"), Format::RtApp);
        assert_eq!(of("a.json", "{\"m\":1,\"t\":[[1,2]]}"), Format::Record);
        assert_eq!(of("-", "/* load */ {\"tasks\":{}}"), Format::RtApp);
        assert_eq!(of("-", "name = 'x'"), Format::Toml);
        assert_eq!(of("-", "name,cost_us,period_us\na,1,2"), Format::Csv);
    }

    #[test]
    fn a_batch_is_not_one_set() {
        let message = any(Path::new("a.jsonl"), "{\"t\":[[1,2]]}\n{\"t\":[[1,2]]}\n").unwrap_err().to_string();
        assert!(message.starts_with("a.jsonl:2: a second record"), "{message}");
        assert!(any(Path::new("a.jsonl"), "{\"t\":[[1,2]]}\n").is_ok());
    }
}
