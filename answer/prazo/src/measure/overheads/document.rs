//! What the tracing of overheads came to, for scripts and for people.

use super::table;
use prazo_core::text::printable;
use prazo_run::Caveat;
use prazo_run::overheads::CacheDelay;
use prazo_stats::overheads::{KindFigures, Uncharged};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// Measured overheads, for scripts. Times are nanoseconds; what was not measured is null.
#[derive(Serialize, JsonSchema)]
pub struct MeasuredOverheads {
    /// Description of the measured platform, in one line.
    pub platform: String,
    /// Scheduling policy of the measured tasks: deadline or fifo.
    pub policy: &'static str,
    /// Seed of the random periods and offsets of the tasks.
    pub seed: u64,
    /// Run files, one for each number of tasks.
    pub run_files: Vec<PathBuf>,
    /// File with the `Overheads` table of the largest samples, for `prazo sched test --overheads`; null without
    /// samples.
    pub overheads_max: Option<PathBuf>,
    /// File with the `Overheads` table of the mean values; null without samples.
    pub overheads_mean: Option<PathBuf>,
    /// Figures for each kind of overhead and each number of tasks.
    pub kinds: Vec<KindFigures>,
    /// Cache-related delay for each size of working set, after a preemption and after a migration; empty where it was not requested.
    pub cache: Vec<CacheDelay>,
    /// Overheads that are missing from the tables, each with the reason.
    pub uncharged: Vec<Uncharged>,
    /// Threats to the validity of the runs, each listed once.
    pub caveats: Vec<Caveat>,
}

/// The lines that a person reads: the figures, and where the files are.
impl fmt::Display for MeasuredOverheads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&table::text(&self.kinds, &self.cache, &self.caveats))?;
        self.run_files
            .iter()
            .try_for_each(|file| write!(f, "\nrun file: {}", printable(&file.display().to_string())))?;
        let tables = [&self.overheads_max, &self.overheads_mean].into_iter().flatten();
        tables.into_iter().try_for_each(|file| write!(f, "\noverheads: {}", printable(&file.display().to_string())))
    }
}
