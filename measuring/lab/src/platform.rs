//! A Linux platform as data: which kernel, with which words on its command line, on which machine.
//!
//! `lab:NAME` in a study or in `--platform` is one of these. What can change a trajectory stands here, in the machine or in
//! the image; the words that every guest gets are [`CALM`], [`SOUND`] and its architecture's.

use crate::architecture::Architecture;
use crate::error::LabError;
use crate::fetch::{Cache, Recipe};
use crate::image;
use crate::kernel_release;
use crate::machine::Machine;
use crate::modules::Modules;
use crate::unpacked::unpacked;
use crate::unpacked_packages::Tree;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The platforms that prazo carries, one file each.
const BUILTIN: [&str; 22] = [
    include_str!("../platforms/standard-none.toml"),
    include_str!("../platforms/standard-voluntary.toml"),
    include_str!("../platforms/standard-full.toml"),
    include_str!("../platforms/standard-threadirqs.toml"),
    include_str!("../platforms/rt-full.toml"),
    include_str!("../platforms/rt-not-threaded.toml"),
    include_str!("../platforms/standard-none-6.12.toml"),
    include_str!("../platforms/standard-voluntary-6.12.toml"),
    include_str!("../platforms/standard-full-6.12.toml"),
    include_str!("../platforms/standard-threadirqs-6.12.toml"),
    include_str!("../platforms/rt-full-6.12.toml"),
    include_str!("../platforms/rt-lazy-6.12.toml"),
    include_str!("../platforms/rt-not-threaded-6.12.toml"),
    include_str!("../platforms/arm64-standard.toml"),
    include_str!("../platforms/arm64-rt.toml"),
    include_str!("../platforms/armv7-standard.toml"),
    include_str!("../platforms/armv7-rt.toml"),
    include_str!("../platforms/armv7-a9-standard.toml"),
    include_str!("../platforms/armv7-a9-rt.toml"),
    include_str!("../platforms/riscv64-standard.toml"),
    include_str!("../platforms/riscv64-rt.toml"),
    include_str!("../platforms/ppc64le-standard.toml"),
];

/// What every guest's kernel is told between its console and its counter: to say only what matters, and a fixed layout.
const CALM: [&str; 3] = ["quiet", "loglevel=5", "nokaslr"];

/// And behind them: no work-arounds for another processor's faults, no randomness but the seed's, an end instead of a hang
/// after a panic. A serial port that sends a long answer looks to a kernel with threaded interrupts as if nobody handled its
/// line, which it would turn off behind 100,000 of them: that watch is off.
const SOUND: [&str; 6] =
    ["mitigations=off", "random.trust_cpu=off", "panic=-1", "rdinit=/prazo/agent", "oops=panic", "noirqdebug"];

/// A platform of the lab: a kernel, its command line, and the machine that a guest runs on.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Platform {
    /// Name of the platform: `--platform lab:NAME`.
    pub name: String,
    /// Description of the platform, in one line.
    pub text: String,
    /// The machine that the guest runs on: name of a built-in machine, or path of a TOML file.
    pub machine: String,
    /// The kernel that the guest boots.
    pub kernel: Kernel,
    /// Parameters on the kernel's command line, in addition to the parameters that every guest gets.
    #[serde(default)]
    pub words: Vec<String>,
    /// False if the handler of the measured interrupt line must not run in a thread, even if the kernel runs other
    /// handlers in threads. The module irqlat receives this value as a parameter.
    #[serde(default = "yes")]
    pub line_threaded: bool,
    /// The board's device tree, on boards whose emulator makes none: a file of the kernel's packages such as
    /// `vexpress-v2p-ca9.dtb`, or the path of a file for a kernel of the user's.
    #[serde(default)]
    pub device_tree: Option<PathBuf>,
    /// Modules of the user's to load in the guest after its drivers, in this order.
    #[serde(default)]
    pub modules: Vec<OwnModule>,
}

