//! Skips that are counted: a test that cannot run here says which [`Need`] is missing, and `./test` counts it as skipped.

use serde_json::{Value, json};
use std::fmt::{self, Display};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The environment's name of the file that collects skips, one JSON object per line.
pub const SKIPS: &str = "PRAZO_SKIPS";

/// What a test lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The rights of root: to mount, to change a user, to write a setting.
    Root,
    /// Real-time policies for this process.
    RealTime,
    /// The lab's emulator, disc tools and kernels.
    Lab,
    /// The guests' agent.
    Agent,
    /// The agent and the kernels of guests of another processor, by `uname -m`.
    GuestsOf(&'static str),
    /// The module irqlat for the lab's kernels.
    Module,
    /// What prazo's own kernel is built with, or its image.
    KernelImage,
    /// The report's npm modules.
    NpmModules,
    /// A browser that runs the report's page.
    Browser,
    /// Headers of a Linux kernel.
    KernelHeaders,
    /// A program by its name.
    Program(&'static str),
    /// Programs of `cargo xtask dist`, and an emulator for those of other processors.
    DistPrograms,
    /// `PRAZO_TEST_ROOT_DOMAIN=1`, which allows tests to change how this machine balances its load.
    RootDomainAllowed,

    /// At least two processors.
    TwoProcessors,
    /// Tracepoints and BPF programs on them.
    Tracing,
    /// Performance counters or another clock of the processor.
    Counters,
    /// Control groups of version 1 or 2 with cpusets that can be written.
    Cpusets,
    /// Control groups of version 2.
    ControlGroups,
    /// Control groups of version 1 with budgets for real-time threads (RT_GROUP_SCHED).
    RealTimeGroups,
    /// Root domains of one's own, by cpusets.
    RootDomains,
    /// A kernel that admits `SCHED_DEADLINE` here, and counts what it admits.
    DeadlineAdmission,
    /// Namespaces of users, processes, mounts or networks.
    Namespaces,
    /// Records of the kernel about processes that ended (taskstats).
    ExitRecords,
    /// Scheduler statistics or delay accounting.
    SchedulerStatistics,
    /// A user for whom a privilege is refused; here it is granted.
    Refusal,
}

impl Need {
    /// True if continuous integration, as root on Debian, must provide it; false if the machine's kernel decides, or if it
    /// takes longer to make than a suite may run.
    pub fn is_provided_by_ci(self) -> bool {
        match self {
            Self::Root
            | Self::RealTime
            | Self::Lab
            | Self::Agent
            | Self::Module
            | Self::KernelImage
            | Self::NpmModules
            | Self::Browser
            | Self::KernelHeaders
            | Self::Program(_)
            | Self::RootDomainAllowed => true,
            Self::DistPrograms
            | Self::GuestsOf(_)
            | Self::TwoProcessors
            | Self::Tracing
            | Self::Counters
            | Self::Cpusets
            | Self::ControlGroups
            | Self::RealTimeGroups
            | Self::RootDomains
            | Self::DeadlineAdmission
            | Self::Namespaces
            | Self::ExitRecords
            | Self::SchedulerStatistics
            | Self::Refusal => false,
        }
    }
}

impl Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Root => "not root",
            Self::RealTime => "real-time policies are refused",
            Self::Lab => "the lab is not fetched (`prazo lab fetch`)",
            Self::Agent => "the guests' agent is not built (`cargo xtask agent`)",
            Self::GuestsOf(processor) => {
                return write!(
                    f,
                    "no agent or no kernel for {processor} (`prazo lab fetch --architecture {processor}`)"
                );
            }
            Self::Module => "the module irqlat is not built for the lab's kernels",
            Self::KernelImage => "prazo's kernel cannot be built (`rustup target add x86_64-unknown-none`)",
            Self::NpmModules => "the report's npm modules are not installed",
            Self::Browser => "no browser",
            Self::KernelHeaders => "no headers of a Linux kernel",
            Self::Program(name) => return write!(f, "no program {name}"),
            Self::DistPrograms => "no programs of `cargo xtask dist`, or nothing that runs them (qemu-user)",
            Self::RootDomainAllowed => "PRAZO_TEST_ROOT_DOMAIN=1 is not set",
            Self::TwoProcessors => "the machine has one processor",
            Self::Tracing => "the kernel lacks a tracer or refuses BPF",
            Self::Counters => "the processor's counters cannot be read",
            Self::Cpusets => "no cpuset controller that can be written",
            Self::ControlGroups => "no control groups of version 2 that can be written",
            Self::RealTimeGroups => "no control groups with real-time budgets (RT_GROUP_SCHED)",
            Self::RootDomains => "no root domain can be made",
            Self::DeadlineAdmission => "the kernel refuses deadline tasks here, or does not count them",
            Self::Namespaces => "namespaces are refused",
            Self::ExitRecords => "no records of ended processes (taskstats)",
            Self::SchedulerStatistics => "the kernel keeps no scheduler statistics",
            Self::Refusal => "this user has the privilege whose refusal the test wants to see",
        })
    }
}

/// Shows that a skip was registered, so that a helper cannot end a test without one.
#[must_use = "a test that goes on after this would count as skipped"]
#[derive(Debug)]
pub struct Skipped(());

