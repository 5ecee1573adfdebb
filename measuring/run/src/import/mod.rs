//! Readers of other tools' outputs, one file a format.
//!
//! A reader turns a foreign file into a [`Run`]: samples unchanged, the file's own figures beside them, and what the format
//! hides as caveats. Files are untrusted: whatever they hold, reading ends with a run or with a typed error, and takes
//! memory in proportion to what was believable in it.
//!
//! What a file says of the platform and of its tool becomes facts of `platform_before`, each with the place that says so:
//! `kernel.release`, `kernel.version`, `kernel.realtime`, `machine`, `cmdline`, `clocksource`, `evl.gravity_ns`, and about
//! the measurement `import.version`, `import.policy`, `import.priority`, `import.method`, `import.label`, `import.mode`,
//! `import.dma_latency_us`, `import.event`, `import.tasks`, `import.system`. A plan is never made up of them: no format tells all that a plan promises.

mod accounting;
mod agreement;
mod article_name;
mod caveats;
mod command;
mod context;
mod cyclictest_command;
mod cyclictest_histogram;
mod cyclictest_json;
mod cyclictest_run;
mod cyclictest_summary;
mod cyclictest_table;
mod cyclictest_verbose;
mod date;
mod error;
pub mod feather_trace;
mod format;
mod input;
mod jitterdebugger;
mod jitterdebugger_samples;
mod latmus;
mod latmus_gnuplot;
mod oslat;
mod rt_app;
mod rt_tests_json;
mod rtla_osnoise;
mod rtla_table;
mod rtla_timerlat;
pub mod sparse;
mod tally;
mod text;
mod thread_line;
mod unique;
mod xenomai_cells;
mod xenomai_gnuplot;
mod xenomai_latency;
mod xenomai_screen;
mod xenomai_setting;

pub use error::{ImportError, Problem};
pub use format::Format;
pub use input::{FILE_BYTES_MAX, HELD_BYTES_MAX};

use crate::Run;
use context::Context;
use input::Input;
use prazo_core::time::Duration;
use std::collections::BTreeSet;
use std::path::Path;

/// What the caller knows about a file and the file does not say; everything is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The format; `None` finds it from the file's beginning.
    pub format: Option<Format>,
    /// The run's name; `None` takes the file's.
    pub label: Option<String>,
    /// Distance of two activations, where the file does not state it.
    pub period: Option<Duration>,
    /// How long the run lasted, where the file does not state it; with the period it tells what was skipped.
    pub duration: Option<Duration>,
    /// The unit of the file's values, where the file does not state it; a microsecond by default.
    pub resolution: Option<Duration>,
    /// The event of overheads, where the file's name does not state it.
    pub event: Option<String>,
    /// How many tasks ran, where neither the file nor its name states it.
    pub tasks: Option<u32>,
    /// Increments in a second of the counter whose cycles the file holds.
    pub hz: Option<u64>,
}

/// Reads every run that the file at `path` holds; today's formats hold one.
pub fn read(path: &Path, options: &Options) -> Result<Vec<Run>, ImportError> {
    let mut input = Input::open(path).map_err(|problem| ImportError::new(path, None, problem))?;
    import(&mut input, path, options)
}

/// Reads what [`read`] would read from a file named `path` with this content.
pub fn read_bytes(content: &[u8], path: &Path, options: &Options) -> Result<Vec<Run>, ImportError> {
    let mut input = Input::new(content).map_err(|problem| ImportError::new(path, None, problem))?;
    import(&mut input, path, options)
}

fn import(input: &mut Input, path: &Path, options: &Options) -> Result<Vec<Run>, ImportError> {
    let run = dispatch(input, path, options).map_err(|problem| ImportError::new(path, input.line(), problem))?;
    Ok(vec![run])
}

fn dispatch(input: &mut Input, path: &Path, options: &Options) -> Result<Run, Problem> {
    let format = options.format.map_or_else(|| format::detect(input.head()), Ok)?;
    let mut run = format.reader()(input, &Context { path, options, format })?;
    let mut known = BTreeSet::new();
    run.caveats.retain(|caveat| known.insert(caveat.id.clone()));
    Ok(run)
}
