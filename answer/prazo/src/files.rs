//! Where run files come from and go to.

use crate::dates::stamp;
use crate::error::Error;
use prazo_run::Run;
use std::path::{Path, PathBuf};

/// The folder that results go to unless `-o` names another.
pub const RESULTS: &str = "prazo-results";

/// Opens run files in the order given.
pub fn open_all(files: &[PathBuf]) -> Result<Vec<Run>, Error> {
    files.iter().map(|file| open(file)).collect()
}

/// Opens one run file.
pub fn open(file: &Path) -> Result<Run, Error> {
    prazo_run::store::open(file).map_err(Error::reading)
}

/// The file's name without its ending.
pub fn name_of(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// `prazo-results/NAME-DATE.prazo`.
pub fn default_run_file(name: &str) -> PathBuf {
    Path::new(RESULTS).join(format!("{name}-{}.prazo", stamp()))
}
