//! What can go wrong before a guest runs; how a guest ended is a result, not an error.

use crate::architecture::Architecture;
use prazo_core::text::counted;
use prazo_platform::kernel_module::ModuleError;
use std::io;
use std::path::PathBuf;

/// Why the lab could not do what was asked: names what was asked, what came back, and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// A machine's description says something that cannot be.
    #[error("machine '{machine}': {what}")]
    Machine {
        /// Its name, or the file that it is in.
        machine: String,
        /// The field, what it holds, and what it may hold.
        what: String,
    },
    /// No machine of this name.
    #[error("machine '{name}' does not exist; give a TOML file or one of {known}")]
    NoMachine {
        /// What was asked for.
        name: String,
        /// The known names.
        known: String,
    },
    /// A platform's description says something that cannot be.
    #[error("platform '{platform}': {what}")]
    Platform {
        /// Its name, or the file that it is in.
        platform: String,
        /// The field, what it holds, and what it may hold.
        what: String,
    },
    /// No platform of this name.
    #[error("platform 'lab:{name}' does not exist; give a TOML file or one of {known}")]
    NoPlatform {
        /// What was asked for.
        name: String,
        /// The known names.
        known: String,
    },
    /// This is no release of a kernel.
    #[error("'{version}' is not the release of a kernel; give the whole release, for example 6.12.90 or 6.1.0-57")]
    NoRelease {
        /// What was asked for.
        version: String,
    },
    /// No built-in platform has a kernel of this series.
    #[error(
        "no built-in platform for {architecture} has a kernel of the series of {version}; give a release of {known}"
    )]
    NoSeries {
        /// What was asked for.
        version: String,
        /// The processor.
        architecture: Architecture,
        /// The series of the built-in platforms.
        known: String,
    },
    /// A kernel's recipe says something that cannot be.
    #[error("recipe '{recipe}': {what}")]
    Recipe {
        /// Its name, or the file that it is in.
        recipe: String,
        /// The field, what it holds, and what it may hold.
        what: String,
    },
    /// No recipe of this name.
    #[error("there is no recipe '{name}' for a kernel; give a TOML file or one of {known}")]
    NoRecipe {
        /// What was asked for.
        name: String,
        /// The known names.
        known: String,
    },
    /// The agent that guests run is not there.
    #[error(
        "the guest's agent ({architecture}) is not at {}; build it in the source tree with `prazo lab fetch{}` or \
         `cargo xtask agent`, install it with `pip install 'prazo[lab]'` if pip installed prazo, or set {variable} to its path",
        places.join(", "), architecture.fetch_flag()
    )]
    NoAgent {
        /// What it is to run on.
        architecture: Architecture,
        /// Which variable names one.
        variable: String,
        /// Where it was looked for.
        places: Vec<String>,
    },
    /// The agent that guests run could not be built.
    #[error("cannot build the guest's agent ({architecture}): {answer}; {remedy}")]
    AgentBuild {
        /// What it is to run on.
        architecture: Architecture,
        /// What cargo said last, or which tool is missing.
        answer: String,
        /// What to do about it.
        remedy: String,
    },
    /// The image of prazo's own kernel is not there.
    #[error("there is no image of prazo's kernel{}; build it in the source tree with `cargo xtask kernel build --shape \
             {shape}`, or set {} to its path",
        place.as_ref().map_or(String::new(), |place| format!(" at {}", place.display())), crate::own_kernel::GIVEN)]
    NoOwnKernel {
        /// Where it was looked for; `None` where the sources are not around this program.
        place: Option<PathBuf>,
        /// Its policy and shape.
        shape: String,
    },
    /// The user's kernel cannot boot on the platform's machine.
    #[error("{} is {what}; give the image (vmlinuz, bzImage or Image) of a kernel for {wanted}", file.display())]
    NoKernel {
        /// The file.
        file: PathBuf,
        /// What it is.
        what: String,
        /// What the machine executes.
        wanted: Architecture,
    },
    /// The guest ended without an answer, or answered that it could not.
    #[error("{platform} did not measure: {why}{}", last_lines(console))]
    NoAnswer {
        /// The platform's name.
        platform: String,
        /// How the guest ended, or what it answered.
        why: String,
        /// The last lines of its console.
        console: String,
    },
    /// The emulator failed, or somebody ended it, before the guest had answered.
    #[error("{platform} did not measure: {why}{}", last_lines(console))]
    Emulator {
        /// The platform's name.
        platform: String,
        /// How the emulator ended.
        why: String,
        /// The last lines of the guest's console.
        console: String,
    },
    /// The guest's agent refused the plan: the user's to change.
    #[error("{platform} refuses this plan: {why}")]
    Refused {
        /// The platform's name.
        platform: String,
        /// What is wrong with it.
        why: String,
    },
    /// A load takes programs of this system's, which the guest's processor does not run.
    #[error(
        "{platform} cannot run this system's '{program}', which a load needs, because its processor is {architecture}; \
         leave the load out"
    )]
    ForeignProgram {
        /// The platform's name.
        platform: String,
        /// The first of the programs.
        program: String,
        /// What the guest's processor executes.
        architecture: Architecture,
    },
    /// A kernel lacks a driver.
    #[error("the guest's kernel has no module '{name}'; choose another platform or a kernel with this module")]
    NoModule {
        /// The module.
        name: String,
    },
    /// A guest of this platform has no line that could be raised.
    #[error(
        "a guest of '{platform}' has no interrupt line to measure; choose an x86-64 platform or `prazo measure timer`"
    )]
    NoLine {
        /// The platform's name.
        platform: String,
    },
    /// A kernel of the user's comes without headers, so that no module can be built for it.
    #[error(
        "measuring an interrupt line needs the module irqlat, which prazo cannot build for '{platform}'; build it with \
         the headers of the platform's kernel (see kmod/irqlat) and give it with --module irqlat.ko"
    )]
    NoHeaders {
        /// The platform's name.
        platform: String,
    },
    /// The module takes headers that the lab does not fetch.
    #[error(
        "prazo has no headers for the kernel of '{platform}', so it cannot measure an interrupt line there; use a built-in \
         platform such as lab:rt-full, or `prazo measure timer`"
    )]
    NoHeadersOfRelease {
        /// The platform's name.
        platform: String,
    },
    /// The module takes a compiler.
    #[error("cannot build the module irqlat for {release} without {what}; install the packages gcc and make")]
    NoTool {
        /// The program.
        what: &'static str,
        /// The kernel's release.
        release: String,
    },
    /// The module could not be built.
    #[error(transparent)]
    Module(#[from] ModuleError),
    /// A machine has too few cards for frames from one to the other.
    #[error(
        "a triggering station and network floods (udp-flood, icmp-flood) need two network cards, but machine '{machine}' has {cards}; \
         set `cards = 2` in the machine's file, or choose machine linux-1"
    )]
    NoSecondCard {
        /// Its name.
        machine: String,
        /// How many it has.
        cards: u8,
    },
    /// A load that another guest cannot give.
    #[error(
        "the lab cannot send load '{load}' to a guest that a triggering station also sends to; leave the load out, or \
         use udp-flood without an on/off rhythm"
    )]
    NoFlood {
        /// Its name.
        load: String,
    },
    /// The programs that watch a guest take a compiler.
    #[error(
        "recording a guest needs a C compiler, and none is installed; install the package gcc, or set CC to a C \
         compiler"
    )]
    NoCompiler,
    /// A program that watches a guest could not be built.
    #[error("cannot build {what} with {compiler}: {said}")]
    Compile {
        /// The program.
        what: &'static str,
        /// The compiler.
        compiler: String,
        /// What it said.
        said: String,
    },
    /// A guest that cannot be looked at again.
    #[error(
        "a guest of {platform} cannot be recorded: {why}; measure on a platform whose machine has one x86-64 or 64-bit Arm processor and counted time"
    )]
    NotWatched {
        /// The platform's name.
        platform: String,
        /// Why not.
        why: &'static str,
    },
    /// A guest that no debugger can look at.
    #[error(
        "a guest of {platform} has a processor of the kind {architecture}, and --debug works for x86-64 guests only; leave --debug out, or measure \
         on an x86-64 platform"
    )]
    NotDebugged {
        /// The platform's name.
        platform: String,
        /// Its processor.
        architecture: Architecture,
    },
    /// A boot was not repeated from its log.
    #[error("cannot replay the boot of a guest: {why}; try again, and report this if it happens again")]
    Replay {
        /// What came back.
        why: String,
    },
    /// A kernel does not name its functions.
    #[error(
        "the kernel symbols of {platform} cannot be used: {why}; the guest's kernel needs CONFIG_KALLSYMS_ALL and no \
         kptr_restrict"
    )]
    NoSymbols {
        /// The platform's name.
        platform: String,
        /// What came back.
        why: String,
    },
    /// What the plugin wrote is no recording.
    #[error("the recording of a guest is unusable: {why}")]
    Recording {
        /// What is wrong with it.
        why: String,
    },
    /// The plugin could not write its whole recording.
    #[error(
        "cannot record {what} in a temporary file in {}: {source}, after writing {}; {}", folder.display(),
        counted(*bytes, "byte"), recording_remedy(source)
    )]
    RecordingCut {
        /// What was to be recorded.
        what: String,
        /// The folder of the file, which has no name of its own.
        folder: PathBuf,
        /// How much was written.
        bytes: u64,
        /// The system's answer.
        source: io::Error,
    },
    /// Whoever asked for it wanted to stop.
    #[error("interrupted")]
    Stopped,
    /// A set of packages is not in the cache.
    #[error("the lab's package set {what} is not in {}; run `{command}` once", folder.display())]
    NotFetched {
        /// The set.
        what: String,
        /// Where it would be.
        folder: PathBuf,
        /// The command that makes this set.
        command: String,
    },
    /// A set of packages is in the cache, but not as it was fetched.
    #[error("the lab's cache is damaged in {}: {why}; run `{command}`, which replaces this part", folder.display())]
    Damaged {
        /// The set's folder.
        folder: PathBuf,
        /// The first file that differs, and how.
        why: String,
        /// The command that makes this set.
        command: String,
    },
    /// There is no folder to keep it in.
    #[error("there is no folder for the cache; set XDG_CACHE_HOME or HOME")]
    NoCache,
    /// The cache's path holds a colon.
    #[error("the path of the cache, {}, contains a colon, which separates folders in the search path of libraries; set \
             XDG_CACHE_HOME to a path without a colon", folder.display())]
    Colon {
        /// The path.
        folder: PathBuf,
    },
    /// Fetching needs a program or a file that this system lacks.
    #[error("the lab needs {what}, which is not available here: {remedy}")]
    Missing {
        /// The program or file.
        what: String,
        /// What to do about it.
        remedy: String,
    },
    /// A step of fetching or building failed.
    #[error("{step} failed: {answer}. {remedy}")]
    Step {
        /// What was tried.
        step: String,
        /// What came back.
        answer: String,
        /// What to do about it.
        remedy: String,
    },
    /// A package is not the one that the lab was made with.
    #[error(
        "the checksum of {package} is {found}, not {wanted}, so the package was not unpacked; fetch again, or use \
         another --mirror"
    )]
    Checksum {
        /// The package's file.
        package: String,
        /// What was downloaded.
        found: String,
        /// What the lab knows.
        wanted: String,
    },
    /// An archive of the cache that is none, or that leads out of it.
    #[error("{}: {why}", file.display())]
    Archive {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// An emulator that does not start, or is another version.
    #[error("{} is not usable: {answer}", program.display())]
    Unusable {
        /// The emulator's program.
        program: PathBuf,
        /// What it answered.
        answer: String,
    },
    /// GRUB's tool made no image.
    #[error("cannot make the disc image {}: {answer}", image.display())]
    Disc {
        /// The image that was asked for.
        image: PathBuf,
        /// What the tool said.
        answer: String,
    },
    /// The system refused.
    #[error("cannot {what}: {source}")]
    System {
        /// What was tried, with its object.
        what: String,
        /// The system's answer.
        source: io::Error,
    },
}

/// The end of a console, as the end of a sentence.
fn last_lines(console: &str) -> String {
    if console.is_empty() { String::new() } else { format!("; the guest's console ended with: {console}") }
}

impl LabError {
    /// For `map_err`: the system refused to do `what`.
    pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::System { what, source }
    }

    /// The same of a set that another command makes.
    pub(crate) fn made_with(self, command: String) -> Self {
        match self {
            Self::Damaged { folder, why, .. } => Self::Damaged { folder, why, command },
            Self::NotFetched { what, folder, .. } => Self::NotFetched { what, folder, command },
            other => other,
        }
    }
}

/// What helps where a recording cannot be written.
fn recording_remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::FileTooLarge => "a recording has at most 8 GiB: measure for a shorter time",
        _ => "free space on that disk, or set TMPDIR to a folder on a larger disk",
    }
}