/// A kernel module of the user's.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnModule {
    /// Path of the module, built for the guest's kernel; a relative path starts from the current folder.
    pub file: PathBuf,
    /// Parameters of the module, such as `debug=1`.
    #[serde(default)]
    pub parameters: String,
}

/// The kernel that a guest boots.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Kernel {
    /// A kernel that `prazo lab fetch` downloaded.
    Fetched {
        /// The set of packages that the kernel is in, for example linux-6.12.95.
        set: String,
        /// The kernel's release, as `uname -r` prints it.
        release: String,
        /// An initramfs to unpack before the lab's own, for example with the user space of Xenomai Mercury.
        #[serde(default)]
        initrd: Option<PathBuf>,
    },
    /// A kernel that `prazo lab build` built from its sources.
    Built {
        /// The kernel's recipe: name of a built-in recipe, or path of a TOML file.
        recipe: String,
        /// An initramfs to unpack before the lab's own.
        #[serde(default)]
        initrd: Option<PathBuf>,
    },
    /// A kernel that the user provides as a file.
    Given {
        /// Path of the kernel's image.
        file: PathBuf,
        /// An initramfs to unpack before the lab's own, for example with modules or with the user space of Xenomai.
        #[serde(default)]
        initrd: Option<PathBuf>,
        /// The module irqlat, built for this kernel; it measures an interrupt line.
        #[serde(default)]
        irqlat: Option<PathBuf>,
    },
}

/// The files that a guest boots from.
pub(crate) struct BootFiles {
    /// The kernel's image.
    pub kernel: PathBuf,
    /// What the emulator starts: the image, or the kernel that was unpacked from it.
    pub started: PathBuf,
    /// The board's device tree, where the emulator makes none.
    pub device_tree: Option<PathBuf>,
}

fn yes() -> bool {
    true
}

impl Platform {
    /// All built-in platforms.
    pub fn builtin() -> Vec<Self> {
        BUILTIN.iter().map(|text| Self::from_toml("built-in", text).expect("built-in platforms are tested")).collect()
    }

    /// The built-in platforms with machines of these architectures.
    pub fn builtin_on(architectures: &[Architecture]) -> Vec<Self> {
        let is_on = |platform: &Self| platform.machine().is_ok_and(|one| architectures.contains(&one.architecture));
        Self::builtin().into_iter().filter(is_on).collect()
    }

    /// The built-in platforms with machines of these architectures whose kernels are of one series with `version`, with that
    /// release of the kernel.
    ///
    /// # Errors
    /// It is no release, or an architecture has no platform of its series.
    pub fn of_release(version: &str, architectures: &[Architecture]) -> Result<Vec<Self>, LabError> {
        if !kernel_release::is_version(version) {
            return Err(LabError::NoRelease { version: version.to_owned() });
        }
        let mut all = Vec::new();
        for architecture in architectures {
            let builtin = Self::builtin_on(&[*architecture]);
            let known = builtin.iter().filter_map(|platform| kernel_release::series(platform.kernel_version()?));
            let known: BTreeSet<_> = known.collect();
            let found: Vec<_> = builtin.iter().filter_map(|platform| platform.with_release(version)).collect();
            if found.is_empty() {
                let known = known.into_iter().collect::<Vec<_>>().join(" or ");
                return Err(LabError::NoSeries { version: version.to_owned(), architecture: *architecture, known });
            }
            all.extend(found);
        }
        Ok(all)
    }

    /// The platforms of other kernel releases whose folders in the cache are `sets` ([`Cache::other_releases`](crate::Cache::other_releases)).
    pub fn of_other_releases(sets: &BTreeSet<String>) -> Vec<Self> {
        let (builtin, mut all) = (Self::builtin(), Vec::new());
        for set in sets {
            let Some((_, version)) = kernel_release::split(set) else { continue };
            let is_of_set = |one: &Self| matches!(&one.kernel, Kernel::Fetched { set: own, .. } if own == set);
            let released = builtin.iter().filter_map(|platform| platform.with_release(version));
            all.extend(released.filter(is_of_set));
        }
        all
    }

