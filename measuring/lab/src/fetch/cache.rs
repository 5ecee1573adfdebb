//! Where what was fetched is kept: a folder of the user's cache that may be removed at any time.
//!
//! ```text
//! ~/.cache/prazo/lab/
//!   lock                   held while fetching
//!   building-linux-NAME/   what a kernel is compiled in, with the lock building-linux-NAME.lock
//!   qemu-10.0.2/           usr/, lib/: what dpkg-deb unpacked
//!     packages.sha256      every package that was unpacked, with its checksum
//!     contents.list        every file that is there, with its checksum: compared before the set is used
//!   grub-2.06/             the same, for making discs
//!   linux-6.1.0-50/        the same, kernels with their modules
//!   headers-6.1.0-50/      the same, for building modules
//!   built-NAME-VERSION-SUM/  the same, a kernel that was built from sources
//!   vmlinux-SUM/           the kernel inside the image with this checksum
//!   irqlat-RELEASE-SUM/    the module for one kernel, from the sources with this checksum
//!   fetching-linux-6.12.95/  what an interrupted fetch has got so far
//! ```

use super::known;
use super::packages::Packages;
use super::recipe::Recipe;
use crate::contents;
use crate::error::LabError;
use crate::unpacked_packages::Tree;
use prazo_sys::shell::quoted;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

