//! The tools that measure on a Xenomai core, and the command line that a plan makes of each.

use super::error::XenomaiError;
use prazo_core::time::Duration;
use prazo_platform::co_kernel::Core;
use prazo_run::import::Format;
use prazo_run::source::{XenomaiContext as Context, XenomaiTool as Tool};
use std::path::{Path, PathBuf};

/// What a tool is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parameters {
    /// Period of the activations, in whole microseconds.
    pub period: Duration,
    /// How long, in whole seconds.
    pub length_s: u64,
    /// Real-time priority.
    pub priority: u8,
    /// The processor.
    pub cpu: u32,
    /// Context of the measured code.
    pub context: Context,
}

/// Where a Xenomai release and libevl install their tools, in the order of looking.
const OWN_FOLDERS: [&str; 3] = ["usr/xenomai/bin", "usr/xenomai/demo", "usr/evl/bin"];
/// And where a distribution puts them.
const SHARED_FOLDERS: [&str; 3] = ["usr/local/bin", "usr/bin", "bin"];
/// Buckets of a microsecond in a histogram.
const BUCKETS: &str = "1000";

/// The tool that comes with a core.
pub(super) const fn tool_of(core: &Core) -> Tool {
    match core {
        Core::Cobalt { .. } | Core::Mercury => Tool::Latency,
        Core::Evl { .. } => Tool::Latmus,
    }
}

/// How what a tool prints is read.
pub(super) const fn format_of(tool: Tool) -> Format {
    match tool {
        Tool::Latency => Format::XenomaiLatency,
        Tool::Latmus => Format::Latmus,
        Tool::Cyclictest => Format::CyclictestHistogram,
    }
}

/// The program under `root`. Linux's own cyclictest in /usr/bin would measure Linux, so only a Xenomai folder's is taken.
pub(super) fn find(tool: Tool, root: &Path) -> Result<PathBuf, XenomaiError> {
    let shared = if tool == Tool::Cyclictest { &[][..] } else { &SHARED_FOLDERS[..] };
    let folders: Vec<&str> = OWN_FOLDERS.iter().chain(shared).copied().collect();
    let found = folders.iter().map(|folder| root.join(folder).join(tool.name())).find(|path| path.is_file());
    found.ok_or_else(|| XenomaiError::NoTool { program: tool.name(), folders: folders.join(", /") })
}

/// The tool's arguments.
pub(super) fn arguments(tool: Tool, core: &Core, request: Parameters) -> Result<Vec<String>, XenomaiError> {
    let Parameters { period, length_s, priority, cpu, context } = request;
    if matches!((core, tool, context), (Core::Mercury, _, Context::Kernel | Context::Handler))
        || (tool == Tool::Cyclictest && context != Context::User)
    {
        return Err(XenomaiError::NoContext { core: core.name(), program: tool.name() });
    }
    let us = period.as_ns() / 1_000;
    let line = match tool {
        Tool::Latency => {
            let mode = context as u8;
            format!("-t {mode} -p {us} -T {length_s} -P {priority} -c {cpu} -h -H {BUCKETS}")
        }
        Tool::Latmus => {
            let mode = ["-u", "-k", "-i"][context as usize];
            format!("-m {mode} -p {us} -T {length_s} -P {priority} -C {cpu}")
        }
        Tool::Cyclictest => {
            format!("-t 1 -a {cpu} -p {priority} -i {us} -D {length_s} -m -q -h {BUCKETS}")
        }
    };
    Ok(line.split_whitespace().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(context: Context) -> Parameters {
        Parameters { period: Duration::from_ms(1), length_s: 10, priority: 99, cpu: 1, context }
    }

    const EVL: Core = Core::Evl { abi: None };

    #[test]
    fn a_plan_s_parameters_stand_in_each_command_line() {
        let cobalt = Core::Cobalt { version: "3.3.1".into(), gravity_ns: None };
        let line = |tool, core: &Core, context| arguments(tool, core, request(context)).unwrap().join(" ");
        assert_eq!(line(Tool::Latency, &cobalt, Context::Handler), "-t 2 -p 1000 -T 10 -P 99 -c 1 -h -H 1000");
        assert_eq!(line(Tool::Latmus, &EVL, Context::User), "-m -u -p 1000 -T 10 -P 99 -C 1");
        assert_eq!(line(Tool::Cyclictest, &cobalt, Context::User), "-t 1 -a 1 -p 99 -i 1000 -D 10 -m -q -h 1000");
    }

    #[test]
    fn mercury_has_no_kernel_tasks_and_cyclictest_no_handlers() {
        assert!(arguments(Tool::Latency, &Core::Mercury, request(Context::Kernel)).is_err());
        assert!(arguments(Tool::Cyclictest, &EVL, request(Context::Handler)).is_err());
    }

    fn with(path: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "").unwrap();
        root
    }

    #[test]
    fn linux_s_own_cyclictest_is_not_taken_for_xenomai_s() {
        assert!(find(Tool::Cyclictest, with("usr/bin/cyclictest").path()).is_err());
        assert!(find(Tool::Latmus, with("usr/bin/latmus").path()).is_ok());
    }

    #[test]
    fn cyclictest_is_found_among_the_demos_where_xenomai_installs_it() {
        let root = with("usr/xenomai/demo/cyclictest");
        assert_eq!(find(Tool::Cyclictest, root.path()).unwrap(), root.path().join("usr/xenomai/demo/cyclictest"));
    }

    #[test]
    fn a_missing_tool_s_message_says_where_it_was_looked_for() {
        let error = find(Tool::Cyclictest, with("proc/version").path()).unwrap_err().to_string();
        for folder in ["/usr/xenomai/bin", "/usr/xenomai/demo", "/usr/evl/bin"] {
            assert!(error.contains(folder), "{error}");
        }
        assert!(!error.contains("/usr/local/bin"), "{error}");
    }
}
