//! An experiment as it goes to another machine: the text with the files that it names, and the fingerprint that both sides compare.
//!
//! A path alone is not enough: another machine may have another file, or another overhead table, under the same path.

use super::builtin;
use super::experiment::Experiment;
use prazo_verdict::claim::document::{Document, DocumentError};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// What another machine needs to make chunks of an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Specification {
    /// The experiment's content.
    content: Content,
    /// The fingerprint of the machine that asks.
    pub fingerprint: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Content {
    /// The name of an experiment that every program carries.
    Builtin(String),
    /// A file with those that it names.
    File {
        /// Its name, for errors.
        file: String,
        text: String,
        /// The other files' texts, by the path that the experiment names.
        files: BTreeMap<String, String>,
    },
}

/// Why a specification is no experiment here.
#[derive(Debug, thiserror::Error)]
pub enum SpecificationError {
    /// This program does not carry the experiment.
    #[error("this prazo has no built-in experiment '{0}'; install the same version of prazo on both machines")]
    Unknown(String),
    /// The text is not an experiment.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// This program reads another experiment from the same text.
    #[error(
        "experiment '{name}' has the fingerprint {found} here, and {wanted} where it was requested; install the same version of prazo on both machines"
    )]
    Fingerprint {
        /// The experiment.
        name: String,
        /// That of this program.
        found: String,
        /// That of the machine that asks.
        wanted: String,
    },
}

impl Specification {
    /// That of a built-in experiment; `None` for a name that the program does not know.
    pub fn builtin(name: &str) -> Option<Self> {
        let experiment = builtin::find(name)?;
        Some(Self { content: Content::Builtin(name.to_owned()), fingerprint: experiment.fingerprint })
    }

    /// That of a TOML file, with the files that it names.
    pub fn open(path: &Path) -> Result<Self, DocumentError> {
        let file = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|error| Document { file: &file, text: "" }.unreadable(&error))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let files = RefCell::new(BTreeMap::new());
        let experiment = Experiment::parse_with(&file, &text, &|name| {
            let found = std::fs::read_to_string(folder.join(name))?;
            files.borrow_mut().insert(name.to_owned(), found.clone());
            Ok(found)
        })?;
        let content = Content::File { file, text, files: files.into_inner() };
        Ok(Self { content, fingerprint: experiment.fingerprint })
    }

    /// The experiment, if it is the same here.
    ///
    /// # Errors
    /// This program does not know it, or reads another one from it.
    pub fn experiment(&self) -> Result<Experiment, SpecificationError> {
        let experiment = match &self.content {
            Content::Builtin(name) => builtin::find(name).ok_or_else(|| SpecificationError::Unknown(name.clone()))?,
            Content::File { file, text, files } => Experiment::parse_with(file, text, &|name| {
                files.get(name).cloned().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
            })?,
        };
        if experiment.fingerprint == self.fingerprint {
            return Ok(experiment);
        }
        let (name, wanted) = (experiment.name().to_owned(), self.fingerprint.clone());
        Err(SpecificationError::Fingerprint { name, found: experiment.fingerprint, wanted })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with a small experiment and its overhead table.
    fn small(release: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let text = include_str!("../../../studies/epos-2013.toml");
        std::fs::write(folder.path().join("small.toml"), text).unwrap();
        std::fs::create_dir(folder.path().join("overheads")).unwrap();
        for (path, text) in builtin::BUILTIN[0].files {
            std::fs::write(folder.path().join(path), text).unwrap();
        }
        let table = format!("source = 's'\nrelease = '{release}'\n");
        std::fs::write(folder.path().join("overheads/global-edf.max.toml"), table).unwrap();
        folder
    }

    #[test]
    fn a_specification_needs_no_file_where_it_arrives() {
        let folder = small("2us");
        let path = folder.path().join("small.toml");
        let sent = serde_json::to_string(&Specification::open(&path).unwrap()).unwrap();
        let wanted = Experiment::open(&path).unwrap().fingerprint;
        drop(folder);
        let arrived: Specification = serde_json::from_str(&sent).unwrap();
        assert_eq!(arrived.experiment().unwrap().fingerprint, wanted);
    }

    /// The same TOML with another table under the same path is another experiment.
    #[test]
    fn another_overhead_table_is_another_fingerprint() {
        let [one, other] = ["2us", "3us"].map(|release| {
            let folder = small(release);
            Specification::open(&folder.path().join("small.toml")).unwrap()
        });
        assert_ne!(one.fingerprint, other.fingerprint);
        let mixed = Specification { fingerprint: other.fingerprint.clone(), ..one.clone() };
        let error = mixed.experiment().unwrap_err().to_string();
        assert!(error.contains(&one.fingerprint) && error.contains(&other.fingerprint), "{error}");
    }

    #[test]
    fn a_builtin_experiment_goes_by_its_name() {
        let sent = Specification::builtin("epos-2013").unwrap();
        assert!(serde_json::to_string(&sent).unwrap().len() < 200);
        assert_eq!(sent.experiment().unwrap().name(), "epos-2013");
        let unknown = Specification { content: Content::Builtin("other".into()), ..sent };
        assert!(unknown.experiment().unwrap_err().to_string().contains("no built-in experiment 'other'"));
        assert_eq!(Specification::builtin("other"), None);
    }
}
