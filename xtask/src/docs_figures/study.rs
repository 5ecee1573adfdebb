//! One seed of a built-in study, measured for a page.

use super::measured::{folder, number, origin, prazo, read, write};
use crate::root::root;
use prazo_core::text::grouped;
use serde_json::Value;
use std::path::{Path, PathBuf};
use toml::Table;

/// A part of a study: all combinations of these, without claims.
pub(super) struct StudyPart<'a> {
    pub platforms: &'a [&'a str],
    pub loads: &'a [&'a str],
    pub probes: &'a [&'a str],
}

/// A study's result, and the folder of its run files.
pub(super) struct MeasuredStudy {
    result: Value,
    folder: PathBuf,
}

impl MeasuredStudy {
    /// Measures every cell again: the folder may have cells that an earlier agent or emulator measured.
    pub(super) fn of(name: &str, only: Option<&StudyPart<'_>>) -> Result<Self, String> {
        let study = one_seed(&root()?.join("studies").join(format!("{name}.toml")), only)?;
        let folder = folder()?.join(name);
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(format!("cannot remove {}: {error}", folder.display()));
            }
            _ => {}
        }
        let file = folder.with_extension("toml");
        write(&file, &study)?;
        let result = prazo(|command| {
            command.args(["study", "run", "--json", "--plain", "--output"]).arg(&folder).arg(&file);
        })?;
        if result["complete"] != true {
            return Err(format!("cells of the study in {} are missing", folder.display()));
        }
        Ok(Self { result, folder })
    }

    /// The run file of a cell.
    pub(super) fn run(&self, cell: &str) -> PathBuf {
        self.folder.join(format!("{cell}.prazo"))
    }

    /// What the figures were measured on, by the run of one cell.
    pub(super) fn origin(&self, cell: &str) -> Result<String, String> {
        Ok(format!("Cell {cell} {}", origin(&self.run(cell))?))
    }

    fn cell(&self, id: &str) -> Option<&Value> {
        self.result["cells"].as_array()?.iter().find(|cell| cell["id"] == id)
    }

    /// A figure of a cell in microseconds; `None` where the study has no such cell.
    pub(super) fn time(&self, id: &str, key: &str) -> Result<Option<String>, String> {
        let Some(cell) = self.cell(id) else { return Ok(None) };
        let ns = number(cell, key)?;
        Ok(Some(format!("{}.{}", grouped(ns / 1000), ns % 1000 / 100)))
    }

    /// The maximum with its count; empty where the study has no such cell.
    pub(super) fn maximum(&self, id: &str) -> Result<String, String> {
        let (Some(cell), Some(maximum)) = (self.cell(id), self.time(id, "max_ns")?) else { return Ok(String::new()) };
        Ok(format!("{maximum} ({})", grouped(number(cell, "count")?)))
    }
}

/// The study with one repeat instead of several, or a part of it.
fn one_seed(study: &Path, only: Option<&StudyPart<'_>>) -> Result<String, String> {
    let mut table: Table = toml::from_str(&read(study)?).map_err(|error| format!("{}: {error}", study.display()))?;
    match only {
        None => {
            for measure in tables(&mut table, "measure")?.iter_mut().filter_map(toml::Value::as_table_mut) {
                measure.insert("repeats".to_owned(), toml::Value::Integer(1));
            }
        }
        Some(only) => {
            for (kind, ids) in [("platform", only.platforms), ("load", only.loads), ("probe", only.probes)] {
                tables(&mut table, kind)?.retain(|one| one["id"].as_str().is_some_and(|id| ids.contains(&id)));
            }
            table.retain(|key, _| ["study", "platform", "load", "probe"].contains(&key));
        }
    }
    Ok(table.to_string())
}

fn tables<'a>(table: &'a mut Table, key: &str) -> Result<&'a mut Vec<toml::Value>, String> {
    table.get_mut(key).and_then(toml::Value::as_array_mut).ok_or_else(|| format!("the study has no [[{key}]]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_study_has_no_claims_and_no_repeats() {
        let study = root().unwrap().join("studies/regnier-2008.toml");
        let only = StudyPart { platforms: &["rt"], loads: &["loaded"], probes: &["irq"] };
        let part: Table = toml::from_str(&one_seed(&study, Some(&only)).unwrap()).unwrap();
        let lengths = ["platform", "load", "probe"].map(|kind| part[kind].as_array().unwrap().len());
        assert_eq!((lengths, part.get("claim"), part.get("measure")), ([1; 3], None, None));
        let whole: Table = toml::from_str(&one_seed(&study, None).unwrap()).unwrap();
        assert!(whole["measure"].as_array().unwrap().iter().all(|row| row["repeats"].as_integer() == Some(1)));
    }
}
