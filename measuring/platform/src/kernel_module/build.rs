//! Builds a module out of tree, in a folder of its own, so that neither the source nor the headers are written to.

use super::error::ModuleError;
use crate::programs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

/// What is built, against what, where.
#[derive(Clone, Debug)]
pub struct Build<'a> {
    /// The module's folder: a Kbuild file and its sources.
    pub source: &'a Path,
    /// Folders of headers of its own, by the name of the make variable that says where they are.
    pub variables: &'a [(&'a str, &'a Path)],
    /// The kernel's headers.
    pub headers: &'a Path,
    /// The compiler; `None` is the one that the headers ask for.
    pub compiler: Option<&'a str>,
    /// An existing folder for everything that is made.
    pub folder: &'a Path,
}

/// Where the running kernel's headers are, as distributions have them.
pub fn headers_of_running_kernel(release: &str) -> PathBuf {
    PathBuf::from(format!("/lib/modules/{release}/build"))
}

impl Build<'_> {
    /// Builds the module; its file.
    pub fn run(&self, release: &str) -> Result<PathBuf, ModuleError> {
        if !self.headers.join("Makefile").is_file() {
            return Err(ModuleError::NoHeaders { folder: self.headers.to_owned(), release: release.to_owned() });
        }
        if !self.source.join("Kbuild").is_file() {
            return Err(ModuleError::NoSource(self.source.to_owned()));
        }
        self.copy_source().map_err(|source| tool("a copy of the module's source in the build folder", source))?;
        self.make()?;
        self.made().ok_or_else(|| ModuleError::Build {
            headers: self.headers.into(),
            says: "make succeeded but made no module file (.ko)".into(),
        })
    }

    fn copy_source(&self) -> io::Result<()> {
        for entry in fs::read_dir(self.source)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                fs::copy(entry.path(), self.folder.join(entry.file_name()))?;
            }
        }
        Ok(())
    }

    fn make(&self) -> Result<(), ModuleError> {
        let answer = self.command().output().map_err(|source| tool("make", source))?;
        if answer.status.success() {
            return Ok(());
        }
        let printed = [answer.stdout, answer.stderr].concat();
        Err(ModuleError::Build { headers: self.headers.into(), says: last_words(&String::from_utf8_lossy(&printed)) })
    }

    /// Type information for the module would need pahole, and nothing here reads it. Without debug information and names of
    /// folders, the same source is the same module wherever it is built, which a guest's trajectory hangs on.
    fn command(&self) -> Command {
        let mut make = programs::command("make");
        make.arg("-C").arg(self.headers).arg(assigned("M", self.folder)).arg("CONFIG_DEBUG_INFO_BTF_MODULES=");
        make.arg(format!("KCFLAGS=-g0 -fmacro-prefix-map={}/=", self.folder.display()));
        make.args(self.variables.iter().map(|(name, folder)| assigned(name, folder)));
        if let Some(compiler) = self.compiler {
            make.arg(format!("CC={compiler}")).arg("CROSS_COMPILE=");
        }
        make.arg("modules").env("LC_ALL", "C").stdin(Stdio::null());
        // A build inside of another one's make would take its flags for its own.
        make.env_remove("MAKEFLAGS").env_remove("MFLAGS");
        make
    }

    fn made(&self) -> Option<PathBuf> {
        let files = fs::read_dir(self.folder).ok()?.flatten().map(|entry| entry.path());
        files.filter(|file| file.extension().is_some_and(|ending| ending == "ko")).min()
    }
}

fn assigned(name: &str, folder: &Path) -> std::ffi::OsString {
    let mut word = std::ffi::OsString::from(format!("{name}="));
    word.push(folder);
    word
}

fn tool(what: &str, source: io::Error) -> ModuleError {
    ModuleError::Tool { what: what.into(), source }
}

/// The errors among what was said, or else its end.
fn last_words(printed: &str) -> String {
    let errors: Vec<_> =
        printed.lines().filter(|line| line.contains("error:") || line.contains("Error ")).take(3).collect();
    let last: Vec<_> = printed.lines().rev().take(3).collect();
    if errors.is_empty() { last.into_iter().rev().collect::<Vec<_>>().join("; ") } else { errors.join("; ") }
}