/// Registers the calling test as skipped; `why` says what exactly is missing.
///
/// # Panics
/// Under `CI=true`, as root on Debian, if continuous integration must provide `need`; and if the file of skips cannot be
/// written.
#[track_caller]
pub fn skipped(need: Need, why: impl Display) -> Skipped {
    let record = Record { test: TestName::of_this_thread(), need: need.to_string(), why: why.to_string() };
    assert!(!must_fail(need, in_ci()), "continuous integration must provide this: {need}: {why}");
    eprintln!("SKIPPED: {need}: {why}");
    if let Some(file) = std::env::var_os(SKIPS) {
        // One write a line: other test programs append to the same file.
        let written = OpenOptions::new().append(true).create(true).open(&file);
        let written = written.and_then(|mut file| file.write_all(format!("{}\n", record.to_json()).as_bytes()));
        written.unwrap_or_else(|error| panic!("{}: {error}", Path::new(&file).display()));
    }
    Skipped(())
}

fn must_fail(need: Need, in_ci: bool) -> bool {
    in_ci && need.is_provided_by_ci()
}

/// True for continuous integration that runs as root on Debian, where everything can be installed.
fn in_ci() -> bool {
    use std::os::unix::fs::MetadataExt;
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    std::env::var_os("CI").is_some_and(|value| value == "true") && is_root && Path::new("/etc/debian_version").exists()
}

/// A program of the search path.
pub fn program(name: &'static str) -> Result<PathBuf, Skipped> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
    found.ok_or_else(|| skipped(Need::Program(name), "not on PATH"))
}

/// What is missing turns into a registered skip.
pub trait OrSkipped<T> {
    /// The value, or the calling test is registered as skipped for want of `need`.
    fn or_skipped(self, need: Need) -> Result<T, Skipped>;
}

impl<T, E: Display> OrSkipped<T> for Result<T, E> {
    #[track_caller]
    fn or_skipped(self, need: Need) -> Result<T, Skipped> {
        self.map_err(|error| skipped(need, error))
    }
}

/// Registers the calling test as skipped and returns from it: `skip!(Need::Root, "mount: {error}")`.
#[macro_export]
macro_rules! skip {
    ($need:expr, $($why:tt)+) => {{
        let _registered: $crate::Skipped = $crate::skipped($need, format_args!($($why)+));
        return;
    }};
}

/// The value of a `Result<_, Skipped>`, or returns from the calling test: `let lab = or_skip!(lab());`.
#[macro_export]
macro_rules! or_skip {
    ($found:expr) => {
        match $found {
            Ok(found) => found,
            Err($crate::Skipped { .. }) => return,
        }
    };
}

/// Which test: the program's name without cargo's suffix, and the test's path in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestName {
    /// The test program.
    pub program: String,
    /// The test, for example `import::tests::an_empty_file`.
    pub test: String,
}

impl TestName {
    /// The harness names each test's thread after the test.
    fn of_this_thread() -> Self {
        let program = std::env::current_exe().ok();
        let program = program.and_then(|path| Some(path.file_name()?.to_str()?.to_owned())).unwrap_or_default();
        Self { program, test: std::thread::current().name().unwrap_or("?").to_owned() }
    }
}

/// A line of the file of skips.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The test.
    pub test: TestName,
    /// What is missing, in the words of [`Need`].
    pub need: String,
    /// What exactly.
    pub why: String,
}

impl Record {
    fn to_json(&self) -> Value {
        json!({ "program": self.test.program, "test": self.test.test, "need": self.need, "why": self.why })
    }

    /// The record of one line; `None` if it is none.
    pub fn parse(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let field = |name: &str| value[name].as_str().map(str::to_owned);
        let test = TestName { program: field("program")?, test: field("test")? };
        Some(Self { test, need: field("need")?, why: field("why")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn only_what_ci_must_provide_fails_there() {
        assert!(must_fail(Need::Lab, true) && must_fail(Need::Program("strace"), true));
        assert!(!must_fail(Need::Lab, false) && !must_fail(Need::Tracing, true));
    }

    #[test]
    fn a_record_reads_back() {
        let test = TestName { program: "lab-0123".into(), test: "boots::one".into() };
        let record = Record { test, need: Need::Lab.to_string(), why: "say \"hello\"\n".into() };
        assert_eq!(Record::parse(&record.to_json().to_string()), Some(record));
        assert_eq!(Record::parse("nothing"), None);
    }

    /// Asked for by name in a process of its own, which then has an environment of its own.
    #[test]
    #[ignore = "started by a_skip_is_appended_with_the_tests_name"]
    fn child() {
        let found: Result<(), Skipped> = Err::<(), _>("it is off").or_skipped(Need::Tracing);
        let () = or_skip!(found);
        panic!("a skipped test goes on");
    }

    #[test]
    fn a_skip_is_appended_with_the_tests_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("skips");
        let run = || {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--ignored", "--exact", "skip::tests::child", "--test-threads=2"]);
            command.env(SKIPS, &file).env("CI", "true").output().unwrap()
        };
        assert!(run().status.success() && run().status.success());
        let text = std::fs::read_to_string(&file).unwrap();
        let records: Vec<Record> = text.lines().map(|line| Record::parse(line).unwrap()).collect();
        assert_eq!(records.len(), 2);
        assert!(records[0].test.test.ends_with("tests::child"), "{records:?}");
        assert_eq!(
            (records[0].need.as_str(), records[0].why.as_str()),
            ("the kernel lacks a tracer or refuses BPF", "it is off")
        );
    }
}
