//! A workload's program as it was found on this machine, with its version.

use prazo_platform::foreign_programs::Program;
use prazo_platform::{program_version, programs};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// A program as it was found on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InstalledProgram {
    /// Name of the program.
    pub name: &'static str,
    /// Path of the program.
    pub path: PathBuf,
    /// First line of the program's version output; null where the program prints nothing.
    pub version: Option<String>,
}

impl InstalledProgram {
    /// Looks for `program` where programs of the system are; `None` if it is not there.
    pub fn find(program: &Program) -> Option<Self> {
        let path = programs::find(program.name)?;
        let version = program_version(program, &path);
        Some(Self { name: program.name, path, version })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_platform::foreign_programs::TAR;

    #[test]
    fn a_program_is_found_with_its_version_and_a_missing_one_is_not() {
        let tar = InstalledProgram::find(&TAR).expect("tar is everywhere");
        assert!(tar.version.is_some_and(|line| line.contains("tar")));
        assert_eq!(InstalledProgram::find(&Program { name: "no-such-program-anywhere", ..TAR }), None);
    }

    #[test]
    fn the_locale_of_the_user_does_not_change_a_version() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("program");
        std::fs::write(&file, "echo in $LC_ALL\n").unwrap();
        let version: &str = Box::leak(file.display().to_string().into_boxed_str());
        let found = InstalledProgram::find(&Program { name: "sh", package: "dash", version });
        assert_eq!(found.expect("sh is everywhere").version.as_deref(), Some("in C"));
    }
}
