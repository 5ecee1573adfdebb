//! What lies in the cache and is of no use to this prazo: sets of other versions, what killed builds left, and what other sources
//! built.
//!
//! A folder is only removed where its name and its content say that prazo made it; anything else in the cache is left alone.
//! What is removed can be made again by a fetch, a build or a boot, except for sets of other versions, which this prazo does
//! not fetch.

use crate::agent::inside;
use crate::checksum::{is_short, of_file};
use crate::error::LabError;
use crate::fetch::{Cache, PACKAGES, Packages, Recipe, known};
use crate::kernel_build::{self, BuildState};
use crate::{irqlat, recording, unpacked};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Symbols are made by a boot of ten seconds, and nothing in their name says of which kernel.
const SYMBOLS_AGE: Duration = Duration::from_secs(90 * 86_400);

/// Something that is of no use any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    /// Its path in the cache.
    pub name: String,
    /// What it is.
    pub kind: StaleKind,
    /// Bytes of its files.
    pub bytes: u64,
}

/// What is of no use any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StaleKind {
    /// Packages of a version that this prazo does not fetch.
    Set,
    /// What an interrupted fetch or build left.
    Work,
    /// A kernel module of other sources.
    Module,
    /// A plugin, or a program for guests, of other sources.
    Plugin,
    /// A guest's agent of another prazo.
    Agent,
    /// The unpacked kernel of an image that the cache does not have.
    Kernel,
    /// A kernel's symbols that were made long ago.
    Symbols,
}

prazo_core::words!(StaleKind:
    Set => "set",
    Work => "work",
    Module => "module",
    Plugin => "plugin",
    Agent => "agent",
    Kernel => "kernel",
    Symbols => "symbols",
);

/// What can be removed, by name. It changes nothing.
///
/// # Errors
/// The cache or this program cannot be read.
pub fn stale(cache: &Cache) -> Result<Vec<Stale>, LabError> {
    let (images, agents) = (images(cache)?, inside::file_names()?);
    let mut found = Vec::new();
    for path in entries(cache.folder())? {
        let name = file_name(&path);
        if name == inside::FOLDER {
            let is_old = |name: &str| inside::is_agent(name) && !agents.iter().any(|agent| agent == name);
            let old = entries(&path)?.into_iter().filter(|file| file.is_file() && is_old(&file_name(file)));
            found.extend(old.map(|file| (format!("{name}/{}", file_name(&file)), StaleKind::Agent, file)));
        } else if let Some(kind) = kind(cache, &path, &name, &images) {
            found.push((name, kind, path));
        }
    }
    let stale = |(name, kind, path): (String, StaleKind, PathBuf)| Stale { name, kind, bytes: bytes(&path) };
    Ok(found.into_iter().map(stale).collect())
}

/// Removes what [`stale`] finds now, while nobody fetches or builds; what was removed.
///
/// # Errors
/// Something cannot be removed; what comes before it is gone.
pub fn prune(cache: &Cache) -> Result<Vec<Stale>, LabError> {
    if !cache.folder().exists() {
        return Ok(Vec::new());
    }
    let _lock = cache.lock()?;
    let stale = stale(cache)?;
    for one in &stale {
        let path = cache.folder().join(&one.name);
        // A kernel's build has a lock of its own, and may have begun just now.
        let build = kernel_build::state(cache, &one.name);
        if matches!(build, BuildState::UnderWay) {
            continue;
        }
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.map_err(LabError::system(format!("remove {}", path.display())))?;
    }
    Ok(stale)
}

/// Why an entry of the cache is of no use, if so.
fn kind(cache: &Cache, path: &Path, name: &str, images: &BTreeSet<String>) -> Option<StaleKind> {
    let all: Vec<Packages> = known::sets();
    let is_known =
        |folder: &str| all.iter().any(|packages| packages.folder() == folder) || Packages::is_other_release(folder);
    if let Some(set) = name.strip_prefix("fetching-") {
        // What came of a set that is still missing is where the next fetch goes on.
        let is_needed = is_known(set) && cache.set(set).is_err();
        return (!is_needed).then_some(StaleKind::Work);
    }
    let is_folder = path.is_dir();
    match name {
        _ if is_known(name) => None,
        _ if name == irqlat::work_folder() || kernel_build::is_left_over(cache, name) => Some(StaleKind::Work),
        _ if is_folder && Recipe::is_old(name) => Some(StaleKind::Set),
        _ if is_folder && irqlat::is_old(path, name) => Some(StaleKind::Module),
        _ if is_folder && recording::is_old_program(path, name) => Some(StaleKind::Plugin),
        _ if is_folder && is_set_of_packages(path, name, &all) => Some(StaleKind::Set),
        _ if is_folder && unpacked::image_of(path, name).is_some_and(|image| !images.contains(image)) => {
            Some(StaleKind::Kernel)
        }
        _ if !is_folder && name.strip_prefix(recording::SYMBOLS_FILE).is_some_and(is_short) && is_long_ago(path) => {
            Some(StaleKind::Symbols)
        }
        _ => None,
    }
}

