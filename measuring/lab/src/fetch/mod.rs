//! Fetching: lists, packages, checksums, unpacking, and the program's own word for it; then it appears in the cache whole.

mod apt;
mod at_once;
mod cache;
mod headers;
mod kernel;
pub(crate) mod known;
mod packages;
mod recipe;
mod work;

pub use cache::Cache;
pub(crate) use packages::Packages;
pub use recipe::Recipe;

use crate::architecture::Architecture;
use crate::contents;
use crate::disc::DiscTools;
use crate::emulator::Emulator;
use crate::error::LabError;
use crate::irqlat;
use crate::platform::{Kernel, Platform};
use crate::unpacked_packages::Tree;
use apt::Apt;
use at_once::Item;
use packages::Pinned;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use work::Work;

/// What to fetch into, where from, and for which platforms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// Where it is kept.
    pub cache: Cache,
    /// Another archive than Debian's own.
    pub mirror: Option<String>,
    /// The platforms whose guests shall boot.
    pub platforms: Vec<Platform>,
}

/// A part of what platforms need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The emulators of their processors.
    Emulators,
    /// Their kernels.
    Kernels,
    /// What modules for these kernels are built with.
    Headers,
    /// The sources of those kernels that are built.
    Sources,
    /// What makes bootable discs, on whatever platform.
    DiscTools,
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

/// The list of a set's packages with their checksums: fetching leaves it there last.
pub(crate) const PACKAGES: &str = "packages.sha256";

/// A set of packages, and how it is tried.
struct Set {
    part: Part,
    architecture: Architecture,
    packages: Packages,
}

impl Set {
    fn of_sources(recipe: &Recipe) -> Self {
        Self { part: Part::Sources, architecture: recipe.architecture, packages: recipe.source.clone() }
    }
}

/// A set as it came, unpacked in the folder that it was gathered in.
struct Gathered {
    work: Work,
    tree: PathBuf,
}

impl Fetch {
    /// For the built-in platforms of the default architecture.
    pub fn new(cache: Cache) -> Self {
        Self { cache, mirror: None, platforms: Platform::builtin_on(&[Architecture::default()]) }
    }

