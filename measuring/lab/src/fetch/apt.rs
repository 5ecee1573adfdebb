//! apt and dpkg, used as fetchers only: lists, packages and settings in a folder of prazo's, nothing installed.
//!
//! apt checks the archive's signature and every package against the signed lists. The system's own settings stay in force
//! (a proxy, for one); its sources, its lists and the state of its packages are neither read nor written.

use super::Progress;
use super::packages::Packages;
use crate::architecture::Architecture;
use crate::error::LabError;
use crate::step;
use prazo_platform::programs;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the packages, in that of an attempt.
pub(super) const PACKAGES: &str = "packages";

const OFFLINE: &str = "Check that a Debian archive can be reached over the network, or give another archive with \
                       --mirror.";
const NOT_THERE: &str = "The archive may not have a kernel of this release: choose another one with --release. Debian \
                         calls its kernels of the series 6.1 6.1.0-NN.";
const DISK_FULL: &str = "Check that the disk of the cache is not full.";

/// An apt with a folder of its own.
pub(super) struct Apt<'a> {
    folder: PathBuf,
    packages: &'a Packages,
}

impl<'a> Apt<'a> {
    /// Prepares the folder.
    pub(super) fn new(folder: &Path, packages: &'a Packages) -> Result<Self, LabError> {
        let apt = Self { folder: folder.to_owned(), packages };
        for part in ["lists/partial", "cache/archives/partial", PACKAGES] {
            let part = folder.join(part);
            fs::create_dir_all(&part).map_err(LabError::system(format!("make {}", part.display())))?;
        }
        apt.write("sources.list", &packages.sources())?;
        apt.write("apt.conf", &apt.settings())?;
        Ok(apt)
    }

    /// What this system lacks for fetching, if anything.
    pub(super) fn missing(packages: &Packages) -> Result<(), LabError> {
        let instead = instead(packages);
        let debian = format!("use Debian 12 or newer, or a system derived from it, or {instead}");
        let lacks = |what: &str, remedy: &str| LabError::Missing { what: what.into(), remedy: remedy.into() };
        for program in ["apt-get", "dpkg-deb", "sha256sum"] {
            programs::find(program).ok_or_else(|| lacks(program, &debian))?;
        }
        if !Path::new(&packages.keyring).exists() {
            return Err(lacks(&packages.keyring, "install the package debian-archive-keyring"));
        }
        if cfg!(target_arch = "x86_64") { Ok(()) } else { Err(lacks("an x86-64 host", &instead)) }
    }

    /// Fetches the archive's lists.
    pub(super) fn update(&self, say: &mut dyn FnMut(&str)) -> Result<(), LabError> {
        step::run("fetching the lists of packages", OFFLINE, self.get().arg("update"), say)
    }

    /// Downloads the packages; their files.
    pub(super) fn download(&self, say: &mut dyn FnMut(Progress<'_>)) -> Result<Vec<PathBuf>, LabError> {
        let folder = self.folder.join(PACKAGES);
        let get = |flag: &[&str]| {
            let mut get = self.get();
            get.arg("download").args(flag).args(self.packages.wanted()).current_dir(&folder);
            get
        };
        let mut total = 0;
        let what = "reading the sizes of the packages";
        let remedy = if self.packages.pinned.is_empty() { NOT_THERE } else { OFFLINE };
        step::run(what, remedy, &mut get(&["--print-uris"]), &mut |line| total += size_in(line))?;
        step::run_watched("downloading the packages", OFFLINE, &mut get(&[]), &mut |heard| match heard {
            Some(line) => say(Progress::Line(line)),
            None => say(Progress::Part(bytes_in(&folder).min(total), total)),
        })?;
        let entries = fs::read_dir(&folder).map_err(LabError::system(format!("read {}", folder.display())))?;
        let is_package = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "deb");
        let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(is_package).collect();
        files.sort();
        Ok(files)
    }