/// A cache folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The user's: `$XDG_CACHE_HOME/prazo/lab`, or `~/.cache/prazo/lab`.
    pub fn of_user() -> Result<Self, LabError> {
        let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
        let base = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
        base.map_or(Err(LabError::NoCache), |base| Self::at(base.join("prazo/lab")))
    }

    /// Some other folder; its path must not hold a colon, since the linker's list of folders has no way to write one.
    pub fn at(folder: impl Into<PathBuf>) -> Result<Self, LabError> {
        let folder = folder.into();
        if folder.as_os_str().as_encoded_bytes().contains(&b':') {
            Err(LabError::Colon { folder })
        } else {
            Ok(Self { folder })
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where a set of packages is, if it was fetched. It appears whole or not at all.
    pub(crate) fn place(&self, packages: &Packages) -> PathBuf {
        self.folder.join(packages.folder())
    }

    /// A set of packages that was fetched, as [`Cache::set`].
    pub(crate) fn tree(&self, packages: &Packages) -> Result<Tree, LabError> {
        self.sealed(&packages.folder(), &packages.name)
    }

    /// Where a set of packages is gathered until it is whole.
    pub(crate) fn work(&self, packages: &Packages) -> PathBuf {
        self.folder.join(format!("fetching-{}", packages.folder()))
    }

    /// A set of packages that was fetched, by its folder's name. An error where it is not there, or where a file of it is not
    /// what was fetched.
    pub(crate) fn set(&self, folder: &str) -> Result<Tree, LabError> {
        self.sealed(folder, folder)
    }

    fn sealed(&self, folder: &str, what: &str) -> Result<Tree, LabError> {
        let place = self.folder.join(folder);
        if !place.exists() {
            let command = known::command(folder);
            return Err(LabError::NotFetched { what: what.to_owned(), folder: self.folder.clone(), command });
        }
        contents::check(&place).map_err(|error| error.made_with(known::command(folder)))?;
        Ok(Tree::at(place))
    }

    /// The kernel that a recipe built, if it is there. `asked` is the recipe's name or file; an error names it in the
    /// build command.
    pub(crate) fn kernel(&self, recipe: &Recipe, asked: &str) -> Result<Tree, LabError> {
        self.set(&recipe.folder()).map_err(|error| error.made_with(format!("prazo lab build {}", quoted(asked))))
    }

    /// Every set that this lab knows, and other releases of kernels that are there, by the folder's name, with why the set cannot
    /// be used.
    pub fn sets(&self) -> Vec<(String, Result<(), LabError>)> {
        let state = |name: String| (name.clone(), self.set(&name).map(drop));
        let known = known::sets().into_iter().map(|packages| packages.folder());
        let built = Recipe::builtin().into_iter().map(|recipe| recipe.folder());
        known.chain(built).chain(self.other_releases()).map(state).collect()
    }

    /// Folders of kernels of other releases than the known sets have, in the order of their names.
    pub fn other_releases(&self) -> BTreeSet<String> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let known: BTreeSet<_> = known::sets().into_iter().map(|packages| packages.folder()).collect();
        names.filter(|name| Packages::is_other_release(name) && !known.contains(name)).collect()
    }

    /// Lists the files of a set with their checksums, as fetching does at its end: from then on, a changed one is refused.
    pub fn seal(&self, set: &str) -> Result<(), LabError> {
        contents::seal(&self.folder.join(set), set)
    }

    /// True where a file that prazo built, which has a folder of the cache to itself, is there as it was built.
    pub(crate) fn has_built(&self, file: &Path) -> bool {
        file.is_file() && file.parent().is_some_and(|folder| contents::check(folder).is_ok())
    }

    /// Builds such a file unless it is there, and lists it.
    pub(crate) fn built(&self, file: &Path, build: impl FnOnce() -> Result<(), LabError>) -> Result<(), LabError> {
        if self.has_built(file) {
            return Ok(());
        }
        let _lock = self.lock()?;
        // Somebody else may have built it while the lock was waited for.
        if self.has_built(file) {
            return Ok(());
        }
        build()?;
        let folder = file.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        self.seal(folder.expect("prazo gave it its name"))
    }

    /// The headers that belong to a set of kernels.
    pub(crate) fn headers(&self, kernels: &str) -> Result<Tree, LabError> {
        self.set(&Packages::headers_folder(kernels))
    }

    /// Waits until nobody else fetches; the lock is the open file, and ends with it.
    pub(crate) fn lock(&self) -> Result<File, LabError> {
        self.locked("lock")
    }

    /// The same of a lock with another name.
    pub(crate) fn locked(&self, name: &str) -> Result<File, LabError> {
        let file = self.folder.join(name);
        let refused = || LabError::system(format!("lock {}", file.display()));
        std::fs::create_dir_all(&self.folder).map_err(refused())?;
        let lock = File::create(&file).map_err(refused())?;
        lock.lock().map_err(refused()).map(|()| lock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::Architecture;

    #[test]
    fn a_set_that_is_not_there_is_fetched_by_the_words_that_the_error_gives() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        let remedy = |set: &str| {
            let error = cache.set(set).unwrap_err().to_string();
            error.split('`').nth(1).expect("the error names a command").to_owned()
        };
        for &architecture in Architecture::VALUES {
            let flag = match architecture {
                Architecture::X86_64 => "",
                Architecture::Aarch64 => " --architecture aarch64",
                Architecture::Armv7l => " --architecture armv7l",
                Architecture::Riscv64 => " --architecture riscv64",
                Architecture::Ppc64le => " --architecture ppc64le",
            };
            let sets = [Packages::kernels(architecture), vec![Packages::emulator(architecture)]].concat();
            for packages in sets {
                assert_eq!(remedy(&packages.folder()), format!("prazo lab fetch{flag}"));
            }
        }
        assert_eq!(remedy(&Packages::grub().folder()), "prazo lab fetch --disc");
        assert_eq!(remedy("linux-charming-1.0"), "prazo lab fetch", "another's set has no processor in its name");
        // A set without its list is damaged, and the words for it are the same.
        let grub = Packages::grub().folder();
        std::fs::create_dir(folder.path().join(&grub)).unwrap();
        assert_eq!(remedy(&grub), "prazo lab fetch --disc");
    }

    #[test]
    fn other_releases_that_are_there_are_among_the_sets() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        let known = cache.sets().len();
        let pinned = Packages::kernels(Architecture::X86_64).into_iter().map(|packages| packages.folder());
        let others =
            ["linux-6.12.90", "linux-arm64-6.12.90", "fetching-linux-6.12.91", "vmlinux-6.12.90", "linux-5.10.1"];
        for name in pinned.chain(others.map(str::to_owned)) {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let found: Vec<_> = cache.other_releases().into_iter().collect();
        assert_eq!(found, ["linux-6.12.90", "linux-arm64-6.12.90"]);
        let sets: Vec<_> = cache.sets().into_iter().map(|(name, _)| name).collect();
        assert_eq!(sets[known..], found);
    }
}
