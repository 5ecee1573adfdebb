//! Finding a load's programs before anything is started, and asking them for their versions.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::LoadError;
use super::kind::{Kind, Program};

/// Where programs of the system are, whatever the user's own search path leaves out.
const SYSTEM: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The user's search path, with the system's folders behind it.
pub(super) fn search_path() -> String {
    match std::env::var("PATH") {
        Ok(path) if !path.is_empty() => format!("{path}:{SYSTEM}"),
        _ => SYSTEM.into(),
    }
}

/// The versions of all programs of a load, or the one that is missing and the package to install.
pub(super) fn versions(kind: &Kind, path: &str) -> Result<Vec<String>, LoadError> {
    let version_of = |program: &Program| {
        let found = find(program.name, path).ok_or_else(|| LoadError::MissingGenerator {
            load: kind.name.into(),
            program: program.name,
            package: program.package,
            searched: path.into(),
        })?;
        Ok(version(&found, program))
    };
    kind.programs.iter().map(version_of).collect()
}

fn find(program: &str, path: &str) -> Option<PathBuf> {
    let candidates = std::env::split_paths(OsStr::new(path)).map(|folder| folder.join(program));
    candidates.into_iter().find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// The first line that the program prints when asked; one that prints none is named alone.
fn version(found: &Path, program: &Program) -> String {
    let mut command = Command::new(found);
    command.arg(program.version).stdin(Stdio::null()).env("LC_ALL", "C");
    let Ok(output) = command.output() else { return program.name.into() };
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or(program.name).into()
}

#[cfg(test)]
mod tests {
    use super::super::catalogue;
    use super::*;

    #[test]
    fn a_missing_generator_names_the_package_to_install() {
        let empty = tempfile::tempdir().unwrap();
        let kind = catalogue::find("scheduler").unwrap();
        let error = versions(kind, empty.path().to_str().unwrap()).unwrap_err();
        assert!(matches!(&error, LoadError::MissingGenerator { program: "hackbench", package: "rt-tests", .. }));
        assert!(error.to_string().contains("apt-get install rt-tests"), "{error}");
    }

    #[test]
    fn a_file_that_cannot_be_executed_is_no_program() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("dd"), "text").unwrap();
        assert_eq!(find("dd", folder.path().to_str().unwrap()), None);
        assert!(find("dd", SYSTEM).is_some());
    }

    #[test]
    fn versions_are_one_line_each() {
        let line = version(Path::new("/bin/cat"), &Program { name: "cat", package: "coreutils", version: "--version" });
        assert!(line.starts_with("cat ") && !line.contains('\n'), "{line}");
    }
}