    /// The version of its kernel: what its set of packages ends with.
    fn kernel_version(&self) -> Option<&str> {
        match &self.kernel {
            Kernel::Fetched { set, .. } => kernel_release::split(set).map(|(_, version)| version),
            Kernel::Built { .. } | Kernel::Given { .. } => None,
        }
    }

    /// The same platform with another release of its kernel's series, named after both; `None` for a version of another series.
    fn with_release(&self, version: &str) -> Option<Self> {
        let own = self.kernel_version()?;
        let series = kernel_release::series(own)?;
        if !kernel_release::is_version(version) || kernel_release::series(version) != Some(series) {
            return None;
        }
        let Kernel::Fetched { set, release, initrd } = &self.kernel else { return None };
        let kernel = Kernel::Fetched {
            set: set.replace(own, version),
            release: kernel_release::replaced(release, own, version)?,
            initrd: initrd.clone(),
        };
        let stem = self.name.strip_suffix(series).and_then(|stem| stem.strip_suffix('-')).unwrap_or(&self.name);
        let (name, text) = (format!("{stem}-{version}"), format!("{} (release {version})", self.text));
        Some(Self { name, text, kernel, ..self.clone() })
    }

    /// A built-in platform's name, that of one with another release of its kernel such as `rt-full-6.12.90`, or else a TOML file.
    pub fn find(name: &str) -> Result<Self, LabError> {
        let builtin = Self::builtin();
        if let Some(platform) = builtin.iter().find(|platform| platform.name == name) {
            return Ok(platform.clone());
        }
        if let Some((_, version)) = kernel_release::split(name) {
            let released = builtin.iter().filter_map(|platform| platform.with_release(version));
            if let Some(platform) = released.into_iter().find(|platform| platform.name == name) {
                return Ok(platform);
            }
        }
        if !Path::new(name).is_file() {
            let known: Vec<_> = builtin.iter().map(|platform| platform.name.as_str()).collect();
            return Err(LabError::NoPlatform { name: name.to_owned(), known: known.join(", ") });
        }
        let text = std::fs::read_to_string(name).map_err(LabError::system(format!("read {name}")))?;
        Self::from_toml(name, &text)
    }

    /// A kernel of the user's, on the machine for Linux guests of its kind.
    pub fn given(file: PathBuf, initrd: Option<PathBuf>) -> Self {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = format!("the kernel {}", file.display());
        // An image that shows no processor is left to the emulator.
        let machine = image::architecture(&file).unwrap_or_default().linux_machine();
        let kernel = Kernel::Given { file, initrd, irqlat: None };
        Self {
            name,
            text,
            machine: machine.into(),
            kernel,
            words: Vec::new(),
            line_threaded: true,
            device_tree: None,
            modules: Vec::new(),
        }
    }

    /// Reads a description; `origin` is what an error calls it.
    pub fn from_toml(origin: &str, text: &str) -> Result<Self, LabError> {
        let refused = |what: String| LabError::Platform { platform: origin.to_owned(), what };
        let platform: Self = toml::from_str(text).map_err(|error| refused(error.to_string()))?;
        match platform.words.iter().find(|word| word.contains(char::is_whitespace)) {
            Some(word) => {
                Err(refused(format!("words: '{word}' contains a blank; write each word as a separate string")))
            }
            None => Ok(platform),
        }
    }

    /// The release of its kernel; `None` for a file of the user's, which does not say it, and for a recipe that cannot be read.
    pub fn release(&self) -> Option<String> {
        match &self.kernel {
            Kernel::Fetched { release, .. } => Some(release.clone()),
            Kernel::Built { recipe, .. } => Recipe::find(recipe).ok().map(|recipe| recipe.release()),
            Kernel::Given { .. } => None,
        }
    }

