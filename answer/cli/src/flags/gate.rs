//! The flags of the gate for kernels: what is put in a platform's place, what it is compared with, and what may differ.

use prazo::study::gate::{GateOptions, Instead};
use prazo_core::time::Duration;
use prazo_study::gate::{Condition, Direction};
use std::path::PathBuf;

/// What is measured instead of what the study names.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "On the study's virtual platforms")]
pub(crate) struct InsteadFlags {
    /// A Linux image of yours in place of the platforms' kernels; their words and machines stay
    #[arg(long, value_name = "FILE")]
    pub(crate) kernel: Option<PathBuf>,
    /// An initramfs of yours for it; the lab adds its own files
    #[arg(long, value_name = "FILE", requires = "kernel")]
    pub(crate) initrd: Option<PathBuf>,
    /// More words on the guests' kernel command lines
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) append: Option<String>,
    /// Only these platforms of the study
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Seed of the first repeat, from which the others follow [default: the study's]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
}

/// What the outcome is held against.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "As a gate for kernels")]
pub(crate) struct GateFlags {
    /// Compare with an earlier run of this study: its results folder, or a file of --save-baseline. Exit status 0 nothing
    /// moved beyond the seeds' spread, 1 a latency did, 3 not decidable
    #[arg(long, value_name = "BASELINE")]
    pub(crate) against: Option<PathBuf>,
    /// Keep figures and conditions of this run in a file, for --against
    #[arg(long, value_name = "FILE")]
    pub(crate) save_baseline: Option<PathBuf>,
    /// What may differ from the baseline: kernel, command-line, image, agent, emulator, machine, plan
    #[arg(long, value_name = "WHAT", value_delimiter = ',', default_value = "kernel", value_parser = condition)]
    pub(crate) may_differ: Vec<Condition>,
    /// Which movements count: either, worse or better
    #[arg(long, value_name = "WHICH", default_value = "either", value_parser = direction)]
    pub(crate) direction: Direction,
    /// A smaller shift is no movement [default: 16 instructions, or 1 % of the baseline's value]
    #[arg(long, value_name = "TIME")]
    pub(crate) floor: Option<Duration>,
    /// Exit as `git bisect run` wants it: 0 good, 1 bad, 125 for everything else
    #[arg(long, requires = "against")]
    pub(crate) bisect: bool,
}

fn condition(word: &str) -> Result<Condition, String> {
    let names = Condition::ALL.map(Condition::name).join(", ");
    Condition::find(word).ok_or_else(|| format!("choose among {names}"))
}

fn direction(word: &str) -> Result<Direction, String> {
    match word {
        "either" => Ok(Direction::Either),
        "worse" => Ok(Direction::Worse),
        "better" => Ok(Direction::Better),
        _ => Err("choose either, worse or better".into()),
    }
}

impl From<InsteadFlags> for Instead {
    fn from(flags: InsteadFlags) -> Self {
        let InsteadFlags { kernel, initrd, append, only, seed } = flags;
        Self { kernel, initrd, append, only, seed }
    }
}

impl From<GateFlags> for GateOptions {
    fn from(flags: GateFlags) -> Self {
        let GateFlags { against, save_baseline, may_differ, direction, floor, bisect: _ } = flags;
        Self { against, save_baseline, may_differ, direction, floor }
    }
}
