//! The emulator: one QEMU, in a cache folder of its own or given by the user, and its version.

use crate::architecture::Architecture;
use crate::boot::Medium;
use crate::checksum::of_file;
use crate::command_line::{self, InputLog, Wiring};
use crate::error::LabError;
use crate::fetch::{Cache, Packages};
use crate::machine::Machine;
use crate::unpacked_packages::Tree;
use prazo_platform::programs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names a QEMU to be used instead of the fetched one.
pub const GIVEN: &str = "PRAZO_QEMU";

/// Older ones are not always deterministic under counted time, and hang with several processors.
const OLDEST: (u32, u32) = (8, 1);

/// A QEMU that starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emulator {
    program: PathBuf,
    /// The libraries and the firmware that were fetched with it; `None` for one that was given.
    tree: Option<Tree>,
    /// The folders of firmware that were fetched.
    firmware: Vec<PathBuf>,
    version: String,
}

impl Emulator {
    /// The QEMU for PCs that the environment names, or else the fetched one.
    pub fn find() -> Result<Self, LabError> {
        Self::find_for(Architecture::default())
    }

    /// The QEMU for an architecture that the environment names (`PRAZO_QEMU`, `PRAZO_QEMU_AARCH64` ...), or else the fetched one.
    pub fn find_for(architecture: Architecture) -> Result<Self, LabError> {
        match std::env::var_os(architecture.variable(GIVEN)) {
            Some(program) => Self::given(PathBuf::from(program)),
            None => Self::fetched(&Cache::of_user()?, architecture),
        }
    }

    /// A QEMU of the user's; whether its boots can be repeated is for its version to say.
    pub fn given(program: PathBuf) -> Result<Self, LabError> {
        let found = Self { program, tree: None, firmware: Vec::new(), version: String::new() }.with_version()?;
        let Some(number) = number(&found.version) else { return Ok(found) };
        if number >= OLDEST {
            return Ok(found);
        }
        let answer = format!(
            "'{}' is older than {}.{}, and its boots cannot be repeated exactly; use a newer QEMU",
            found.version, OLDEST.0, OLDEST.1
        );
        Err(LabError::Unusable { program: found.program, answer })
    }

    /// The one in the cache, which must be the version that this lab was made with.
    pub fn fetched(cache: &Cache, architecture: Architecture) -> Result<Self, LabError> {
        let libraries = cache.tree(&Packages::emulator(Architecture::default()))?;
        let tree = cache.tree(&Packages::emulator(architecture))?;
        Self::unpacked(&tree, libraries, architecture)
    }

    /// The one whose package was unpacked to `tree`, and what it shares with the others to `libraries`.
    pub(crate) fn unpacked(tree: &Tree, libraries: Tree, architecture: Architecture) -> Result<Self, LabError> {
        let program = tree.program(architecture.emulator());
        // A board's firmware comes with its own emulator where the first one's packages lack it.
        let shared = ["usr/share/qemu", "usr/share/seabios"].map(|folder| libraries.path(folder));
        let own = (*tree != libraries).then(|| tree.path("usr/share/qemu")).filter(|folder| folder.is_dir());
        let firmware = shared.into_iter().chain(own).collect();
        let found = Self { program, tree: Some(libraries), firmware, version: String::new() }.with_version()?;
        let wanted = Packages::emulator(architecture).version;
        if found.version.contains(&format!("version {wanted} ")) {
            return Ok(found);
        }
        let answer = format!("the emulator's version is '{}', but the lab needs {wanted}", found.version);
        Err(LabError::Unusable { program: found.program, answer })
    }

    /// Asks the emulator for its version, which also shows that it starts.
    fn with_version(self) -> Result<Self, LabError> {
        let unusable = |answer: String| LabError::Unusable { program: self.program.clone(), answer };
        let answer = self.command().arg("--version").output().map_err(|error| unusable(error.to_string()))?;
        let says = String::from_utf8_lossy(&answer.stdout).lines().next().unwrap_or_default().to_owned();
        if answer.status.success() && says.starts_with("QEMU emulator") {
            return Ok(Self { version: says, ..self });
        }
        let complaint = String::from_utf8_lossy(&answer.stderr).trim().to_owned();
        let odd = || format!("--version printed '{says}' instead of QEMU's version");
        Err(unusable(if complaint.is_empty() { odd() } else { complaint }))
    }

    /// The program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Version that it prints.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// True for the pinned packages, whose boots under counted time can be repeated elsewhere.
    pub fn is_pinned(&self) -> bool {
        self.tree.is_some()
    }

    /// Checksum of the program.
    ///
    /// # Errors
    /// The program cannot be read.
    pub fn checksum(&self) -> Result<String, LabError> {
        of_file(&programs::find(&self.program.to_string_lossy()).unwrap_or_else(|| self.program.clone()))
    }

    /// The command that boots a machine.
    pub(crate) fn boot(&self, machine: &Machine, medium: &Medium, wiring: &Wiring, log: InputLog) -> Command {
        let mut command = self.start();
        command.args(command_line::arguments(machine, medium, wiring, log));
        command
    }

    /// The command to which a caller adds a board of its own: program, libraries and firmware.
    pub fn start(&self) -> Command {
        let mut command = self.command();
        for folder in &self.firmware {
            command.arg("-L").arg(folder);
        }
        command
    }

    /// The program with the libraries and modules that were fetched with it.
    fn command(&self) -> Command {
        let Some(tree) = &self.tree else { return Command::new(&self.program) };
        let mut command = tree.command(&self.program);
        command.env("QEMU_MODULE_DIR", tree.path("usr/lib/x86_64-linux-gnu/qemu"));
        command
    }
}

/// `QEMU emulator version 10.0.2 (Debian ...)`: 10 and 0.
fn number(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.strip_prefix("QEMU emulator version ")?.split(['.', ' ']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn a_version_is_read_where_there_is_one() {
        assert_eq!(number("QEMU emulator version 10.0.2 (Debian 1:10.0.2+ds-2)"), Some((10, 0)));
        assert_eq!(number("QEMU emulator version 7.2.0"), Some((7, 2)));
        assert_eq!(number("qemu-img version 10.0.2"), None);
    }
}
