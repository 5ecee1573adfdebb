//! A kernel built from a package of sources, for platforms whose kernel Debian does not have.
//!
//! ```text
//! recipe (TOML) ─► sources (fetched, in the cache) ─► building-NAME/: unpack, configure, compile ─► built-NAME-VERSION-SUM/
//! ```
//! Time, user and host in the kernel's text are fixed, so that the same recipe and compiler give the same bytes.

use crate::architecture::Architecture;
use crate::build_folder::BuildFolder;
use crate::checksum::of_file;
use crate::error::LabError;
use crate::fetch::{Cache, Fetch, PACKAGES, Progress, Recipe};
use crate::step;
use crate::unpacked_packages::Tree;
use prazo_platform::programs;
use std::fs::{self, File};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;

const STEPS: u32 = 4;

/// What the folder of a build begins with.
const WORK: &str = "building-linux-";

/// What the name of its lock ends with.
const LOCK: &str = ".lock";

/// Programs that a build needs besides the cross compiler, each with its Debian package.
const TOOLS: [(&str, &str); 8] = [
    ("make", "make"),
    ("flex", "flex"),
    ("bison", "bison"),
    ("bc", "bc"),
    ("perl", "perl"),
    ("gcc", "gcc"),
    ("tar", "tar"),
    ("xz", "xz-utils"),
];

const OPTION_REMEDY: &str =
    "An option may need others: see `depends on` in the kernel's Kconfig files, and add those to the recipe.";
const BUILD_REMEDY: &str =
    "Check that the compiler is the one for this kernel, and that the disk of the cache is not full.";

/// A kernel that was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltKernel {
    /// Its image, which the lab boots.
    pub image: PathBuf,
    /// Checksum of the image.
    pub sha256: String,
    /// The first line of what the compiler says of itself.
    pub compiler: String,
}

/// Builds a recipe's kernel unless the cache has it; `asked` is the recipe's name or file.
///
/// # Errors
/// A program is missing, the sources cannot be fetched, the kernel does not have an option, or it cannot be compiled.
pub fn build(
    recipe: &Recipe,
    fetch: &Fetch,
    asked: &str,
    say: &mut dyn FnMut(Progress<'_>),
) -> Result<BuiltKernel, LabError> {
    if let Ok(tree) = fetch.cache.kernel(recipe, asked) {
        return built(recipe, &tree);
    }
    let compiler = compiler(recipe.architecture, &programs::search_path())?;
    fetch.sources(recipe, say)?;
    let _lock = lock(&fetch.cache, &recipe.name)?;
    // Another prazo may have built it during the wait for the lock.
    if fetch.cache.kernel(recipe, asked).is_err() {
        let folder = BuildFolder::open(fetch.cache.folder().join(format!("{WORK}{}", recipe.name)))?;
        Build { recipe, cache: &fetch.cache, compiler, folder }.run(say)?;
    }
    built(recipe, &fetch.cache.kernel(recipe, asked)?)
}

fn built(recipe: &Recipe, tree: &Tree) -> Result<BuiltKernel, LabError> {
    let image = image(recipe, tree);
    let file = tree.path(COMPILER);
    let compiler = fs::read_to_string(&file).map_err(LabError::system(format!("read {}", file.display())))?;
    Ok(BuiltKernel { sha256: of_file(&image)?, image, compiler: compiler.trim().to_owned() })
}

/// The file that says which compiler it was.
const COMPILER: &str = "compiler.txt";

fn image(recipe: &Recipe, tree: &Tree) -> PathBuf {
    tree.path(&recipe.architecture.image_path(&recipe.release()))
}

/// The beginning of the names of the tools that compile for an architecture: nothing on a host of its own.
fn prefix(architecture: Architecture) -> &'static str {
    if architecture.is_hosts() { "" } else { architecture.cross_compiler().0.trim_end_matches("gcc") }
}

