//! The programs that do a workload's work, each with the Debian package that holds it.

use prazo_platform::programs;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A program that a workload needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// The Debian package that holds it.
    pub package: &'static str,
    /// How it is asked for its version.
    pub version: &'static str,
}

const fn program(name: &'static str, package: &'static str, version: &'static str) -> Program {
    Program { name, package, version }
}

pub(super) const AB: Program = program("ab", "apache2-utils", "-V");
pub(super) const CC: Program = program("cc", "gcc", "--version");
pub(super) const FIO: Program = program("fio", "fio", "--version");
pub(super) const HACKBENCH: Program = program("hackbench", "rt-tests", "--help");
pub(super) const IPERF3: Program = program("iperf3", "iperf3", "--version");
pub(super) const MAKE: Program = program("make", "make", "--version");
pub(super) const NGINX: Program = program("nginx", "nginx-light", "-v");
pub(super) const REDIS_BENCHMARK: Program = program("redis-benchmark", "redis-tools", "--version");
pub(super) const REDIS_SERVER: Program = program("redis-server", "redis-server", "--version");
pub(super) const STRESS_NG: Program = program("stress-ng", "stress-ng", "--version");
pub(super) const TAR: Program = program("tar", "tar", "--version");
pub(super) const GZIP: Program = program("gzip", "gzip", "--version");

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

impl Program {
    /// Looks for it where programs of the system are; `None` if it is not there.
    pub fn find(&self) -> Option<InstalledProgram> {
        let path = programs::find(self.name)?;
        let version = self.ask_version(&path);
        Some(InstalledProgram { name: self.name, path, version })
    }

    fn ask_version(&self, path: &PathBuf) -> Option<String> {
        let output = Command::new(path)
            .env("PATH", programs::search_path())
            .arg(self.version)
            .stdin(Stdio::null())
            .output()
            .ok()?;
        let text = [output.stdout, output.stderr].concat();
        let line = String::from_utf8_lossy(&text).lines().map(str::trim).find(|line| !line.is_empty())?.to_owned();
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_with_its_version_and_a_missing_one_is_not() {
        let tar = TAR.find().expect("tar is everywhere");
        assert!(tar.version.is_some_and(|line| line.contains("tar")));
        assert_eq!(program("no-such-program-anywhere", "none", "-V").find(), None);
    }
}
