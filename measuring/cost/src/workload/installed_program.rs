//! A workload's program as it was found on this machine, with its version.

use prazo_platform::foreign_programs::Program;
use prazo_platform::programs;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program as it was found on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InstalledProgram {
    /// Name of the program.
    pub name: &'static str,
    /// Path of the program.
    pub path: PathBuf,
    /// First line that the program prints for its version; null where it prints nothing.
    pub version: Option<String>,
}

impl InstalledProgram {
    /// Looks for `program` where programs of the system are; `None` if it is not there.
    pub fn find(program: &Program) -> Option<Self> {
        let path = programs::find(program.name)?;
        let version = version(program, &path);
        Some(Self { name: program.name, path, version })
    }
}

fn version(program: &Program, path: &Path) -> Option<String> {
    let output = Command::new(path)
        .env("PATH", programs::search_path())
        .arg(program.version)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = [output.stdout, output.stderr].concat();
    let line = String::from_utf8_lossy(&text).lines().map(str::trim).find(|line| !line.is_empty())?.to_owned();
    Some(line)
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
}
