//! Where a study keeps its run files, and how it reads tables of other tools.

use prazo_run::{Run, import, store};
use std::path::{Path, PathBuf};

/// A keeper of run files. Errors are sentences for the reader: a cell that cannot be kept or read is recorded with them.
pub trait RunStorage {
    /// Reads a run file.
    fn open(&self, path: &Path) -> Result<Run, String>;
    /// Writes an imported run into a new run file.
    fn save(&mut self, run: &Run, path: &Path) -> Result<(), String>;
    /// Reads another tool's table: exactly one run.
    fn import(&self, table: &Table) -> Result<Run, String>;
    /// True where a file of this name is there.
    fn exists(&self, path: &Path) -> bool;
    /// Moves a file out of the way under another name, for samples are never thrown away; gives the new name back.
    fn set_aside(&mut self, path: &Path) -> Result<PathBuf, String>;
}

/// A table of another tool's results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Table {
    /// In a file.
    File(PathBuf),
    /// In the program itself, under the name that its file has in the sources.
    Embedded {
        /// The file's name.
        name: String,
        /// Its content.
        text: &'static str,
    },
}

/// Run files on disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileStorage;

impl RunStorage for FileStorage {
    fn open(&self, path: &Path) -> Result<Run, String> {
        store::open(path).map_err(|error| error.to_string())
    }

    fn save(&mut self, run: &Run, path: &Path) -> Result<(), String> {
        store::save(run, path).map_err(|error| error.to_string())
    }

    /// Reads a table that must hold exactly one run.
    fn import(&self, table: &Table) -> Result<Run, String> {
        let options = import::Options::default();
        let (name, runs) = match table {
            Table::File(path) => (path.as_path(), import::read(path, &options)),
            Table::Embedded { name, text } => {
                (Path::new(name), import::read_bytes(text.as_bytes(), Path::new(name), &options))
            }
        };
        let mut runs = runs.map_err(|error| error.to_string())?;
        match (runs.pop(), runs.len()) {
            (Some(run), 0) => Ok(run),
            (_, more) => Err(format!(
                "{} contains {} runs; a table that a study imports must contain exactly one",
                name.display(),
                more + 1
            )),
        }
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn set_aside(&mut self, path: &Path) -> Result<PathBuf, String> {
        let free = (1..).map(|n| aside(path, n)).find(|name| !name.exists()).expect("numbers do not end before names");
        std::fs::rename(path, &free)
            .map_err(|error| format!("{} cannot be moved to {}: {error}", path.display(), free.display()))?;
        Ok(free)
    }
}

/// `a.prazo` becomes `a.prazo.old-1`.
fn aside(path: &Path, n: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".old-{n}"));
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_aside_is_still_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.prazo");
        let mut shelf = FileStorage;
        for n in 1..=2 {
            std::fs::write(&path, format!("{n}")).unwrap();
            let moved = shelf.set_aside(&path).unwrap();
            assert_eq!(std::fs::read_to_string(&moved).unwrap(), format!("{n}"));
            assert!(moved.to_str().unwrap().ends_with(&format!("a.prazo.old-{n}")));
            assert!(!shelf.exists(&path));
        }
    }

    #[test]
    fn what_cannot_be_moved_says_so() {
        let mut shelf = FileStorage;
        assert!(
            shelf.set_aside(Path::new("/nowhere/a.prazo")).unwrap_err().contains("/nowhere/a.prazo cannot be moved")
        );
    }
}
