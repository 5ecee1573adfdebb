//! The plugin of `plugin/`, in C, carried as text and built where a compiler is.
//!
//! What was built lies in the cache under a name that holds the sources' checksum, so that another version of prazo builds its
//! own, and it appears there whole or not at all.

use crate::checksum::{is_short, sha256};
use crate::error::LabError;
use crate::fetch::Cache;
use crate::whole;
use prazo_platform::programs;
use std::fs;
use std::path::{Path, PathBuf};

/// Names a compiler to be used instead of [`COMPILERS`].
const GIVEN: &str = "CC";
const COMPILERS: [&str; 3] = ["cc", "gcc", "clang"];

/// One program of `plugin/`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Program {
    /// What is built.
    name: &'static str,
    /// The files, the one that is compiled first.
    files: &'static [(&'static str, &'static str)],
    flags: &'static [&'static str],
}

/// The plugin that QEMU loads.
pub(super) const WATCH: Program = Program {
    name: "watch.so",
    files: &[
        ("watch.c", include_str!("../../plugin/watch.c")),
        ("processor.h", include_str!("../../plugin/processor.h")),
        ("x86_64.h", include_str!("../../plugin/x86_64.h")),
        ("aarch64.h", include_str!("../../plugin/aarch64.h")),
        ("qemu.h", include_str!("../../plugin/qemu.h")),
        ("record.h", include_str!("../../plugin/record.h")),
    ],
    flags: &["-O2", "-Wall", "-shared", "-fPIC", "-fvisibility=hidden"],
};

/// What earlier versions built beside the plugin.
const FORMER: Program = Program { name: "symbols", files: &[], flags: &[] };

/// True for the folder of a program that other sources built than those of this prazo.
pub(crate) fn is_old(folder: &Path, name: &str) -> bool {
    let is_of = |program: &Program| {
        let sum = name.strip_prefix(program.stem()).and_then(|rest| rest.strip_prefix('-'));
        sum.is_some_and(is_short) && folder.join(program.name).is_file()
    };
    is_of(&FORMER) || is_of(&WATCH) && name != WATCH.folder()
}

impl Program {
    /// From the cache, or built now.
    pub(super) fn built(&self, cache: &Cache) -> Result<PathBuf, LabError> {
        let place = self.place(cache);
        cache.built(&place, || self.build(&place, &compiler(&programs::search_path())?))?;
        Ok(place)
    }

    /// Its checksum, which is also in its folder's name.
    pub(super) fn checksum(&self) -> String {
        let all: String = self.files.iter().map(|(name, text)| format!("{name}\n{text}")).collect();
        sha256(format!("{all}{:?}", self.flags).as_bytes())
    }

    fn place(&self, cache: &Cache) -> PathBuf {
        cache.folder().join(self.folder()).join(self.name)
    }

    fn stem(&self) -> &'static str {
        self.name.split('.').next().unwrap_or(self.name)
    }

    /// Its folder in the cache.
    fn folder(&self) -> String {
        format!("{}-{}", self.stem(), &self.checksum()[..16])
    }

    fn build(&self, place: &Path, compiler: &str) -> Result<(), LabError> {
        let work = tempfile::tempdir().map_err(LabError::system("make a temporary folder to compile in"))?;
        for (name, text) in self.files {
            fs::write(work.path().join(name), text).map_err(LabError::system(format!("write {name}")))?;
        }
        let mut command = programs::command(compiler);
        command.current_dir(work.path()).args(self.flags).args(["-o", self.name, self.files[0].0]);
        let answer = command.output().map_err(LabError::system(format!("start {compiler}")))?;
        if !answer.status.success() {
            let said = String::from_utf8_lossy(&answer.stderr).trim().to_owned();
            return Err(LabError::Compile { what: self.name, compiler: compiler.to_owned(), said });
        }
        let built = fs::read(work.path().join(self.name)).and_then(|built| whole::write(place, &built, 0o755));
        built.map_err(LabError::system(format!("make {}", place.display())))
    }
}

/// The compiler that the environment names, or the first one that is there.
fn compiler(path: &str) -> Result<String, LabError> {
    std::env::var(GIVEN).or_else(|_| installed(path))
}

fn installed(path: &str) -> Result<String, LabError> {
    let found = COMPILERS.into_iter().find(|name| programs::find_in(name, path).is_some());
    found.map(str::to_owned).ok_or(LabError::NoCompiler)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_testing::{Need, OrSkipped, or_skip};

    #[test]
    fn without_a_compiler_the_remedy_is_to_install_one() {
        let folder = tempfile::tempdir().unwrap();
        let error = installed(folder.path().to_str().unwrap()).unwrap_err().to_string();
        assert!(error.contains("C compiler") && error.contains("install"), "{error}");
    }

    #[test]
    fn what_does_not_compile_says_what_the_compiler_said_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let program = Program { name: "x.so", files: &[("x.c", "int broken = ;")], flags: &["-shared"] };
        let compiler = or_skip!(installed(&programs::search_path()).or_skipped(Need::Program("cc")));
        let error = program.build(&folder.path().join("x/x.so"), &compiler).unwrap_err().to_string();
        assert!(error.contains("x.so") && error.contains("x.c"), "{error}");
        assert!(!folder.path().join("x").exists());
    }
}
