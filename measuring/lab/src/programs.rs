//! Programs of this system in a guest's memory, each with the libraries that it is linked with.
//!
//! They lie in the guest where they lie here, so that the dynamic linker finds them without settings. Their bytes are part
//! of the initramfs, whose checksum a run states: another host's programs are another, equally valid, trajectory.

mod compiler;

use crate::cpio::Archive;
use crate::error::LabError;
use prazo_platform::programs;
use std::path::{Path, PathBuf};

/// Where the guest's own search path looks.
const PLACE: &str = "usr/bin";

/// tar starts what compresses through this shell, and looks for it nowhere else.
const SHELL_OF_TAR: &str = "/bin/sh";

/// Packs the program of this name, with the programs and files that it cannot do without; false where this system has none, which the guest's load then says by name.
pub(crate) fn pack(archive: &mut Archive, name: &str) -> Result<bool, LabError> {
    let Some(program) = programs::find(name) else { return Ok(false) };
    with_libraries(archive, &program, &format!("{PLACE}/{name}"))?;
    if name == "tar" {
        as_it_lies(archive, Path::new(SHELL_OF_TAR))?;
    }
    if name == compiler::NAME {
        compiler::pack_parts(archive, &program)?;
    }
    Ok(true)
}

/// Packs a program at a place in the guest, and its libraries where they lie here.
pub fn with_libraries(archive: &mut Archive, program: &Path, place: &str) -> Result<(), LabError> {
    for library in libraries(program)? {
        as_it_lies(archive, &library)?;
    }
    archive.file(place, read(program)?, true);
    Ok(())
}

/// Packs a file where it lies here, once.
fn as_it_lies(archive: &mut Archive, file: &Path) -> Result<(), LabError> {
    let place = file.to_string_lossy();
    if !archive.has(&place) {
        archive.file(&place, read(file)?, true);
    }
    Ok(())
}

/// What the dynamic linker would load with it, itself included; nothing for a static program.
fn libraries(program: &Path) -> Result<Vec<PathBuf>, LabError> {
    let answer = programs::command("ldd").arg(program).env("LC_ALL", "C").env_remove("LD_PRELOAD").output();
    let answer = answer.map_err(LabError::system("start ldd, which lists the libraries of a program"))?;
    Ok(named(&String::from_utf8_lossy(&answer.stdout)))
}

/// `libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x…)` and `/lib64/ld-linux-x86-64.so.2 (0x…)`.
fn named(answer: &str) -> Vec<PathBuf> {
    let path = |line: &str| line.split_whitespace().find(|word| word.starts_with('/')).map(PathBuf::from);
    answer.lines().filter_map(path).collect()
}

fn read(file: &Path) -> Result<Vec<u8>, LabError> {
    std::fs::read(file).map_err(LabError::system(format!("read {}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_read_from_the_linkers_words() {
        let words = "\tlinux-vdso.so.1 (0x7ffd)\n\tlibc.so.6 => /lib/a/libc.so.6 (0x7f)\n\t/lib64/ld.so.2 (0x7f)\n";
        assert_eq!(named(words), [PathBuf::from("/lib/a/libc.so.6"), PathBuf::from("/lib64/ld.so.2")]);
        assert!(named("\tnot a dynamic executable\n").is_empty());
    }

    #[test]
    fn a_program_comes_with_its_libraries_and_one_that_is_not_there_is_said_to_be_missing() {
        let mut archive = Archive::new();
        assert!(pack(&mut archive, "sh").unwrap());
        assert!(archive.has("usr/bin/sh"));
        assert!(
            libraries(&programs::find("sh").unwrap())
                .unwrap()
                .iter()
                .all(|library| archive.has(&library.to_string_lossy()))
        );
        assert!(!pack(&mut archive, "no-such-program").unwrap());
    }

    #[test]
    fn tar_comes_with_the_shell_that_starts_what_compresses() {
        let mut archive = Archive::new();
        assert!(pack(&mut archive, "tar").unwrap());
        assert!(archive.has("bin/sh"));
    }
}
