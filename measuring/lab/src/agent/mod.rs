//! Where the guest's agent is: the program that a guest's kernel starts from its initramfs.

pub mod build;
pub mod inside;

use crate::architecture::Architecture;
use crate::error::LabError;
use std::path::{Path, PathBuf};

/// Names an agent to be used instead of the built one.
pub const GIVEN: &str = "PRAZO_AGENT";

/// Where it is left, in the folder that programs are built to.
const FOLDER: &str = "guest";

/// How far above this program that folder may be: `target/debug/deps/test`.
const LEVELS: usize = 3;

/// The agent's file: the one that the environment names, else the one inside this program or installed with it, else the one that was built
/// beside it.
pub(crate) fn find(architecture: Architecture) -> Result<PathBuf, LabError> {
    let variable = architecture.variable(GIVEN);
    // An empty variable names nothing, as an unset one.
    if let Some(file) = std::env::var_os(&variable).filter(|name| !name.is_empty()).map(PathBuf::from) {
        return if file.is_file() { Ok(file) } else { Err(nowhere(architecture, &[file])) };
    }
    inside::file(architecture)?.map_or_else(|| beside(&this_program()?, architecture), Ok)
}

/// Where this program was started from: another file may be there by now.
fn this_program() -> Result<PathBuf, LabError> {
    std::env::current_exe().map_err(LabError::system("find the folder of this program"))
}

fn beside(program: &Path, architecture: Architecture) -> Result<PathBuf, LabError> {
    let part = Path::new(FOLDER).join(file_name(architecture));
    let places: Vec<_> = program.ancestors().skip(1).take(LEVELS).map(|folder| folder.join(&part)).collect();
    places.iter().find(|place| place.is_file()).cloned().ok_or_else(|| nowhere(architecture, &places))
}

/// `prazo-agent`, followed by the architecture unless it is the default.
pub fn file_name(architecture: Architecture) -> String {
    if architecture == Architecture::default() {
        return "prazo-agent".into();
    }
    format!("prazo-agent-{architecture}")
}

fn nowhere(architecture: Architecture, places: &[PathBuf]) -> LabError {
    let places = places.iter().chain(&inside::installed()).map(|place| place.display().to_string()).collect();
    LabError::NoAgent { architecture, places, variable: architecture.variable(GIVEN) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_found_beside_the_folder_of_the_program_and_of_its_tests() {
        for &architecture in Architecture::VALUES {
            let folder = tempfile::tempdir().unwrap();
            let built = folder.path().join(FOLDER).join(file_name(architecture));
            std::fs::create_dir_all(built.parent().unwrap()).unwrap();
            let error = beside(&folder.path().join("debug/prazo"), architecture).unwrap_err().to_string();
            assert!(error.contains("`prazo lab fetch") && error.contains(architecture.name()), "{error}");
            std::fs::write(&built, "").unwrap();
            for program in ["debug/prazo", "debug/deps/lab-0123"] {
                assert_eq!(beside(&folder.path().join(program), architecture).unwrap(), built);
            }
        }
    }
}
