//! The flags of the gate for kernels: the baseline, and what may differ.

use super::{Word, words};
use prazo::study::gate::GateOptions;
use prazo::study::history::HistoryRequest;
use prazo_study::gate::Direction;
use std::path::PathBuf;

/// What the outcome is held against, or the history that is drawn instead.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Comparison")]
#[command(group(clap::ArgGroup::new("against").args(["baseline", "history"])))]
pub(crate) struct GateFlags {
    /// Draw each figure over the baselines of this folder, with the points at which its level changed; measures nothing
    ///
    /// The folder holds files that --save wrote. They are ordered by kernel release, or by time of measurement where the
    /// releases are alike. Baselines under different conditions are not joined (--may-differ).
    #[arg(long, value_name = "FOLDER", conflicts_with_all = MEASURING)]
    pub(crate) history: Option<PathBuf>,
    #[command(flatten)]
    options: GateOptions,
    /// Shifts that fail the gate
    #[arg(long, value_name = "DIRECTION", default_value = "either", value_parser = words(DIRECTIONS))]
    direction: Direction,
    /// Exit with a status for `git bisect run`: 0 good, 1 bad, 125 no answer; needs --baseline
    #[arg(long, requires = "baseline")]
    pub(crate) bisect: bool,
}

/// The flags that have a meaning only where something is measured.
const MEASURING: [&str; 16] = [
    "study",
    "baseline",
    "explain",
    "baseline_kernel",
    "save",
    "junit",
    "ktap",
    "lava",
    "direction",
    "bisect",
    "kernel",
    "initrd",
    "append",
    "only",
    "seed",
    "output",
];

const DIRECTIONS: &[Word<Direction>] = &[
    ("either", "Any shift", Direction::Either),
    ("worse", "Shifts to larger latencies", Direction::Worse),
    ("better", "Shifts to smaller latencies", Direction::Better),
];

impl GateFlags {
    /// As the library takes it.
    pub(crate) fn options(&self) -> GateOptions {
        GateOptions { direction: self.direction, ..self.options.clone() }
    }

    /// What is asked of a folder's history; `None` where none is named.
    pub(crate) fn history(&self, command: String) -> Option<HistoryRequest> {
        let GateOptions { may_differ, floor, markdown, report, .. } = self.options.clone();
        let folder = self.history.clone()?;
        Some(HistoryRequest { folder, may_differ, floor, markdown, report, command })
    }
}