/// The compiler for an architecture. One error names all missing programs and their packages.
fn compiler(architecture: Architecture, path: &str) -> Result<String, LabError> {
    let compiler = format!("{}gcc", prefix(architecture));
    let cross = (compiler.as_str(), architecture.cross_compiler().1.split(' ').next().unwrap_or_default());
    let wanted = TOOLS.iter().copied().chain((!architecture.is_hosts()).then_some(cross));
    let missing: Vec<_> = wanted.filter(|(program, _)| programs::find_in(program, path).is_none()).collect();
    if missing.is_empty() {
        return Ok(compiler);
    }
    let (what, packages): (Vec<_>, Vec<_>) = missing.into_iter().unzip();
    Err(LabError::Missing { what: what.join(", "), remedy: format!("install the packages {}", packages.join(" ")) })
}

/// Waits until no other prazo builds a kernel of this name. A build takes long, so it has a lock of its own: fetching goes on meanwhile.
fn lock(cache: &Cache, name: &str) -> Result<File, LabError> {
    cache.locked(&lock_name(name))
}

fn lock_name(kernel: &str) -> String {
    format!("{WORK}{kernel}{LOCK}")
}

/// True for the folder of a build that was killed. Only a build of prazo has a lock beside its folder.
pub(crate) fn is_left_over(cache: &Cache, name: &str) -> bool {
    matches!(state(cache, name), BuildState::Ended { .. })
}

/// What has become of the build that a folder of the cache belongs to.
pub(crate) enum BuildState {
    /// It is no folder of a build.
    None,
    /// It is under way.
    UnderWay,
    /// It has ended; while its lock is held, none begins.
    Ended {
        /// Held until the state is dropped.
        _lock: File,
    },
}

/// The state of the build that a folder belongs to.
pub(crate) fn state(cache: &Cache, folder: &str) -> BuildState {
    let Some(kernel) = folder.strip_prefix(WORK) else { return BuildState::None };
    match File::open(cache.folder().join(lock_name(kernel))) {
        Ok(lock) if lock.try_lock().is_ok() => BuildState::Ended { _lock: lock },
        Ok(_) => BuildState::UnderWay,
        Err(_) => BuildState::None,
    }
}

/// A build under way.
struct Build<'a> {
    recipe: &'a Recipe,
    cache: &'a Cache,
    compiler: String,
    folder: BuildFolder,
}