    /// The files' checksums, as sha256sum prints them, without folders.
    pub(super) fn checksums(&self, files: &[PathBuf]) -> Result<String, LabError> {
        let names = files.iter().filter_map(|file| file.file_name());
        let mut command = programs::command("sha256sum");
        command.args(names).current_dir(self.folder.join(PACKAGES));
        let mut sums = String::new();
        let mut keep = |line: &str| sums.push_str(&format!("{line}\n"));
        step::run("computing the checksums of the packages", DISK_FULL, &mut command, &mut keep)?;
        Ok(sums)
    }

    /// Unpacks one package.
    pub(super) fn unpack(&self, file: &Path, tree: &Path) -> Result<(), LabError> {
        let what = format!("unpacking {}", file.display());
        let mut command = programs::command("dpkg-deb");
        step::run(&what, DISK_FULL, command.arg("--extract").arg(file).arg(tree), &mut |_| {})
    }

    fn get(&self) -> Command {
        let mut command = programs::command("apt-get");
        // Not `-q`: a progress bar is only drawn on a terminal, and this goes to a pipe.
        command.arg("--config-file").arg(self.folder.join("apt.conf"));
        command.env("LC_ALL", "C").env("DEBIAN_FRONTEND", "noninteractive");
        command
    }

    /// An archive that cannot be reached is an error, not apt's usual warning; only lists of packages are fetched.
    fn settings(&self) -> String {
        let folder = self.folder.display();
        let names = [
            format!("Dir::Etc::sourcelist \"{folder}/sources.list\";"),
            "Dir::Etc::sourceparts \"/dev/null\";".into(),
            format!("Dir::State::lists \"{folder}/lists\";"),
            "Dir::State::status \"/dev/null\";".into(),
            format!("Dir::Cache \"{folder}/cache\";"),
            "APT::Architecture \"amd64\";".into(),
            format!("APT::Architectures {{ \"amd64\"; \"{}\"; }};", self.packages.architecture),
            "APT::Sandbox::User \"root\";".into(),
            "APT::Update::Error-Mode \"any\";".into(),
            "Acquire::Retries \"2\";".into(),
            "Acquire::http::Timeout \"20\";".into(),
            "Acquire::Languages \"none\";".into(),
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled \"false\";".into(),
        ];
        names.join("\n") + "\n"
    }

    fn write(&self, name: &str, text: &str) -> Result<(), LabError> {
        let file = self.folder.join(name);
        fs::write(&file, text).map_err(LabError::system(format!("write {}", file.display())))
    }
}

/// What serves as well as fetching this set: a QEMU of the user's for an emulator, a kernel of the user's for all else.
fn instead(packages: &Packages) -> String {
    let is_emulator = |one: &&Architecture| Packages::emulator(**one).folder() == packages.folder();
    match Architecture::VALUES.iter().find(is_emulator) {
        Some(one) => format!("set {} to the path of QEMU 8.1 or newer", one.variable("PRAZO_QEMU")),
        None => "boot your own kernel with --kernel".into(),
    }
}

/// The third word of `'URI' FILE SIZE CHECKSUM`.
fn size_in(line: &str) -> u64 {
    line.split_whitespace().nth(2).and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// What the files of a folder hold.
fn bytes_in(folder: &Path) -> u64 {
    let sizes = fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| entry.metadata().ok());
    sizes.map(|data| data.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_qemu_of_the_user_s_is_advised_for_an_emulator_only() {
        let qemu = |architecture| instead(&Packages::emulator(architecture));
        assert_eq!(qemu(Architecture::X86_64), "set PRAZO_QEMU to the path of QEMU 8.1 or newer");
        assert_eq!(qemu(Architecture::Aarch64), "set PRAZO_QEMU_AARCH64 to the path of QEMU 8.1 or newer");
        for packages in [Packages::kernels(Architecture::X86_64).remove(0), Packages::grub()] {
            assert_eq!(instead(&packages), "boot your own kernel with --kernel");
        }
    }

    #[test]
    fn a_step_that_needs_no_network_advises_none() {
        let (packages, desk) = (Packages::grub(), tempfile::tempdir().unwrap());
        let apt = Apt::new(desk.path(), &packages).unwrap();
        let error = apt.checksums(&[PathBuf::from("missing.deb")]).unwrap_err().to_string();
        assert!(error.ends_with("Check that the disk of the cache is not full."), "{error}");
    }
}