/// A folder that only fetching makes: it has the name of a set before its version, and the list of its packages.
fn is_set_of_packages(path: &Path, name: &str, known: &[Packages]) -> bool {
    let is_named_so = known.iter().any(|packages| name.starts_with(&format!("{}-", packages.name)));
    is_named_so && path.join(PACKAGES).is_file()
}

/// What the images of all sets are called where they are unpacked, but for those of sets that are stale.
fn images(cache: &Cache) -> Result<BTreeSet<String>, LabError> {
    let mut all = BTreeSet::new();
    let releases = entries(cache.folder())?.into_iter().filter(|path| Packages::is_other_release(&file_name(path)));
    let built = entries(cache.folder())?.into_iter().filter(|path| Recipe::is_built(&file_name(path)));
    for set in known::sets().iter().map(|packages| cache.place(packages)).chain(releases).chain(built) {
        let boot = set.join("boot");
        let files = if boot.is_dir() { entries(&boot)? } else { Vec::new() };
        for image in files.iter().filter(|file| file_name(file).starts_with("vmlinuz-")) {
            all.insert(unpacked::short(&of_file(image)?).to_owned());
        }
    }
    Ok(all)
}

fn is_long_ago(file: &Path) -> bool {
    let made = fs::metadata(file).and_then(|data| data.modified());
    made.is_ok_and(|made| SystemTime::now().duration_since(made).is_ok_and(|age| age > SYMBOLS_AGE))
}

/// The entries of a folder by name; none where there is no folder.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, LabError> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let failed = || LabError::system(format!("read {}", folder.display()));
    let entries = fs::read_dir(folder).map_err(failed())?;
    let mut all =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(failed())?;
    all.sort();
    Ok(all)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Bytes of a file, or of all files below a folder; what cannot be read counts nothing.
