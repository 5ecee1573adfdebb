//! Why nothing was measured on a Xenomai core: what was asked, what came back, what to do.

use prazo_core::time::Duration;
use prazo_run::import::ImportError;
use std::io;

/// Why there is no run of a Xenomai core.
#[derive(Debug, thiserror::Error)]
pub enum XenomaiError {
    /// There is no core here.
    #[error(
        "no Xenomai core runs on this machine (no /proc/xenomai for Cobalt, /dev/evl for EVL or \
         /usr/xenomai/bin/latency for Mercury); boot a kernel with a Xenomai core"
    )]
    NoCore,
    /// The core's tool is not installed.
    #[error("'{program}' was not found in /{folders}; install the core's user-space tools there")]
    NoTool {
        /// The program.
        program: &'static str,
        /// Where it was looked for.
        folders: String,
    },
    /// The core or its tool cannot measure there.
    #[error("'{program}' on {core} cannot measure a kernel task or a handler; choose --context user")]
    NoContext {
        /// The core.
        core: &'static str,
        /// The tool.
        program: &'static str,
    },
    /// Linux, and prazo with it, would not run any more.
    #[error(
        "--period {period} would leave Linux no time, because this machine has a single processor; give at least \
         {shortest}"
    )]
    Starved {
        /// The period.
        period: Duration,
        /// The shortest.
        shortest: Duration,
    },
    /// A parameter that the tool cannot be given.
    #[error("{0}")]
    Parameter(String),
    /// The tool could not be started or watched.
    #[error("cannot run {program}: {source}; check that it is executable, and run as root")]
    Run {
        /// The program.
        program: String,
        /// What came back.
        source: io::Error,
    },
    /// The tool said no.
    #[error("{program} ended with {status}: {words}")]
    Refused {
        /// The program.
        program: String,
        /// How it ended.
        status: String,
        /// What it said.
        words: String,
    },
    /// The machine's files or this thread's processors could not be used.
    #[error("cannot move prazo off the measured processor {cpu}: {source}")]
    Affinity {
        /// The processor.
        cpu: u32,
        /// What came back.
        source: io::Error,
    },
    /// The tool did not end and was killed.
    #[error("{program} did not end within {limit} and was killed; the Xenomai core may have hung: read the kernel log")]
    Hung {
        /// The program.
        program: String,
        /// The limit.
        limit: Duration,
    },
    /// What it printed cannot be a measurement, whatever its exit status says.
    #[error("the tool succeeded, but its output is not a measurement: {0}")]
    Garbage(#[source] ImportError),
    /// The user ended it.
    #[error("interrupted before the tool ended")]
    Interrupted,
}

impl XenomaiError {
    /// True where the user asked for something that cannot be.
    pub const fn is_usage(&self) -> bool {
        matches!(self, Self::NoContext { .. } | Self::Parameter(_) | Self::Starved { .. })
    }
}
