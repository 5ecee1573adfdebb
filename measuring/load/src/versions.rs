//! What generates a load, by version: foreign programs are found before anything is started and asked; prazo's own
//! generators have prazo's version.

use super::error::LoadError;
use super::load_kind::LoadKind;
use prazo_platform::foreign_programs::Program;
use prazo_platform::program_version;
use prazo_platform::programs::find_in;

/// The versions of all programs of a load, or the one that is missing and the package to install. A program that prints
/// no version is named alone.
pub(super) fn versions(kind: &LoadKind, path: &str) -> Result<Vec<String>, LoadError> {
    if kind.is_own() {
        return Ok(vec![concat!("prazo ", env!("CARGO_PKG_VERSION")).into()]);
    }
    let version_of = |program: &Program| {
        let found = find_in(program.name, path).ok_or_else(|| LoadError::MissingGenerator {
            load: kind.name.into(),
            program: program.name,
            package: program.package,
            searched: path.into(),
        })?;
        Ok(program_version(program, &found).unwrap_or_else(|| program.name.into()))
    };
    kind.programs.iter().map(version_of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::catalogue;
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_missing_generator_names_the_package_to_install() {
        let empty = tempfile::tempdir().unwrap();
        let kind = catalogue::find("hackbench").unwrap();
        let error = versions(kind, empty.path().to_str().unwrap()).unwrap_err();
        assert!(matches!(&error, LoadError::MissingGenerator { program: "hackbench", package: "rt-tests", .. }));
        assert!(error.to_string().contains("apt-get install rt-tests"), "{error}");
    }

    #[test]
    fn an_own_generator_has_prazo_s_version_and_needs_no_program() {
        let found = versions(catalogue::find("scheduler").unwrap(), "/nowhere").unwrap();
        assert_eq!(found, [format!("prazo {}", env!("CARGO_PKG_VERSION"))]);
    }

    #[test]
    fn a_program_without_a_version_is_named_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hackbench");
        std::fs::write(&file, "#!/bin/sh\nexit 1\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        let found = versions(catalogue::find("hackbench").unwrap(), folder.path().to_str().unwrap()).unwrap();
        assert_eq!(found, ["hackbench"]);
    }
}
