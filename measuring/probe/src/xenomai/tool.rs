//! The tools that measure on a Xenomai core, and the command line that a plan's parameters make of each.

use super::core::Core;
use super::error::XenomaiError;
use prazo_core::time::Duration;
use prazo_run::import::Format;
use std::path::{Path, PathBuf};

/// A tool that measures on a Xenomai core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Xenomai 3's own.
    Latency,
    /// EVL's own.
    Latmus,
    /// The one that all platforms have.
    Cyclictest,
}

/// Where the measured code runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// A task in user space.
    User,
    /// A task in the kernel.
    Kernel,
    /// The timer's handler.
    Handler,
}

/// What a tool is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Period of the activations.
    pub period: Duration,
    /// How long, in whole seconds.
    pub length_s: u64,
    /// Real-time priority.
    pub priority: u8,
    /// The processor.
    pub cpu: u32,
    /// Where the measured code runs.
    pub context: Context,
}

/// Where such tools are installed, in the order of looking.
const FOLDERS: [&str; 5] = ["usr/xenomai/bin", "usr/evl/bin", "usr/local/bin", "usr/bin", "bin"];
/// Buckets of a microsecond in a histogram.
const BUCKETS: &str = "1000";

impl Tool {
    /// The tool that comes with a core.
    pub const fn of(core: &Core) -> Self {
        match core {
            Core::Cobalt { .. } | Core::Mercury => Self::Latency,
            Core::Evl => Self::Latmus,
        }
    }

    /// Its program's name.
    pub const fn program(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Latmus => "latmus",
            Self::Cyclictest => "cyclictest",
        }
    }

    /// How what it prints is read.
    pub const fn format(self) -> Format {
        match self {
            Self::Latency => Format::XenomaiLatency,
            Self::Latmus => Format::Latmus,
            Self::Cyclictest => Format::CyclictestHistogram,
        }
    }

    /// The program under `root`. Linux's own cyclictest in /usr/bin would measure Linux, so only a Xenomai folder's is taken.
    pub fn find(self, root: &Path) -> Result<PathBuf, XenomaiError> {
        let folders = if self == Self::Cyclictest { &FOLDERS[..2] } else { &FOLDERS[..] };
        let found = folders.iter().map(|folder| root.join(folder).join(self.program())).find(|path| path.is_file());
        found.ok_or(XenomaiError::NoTool { program: self.program(), folders: folders.join(", /") })
    }

    /// Its arguments.
    pub fn arguments(self, core: &Core, request: Parameters) -> Result<Vec<String>, XenomaiError> {
        let Parameters { period, length_s, priority, cpu, context } = request;
        if matches!((core, self, context), (Core::Mercury, _, Context::Kernel | Context::Handler))
            || (self == Self::Cyclictest && context != Context::User)
        {
            return Err(XenomaiError::NoContext { core: core.name(), program: self.program() });
        }
        let us = period.as_ns() / 1_000;
        let line = match self {
            Self::Latency => {
                let mode = context as u8;
                format!("-t {mode} -p {us} -T {length_s} -P {priority} -c {cpu} -h -H {BUCKETS}")
            }
            Self::Latmus => {
                let mode = ["-u", "-k", "-i"][context as usize];
                format!("-m {mode} -p {us} -T {length_s} -P {priority} -C {cpu}")
            }
            Self::Cyclictest => {
                format!("-t 1 -a {cpu} -p {priority} -i {us} -D {length_s} -m -q -h {BUCKETS}")
            }
        };
        Ok(line.split_whitespace().map(str::to_owned).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(context: Context) -> Parameters {
        Parameters { period: Duration::from_ms(1), length_s: 10, priority: 99, cpu: 1, context }
    }

    #[test]
    fn a_plan_s_parameters_stand_in_each_command_line() {
        let cobalt = Core::Cobalt { version: "3.3.1".into(), gravity_ns: None };
        let line = |tool: Tool, core: &Core, context| tool.arguments(core, request(context)).unwrap().join(" ");
        assert_eq!(line(Tool::Latency, &cobalt, Context::Handler), "-t 2 -p 1000 -T 10 -P 99 -c 1 -h -H 1000");
        assert_eq!(line(Tool::Latmus, &Core::Evl, Context::User), "-m -u -p 1000 -T 10 -P 99 -C 1");
        assert_eq!(line(Tool::Cyclictest, &cobalt, Context::User), "-t 1 -a 1 -p 99 -i 1000 -D 10 -m -q -h 1000");
    }

    #[test]
    fn mercury_has_no_kernel_tasks_and_cyclictest_no_handlers() {
        assert!(Tool::Latency.arguments(&Core::Mercury, request(Context::Kernel)).is_err());
        assert!(Tool::Cyclictest.arguments(&Core::Evl, request(Context::Handler)).is_err());
    }

    #[test]
    fn linux_s_own_cyclictest_is_not_taken_for_xenomai_s() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("usr/bin")).unwrap();
        std::fs::write(root.path().join("usr/bin/cyclictest"), "").unwrap();
        std::fs::write(root.path().join("usr/bin/latmus"), "").unwrap();
        assert!(Tool::Cyclictest.find(root.path()).is_err());
        assert!(Tool::Latmus.find(root.path()).is_ok());
    }
}
