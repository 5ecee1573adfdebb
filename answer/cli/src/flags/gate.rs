//! The flags of the gate for kernels: the baseline, and what may differ.

use super::{Word, words};
use prazo::study::gate::GateOptions;
use prazo_study::gate::Direction;

/// What the outcome is held against.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Comparison")]
pub(crate) struct GateFlags {
    #[command(flatten)]
    options: GateOptions,
    /// Shifts that fail the gate
    #[arg(long, value_name = "DIRECTION", default_value = "either", value_parser = words(DIRECTIONS))]
    direction: Direction,
    /// Exit with a status for `git bisect run`: 0 good, 1 bad, 125 no answer; needs --baseline
    #[arg(long, requires = "baseline")]
    pub(crate) bisect: bool,
}

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
}
