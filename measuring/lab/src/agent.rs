//! Where the guest's agent is: the program that a guest's kernel starts from its initramfs.

use crate::error::LabError;
use std::path::{Path, PathBuf};

/// Names an agent to be used instead of the built one.
pub const GIVEN: &str = "PRAZO_AGENT";

/// Where `cargo xtask agent` leaves it, in the folder that programs are built to.
const BUILT: &str = "guest/prazo-agent";

/// How far above this program that folder may be: `target/debug/deps/test`.
const LEVELS: usize = 3;

/// The agent's file: the one that the environment names, or else the one that was built beside this program.
pub(crate) fn find() -> Result<PathBuf, LabError> {
    if let Some(file) = std::env::var_os(GIVEN).map(PathBuf::from) {
        return if file.is_file() { Ok(file) } else { Err(nowhere(&[file])) };
    }
    let program = std::env::current_exe().map_err(LabError::system("find this program's folder"))?;
    beside(&program)
}

fn beside(program: &Path) -> Result<PathBuf, LabError> {
    let places: Vec<_> = program.ancestors().skip(1).take(LEVELS).map(|folder| folder.join(BUILT)).collect();
    places.iter().find(|place| place.is_file()).cloned().ok_or_else(|| nowhere(&places))
}

fn nowhere(places: &[PathBuf]) -> LabError {
    LabError::NoAgent { places: places.iter().map(|place| place.display().to_string()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_found_beside_the_folder_of_the_program_and_of_its_tests() {
        let folder = tempfile::tempdir().unwrap();
        let built = folder.path().join(BUILT);
        std::fs::create_dir_all(built.parent().unwrap()).unwrap();
        assert!(beside(&folder.path().join("debug/prazo")).unwrap_err().to_string().contains("cargo xtask agent"));
        std::fs::write(&built, "").unwrap();
        for program in ["debug/prazo", "debug/deps/lab-0123"] {
            assert_eq!(beside(&folder.path().join(program)).unwrap(), built);
        }
    }
}
