//! The module that raises and stamps an interrupt line, built for a guest's kernel from sources that prazo carries.
//!
//! A module fits one kernel. It lies in the cache under a name that holds the kernel's release and the sources' checksum, so
//! that another version of prazo builds its own, and it appears there whole or not at all. Its bytes reach the guest: they
//! hang on the sources, the headers and the compiler, and on no folder's name.

use crate::build_folder::BuildFolder;
use crate::checksum::{is_short, sha256};
use crate::error::LabError;
use crate::fetch::{Cache, Packages};
use crate::platform::{Kernel, Platform};
use crate::whole;
use prazo_platform::kernel_module::Build;
use prazo_platform::programs;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The module's name, and its folder's beginning in the cache.
const NAME: &str = "irqlat";

/// Everything that it is built from: `kmod/irqlat` but for its makefile for hands, and the header that it shares with the probe.
const SOURCES: [(&str, &str); 14] = [
    ("Kbuild", include_str!("../../../kmod/irqlat/Kbuild")),
    ("calibrate.c", include_str!("../../../kmod/irqlat/calibrate.c")),
    ("irqlat.h", include_str!("../../abi/include/irqlat.h")),
    ("main.c", include_str!("../../../kmod/irqlat/main.c")),
    ("measure.c", include_str!("../../../kmod/irqlat/measure.c")),
    ("ring.c", include_str!("../../../kmod/irqlat/ring.c")),
    ("session.c", include_str!("../../../kmod/irqlat/session.c")),
    ("session.h", include_str!("../../../kmod/irqlat/session.h")),
    ("source_edu.c", include_str!("../../../kmod/irqlat/source_edu.c")),
    ("source_gpio.c", include_str!("../../../kmod/irqlat/source_gpio.c")),
    ("source_parport.c", include_str!("../../../kmod/irqlat/source_parport.c")),
    ("task.c", include_str!("../../../kmod/irqlat/task.c")),
    ("trigger_ethernet.c", include_str!("../../../kmod/irqlat/trigger_ethernet.c")),
    ("trigger_hrtimer.c", include_str!("../../../kmod/irqlat/trigger_hrtimer.c")),
];

/// The compiler that Debian built the kernels with, or else the system's own.
const COMPILERS: [&str; 2] = ["gcc-12", "gcc"];

/// The modules for the fetched kernels of those platforms that have a line, and whose headers there are; `say` names each before it is built.
pub(crate) fn all(platforms: &[Platform], cache: &Cache, say: &mut dyn FnMut(&str)) -> Result<(), LabError> {
    for (release, set) in kernels(platforms).into_iter().filter(|(_, set)| may_have_headers(set, cache)) {
        if !cache.has_built(&place(cache, release)) {
            say(&format!("building the module {NAME} for {release}"));
        }
        built(cache, set, release)?;
    }
    Ok(())
}

/// The releases of the fetched kernels, each with the set that it is in.
fn kernels(platforms: &[Platform]) -> BTreeMap<&str, &str> {
    let with_line = platforms.iter().filter(|platform| has_line(platform).is_ok_and(|has| has));
    let fetched = with_line.filter_map(|platform| match &platform.kernel {
        Kernel::Fetched { set, release, .. } => Some((release.as_str(), set.as_str())),
        Kernel::Built { .. } | Kernel::Given { .. } => None,
    });
    fetched.collect()
}

/// True where the lab can fetch the headers of a set of kernels, or where they are in the cache.
fn may_have_headers(set: &str, cache: &Cache) -> bool {
    Packages::has_headers(set) || cache.headers(set).is_ok()
}

fn has_line(platform: &Platform) -> Result<bool, LabError> {
    platform.machine().map(|machine| machine.architecture.has_line())
}

/// The module for a platform's kernel: from the cache, or built now.
pub(crate) fn for_platform(platform: &Platform, cache: &Cache) -> Result<PathBuf, LabError> {
    if !has_line(platform)? {
        return Err(LabError::NoLine { platform: platform.name.clone() });
    }
    match &platform.kernel {
        Kernel::Fetched { set, .. } if !may_have_headers(set, cache) => {
            Err(LabError::NoHeadersOfRelease { platform: platform.name.clone() })
        }
        Kernel::Fetched { set, release, .. } => built(cache, set, release),
        Kernel::Given { irqlat: Some(file), .. } => Ok(file.clone()),
        Kernel::Built { .. } => Err(LabError::NoHeadersOfRelease { platform: platform.name.clone() }),
        Kernel::Given { irqlat: None, .. } => Err(LabError::NoHeaders { platform: platform.name.clone() }),
    }
}

/// The module for one fetched kernel.
fn built(cache: &Cache, set: &str, release: &str) -> Result<PathBuf, LabError> {
    let place = place(cache, release);
    cache.built(&place, || build(cache, set, release, &place))?;
    Ok(place)
}

fn place(cache: &Cache, release: &str) -> PathBuf {
    cache.folder().join(format!("{NAME}-{release}-{}", sources_sum())).join(format!("{NAME}.ko"))
}

fn sources_sum() -> String {
    let all: String = SOURCES.iter().map(|(name, text)| format!("{name}\n{text}")).collect();
    sha256(all.as_bytes())[..16].to_owned()
}