    /// Fetches a part, except sets that are there. Where that fails, only packages that came are left, for the next attempt.
    pub fn part(&self, part: Part, say: &mut dyn FnMut(Progress<'_>)) -> Result<(), LabError> {
        self.parts(&[part], say)
    }

    /// The same of several parts, whose sets are fetched at the same time.
    pub fn parts(&self, parts: &[Part], say: &mut dyn FnMut(Progress<'_>)) -> Result<(), LabError> {
        let sets: Vec<_> = parts.iter().map(|part| self.sets(*part)).collect::<Result<_, _>>()?;
        self.run(&sets.into_iter().flatten().collect::<Vec<_>>(), say)
    }

    /// Fetches the emulators; the answer is that of the first architecture.
    pub fn emulator(&self, say: &mut dyn FnMut(Progress<'_>)) -> Result<Emulator, LabError> {
        self.part(Part::Emulators, say)?;
        Emulator::fetched(&self.cache, self.architectures()?.first().copied().unwrap_or_default())
    }

    /// Fetches the sources that a recipe builds a kernel from, unless the cache has the recipe's own package.
    pub(crate) fn sources(&self, recipe: &Recipe, say: &mut dyn FnMut(Progress<'_>)) -> Result<(), LabError> {
        let place = self.cache.place(&recipe.source);
        if place.exists() && unlike(&recipe.source, &packages_of(&place)?).is_some() {
            let _lock = self.cache.lock()?;
            fs::remove_dir_all(&place).map_err(LabError::system(format!("remove {}", place.display())))?;
        }
        self.run(&[Set::of_sources(recipe)], say)
    }

    /// Fetches what makes bootable discs.
    pub fn disc_tools(&self, say: &mut dyn FnMut(Progress<'_>)) -> Result<DiscTools, LabError> {
        self.part(Part::DiscTools, say)?;
        DiscTools::fetched(&self.cache)
    }

    /// Builds the modules that measure an interrupt line, one for each of the kernels, unless they are there.
    pub fn modules(&self, say: &mut dyn FnMut(Progress<'_>)) -> Result<(), LabError> {
        irqlat::all(&self.platforms, &self.cache, &mut |line| say(Progress::Built(line)))
    }

    /// The sets of these parts that are not in the cache, each with the size of its packages in MB.
    pub fn missing(&self, parts: &[Part]) -> Result<Vec<(String, u32)>, LabError> {
        let sets: Vec<_> = parts.iter().map(|part| self.sets(*part)).collect::<Result<_, _>>()?;
        let missing = sets.into_iter().flatten().filter(|set| self.cache.tree(&set.packages).is_err());
        Ok(missing.map(|set| (set.packages.folder(), set.packages.download_mb)).collect())
    }

    /// The architectures of the platforms, the default first.
    pub fn architectures(&self) -> Result<BTreeSet<Architecture>, LabError> {
        self.platforms.iter().map(|platform| platform.machine().map(|machine| machine.architecture)).collect()
    }

    /// What a part consists of, in the order in which it can be tried.
    fn sets(&self, part: Part) -> Result<Vec<Set>, LabError> {
        let mut architectures = self.architectures()?;
        if part == Part::Emulators {
            // It holds the libraries of the others.
            architectures.insert(Architecture::default());
        }
        let kernels = self.kernel_folders()?;
        let headers: BTreeSet<_> = kernels.iter().map(|folder| Packages::headers_folder(folder)).collect();
        let wanted = |all: Vec<Packages>, folders: &BTreeSet<String>| -> Vec<Packages> {
            all.into_iter().filter(|packages| folders.contains(&packages.folder())).collect()
        };
        let of = |architecture| match part {
            Part::Emulators => vec![Packages::emulator(architecture)],
            Part::Kernels => {
                let known: Vec<Packages> = wanted(Packages::kernels(architecture), &kernels);
                let is_known = |folder: &&String| known.iter().any(|packages| packages.folder() == **folder);
                let others = kernels.iter().filter(|folder| !is_known(folder));
                let others: Vec<_> =
                    others.filter_map(|folder| Packages::other_release(architecture, folder)).collect();
                [known, others].concat()
            }
            Part::Headers => wanted(Packages::headers(architecture), &headers),
            Part::Sources | Part::DiscTools => Vec::new(),
        };
        let sets = architectures.into_iter().flat_map(|architecture| {
            of(architecture).into_iter().map(move |packages| Set { part, architecture, packages })
        });
        let tools = || Set { part, architecture: Architecture::default(), packages: Packages::grub() };
        let sources = if part == Part::Sources { self.recipes()? } else { Vec::new() };
        let sources = sources.iter().map(Set::of_sources);
        Ok(sets.chain((part == Part::DiscTools).then(tools)).chain(sources).collect())
    }

    /// The recipes of the platforms' kernels that are built.
    fn recipes(&self) -> Result<Vec<Recipe>, LabError> {
        let names: BTreeSet<&str> = self.platforms.iter().filter_map(Platform::recipe).collect();
        names.into_iter().map(Recipe::find).collect()
    }

    /// The sets of the platforms' kernels; a set that is not known is refused.
    fn kernel_folders(&self) -> Result<BTreeSet<String>, LabError> {
        let mut folders = BTreeSet::new();
        for platform in &self.platforms {
            let Kernel::Fetched { set, .. } = &platform.kernel else { continue };
            let known: Vec<_> =
                Packages::kernels(platform.machine()?.architecture).iter().map(Packages::folder).collect();
            if !known.contains(set) && Packages::other_release(platform.machine()?.architecture, set).is_none() {
                let what = format!("kernel.fetched.set: '{set}' cannot be fetched; choose one of {}", known.join(", "));
                return Err(LabError::Platform { platform: platform.name.clone(), what });
            }
            folders.insert(set.clone());
        }
        Ok(folders)
    }

    /// Shows that what was unpacked starts or is whole, and is the version that it should be.
    fn try_out(&self, set: &Set, tree: Tree) -> Result<(), LabError> {
        match set.part {
            Part::Emulators if set.architecture == Architecture::default() => {
                Emulator::unpacked(&tree, tree.clone(), set.architecture).map(drop)
            }
            Part::Emulators => {
                let libraries = self.cache.tree(&Packages::emulator(Architecture::default()))?;
                Emulator::unpacked(&tree, libraries, set.architecture).map(drop)
            }
            Part::Kernels => kernel::are_whole(&tree, set.architecture),
            Part::Headers => headers::settled(&tree),
            // The archive is tried by unpacking it.
            Part::Sources => Ok(()),
            Part::DiscTools => DiscTools::unpacked(tree).map(drop),
        }
    }

    /// Fetches the sets that are not there, several at a time, and tries all in their order: an emulator needs what comes with the
    /// first one. The lock is held meanwhile, so that two programs do not fetch the same.
    fn run(&self, sets: &[Set], say: &mut dyn FnMut(Progress<'_>)) -> Result<(), LabError> {
        let _lock = self.cache.lock()?;
        let is_there = |set: &&Set| self.cache.tree(&set.packages).is_ok();
        let wanted: Vec<&Set> = sets.iter().filter(|set| !is_there(set)).collect();
        let mut fetched: BTreeMap<String, Gathered> = BTreeMap::new();
        let mut first_error = None;
        for (set, answer) in wanted.iter().zip(self.gather(&wanted, say)) {
            match answer {
                Ok(gathered) => drop(fetched.insert(set.packages.folder(), gathered)),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        for set in sets {
            let settled = match fetched.remove(&set.packages.folder()) {
                Some(gathered) => self.settle(set, gathered, say),
                // What did not come has its error already.
                None if wanted.iter().any(|one| one.packages.folder() == set.packages.folder()) => Ok(()),
                None => self.try_again(set, say),
            };
            first_error = first_error.or(settled.err());
        }
        first_error.map_or(Ok(()), Err)
    }

    /// Downloads and unpacks these sets, several at a time.
    fn gather(&self, wanted: &[&Set], say: &mut dyn FnMut(Progress<'_>)) -> Vec<Result<Gathered, LabError>> {
        let item =
            |set: &&Set| Item { name: set.packages.folder(), bytes: u64::from(set.packages.download_mb) * 1_000_000 };
        let items: Vec<Item> = wanted.iter().map(item).collect();
        at_once::each(&items, |at, say| self.gather_one(wanted[at], say), say)
    }

    fn gather_one(&self, set: &Set, say: &mut dyn FnMut(Progress<'_>)) -> Result<Gathered, LabError> {
        let packages = set.packages.clone();
        let packages = self.mirror.iter().fold(packages, |packages, mirror| packages.at_mirror(mirror));
        Apt::missing(&packages)?;
        let work = Work::open(&self.cache.work(&packages), packages.pinned.clone())?;
        let tree = unpacked(&packages, work.folder(), say)?;
        Ok(Gathered { work, tree })
    }

    /// Tries what was unpacked, and moves it to its place.
    fn settle(&self, set: &Set, gathered: Gathered, say: &mut dyn FnMut(Progress<'_>)) -> Result<(), LabError> {
        let (folder, Gathered { work, tree }) = (set.packages.folder(), gathered);
        say(Progress::Step(4, STEPS, &format!("{folder}: testing the unpacked files")));
        self.try_out(set, Tree::at(tree.clone()))?;
        contents::seal(&tree, &folder)?;
        self.keep(&tree, &self.cache.place(&set.packages))?;
        work.remove()
    }

    /// A set that is there and whole may still not start on this system; then it is fetched anew.
    fn try_again(&self, set: &Set, say: &mut dyn FnMut(Progress<'_>)) -> Result<(), LabError> {
        if self.cache.tree(&set.packages).and_then(|tree| self.try_out(set, tree)).is_ok() {
            return Ok(());
        }
        let gathered = self.gather_one(set, say)?;
        self.settle(set, gathered, say)
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
    say(Progress::Step(1, STEPS, "fetching the lists of packages (9 MB)"));
    apt.update(&mut |line| say(Progress::Line(line)))?;
    say(Progress::Step(2, STEPS, &format!("downloading the packages ({} MB)", packages.download_mb)));
    let files = apt.download(say)?;
    say(Progress::Step(3, STEPS, "checking and unpacking"));
    let sums = apt.checksums(&files)?;
    check(packages, &sums)?;
    let tree = work.join("tree");
    for file in &files {
        apt.unpack(file, &tree)?;
    }
    let list = tree.join(PACKAGES);
    fs::write(&list, sums).map_err(LabError::system(format!("write {}", list.display())))?;
    Ok(tree)
}

impl Packages {
    /// Of a set that came otherwise than by fetching, and that this lab knows: a package that is not the one that it
    /// knows. The list comes with the set, so that this tells another version, and no forgery.
    pub(crate) fn unlike_known(set: &str, folder: &Path) -> Result<Option<String>, LabError> {
        let Some(known) = known::sets().into_iter().find(|packages| packages.folder() == set) else { return Ok(None) };
        Ok(unlike(&known, &packages_of(folder)?).map(|(pinned, _)| pinned.name.clone()))
    }
}

/// The packages that a set was unpacked from, a line each.
fn packages_of(set: &Path) -> Result<String, LabError> {
    let list = set.join(PACKAGES);
    fs::read_to_string(&list).map_err(LabError::system(format!("read {}", list.display())))
}

/// The first pinned package that is not there with its checksum, and what is there: checksum and file. `sums` has one line
/// "CHECKSUM  FILE" a package.
fn unlike<'a>(packages: &'a Packages, sums: &'a str) -> Option<(&'a Pinned, Option<(&'a str, &'a str)>)> {
    let found: Vec<(&str, &str)> = sums.lines().filter_map(|line| line.split_once("  ")).collect();
    packages.pinned.iter().find_map(|pinned| {
        let there = found.iter().copied().find(|(_, file)| packages.pinned_in(file) == Some(pinned));
        let is_known = there.is_some_and(|(sum, _)| sum == pinned.sha256);
        (!is_known).then_some((pinned, there))
    })
}

/// Every pinned package must be there with its checksum.
fn check(packages: &Packages, sums: &str) -> Result<(), LabError> {
    match unlike(packages, sums) {
        None => Ok(()),
        Some((pinned, Some((found, file)))) => {
            let (found, wanted) = (found.to_owned(), pinned.sha256.clone());
            Err(LabError::Checksum { package: file.to_owned(), found, wanted })
        }
        Some((pinned, None)) => Err(LabError::Step {
            step: "downloading the packages".into(),
            answer: format!("the package {} is missing", pinned.name),
            remedy: "Fetch again, or use another --mirror.".into(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(packages: &Packages) -> String {
        packages.pinned.iter().map(|package| format!("{}  {}_1_amd64.deb\n", package.sha256, package.name)).collect()
    }

    #[test]
    fn packages_with_their_checksums_are_taken() {
        let packages = Packages::emulator(Architecture::X86_64);
        assert!(check(&packages, &(sums(&packages) + "00  zlib1g_1_amd64.deb\n")).is_ok());
    }

    fn folders(fetch: &Fetch, part: Part) -> Vec<String> {
        fetch.sets(part).unwrap().iter().map(|set| set.packages.folder()).collect()
    }

    fn for_platforms(names: &[&str]) -> Fetch {
        let platforms = names.iter().map(|name| Platform::find(name).unwrap()).collect();
        Fetch { platforms, ..Fetch::new(Cache::at("/nowhere").unwrap()) }
    }

    #[test]
    fn each_platform_needs_its_own_sets_and_all_share_the_libraries_of_the_first_emulator() {
        let fetch = for_platforms(&["rt-full"]);
        assert_eq!(folders(&fetch, Part::Emulators), ["qemu-10.0.2"]);
        assert_eq!(folders(&fetch, Part::Kernels), ["linux-6.1.0-50"]);
        assert_eq!(folders(&fetch, Part::Headers), ["headers-6.1.0-50"]);
        let fetch = for_platforms(&["arm64-rt", "rt-lazy-6.12"]);
        assert_eq!(folders(&fetch, Part::Kernels), ["linux-6.12.95", "linux-arm64-6.12.95"]);
        assert_eq!(folders(&fetch, Part::Headers), ["headers-6.12.95"]);
        let fetch = for_platforms(&["arm64-rt"]);
        assert_eq!(folders(&fetch, Part::Emulators), ["qemu-10.0.2", "qemu-arm64-10.0.2"]);
        assert_eq!(fetch.missing(&[Part::Emulators, Part::Kernels]).unwrap().len(), 3);
        let fetch = for_platforms(&["armv7-standard"]);
        assert_eq!(folders(&fetch, Part::Emulators), ["qemu-10.0.2", "qemu-armv7-10.0.2"]);
        assert_eq!(folders(&fetch, Part::Kernels), ["linux-armv7-6.12.95"]);
        assert_eq!(folders(&fetch, Part::Headers), [""; 0]);
        let fetch = for_platforms(&["riscv64-standard"]);
        assert_eq!(folders(&fetch, Part::Emulators), ["qemu-10.0.2", "qemu-riscv64-10.0.2"]);
        assert_eq!(folders(&fetch, Part::Kernels), ["linux-riscv64-6.12.117"]);
    }

    #[test]
    fn all_built_in_platforms_need_every_set_and_no_other() {
        let fetch = Fetch { platforms: Platform::builtin(), ..for_platforms(&[]) };
        let parts = [Part::Emulators, Part::Kernels, Part::Headers, Part::Sources, Part::DiscTools];
        let mut needed: Vec<_> = parts.into_iter().flat_map(|part| folders(&fetch, part)).collect();
        let mut all: Vec<_> = known::sets().iter().map(Packages::folder).collect();
        needed.sort();
        all.sort();
        assert_eq!(needed, all);
    }

    #[test]
    fn a_platform_whose_kernels_are_elsewhere_is_refused_with_the_known_sets() {
        let kernel = Kernel::Fetched { set: "linux-7.0".into(), release: "7.0".into(), initrd: None };
        let own = Platform { kernel, ..Platform::find("rt-full").unwrap() };
        let fetch = Fetch { platforms: vec![own], ..for_platforms(&[]) };
        let error = fetch.missing(&[Part::Kernels]).unwrap_err().to_string();
        assert!(error.contains("'linux-7.0'") && error.contains("linux-6.1.0-50, linux-6.12.95"), "{error}");
    }

    #[test]
    fn a_package_that_was_changed_or_is_missing_is_refused_by_name() {
        let packages = Packages::emulator(Architecture::X86_64);
        let changed = sums(&packages).replace(&packages.pinned[3].sha256, "00");
        assert!(
            check(&packages, &changed).unwrap_err().to_string().contains("the checksum of seabios_1_amd64.deb is 00")
        );
        let missing: String = sums(&packages).lines().skip(1).map(|line| format!("{line}\n")).collect();
        let error = check(&packages, &missing).unwrap_err().to_string();
        assert!(error.contains("failed: the package qemu-system-x86 is missing. Fetch again"), "{error}");
    }

    #[test]
    fn a_set_of_another_version_is_known_by_the_package_that_differs() {
        let (packages, desk) = (Packages::emulator(Architecture::X86_64), tempfile::tempdir().unwrap());
        let unlike = |sums: String| {
            fs::write(desk.path().join(PACKAGES), sums).unwrap();
            Packages::unlike_known(&packages.folder(), desk.path()).unwrap()
        };
        assert_eq!(unlike(sums(&packages)), None);
        assert_eq!(unlike(String::new()).as_deref(), Some("qemu-system-x86"));
        assert_eq!(Packages::unlike_known("tool-1.0", desk.path()).unwrap(), None);
    }
}
