//! The flags of the gate for kernels: the kernel under test, the baseline, and what may differ.

use super::{Word, words};
use prazo::study::gate::{GateOptions, Instead};
use prazo_core::time::Duration;
use prazo_study::gate::{Condition, Direction};
use std::path::PathBuf;

/// What is measured instead of what the study names.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Virtual platforms")]
pub(crate) struct InsteadFlags {
    /// Linux image to measure instead of the platforms' kernels
    #[arg(long, value_name = "FILE")]
    pub(crate) kernel: Option<PathBuf>,
    /// Initramfs for that image; the lab adds its own files
    #[arg(long, value_name = "FILE", requires = "kernel", hide_short_help = true)]
    pub(crate) initrd: Option<PathBuf>,
    /// Additional words on the guests' kernel command line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) append: Option<String>,
    /// Measure only these platforms of the study
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Seed of the first repeat; the others follow from it [default: the study's]
    #[arg(long, value_name = "NUMBER", hide_short_help = true)]
    pub(crate) seed: Option<u64>,
}

/// What the outcome is held against.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Comparison")]
pub(crate) struct GateFlags {
    /// Baseline to compare with: a file that --save wrote, or a results folder of the same study
    #[arg(long, value_name = "FILE|FOLDER")]
    baseline: Option<PathBuf>,
    /// Save the figures of this run as a baseline
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Write one test case for each compared figure as JUnit XML
    #[arg(long, value_name = "FILE", requires = "baseline")]
    junit: Option<PathBuf>,
    /// Write the answer and a table of the figures as Markdown
    #[arg(long, value_name = "FILE", requires = "baseline")]
    markdown: Option<PathBuf>,
    /// Also write a report: .html or .md
    #[arg(long, value_name = "FILE", requires = "baseline")]
    report: Option<PathBuf>,
    /// Allow these to differ from the baseline: kernel, command-line, image, agent, emulator, machine, plan
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "kernel", value_parser = condition)]
    may_differ: Vec<Condition>,
    /// Movements that count
    #[arg(long, value_name = "DIRECTION", default_value = "either", value_parser = words(DIRECTIONS))]
    direction: Direction,
    /// Ignore smaller shifts [default: 16 instructions or 1 % of the baseline, whichever is larger]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    floor: Option<Duration>,
    /// Exit with a status for `git bisect run`: 0 good, 1 bad, 125 no answer
    #[arg(long, requires = "baseline")]
    pub(crate) bisect: bool,
}

fn condition(word: &str) -> Result<Condition, String> {
    let names = Condition::ALL.map(Condition::name).join(", ");
    Condition::find(word).ok_or_else(|| format!("choose from {names}"))
}

const DIRECTIONS: &[Word<Direction>] = &[
    ("either", "Any movement", Direction::Either),
    ("worse", "Movements to larger latencies", Direction::Worse),
    ("better", "Movements to smaller latencies", Direction::Better),
];

impl From<InsteadFlags> for Instead {
    fn from(flags: InsteadFlags) -> Self {
        let InsteadFlags { kernel, initrd, append, only, seed } = flags;
        Self { kernel, initrd, append, only, seed }
    }
}

impl From<GateFlags> for GateOptions {
    fn from(flags: GateFlags) -> Self {
        let GateFlags { baseline, save, junit, markdown, report, may_differ, direction, floor, bisect: _ } = flags;
        Self { baseline, save, junit, markdown, report, may_differ, direction, floor }
    }
}
