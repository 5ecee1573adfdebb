//! What a C compiler starts and reads without its libraries naming it: the compiler proper, the assembler, the C library's headers.
//!
//! The compiler itself says where they are. They lie in the guest where they lie here, since it looks there. There is no linker: the
//! guest's loads only compile.

use super::{as_it_lies, with_libraries};
use crate::cpio::Archive;
use crate::error::LabError;
use prazo_platform::programs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program that is a compiler.
pub(super) const NAME: &str = "cc";

/// What it starts to compile a file.
const PARTS: [&str; 2] = ["cc1", "as"];

/// The headers that a load's program may include.
const HEADERS: [&str; 6] = ["stdio.h", "stdlib.h", "string.h", "math.h", "stdint.h", "stddef.h"];

/// Packs them all.
pub(super) fn pack_parts(archive: &mut Archive, compiler: &Path) -> Result<(), LabError> {
    for part in PARTS {
        let printed = answer(compiler, &[&format!("-print-prog-name={part}")], "")?;
        let named = PathBuf::from(printed.trim());
        // A part that is found on the search path is named without a folder.
        match programs::find(part).filter(|_| named.is_relative()) {
            Some(found) => with_libraries(archive, &found, &format!("{}/{part}", super::PLACE))?,
            None => with_libraries(archive, &named, &named.to_string_lossy())?,
        }
    }
    headers(compiler)?.iter().try_for_each(|header| as_it_lies(archive, header))
}

/// Every file that a program with these headers makes the compiler read.
fn headers(compiler: &Path) -> Result<Vec<PathBuf>, LabError> {
    let program: String = HEADERS.iter().map(|header| format!("#include <{header}>\n")).collect();
    // Optimising reads more of them than not.
    let rule = answer(compiler, &["-O2", "-M", "-x", "c", "-"], &program)?;
    Ok(rule.split_whitespace().filter(|word| word.starts_with('/')).map(PathBuf::from).collect())
}

/// What the compiler says; its own complaint is the error.
fn answer(compiler: &Path, words: &[&str], input: &str) -> Result<String, LabError> {
    let failed = || LabError::system(format!("read the output of {} ({})", compiler.display(), words.join(" ")));
    let mut command = Command::new(compiler);
    command
        .args(words)
        .env("LC_ALL", "C")
        .env("PATH", programs::search_path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed())?;
    // One that reads nothing may be gone by now, which its answer tells.
    let _ = child.stdin.take().map(|mut pipe| pipe.write_all(input.as_bytes()));
    let output = child.wait_with_output().map_err(failed())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(failed()(std::io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_testing::or_skip;

    #[test]
    fn a_compiler_comes_with_what_it_starts_and_reads() {
        let compiler = or_skip!(prazo_testing::program(NAME));
        let mut archive = Archive::new();
        pack_parts(&mut archive, &compiler).unwrap();
        for header in HEADERS {
            assert!(headers(&compiler).unwrap().iter().any(|file| file.ends_with(header)), "{header}");
        }
        assert!(headers(&compiler).unwrap().iter().all(|file| archive.has(&file.to_string_lossy())));
    }

    #[test]
    fn a_compiler_that_complains_is_told_with_its_words() {
        let compiler = or_skip!(prazo_testing::program(NAME));
        let error = answer(&compiler, &["-M", "-x", "c", "-"], "#include <no-such-header.h>\n").unwrap_err();
        assert!(error.to_string().contains("no-such-header.h"), "{error}");
    }
}