fn bytes(path: &Path) -> u64 {
    let Ok(data) = fs::symlink_metadata(path) else { return 0 };
    if !data.is_dir() {
        return data.len();
    }
    fs::read_dir(path).into_iter().flatten().flatten().map(|entry| bytes(&entry.path())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(folder: &Path, files: &[&str]) {
        for file in files {
            let file = folder.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "12345").unwrap();
        }
    }

    /// What somebody else put there, with names that look like prazo's.
    const NOT_OURS: [&str; 8] = [
        "watch-notes/watch.so",
        "watch-fedcba9876543210/notes.txt",
        "irqlat-my-patches/irqlat.ko",
        "irqlat-6.0.9-amd64-fedcba9876543210/a.patch",
        "vmlinux-debug/vmlinux",
        "vmlinux-fedcba9876543210/vmlinux.debug",
        "agents/notes.txt",
        "agents/prazo-agent-mine",
    ];

    /// A cache with something of every kind, and with what must stay.
    fn cache() -> (tempfile::TempDir, Cache, String) {
        let folder = tempfile::tempdir().unwrap();
        let current = Packages::kernels(crate::Architecture::X86_64)[0].folder();
        put(
            folder.path(),
            &[
                "lock",
                "linux-6.0.9/packages.sha256",
                "linux-6.0.9/boot/vmlinuz-6.0.9",
                "linux-own/boot/vmlinuz-own",
                "notes/packages.sha256",
                "fetching-linux-6.0.9/packages/a.deb",
                "building-irqlat/made/a.o",
                "irqlat-6.0.9-amd64-0123456789abcdef/irqlat.ko",
                "watch-0123456789abcdef/watch.so",
                "vmlinux-0123456789abcdef/vmlinux",
                "agents/prazo-agent-0123456789abcdef",
                "kallsyms-0123456789abcdef",
            ],
        );
        put(folder.path(), &NOT_OURS);
        put(&folder.path().join(&current), &["packages.sha256", "boot/vmlinuz-6.1"]);
        let sum = of_file(&folder.path().join(&current).join("boot/vmlinuz-6.1")).unwrap();
        put(folder.path(), &[&format!("vmlinux-{}/vmlinux", unpacked::short(&sum))]);
        let cache = Cache::at(folder.path()).unwrap();
        (folder, cache, current)
    }

    #[test]
    fn only_what_prazo_made_and_no_longer_uses_is_found_with_its_size() {
        let (_folder, cache, _) = cache();
        let found = stale(&cache).unwrap();
        let shown: Vec<(&str, &str, u64)> =
            found.iter().map(|one| (one.name.as_str(), one.kind.name(), one.bytes)).collect();
        assert_eq!(
            shown,
            [
                ("agents/prazo-agent-0123456789abcdef", "agent", 5),
                ("building-irqlat", "work", 5),
                ("fetching-linux-6.0.9", "work", 5),
                ("irqlat-6.0.9-amd64-0123456789abcdef", "module", 5),
                ("linux-6.0.9", "set", 10),
                ("vmlinux-0123456789abcdef", "kernel", 5),
                ("watch-0123456789abcdef", "plugin", 5),
            ]
        );
    }

    #[test]
    fn what_is_found_is_removed_and_everything_else_stays() {
        let (folder, cache, current) = cache();
        let before = stale(&cache).unwrap();
        assert_eq!(prune(&cache).unwrap(), before);
        assert_eq!(stale(&cache).unwrap(), []);
        for kept in ["lock", "linux-own", "notes", "kallsyms-0123456789abcdef", &current].into_iter().chain(NOT_OURS) {
            assert!(folder.path().join(kept).exists(), "{kept}");
        }
        assert!(before.iter().all(|one| !folder.path().join(&one.name).exists()));
        assert_eq!(prune(&cache).unwrap(), []);
    }

    /// Debian's archive may have dropped a release since it was fetched.
    #[test]
    fn another_release_of_the_platforms_kernels_stays() {
        let (folder, cache, _) = cache();
        put(
            folder.path(),
            &[
                "building-linux-mine/sources/Makefile",
                "building-linux-mine.lock",
                "building-linux-notes/notes.txt",
                "built-mine-6.12.1-0123456789abcdef/packages.sha256",
                "linux-6.12.1/packages.sha256",
                "linux-6.12.1/boot/vmlinuz-6.12.1",
                "fetching-linux-6.12.2/packages/a.deb",
            ],
        );
        let image = of_file(&folder.path().join("linux-6.12.1/boot/vmlinuz-6.12.1")).unwrap();
        put(folder.path(), &[&format!("vmlinux-{}/vmlinux", unpacked::short(&image))]);
        let found = stale(&cache).unwrap();
        assert!(
            !found.iter().any(|one| one.name.contains("6.12.") || one.name.ends_with(unpacked::short(&image))),
            "{found:?}"
        );
    }

    #[test]
    fn what_an_interrupted_fetch_of_a_known_set_got_stays_until_the_set_is_there() {
        let (folder, cache, current) = cache();
        let work = format!("fetching-{current}");
        put(folder.path(), &[&format!("{work}/packages/a.deb")]);
        let is_found = || stale(&cache).unwrap().iter().any(|one| one.name == work);
        assert!(!is_found(), "the set has no list, so that it is not usable");
        cache.seal(&current).unwrap();
        assert!(is_found());
    }

    #[test]
    fn symbols_go_once_they_are_old() {
        let (folder, cache, _) = cache();
        let file = fs::File::options().append(true).open(folder.path().join("kallsyms-0123456789abcdef")).unwrap();
        file.set_modified(SystemTime::now() - SYMBOLS_AGE - Duration::from_secs(60)).unwrap();
        assert!(stale(&cache).unwrap().iter().any(|one| one.kind == StaleKind::Symbols));
    }

    #[test]
    fn a_cache_that_is_not_there_has_nothing_to_remove() {
        let cache = Cache::at("/nowhere/lab").unwrap();
        assert_eq!((stale(&cache).unwrap(), prune(&cache).unwrap()), (Vec::new(), Vec::new()));
    }
}
