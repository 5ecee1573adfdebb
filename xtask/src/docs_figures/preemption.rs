//! The tables of docs/lab.md on preemption models: the first seed of the study `preemption-models`.

use super::measured::{folder, origin, prazo};
use crate::root::root;
use prazo_core::text::grouped;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Columns of the first table: the probe's id and its heading.
const PROBES: [(&str, &str); 6] = [
    ("fifo-500", "fifo, 500 µs"),
    ("fifo-1100", "fifo, 1,100 µs"),
    ("fifo-2300", "fifo, 2,300 µs"),
    ("other-500", "other, 500 µs"),
    ("other-1100", "other, 1,100 µs"),
    ("other-2300", "other, 2,300 µs"),
];
/// Its rows: the platform's id and its text.
const PLATFORMS: [(&str, &str); 7] = [
    ("none", "none"),
    ("voluntary", "voluntary"),
    ("full", "full"),
    ("rt", "PREEMPT_RT"),
    ("threadirqs", "full, `threadirqs`"),
    ("rt-6.12", "PREEMPT_RT 6.12"),
    ("lazy-6.12", "lazy 6.12"),
];

/// A study's result, and the folder of its run files.
struct MeasuredStudy {
    result: Value,
    folder: PathBuf,
}

/// Maxima under load.
pub(super) fn maxima() -> Result<String, String> {
    let measured = MeasuredStudy::first_seed()?;
    let headings: Vec<&str> = PROBES.iter().map(|(_, heading)| *heading).collect();
    let mut text = format!("| | {} |\n|{}\n", headings.join(" | "), "---|".repeat(PROBES.len() + 1));
    for (platform, name) in PLATFORMS {
        let cells: Vec<String> =
            PROBES.iter().map(|(probe, _)| measured.maximum(&format!("{platform}.loaded.{probe}"))).collect();
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
    }
    let _ = writeln!(text, "\n{}", measured.origin("none.loaded.fifo-500")?);
    Ok(text)
}

/// Tasks just below and above the priority of interrupt threads, while pings arrive.
pub(super) fn around_interrupt_threads() -> Result<String, String> {
    let measured = MeasuredStudy::first_seed()?;
    let mut text =
        String::from("| fifo, 1 ms | 49: median | 49: maximum (count) | 51: median | 51: maximum (count) |\n");
    let _ = writeln!(text, "|{}", "---|".repeat(5));
    for (platform, name) in [("full", "standard, `preempt=full`"), ("rt", "PREEMPT_RT")] {
        let cells = ["priority-49", "priority-51"].map(|probe| {
            let id = format!("{platform}.flood.{probe}");
            format!("{} | {}", measured.time(&id, "median_ns").unwrap_or_default(), measured.maximum(&id))
        });
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
    }
    let _ = writeln!(text, "\n{}", measured.origin("rt.flood.priority-49")?);
    Ok(text)
}

impl MeasuredStudy {
    /// Measures what is missing; run files stay in target/ for the next call.
    fn first_seed() -> Result<Self, String> {
        let study =
            one_seed(&root()?.join("studies/preemption-models.toml"), &folder()?.join("preemption-models.toml"))?;
        let folder = folder()?.join("preemption-models");
        let result = prazo(|command| {
            command.args(["study", "run", "--json", "--plain", "--output"]).arg(&folder).arg(&study);
        })?;
        if result["complete"] != true {
            return Err(format!("cells of the study in {} are missing", folder.display()));
        }
        Ok(Self { result, folder })
    }

    /// What the figures were measured on, by the run of one cell.
    fn origin(&self, cell: &str) -> Result<String, String> {
        Ok(format!("Of cell {cell}: {}", origin(&self.folder.join(format!("{cell}.prazo")))?))
    }

    fn cell(&self, id: &str) -> Option<&Value> {
        self.result["cells"].as_array()?.iter().find(|cell| cell["id"] == id)
    }

    /// A figure of a cell in microseconds.
    fn time(&self, id: &str, key: &str) -> Option<String> {
        let ns = self.cell(id)?[key].as_u64()?;
        Some(format!("{}.{}", grouped(ns / 1000), ns % 1000 / 100))
    }

    /// The maximum with its count; empty where the study has no such cell.
    fn maximum(&self, id: &str) -> String {
        let count = self.cell(id).and_then(|cell| cell["count"].as_u64());
        let maximum = self.time(id, "max_ns").zip(count);
        maximum.map_or(String::new(), |(maximum, count)| format!("{maximum} ({})", grouped(count)))
    }
}

/// The study with one repeat instead of several.
fn one_seed(study: &Path, to: &Path) -> Result<PathBuf, String> {
    let text = std::fs::read_to_string(study).map_err(|error| format!("cannot read {}: {error}", study.display()))?;
    let mut table: toml::Table = toml::from_str(&text).map_err(|error| format!("{}: {error}", study.display()))?;
    let measures = table.get_mut("measure").and_then(toml::Value::as_array_mut).ok_or("the study measures nothing")?;
    for measure in measures.iter_mut().filter_map(toml::Value::as_table_mut) {
        measure.insert("repeats".to_owned(), toml::Value::Integer(1));
    }
    std::fs::write(to, table.to_string()).map_err(|error| format!("cannot write {}: {error}", to.display()))?;
    Ok(to.to_owned())
}
