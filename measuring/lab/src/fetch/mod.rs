//! Fetching: lists, packages, checksums, unpacking, and the program's own word for it; then it appears in the cache whole.

mod apt;
mod cache;
mod headers;
mod kernel;
mod packages;
mod work;

pub use cache::Cache;
pub(crate) use packages::Packages;

use crate::architecture::Architecture;
use crate::contents;
use crate::disc::DiscTools;
use crate::emulator::Emulator;
use crate::error::LabError;
use crate::irqlat;
use crate::tree::Tree;
use apt::Apt;
use std::fs;
use std::path::{Path, PathBuf};
use work::Work;

/// What to fetch into, and where from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// Where it is kept.
    pub cache: Cache,
    /// Another archive than Debian's own.
    pub mirror: Option<String>,
}

/// How far fetching is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<'a> {
    /// A step begins; of how many.
    Step(u32, u32, &'a str),
    /// What a step says.
    Line(&'a str),
    /// How much of a step is done, of how much, in a unit of its own.
    Part(u64, u64),
    /// A module is built.
    Built(&'a str),
}

const STEPS: u32 = 4;

/// Shows that what was unpacked starts, and is the version that it should be.
type Trial<'a> = &'a dyn Fn(Tree) -> Result<(), LabError>;

impl Fetch {
    /// Fetches the emulator unless it is there. Where that fails, only packages that came are left, for the next attempt.
    pub fn emulator(&self, say: &mut dyn FnMut(Progress<'_>)) -> Result<Emulator, LabError> {
        let starts = |tree: Tree| Emulator::unpacked(&tree, tree.clone(), Architecture::X86_64).map(drop);
        self.run(Packages::qemu(), &starts, say)?;
        Emulator::fetched(&self.cache, Architecture::X86_64)
    }

    /// Fetches what makes bootable discs, in the same way.
    pub fn disc_tools(&self, say: &mut dyn FnMut(Progress<'_>)) -> Result<DiscTools, LabError> {
        self.run(Packages::grub(), &|tree| DiscTools::unpacked(tree).map(drop), say)?;
        DiscTools::fetched(&self.cache)
    }

    /// Fetches the kernels of the built-in platforms.
    pub fn kernels(&self, say: &mut dyn FnMut(Progress<'_>)) -> Result<(), LabError> {
        Packages::kernels()
            .into_iter()
            .try_for_each(|packages| self.run(packages, &|tree| kernel::are_whole(&tree, Architecture::X86_64), say))
    }

    /// Fetches emulator and kernels of the 64-bit Arm platforms; the emulator for x86-64, whose libraries they share, must
    /// be there.
    pub fn arm64(&self, say: &mut dyn FnMut(Progress<'_>)) -> Result<(), LabError> {
        let libraries = self.cache.tree(&Packages::qemu())?;
        let starts = |tree| Emulator::unpacked(&tree, libraries.clone(), Architecture::Aarch64).map(drop);
        self.run(Packages::qemu_arm64(), &starts, say)?;
        self.run(Packages::arm64_kernels(), &|tree| kernel::are_whole(&tree, Architecture::Aarch64), say)
    }

    /// Fetches what modules for them are built with.
    pub fn headers(&self, say: &mut dyn FnMut(Progress<'_>)) -> Result<(), LabError> {
        Packages::headers()
            .into_iter()
            .try_for_each(|packages| self.run(packages, &|tree| headers::settled(&tree), say))
    }

    /// Builds the modules that measure an interrupt line, one for each of the kernels, unless they are there.
    pub fn modules(&self, say: &mut dyn FnMut(Progress<'_>)) -> Result<(), LabError> {
        irqlat::all(&self.cache, &mut |line| say(Progress::Built(line)))
    }

    fn run(&self, ours: Packages, trial: Trial<'_>, say: &mut dyn FnMut(Progress<'_>)) -> Result<(), LabError> {
        let _lock = self.cache.lock()?;
        if self.cache.tree(&ours).and_then(trial).is_ok() {
            return Ok(());
        }
        let packages = Packages { mirror: self.mirror.clone().unwrap_or(ours.mirror.clone()), ..ours };
        Apt::missing(&packages)?;
        let work = Work::open(&self.cache.work(&packages), &packages.pinned)?;
        let tree = unpacked(&packages, work.folder(), say)?;
        say(Progress::Step(4, STEPS, "starting the emulator once"));
        trial(Tree::at(tree.clone()))?;
        contents::seal(&tree, &packages.folder())?;
        self.keep(&tree, &self.cache.place(&packages))?;
        work.remove()
    }

    /// Moves what was unpacked to its place; one that was there did not start.
    fn keep(&self, tree: &Path, place: &Path) -> Result<(), LabError> {
        let failed = || LabError::system(format!("make {}", place.display()));
        if place.exists() {
            fs::remove_dir_all(place).map_err(failed())?;
        }
        fs::rename(tree, place).map_err(failed())
    }
}

fn unpacked(packages: &Packages, work: &Path, say: &mut dyn FnMut(Progress<'_>)) -> Result<PathBuf, LabError> {
    let apt = Apt::new(work, packages)?;
    say(Progress::Step(1, STEPS, &format!("fetching the lists of packages for {} (9 MB)", packages.folder())));
    apt.update(&mut |line| say(Progress::Line(line)))?;
    say(Progress::Step(2, STEPS, "downloading the packages"));
    let files = apt.download(say)?;
    say(Progress::Step(3, STEPS, "checking and unpacking"));
    let sums = apt.checksums(&files)?;
    check(packages, &sums)?;
    let tree = work.join("tree");
    for file in &files {
        apt.unpack(file, &tree)?;
    }
    let list = tree.join("packages.sha256");
    fs::write(&list, sums).map_err(LabError::system(format!("write {}", list.display())))?;
    Ok(tree)
}

impl Packages {
    /// A set that came otherwise than by fetching: if this lab knows it, it lists the packages that it
    /// knows. The list comes with the set, so that this tells another version, and no forgery.
    pub(crate) fn check_known(set: &str, folder: &Path) -> Result<(), LabError> {
        let Some(known) = Self::all().into_iter().find(|packages| packages.folder() == set) else { return Ok(()) };
        let list = folder.join("packages.sha256");
        let sums = fs::read_to_string(&list).map_err(LabError::system(format!("read {}", list.display())))?;
        check(&known, &sums)
    }
}

/// Every pinned package must be there with its checksum. `sums` has one line "CHECKSUM  FILE" a package.
fn check(packages: &Packages, sums: &str) -> Result<(), LabError> {
    let found: Vec<_> = sums.lines().filter_map(|line| line.split_once("  ")).collect();
    for pinned in &packages.pinned {
        let file = found.iter().find(|(_, file)| packages.pinned_in(file) == Some(pinned));
        let (sum, file) = file.copied().unwrap_or(("nothing", pinned.name.as_str()));
        if sum != pinned.sha256 {
            let (found, wanted) = (sum.to_owned(), pinned.sha256.clone());
            return Err(LabError::Checksum { package: file.to_owned(), found, wanted });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(packages: &Packages) -> String {
        packages.pinned.iter().map(|package| format!("{}  {}_1_amd64.deb\n", package.sha256, package.name)).collect()
    }

    #[test]
    fn packages_with_their_checksums_are_taken() {
        let packages = Packages::qemu();
        assert!(check(&packages, &(sums(&packages) + "00  zlib1g_1_amd64.deb\n")).is_ok());
    }

    #[test]
    fn a_package_that_was_changed_or_is_missing_is_refused_by_name() {
        let packages = Packages::qemu();
        let changed = sums(&packages).replace(&packages.pinned[3].sha256, "00");
        assert!(
            check(&packages, &changed).unwrap_err().to_string().contains("the checksum of seabios_1_amd64.deb is 00")
        );
        let missing: String = sums(&packages).lines().skip(1).map(|line| format!("{line}\n")).collect();
        let error = check(&packages, &missing).unwrap_err().to_string();
        assert!(error.contains("the checksum of qemu-system-x86 is nothing"), "{error}");
    }
}
