//! The files of a folder: those that are baselines, and those that are not, each with the reason.

use super::super::baseline::Baseline;
use super::result::NotRead;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a folder holds, in the order of the files' names.
#[derive(Clone, Debug)]
pub struct HistoryFolder {
    /// The folder.
    pub path: PathBuf,
    /// The study of all its baselines.
    pub study: String,
    /// The baselines by the names of their files.
    pub baselines: BTreeMap<String, Baseline>,
    /// What is no baseline that this prazo reads.
    pub not_read: Vec<NotRead>,
}

/// Why a folder has no history.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The folder cannot be listed.
    #[error(
        "the folder {path} of --history cannot be read: {cause}; name a folder of files that `prazo gate --save` wrote"
    )]
    Unreadable {
        /// The folder.
        path: PathBuf,
        /// The system's answer.
        cause: std::io::Error,
    },
    /// It has no baseline.
    #[error(
        "the folder {path} of --history has no baseline{}; save baselines there with `prazo gate --save`",
        besides(.not_read)
    )]
    Empty {
        /// The folder.
        path: PathBuf,
        /// What it has.
        not_read: Vec<NotRead>,
    },
    /// Its baselines are of several studies.
    #[error(
        "the folder {path} of --history has baselines of several studies ({}); keep the baselines of each study in a folder \
         of their own",
        .studies.join(", ")
    )]
    SeveralStudies {
        /// The folder.
        path: PathBuf,
        /// Each study with its files.
        studies: Vec<String>,
    },
}

/// What a folder without a baseline has.
fn besides(not_read: &[NotRead]) -> String {
    let all: Vec<String> = not_read.iter().map(|one| format!("{}: {}", one.file, one.reason)).collect();
    if all.is_empty() { String::new() } else { format!(" ({})", all.join("; ")) }
}

impl HistoryFolder {
    /// Reads every file of a folder.
    ///
    /// # Errors
    /// The folder cannot be listed, has no baseline, or has baselines of several studies.
    pub fn read(path: &Path) -> Result<Self, HistoryError> {
        let unreadable = |cause| HistoryError::Unreadable { path: path.to_owned(), cause };
        let entries: Result<Vec<_>, _> = std::fs::read_dir(path).map_err(unreadable)?.collect();
        let (mut baselines, mut not_read) = (BTreeMap::new(), Vec::new());
        for entry in entries.map_err(unreadable)? {
            let (file, place) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
            match read(&place) {
                Ok(baseline) => drop(baselines.insert(file, baseline)),
                Err(reason) => not_read.push(NotRead { file, reason }),
            }
        }
        not_read.sort_by(|a, b| a.file.cmp(&b.file));
        let study = study(path, &baselines, &not_read)?;
        Ok(Self { path: path.to_owned(), study, baselines, not_read })
    }
}

/// One entry; a pipe or a device would keep its reader waiting, so that only files are opened.
fn read(place: &Path) -> Result<Baseline, String> {
    let kind = std::fs::metadata(place).map_err(|error| error.to_string())?;
    if !kind.is_file() {
        return Err(if kind.is_dir() { "a folder" } else { "not a file" }.to_owned());
    }
    Baseline::read(place).map_err(|error| error.to_string())
}

/// The one study of all baselines.
fn study(path: &Path, baselines: &BTreeMap<String, Baseline>, not_read: &[NotRead]) -> Result<String, HistoryError> {
    let mut studies: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (file, baseline) in baselines {
        studies.entry(&baseline.study).or_default().push(file);
    }
    match studies.len() {
        0 => Err(HistoryError::Empty { path: path.to_owned(), not_read: not_read.to_vec() }),
        1 => Ok(studies.into_keys().next().unwrap_or_default().to_owned()),
        _ => {
            let named = studies.into_iter().map(|(study, files)| format!("{study}: {}", files.join(" ")));
            Err(HistoryError::SeveralStudies { path: path.to_owned(), studies: named.collect() })
        }
    }
}