    /// The recipe that its kernel is built with: a name or a file.
    pub fn recipe(&self) -> Option<&str> {
        match &self.kernel {
            Kernel::Built { recipe, .. } => Some(recipe),
            Kernel::Fetched { .. } | Kernel::Given { .. } => None,
        }
    }

    /// Where the cache has its kernel, and the kernel's release; `None` for a kernel of the user's.
    fn cached(&self, cache: &Cache) -> Result<Option<(Tree, String)>, LabError> {
        match &self.kernel {
            Kernel::Fetched { set, release, .. } => Ok(Some((cache.set(set)?, release.clone()))),
            Kernel::Built { recipe: asked, .. } => {
                let recipe = Recipe::find(asked)?;
                Ok(Some((cache.kernel(&recipe, asked)?, recipe.release())))
            }
            Kernel::Given { .. } => Ok(None),
        }
    }

    /// Its machine.
    pub fn machine(&self) -> Result<Machine, LabError> {
        Machine::find(&self.machine)
    }

    /// The kernel's command line on a machine of this architecture.
    pub fn command_line(&self, architecture: Architecture) -> String {
        let always = [architecture.console()].into_iter().chain(CALM).chain(architecture.counter()).chain(SOUND);
        always.chain(self.words.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
    }

    /// The kernel's image: of the cache, or the user's.
    pub fn image(&self, cache: &Cache) -> Result<PathBuf, LabError> {
        self.check_kernel()?;
        if let Kernel::Given { file, .. } = &self.kernel {
            return Ok(file.clone());
        }
        let architecture = self.machine()?.architecture;
        let (tree, release) = self.cached(cache)?.expect("a kernel that is not the user's is in the cache");
        Ok(tree.path(&architecture.image_path(&release)))
    }

    /// What the emulator starts: the kernel inside the image where it can be started directly, else the image.
    pub fn bootable(&self, cache: &Cache) -> Result<PathBuf, LabError> {
        let image = self.image(cache)?;
        Ok(unpacked(&image, &self.machine()?.board, cache)?.unwrap_or(image))
    }

    /// The files that a guest of this platform boots from.
    pub(crate) fn boot_files(&self, cache: &Cache) -> Result<BootFiles, LabError> {
        let (kernel, started) = (self.image(cache)?, self.bootable(cache)?);
        Ok(BootFiles { kernel, started, device_tree: self.device_tree(cache)? })
    }

    /// The board's device tree: of the kernel's packages, or the user's; `None` where the emulator makes it.
    fn device_tree(&self, cache: &Cache) -> Result<Option<PathBuf>, LabError> {
        let Some(asked) = &self.device_tree else { return Ok(None) };
        let file = match &self.kernel {
            Kernel::Fetched { set, release, .. } => {
                let name = asked.to_string_lossy();
                cache.set(set)?.path(&format!("usr/lib/linux-image-{release}/{name}"))
            }
            Kernel::Built { .. } | Kernel::Given { .. } => asked.clone(),
        };
        if file.is_file() {
            return Ok(Some(file));
        }
        let what = format!("device_tree: there is no file {}", file.display());
        Err(LabError::Platform { platform: self.name.clone(), what })
    }

    /// Refuses a kernel of the user's that cannot be read, is none, or is for another processor than the machine's.
    pub fn check_kernel(&self) -> Result<(), LabError> {
        match &self.kernel {
            Kernel::Given { file, .. } => image::check(file, self.machine()?.architecture),
            Kernel::Built { recipe, .. } => {
                let (built, machine) = (Recipe::find(recipe)?.architecture, self.machine()?);
                if built == machine.architecture {
                    return Ok(());
                }
                let what = format!(
                    "kernel.built.recipe: '{recipe}' is for {built}, but machine '{}' is {}",
                    machine.name, machine.architecture
                );
                Err(LabError::Platform { platform: self.name.clone(), what })
            }
            Kernel::Fetched { .. } => Ok(()),
        }
    }

    /// The modules that come with its kernel; `None` for a kernel of the user's, and for one that was built, which has none.
    pub(crate) fn kernel_modules(&self, cache: &Cache) -> Result<Option<Modules>, LabError> {
        match &self.kernel {
            Kernel::Fetched { set, release, .. } => Modules::of(&cache.set(set)?, release).map(Some),
            Kernel::Built { .. } | Kernel::Given { .. } => Ok(None),
        }
    }

    /// What the user wants unpacked before the lab's own files.
    pub fn initrd(&self) -> Option<&Path> {
        match &self.kernel {
            Kernel::Given { initrd, .. } | Kernel::Built { initrd, .. } | Kernel::Fetched { initrd, .. } => {
                initrd.as_deref()
            }
        }
    }

    /// The same platform whose guests unpack this file first.
    #[must_use]
    pub fn with_initrd(mut self, file: PathBuf) -> Self {
        match &mut self.kernel {
            Kernel::Given { initrd, .. } | Kernel::Built { initrd, .. } | Kernel::Fetched { initrd, .. } => {
                *initrd = Some(file);
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn builtin_platforms_are_sound_and_have_names_and_machines_of_their_own() {
        let all = Platform::builtin();
        let names: std::collections::BTreeSet<_> = all.iter().map(|platform| &platform.name).collect();
        assert_eq!(names.len(), BUILTIN.len());
        assert!(all.iter().all(|platform| platform.machine().is_ok()));
    }

    #[test]
    fn a_kernel_of_the_users_gets_a_machine_that_executes_it() {
        for architecture in Architecture::VALUES {
            let image = tempfile::NamedTempFile::new().unwrap();
            let (at, signature) = architecture.signature();
            image.as_file().write_all_at(&signature, at).unwrap();
            let platform = Platform::given(image.path().to_owned(), None);
            assert_eq!(platform.machine().unwrap().architecture, *architecture);
            platform.check_kernel().unwrap();
        }
    }

    #[test]
    fn a_recipe_for_another_processor_is_refused_by_field() {
        let platform = Platform::find("riscv64-rt").unwrap();
        platform.check_kernel().unwrap();
        assert_eq!(platform.release().as_deref(), Some("6.12.117-riscv64-rt"));
        let error = Platform { machine: "linux-1".into(), ..platform }.check_kernel().unwrap_err().to_string();
        assert!(
            error.contains("kernel.built.recipe: 'riscv64-rt' is for riscv64, but machine 'linux-1' is x86_64"),
            "{error}"
        );
    }

    #[test]
    fn a_device_tree_is_the_packages_or_the_users_and_a_missing_one_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, own) = (Cache::at(folder.path().join("cache")).unwrap(), folder.path().join("own.dtb"));
        let with = |file: &Path| Platform { device_tree: Some(file.into()), ..Platform::given("zImage".into(), None) };
        let error = with(&own).device_tree(&cache).unwrap_err().to_string();
        assert!(error.contains("device_tree: there is no file") && error.contains("own.dtb"), "{error}");
        std::fs::write(&own, "tree").unwrap();
        assert_eq!(with(&own).device_tree(&cache).unwrap(), Some(own));
        assert_eq!(Platform::find("rt-full").unwrap().device_tree(&cache).unwrap(), None);
        let fetched = Platform::find("armv7-a9-rt").unwrap();
        assert!(matches!(fetched.device_tree(&cache), Err(LabError::NotFetched { .. })));
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_there_are() {
        let error = Platform::find("rt-ful").unwrap_err().to_string();
        assert!(error.contains("rt-ful") && error.contains("rt-full,") && error.contains("rt-lazy-6.12"), "{error}");
    }

    #[test]
    fn what_cannot_be_is_refused_by_field() {
        let wrong = [("words = [\"preempt=none\"]", "words = [\"a b\"]", "words"), ("machine", "machin", "machin")];
        for (right, replaced, field) in wrong {
            let error = Platform::from_toml("test", &BUILTIN[0].replace(right, replaced)).unwrap_err().to_string();
            assert!(error.contains(field), "{replaced}: {error}");
        }
    }

    #[test]
    fn a_name_with_a_version_is_a_platform_with_another_release_of_its_kernel() {
        let found = |name: &str| {
            let platform = Platform::find(name).unwrap();
            assert_eq!(platform.name, name);
            let Kernel::Fetched { set, release, .. } = platform.kernel else { panic!("{name}") };
            (set, release, platform.words)
        };
        let of = |set: &str, release: &str, words: &[&str]| {
            (set.to_owned(), release.to_owned(), words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(found("rt-full-6.12.90"), of("linux-6.12.90", "6.12.90+deb12-rt-amd64", &["preempt=full"]));
        assert_eq!(
            found("standard-none-6.12.90+deb12.1"),
            of("linux-6.12.90+deb12.1", "6.12.90+deb12.1-amd64", &["preempt=none"])
        );
        assert_eq!(found("rt-full-6.1.0-57"), of("linux-6.1.0-57", "6.1.0-57-rt-amd64", &[]));
        assert!(Platform::find("rt-full-6.13.1").is_err() && Platform::find("unheard-6.12.90").is_err());
        let names = |version| {
            let all = Platform::of_release(version, &[Architecture::X86_64])?;
            Ok::<_, LabError>(all.into_iter().map(|platform| platform.name).collect::<Vec<_>>())
        };
        assert!(names("6.1.0-57").unwrap().contains(&"rt-not-threaded-6.1.0-57".to_owned()));
        assert!(names("7.0.1").unwrap_err().to_string().ends_with("give a release of 6.1 or 6.12"));
        assert!(names("6.12").unwrap_err().to_string().contains("whole release"));
        let both = Platform::of_release("6.1.0-57", &[Architecture::X86_64, Architecture::Aarch64]).unwrap_err();
        assert!(both.to_string().contains("aarch64"), "{both}");
        let sets = ["linux-6.1.0-57", "linux-arm64-6.12.90"].map(str::to_owned).into();
        let others: Vec<_> = Platform::of_other_releases(&sets).into_iter().map(|platform| platform.name).collect();
        assert!(others.iter().all(|name| Platform::find(name).is_ok()), "{others:?}");
        let of_amd64 = names("6.1.0-57").unwrap().len();
        assert_eq!(others[of_amd64..], ["arm64-standard-6.12.90", "arm64-rt-6.12.90"]);
    }

    #[test]
    fn a_platform_survives_toml() {
        let with_initrd = Platform::find("rt-full").unwrap().with_initrd("a/mercury.cpio".into());
        assert_eq!(with_initrd.initrd(), Some(Path::new("a/mercury.cpio")));
        let own = [Platform::given("a/bzImage".into(), None), with_initrd];
        for platform in Platform::builtin().into_iter().chain(own) {
            assert_eq!(Platform::from_toml("test", &toml::to_string(&platform).unwrap()).unwrap(), platform);
        }
    }

    #[test]
    fn its_own_words_come_behind_those_of_every_guest() {
        let line = Platform::find("standard-none").unwrap().command_line(Architecture::X86_64);
        assert_eq!(
            line,
            "console=ttyS0 quiet loglevel=5 nokaslr tsc=reliable mitigations=off random.trust_cpu=off panic=-1 \
             rdinit=/prazo/agent oops=panic noirqdebug preempt=none"
        );
        let line = Platform::find("arm64-rt").unwrap().command_line(Architecture::Aarch64);
        assert!(line.starts_with("console=ttyAMA0 ") && !line.contains("tsc"), "{line}");
        assert_eq!(Platform::find("armv7-rt").unwrap().command_line(Architecture::Armv7l), line);
        let line = Platform::find("riscv64-standard").unwrap().command_line(Architecture::Riscv64);
        assert!(line.starts_with("console=ttyS0 ") && !line.contains("tsc"), "{line}");
    }
}