/// True for the folder of a module that other sources built than those of this prazo.
pub(crate) fn is_old(folder: &Path, name: &str) -> bool {
    let is_of = |rest: &str| {
        rest.starts_with('-') && rest.rsplit('-').next().is_some_and(is_short) && !rest.ends_with(&sources_sum())
    };
    name.strip_prefix(NAME).is_some_and(is_of) && folder.join(format!("{NAME}.ko")).is_file()
}

/// The folder of a build that is under way, or was killed.
pub(crate) fn work_folder() -> String {
    format!("building-{NAME}")
}

fn build(cache: &Cache, set: &str, release: &str, place: &Path) -> Result<(), LabError> {
    let headers = cache.headers(set)?.path(&format!("usr/src/linux-headers-{release}"));
    let compiler = Some(compiler(release, &programs::search_path())?);
    let work = BuildFolder::open(cache.folder().join(work_folder()))?;
    let (source, made) = (work.part("source")?, work.part("made")?);
    for (name, text) in SOURCES {
        fs::write(source.join(name), text).map_err(LabError::system(format!("write {}", source.display())))?;
    }
    let variables = [("ABI", made.as_path())];
    let build = Build { source: &source, variables: &variables, headers: &headers, compiler, folder: &made };
    keep(&build.run(release)?, place)
}

/// A compiler that is there, and make with it; the one that the headers name is not on every system.
fn compiler(release: &str, path: &str) -> Result<&'static str, LabError> {
    let lacks = |what: &'static str| LabError::NoTool { what, release: release.to_owned() };
    let is_there = |program: &str| programs::find_in(program, path).is_some();
    if !is_there("make") {
        return Err(lacks("make"));
    }
    COMPILERS.into_iter().find(|name| is_there(name)).ok_or_else(|| lacks("gcc"))
}

/// Leaves the module in its place, which it has to itself.
fn keep(made: &Path, place: &Path) -> Result<(), LabError> {
    let kept = fs::read(made).and_then(|module| whole::write(place, &module, 0o644));
    kept.map_err(LabError::system(format!("make {}", place.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_is_carried_is_the_folder_and_the_shared_header() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kmod/irqlat");
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name == "Kbuild" || name.ends_with(".c") || name.ends_with(".h"))
            .chain(["irqlat.h".to_owned()])
            .collect();
        names.sort();
        let mut carried = SOURCES.map(|(name, _)| name);
        carried.sort_unstable();
        assert_eq!(carried.as_slice(), names);
    }

    #[test]
    fn without_headers_the_remedy_is_to_fetch_them() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        let error = for_platform(&Platform::find("rt-full").unwrap(), &cache).unwrap_err().to_string();
        assert!(error.contains("headers-6.1.0-50") && error.contains("prazo lab fetch"), "{error}");
    }

    #[test]
    fn a_build_that_fails_says_what_the_compiler_said_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        let headers = folder.path().join("headers-6.1.0-50/usr/src/linux-headers-6.1.0-50-rt-amd64");
        fs::create_dir_all(&headers).unwrap();
        fs::write(headers.join("Makefile"), "modules:\n\t@echo main.c:1: error: no such thing; exit 1\n").unwrap();
        cache.seal("headers-6.1.0-50").unwrap();
        let error = for_platform(&Platform::find("rt-full").unwrap(), &cache).unwrap_err().to_string();
        assert!(error.contains("no such thing"), "{error}");
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "beside the headers and the lock: {left:?}");
    }

    #[test]
    fn a_missing_compiler_is_named_before_anything_is_built() {
        let tools = tempfile::tempdir().unwrap();
        let answer = || compiler("6.1-rt", tools.path().to_str().unwrap());
        assert!(answer().unwrap_err().to_string().contains("for 6.1-rt without make"));
        let install = |name: &str| {
            fs::write(tools.path().join(name), "").unwrap();
            fs::set_permissions(tools.path().join(name), fs::Permissions::from_mode(0o755)).unwrap();
        };
        install("make");
        assert!(answer().unwrap_err().to_string().contains("for 6.1-rt without gcc"));
        install("gcc");
        assert_eq!(answer().unwrap(), "gcc");
    }

    #[test]
    fn every_kernel_with_a_line_gets_a_module_and_an_arm_guest_is_refused_by_name() {
        let all = Platform::builtin();
        assert_eq!(kernels(&all).len(), 4, "{:?}", kernels(&all));
        assert!(kernels(&all).keys().all(|release| release.ends_with("-amd64")));
        let folder = tempfile::tempdir().unwrap();
        let arm = Platform::find("arm64-rt").unwrap();
        let error = for_platform(&arm, &Cache::at(folder.path()).unwrap()).unwrap_err();
        assert!(matches!(&error, LabError::NoLine { platform } if platform == "arm64-rt"), "{error}");
    }

    #[test]
    fn a_kernel_of_the_users_takes_a_module_of_the_users() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        let mut platform = Platform::given("bzImage".into(), None);
        assert!(for_platform(&platform, &cache).unwrap_err().to_string().contains("--module"));
        platform.kernel = Kernel::Given { file: "bzImage".into(), initrd: None, irqlat: Some("own.ko".into()) };
        assert_eq!(for_platform(&platform, &cache).unwrap(), Path::new("own.ko"));
    }
}