impl Build<'_> {
    fn run(&self, say: &mut dyn FnMut(Progress<'_>)) -> Result<(), LabError> {
        say(Progress::Step(1, STEPS, "unpacking the sources (1.6 GB)"));
        let sources = self.unpack()?;
        say(Progress::Step(2, STEPS, "configuring the kernel"));
        self.configure(&sources)?;
        say(Progress::Step(3, STEPS, &format!("compiling with {}", self.compiler)));
        self.compile(&sources, say)?;
        say(Progress::Step(4, STEPS, "copying the kernel into the cache"));
        self.keep(&sources)
    }

    /// The only archive of the package, unpacked; the folder with the makefile.
    fn unpack(&self) -> Result<PathBuf, LabError> {
        // While the lock is held, nothing removes the sources.
        let _lock = self.cache.lock()?;
        let packages = self.cache.tree(&self.recipe.source)?.path("usr/src");
        let failed = || LabError::system(format!("read {}", packages.display()));
        let is_archive = |path: &PathBuf| path.to_str().is_some_and(|path| path.contains(".tar"));
        let archive = fs::read_dir(&packages).map_err(failed())?.flatten().map(|entry| entry.path()).find(is_archive);
        let none = || std::io::Error::other("there is no archive of sources (.tar.xz)");
        let archive = archive.ok_or_else(none).map_err(failed())?;
        let sources = self.folder.part("sources")?;
        let mut tar = programs::command("tar");
        tar.arg("--extract").arg("--file").arg(archive).arg("--directory").arg(&sources).arg("--strip-components=1");
        let remedy = "Check that the disk of the cache has 2.5 GB free.";
        step::run("unpacking the kernel's sources", remedy, &mut tar, &mut |_| {}).map(|()| sources)
    }

    /// Everything off but the recipe's options and what they need; an option that the kernel does not take is named.
    fn configure(&self, sources: &Path) -> Result<(), LabError> {
        let wanted = self.folder.part("configuration")?.join("wanted");
        let lines = |options: &[String]| options.iter().map(|one| format!("CONFIG_{one}\n")).collect::<String>();
        let text = lines(&self.recipe.options) + &format!("CONFIG_LOCALVERSION=\"-{}\"\n", self.recipe.name);
        fs::write(&wanted, text).map_err(LabError::system(format!("write {}", wanted.display())))?;
        let mut make = self.make(sources, &["allnoconfig"]);
        make.env("KCONFIG_ALLCONFIG", &wanted);
        step::run("configuring the kernel", BUILD_REMEDY, &mut make, &mut |_| {})?;
        let file = sources.join(".config");
        let config = fs::read_to_string(&file).map_err(LabError::system(format!("read {}", file.display())))?;
        let refused = |answer: String, remedy: &str| {
            Err(LabError::Step { step: "configuring the kernel".into(), answer, remedy: remedy.into() })
        };
        let lost = not_taken(&self.recipe.options, &config);
        if !lost.is_empty() {
            return refused(format!("the kernel did not take {}", lost.join(", ")), OPTION_REMEDY);
        }
        let mut release = String::new();
        let mut make = self.make(sources, &["-s", "kernelrelease"]);
        step::run("reading the kernel's release", BUILD_REMEDY, &mut make, &mut |line| line.clone_into(&mut release))?;
        if release == self.recipe.release() {
            return Ok(());
        }
        let answer = format!("the kernel's release is {release}, but the recipe says {}", self.recipe.release());
        refused(answer, "Correct source.version in the recipe.")
    }

    fn compile(&self, sources: &Path, say: &mut dyn FnMut(Progress<'_>)) -> Result<(), LabError> {
        let jobs = std::thread::available_parallelism().map_or(1, NonZero::get);
        let mut make = self.make(sources, &[&format!("-j{jobs}"), self.recipe.architecture.kernel_image().1]);
        let (mut files, most) = (0, u64::from(self.recipe.files.max(1)));
        step::run("compiling the kernel", BUILD_REMEDY, &mut make, &mut |line| {
            let is_compiled = line.trim_start().starts_with("CC ") || line.trim_start().starts_with("AS ");
            files += u64::from(is_compiled);
            // The last part is linking, which compiles no file.
            say(Progress::Part(files.min(most - 1), most));
        })
    }

    /// The image, its configuration and where it is from, in a folder that appears whole.
    fn keep(&self, sources: &Path) -> Result<(), LabError> {
        let tree = self.folder.part("tree")?;
        let made = Tree::at(tree.clone());
        let failed = || LabError::system(format!("write {}", tree.display()));
        fs::create_dir_all(made.path("boot")).map_err(failed())?;
        let image = image(self.recipe, &made);
        let config = made.path(&format!("boot/config-{}", self.recipe.release()));
        let copies =
            [(sources.join(self.recipe.architecture.kernel_image().2), image), (sources.join(".config"), config)];
        for (from, to) in copies {
            fs::copy(&from, to).map_err(LabError::system(format!("copy {}", from.display())))?;
        }
        let list = self.cache.tree(&self.recipe.source)?.path(PACKAGES);
        fs::copy(list, made.path(PACKAGES)).map_err(failed())?;
        fs::write(made.path(COMPILER), self.compilers_name()?).map_err(failed())?;
        let (set, place) = (self.recipe.folder(), self.cache.folder().join(self.recipe.folder()));
        crate::contents::seal(&tree, &set)?;
        let _lock = self.cache.lock()?;
        if place.exists() {
            fs::remove_dir_all(&place).map_err(LabError::system(format!("remove {}", place.display())))?;
        }
        fs::rename(&tree, &place).map_err(LabError::system(format!("make {}", place.display())))
    }

    fn compilers_name(&self) -> Result<String, LabError> {
        let mut first = String::new();
        let mut version = programs::command(&self.compiler);
        step::run("asking the compiler for its version", BUILD_REMEDY, version.arg("--version"), &mut |line| {
            if first.is_empty() {
                line.clone_into(&mut first);
            }
        })?;
        Ok(first + "\n")
    }

    /// make in the sources, for the recipe's processor, with everything fixed that would make two builds differ.
    fn make(&self, sources: &Path, words: &[&str]) -> Command {
        let architecture = self.recipe.architecture;
        let mut make = programs::command("make");
        make.arg("-C").arg(sources).arg(format!("ARCH={}", architecture.kernel_image().0));
        make.arg(format!("CROSS_COMPILE={}", prefix(architecture)));
        make.args([
            "KBUILD_BUILD_TIMESTAMP=@0",
            "KBUILD_BUILD_USER=prazo",
            "KBUILD_BUILD_HOST=lab",
            "KBUILD_BUILD_VERSION=1",
        ]);
        make.args(words).env("LC_ALL", "C").env("TZ", "UTC");
        // Nothing of the user's environment: KCFLAGS, LLVM, KBUILD_OUTPUT and others change what make does.
        step::with_its_children(&make)
    }
}

/// The options that a configuration does not have as they were wanted.
fn not_taken<'a>(wanted: &'a [String], config: &str) -> Vec<&'a str> {
    let has = |option: &str| {
        let line = format!("CONFIG_{option}");
        let off = option.strip_suffix("=n").map(|name| format!("CONFIG_{name}="));
        match off {
            Some(off) => !config.lines().any(|one| one.starts_with(&off)),
            None => config.lines().any(|one| one == line),
        }
    };
    wanted.iter().map(String::as_str).filter(|option| !has(option)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn options_that_the_kernel_did_not_take_are_named() {
        let wanted = ["SMP=y", "NR_CPUS=8", "PREEMPT_RT=y", "SWAP=n", "MODULES=n"].map(str::to_owned);
        let config = "CONFIG_SMP=y\nCONFIG_NR_CPUS=64\n# CONFIG_SWAP is not set\nCONFIG_MODULES=y\n";
        assert_eq!(not_taken(&wanted, config), ["NR_CPUS=8", "PREEMPT_RT=y", "MODULES=n"]);
    }

    #[test]
    fn what_a_build_left_is_known_and_what_one_under_way_has_is_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        let of = |folder: &str| state(&cache, folder);
        assert!(matches!(of("building-linux-mine"), BuildState::None), "without a lock it is somebody else's");
        let held = lock(&cache, "mine").unwrap();
        assert!(matches!(of("building-linux-mine"), BuildState::UnderWay));
        drop(held);
        assert!(is_left_over(&cache, "building-linux-mine"));
        for other in ["building-linux-mine.lock", "building-linux-other", "linux-mine"] {
            assert!(matches!(of(other), BuildState::None), "{other}");
        }
    }

    #[test]
    fn all_missing_programs_are_named_with_their_packages() {
        let tools = tempfile::tempdir().unwrap();
        for (program, _) in TOOLS.iter().filter(|(program, _)| !["flex", "bc"].contains(program)) {
            fs::write(tools.path().join(program), "").unwrap();
            fs::set_permissions(tools.path().join(program), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let other = if Architecture::Riscv64.is_hosts() { Architecture::Aarch64 } else { Architecture::Riscv64 };
        let (name, package) = (other.cross_compiler().0, other.cross_compiler().1.split(' ').next().unwrap());
        let error = compiler(other, tools.path().to_str().unwrap()).unwrap_err().to_string();
        assert!(error.contains(&format!("flex, bc, {name}")), "{error}");
        assert!(error.contains(&format!("install the packages flex bc {package}")), "{error}");
    }
}
