//! What generates a load, by version: foreign programs are found before anything is started and asked; prazo's own generators have
//! prazo's version.

use std::io::Read;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::error::LoadError;
use super::load_kind::LoadKind;
use prazo_platform::foreign_programs::Program;
use prazo_platform::programs::find_in;
use prazo_sys::containment as sys;

/// The versions of all programs of a load, or the one that is missing and the package to install.
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
        Ok(version(&found, program))
    };
    kind.programs.iter().map(version_of).collect()
}

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(2);

/// The first line that the program prints when asked; one that prints none in time is named alone.
fn version(found: &Path, program: &Program) -> String {
    let mut command = Command::new(found);
    command.arg(program.version).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).env("LC_ALL", "C");
    let Ok(mut child) = command.spawn() else { return program.name.into() };
    let until = Instant::now() + PATIENCE;
    let printed = child.stdout.take().and_then(|pipe| first_line(pipe, until));
    let printed = printed.or_else(|| child.stderr.take().and_then(|pipe| first_line(pipe, until)));
    // It has said enough, or will not say anything; one that has ended by itself cannot be killed, which is as well.
    let _ = child.kill();
    let _ = child.wait();
    printed.unwrap_or_else(|| program.name.into())
}

/// The first line that is not blank, if it comes in time.
fn first_line(mut pipe: impl Read + AsFd, until: Instant) -> Option<String> {
    let mut printed = Vec::new();
    loop {
        let left = until.saturating_duration_since(Instant::now()).as_millis() as u32;
        let mut bytes = [0; 1024];
        let taken =
            if sys::wait_readable([pipe.as_fd()], Some(left)) == [true] { pipe.read(&mut bytes).ok()? } else { 0 };
        printed.extend(&bytes[..taken]);
        let text = String::from_utf8_lossy(&printed);
        let whole = if taken == 0 { text.as_ref() } else { text.rsplit_once('\n').map_or("", |(whole, _)| whole) };
        let line = whole.lines().map(str::trim).find(|line| !line.is_empty());
        if line.is_some() || taken == 0 {
            return line.map(String::from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalogue;
    use super::*;
    use prazo_platform::foreign_programs::CAT;
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
    fn versions_are_one_line_each() {
        let line = version(Path::new("/bin/cat"), &CAT);
        assert!(line.starts_with("cat ") && !line.contains('\n'), "{line}");
    }

    #[test]
    fn a_version_may_come_on_standard_error_in_pieces_or_never() {
        let folder = tempfile::tempdir().unwrap();
        let printed = |text: &str| {
            let file = folder.path().join("program");
            std::fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
            let program = Program { name: "program", package: "none", version: "-V" };
            version(Path::new("/bin/sh"), &Program { version: Box::leak(file.display().to_string().into()), ..program })
        };
        assert_eq!(printed("echo; printf 'program 1'; sleep 0.05; echo .2; echo more"), "program 1.2");
        assert_eq!(printed("echo 'program 3' >&2"), "program 3");
        assert_eq!(printed("printf unfinished"), "unfinished");
        assert_eq!(printed("exit 1"), "program");
        assert_eq!(printed("exec sleep 60"), "program");
    }
}
