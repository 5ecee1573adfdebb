//! Texts to task sets, one file a format.
//!
//! A reader refuses what it does not understand, naming file, line, task, field and remedy. What it can read but the set
//! cannot say (a phase, a time-sliced policy) it either refuses with the reason or keeps as a remark: nothing is dropped
//! silently.

mod chain;
pub mod csv;
pub mod executors;
pub mod jobset;
pub mod poet;
pub mod record;
pub mod rtapp;
pub mod rtaudit;
pub mod schedcat;
pub mod simso;
pub mod toml;

mod rank;
mod supply;
mod task_keys;
mod whole;
mod xml;
mod yaml;

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
        Format::SchedCat => schedcat::read(&file, text),
        Format::SimSo => simso::read(&file, text),
        Format::Poet => poet::read(&file, text),
        Format::JobSet => jobset::read(&file, text),
        Format::JobSetCsv => jobset::read_csv(&file, text),
        Format::RtAudit => rtaudit::read(&file, text),
        Format::RtAuditCsv => rtaudit::read_csv(&file, text),
        Format::OtherXml => {
            Err(unknown(&file, "XML", "begin the file with <taskset> (SchedCAT) or <simulation> (SimSo)"))
        }
        Format::OtherYaml => Err(unknown(
            &file,
            "YAML",
            "give the file a key `task set` (POET), `jobset` (SAG) or `tasks` (rt-audit) at the beginning of a line",
        )),
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
    SchedCat,
    SimSo,
    Poet,
    JobSet,
    JobSetCsv,
    RtAudit,
    RtAuditCsv,
    OtherXml,
    OtherYaml,
}

fn format(path: &Path, text: &str) -> Format {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    match ending.as_deref() {
        Some("toml") => Format::Toml,
        Some("csv") => table(text),
        Some("jsonl") => Format::Record,
        Some("json") => json(text),
        Some("xml") => xml_format(text),
        Some("yaml" | "yml") => yaml_format(text).unwrap_or(Format::OtherYaml),
        _ if text.trim_start_matches('\u{feff}').trim_start().starts_with('<') => xml_format(text),
        _ if text.trim_start().starts_with('{') || text.trim_start().starts_with("/*") => json(text),
        _ => match (yaml_format(text), table(text)) {
            (Some(format), _) => format,
            (None, Format::Csv)
                if text.lines().any(|line| line.trim_start().starts_with('[') || line.contains('=')) =>
            {
                Format::Toml
            }
            (None, format) => format,
        },
    }
}

/// The format of a CSV file, by its first row.
fn table(text: &str) -> Format {
    let header = text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default();
    match header {
        _ if jobset::header(header).is_some() => Format::JobSetCsv,
        _ if rtaudit::is_header(header) => Format::RtAuditCsv,
        _ => Format::Csv,
    }
}

/// The format of an XML file, by its outermost element.
fn xml_format(text: &str) -> Format {
    match xml::root(text) {
        Some("taskset" | "testpoint" | "task") => Format::SchedCat,
        Some("simulation") => Format::SimSo,
        _ => Format::OtherXml,
    }
}

/// The format of a YAML file, by a key at the beginning of a line.
fn yaml_format(text: &str) -> Option<Format> {
    text.lines().find_map(|line| match line.split_once(':')?.0.trim_end() {
        poet::TASKS => Some(Format::Poet),
        jobset::JOBS => Some(Format::JobSet),
        "tasks" => Some(Format::RtAudit),
        _ => None,
    })
}

fn unknown(file: &str, language: &str, remedy: &str) -> ReadError {
    Problem::new(format!("the file is {language}, but not a task set that prazo reads"), remedy).at(file, None)
}

/// A workload of rt-app has tasks; a record has times.
fn json(text: &str) -> Format {
    if text.contains("\"tasks\"") || !text.contains("\"t\"") { Format::RtApp } else { Format::Record }
}

fn one_record(file: &str, text: &str) -> Result<Scenario, ReadError> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (at, line) = lines
        .next()
        .ok_or_else(|| Problem::new("the file is empty", "write one record into the file").at(file, None))?;
    if let Some((next, _)) = lines.next() {
        let problem = Problem::new(
            "a second line follows the first",
            "write the record on one line, or read several records as a batch (--batch)",
        );
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
        for path in ["a.xml", "-"] {
            assert_eq!(of(path, "<?xml version='1.0'?>\n<taskset/>"), Format::SchedCat);
            assert_eq!(of(path, "<simulation>"), Format::SimSo);
            assert_eq!(of(path, "<html>"), Format::OtherXml);
        }
        for path in ["a.yaml", "a.YML", "-"] {
            assert_eq!(of(path, "scheduling policy: FP # a = b\ntask set:\n- id: 1\n"), Format::Poet);
            assert_eq!(of(path, "jobset:\n  - Task ID: 1\n"), Format::JobSet);
            assert_eq!(of(path, "cpus: 4\ntasks:\n  - name: a\n"), Format::RtAudit);
        }
        assert_eq!(of("a.yaml", "platform:\n  cores: 2\n"), Format::OtherYaml);
        for path in ["a.csv", "-"] {
            assert_eq!(of(path, " Task ID,  Job ID, Arrival min\n1,1,0"), Format::JobSetCsv);
            assert_eq!(of(path, "task_name,runtime_us,period_us\na,1,2"), Format::RtAuditCsv);
        }
    }

    #[test]
    fn a_batch_is_not_one_set() {
        let message = any(Path::new("a.jsonl"), "{\"t\":[[1,2]]}\n{\"t\":[[1,2]]}\n").unwrap_err().to_string();
        assert!(message.starts_with("a.jsonl:2: a second line"), "{message}");
        assert!(any(Path::new("a.jsonl"), "{\"t\":[[1,2]]}\n").is_ok());
    }
}
