//! What a study has done so far, beside its run files: `study.json`, replaced as a whole after each cell.
//!
//! Invariant: a file is listed as finished only after it was completely written, so that a study which was ended at any
//! instant goes on with the first cell that is not.

use crate::error::RunnerError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The journal of one results folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Journal {
    /// The study's name.
    pub study: String,
    /// The seed of the loads' pauses.
    pub seed: u64,
    /// The files in measuring order.
    pub order: Vec<String>,
    /// What became of each file.
    pub files: BTreeMap<String, JournalEntry>,
}

/// What became of one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// What was asked: the plan, or the imported table with its content's digest. A different question is asked again.
    pub asked: Value,
    /// Why there is no run; `None` where there is.
    pub failed: Option<String>,
}

impl Journal {
    /// The name of the journal's file.
    pub const FILE: &str = "study.json";

    /// An empty journal.
    pub fn new(study: &str, seed: u64) -> Self {
        Self { study: study.to_owned(), seed, order: vec![], files: BTreeMap::new() }
    }

    /// Reads the folder's journal; a folder without one begins afresh.
    pub fn open(folder: &Path, study: &str, seed: u64) -> Result<Self, RunnerError> {
        let path = folder.join(Self::FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::new(study, seed)),
            Err(cause) => return Err(RunnerError::Folder { path, action: "read the journal", cause }),
        };
        let found: Self = serde_json::from_str(&text)
            .map_err(|error| RunnerError::Journal { path: path.clone(), cause: error.to_string() })?;
        if found.study != study {
            return Err(RunnerError::OtherStudy { path, found: found.study, wanted: study.to_owned() });
        }
        Ok(Self { seed, ..found })
    }

    /// True where `file` was finished as an answer to `asked`.
    pub fn is_finished(&self, file: &str, asked: &Value) -> bool {
        self.files.get(file).is_some_and(|record| record.failed.is_none() && record.asked == *asked)
    }

    /// Notes what became of a file and replaces the journal on disk.
    pub fn note(&mut self, folder: &Path, file: &str, record: JournalEntry) -> Result<(), RunnerError> {
        self.files.insert(file.to_owned(), record);
        self.write(folder)
    }

    /// Forgets a file before it is replaced, so that the journal never vouches for half of it.
    pub fn forget(&mut self, folder: &Path, file: &str) -> Result<(), RunnerError> {
        match self.files.remove(file) {
            Some(_) => self.write(folder),
            None => Ok(()),
        }
    }

    /// Replaces the journal on disk, by way of a new file, so that it is never half written.
    pub fn write(&self, folder: &Path) -> Result<(), RunnerError> {
        let path = folder.join(Self::FILE);
        replace(&path, &self.text()).map_err(|cause| RunnerError::Folder { path, action: "write the journal", cause })
    }

    fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("a journal is plain data")
    }
}

/// Replaces a file by way of a new one beside it.
pub(crate) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let new = PathBuf::from(format!("{}.new", path.display()));
    let mut file = std::fs::File::create(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(folder.path(), "a", 7).unwrap();
        journal.note(folder.path(), "x.prazo", JournalEntry { asked: Value::from(1), failed: None }).unwrap();
        journal
            .note(folder.path(), "y.prazo", JournalEntry { asked: Value::from(1), failed: Some("no".into()) })
            .unwrap();
        let again = Journal::open(folder.path(), "a", 7).unwrap();
        assert_eq!(again, journal);
        assert!(again.is_finished("x.prazo", &Value::from(1)));
        assert!(!again.is_finished("x.prazo", &Value::from(2)), "a changed plan is measured again");
        assert!(!again.is_finished("y.prazo", &Value::from(1)), "a failure is tried again");
    }

    #[test]
    fn a_folder_of_another_study_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        Journal::new("a", 1).write(folder.path()).unwrap();
        let error = Journal::open(folder.path(), "b", 1).unwrap_err().to_string();
        assert!(error.contains("contains the results of study 'a', not of 'b'"), "{error}");
    }

    #[test]
    fn a_journal_that_is_none_is_refused_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(Journal::FILE), "{\"study\":").unwrap();
        let error = Journal::open(folder.path(), "a", 1).unwrap_err().to_string();
        assert!(error.contains("move the file away"), "{error}");
        assert_eq!(std::fs::read_to_string(folder.path().join(Journal::FILE)).unwrap(), "{\"study\":");
    }

    #[test]
    fn a_folder_that_cannot_be_written_says_so() {
        let error = Journal::new("a", 1).write(Path::new("/nowhere/at/all")).unwrap_err().to_string();
        assert!(error.contains("could not write the journal"), "{error}");
    }
}
