//! The answer as `--json` prints it.

use super::activation::Activation;
use super::again::Again;
use super::difference::DifferenceDocument;
use super::levels::LevelDocument;
use super::phases::{PhaseKind, phases};
use super::profile::ProfileDocument;
use super::sentence::sentence;
use prazo_lab::GuestJob;
use prazo_lab::calls::{FunctionShare, profile};
use prazo_lab::recording::{PluginRecorder, RecordedBoot};
use prazo_run::Run;
use schemars::JsonSchema;
use serde::Serialize;

/// What the worst activations of a run consist of, and with `--against` how they differ from those of another run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Explained {
    /// The run that is explained.
    #[serde(flatten)]
    pub run: ExplainedRun,
    /// The run of `--against`, and how the explained run differs from it; null without `--against`.
    pub against: Option<Against>,
}

/// The run of `--against`, and how the explained run differs from it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Against {
    /// The run of `--against`.
    #[serde(flatten)]
    pub run: ExplainedRun,
    /// How the worst activation of the explained run differs from that of the run of `--against`, in one sentence.
    pub sentence: String,
    /// How the worst activation of the explained run differs from that of the run of `--against`.
    pub difference: DifferenceDocument,
}

/// What the worst activations of one run consist of.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExplainedRun {
    /// Name of the run.
    pub run: String,
    /// Platform of the run.
    pub platform: String,
    /// Whether the boots with the emulator's plugin repeated the samples of the run; always true, because a difference
    /// is an error.
    pub trajectory_equal: bool,
    /// Number of samples of the run that were compared with those of the boots with the emulator's plugin.
    pub samples_compared: u64,
    /// Time that one instruction takes in the guest.
    pub instruction_ns: u64,
    /// Number of instructions of the whole boot.
    pub boot_instructions: u64,
    /// Number of functions in the kernel's symbol table.
    pub symbols: u64,
    /// Elapsed time of the boot in which prazo found the worst activations.
    pub survey_elapsed_ns: u64,
    /// Elapsed time of the boot in which prazo recorded the worst activations.
    pub recording_elapsed_ns: u64,
    /// The worst activations of the run, the largest latency first.
    pub worst: Vec<WorstDocument>,
    /// Where the time of all activations went; null without `--profile`.
    pub profile: Option<ProfileDocument>,
}

/// One of the worst activations of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WorstDocument {
    /// Number of the activation in the run.
    pub activation: u64,
    /// Due instant of the activation, measured from the first due instant of the run.
    pub at_ns: i64,
    /// Latency of the activation.
    pub latency_ns: i64,
    /// Number of instructions executed from the due instant until the task ran.
    pub instructions: u64,
    /// Time during the latency in which the processor was halted.
    pub idle_ns: u64,
    /// Whether the processor was halted when the activation was due.
    pub was_idle_at_due: bool,
    /// Number of the instructions in `instructions` that ran with interrupts off.
    pub interrupts_off_instructions: u64,
    /// Number of the instructions in `instructions` that ran in the kernel at addresses without a symbol.
    pub unknown_instructions: u64,
    /// Number of the instructions in `instructions` that belong to user programs.
    pub user_instructions: u64,
    /// Largest difference between the time from one clock reading to the next and the time of the instructions between
    /// them.
    pub clock_error_ns: u64,
    /// Number of pairs of clock readings that were compared.
    pub clocks_compared: u64,
    /// Phases of the activation, in order.
    pub phases: Vec<PhaseDocument>,
    /// Instructions on each level; levels without an instruction are omitted.
    pub levels: Vec<LevelDocument>,
    /// Functions that ran in the activation, those with the most instructions of their own first.
    pub functions: Vec<FunctionDocument>,
    /// The phases of the activation in one sentence.
    pub sentence: String,
}

/// One phase of an activation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PhaseDocument {
    /// The phase of the activation.
    pub phase: PhaseKind,
    /// Number of instructions in the phase.
    pub instructions: u64,
    /// Number of instructions in the phase with interrupts off.
    pub interrupts_off_instructions: u64,
    /// Function with the most instructions of its own in the phase.
    pub heaviest: Option<String>,
    /// Number of own instructions of the function `heaviest` in the phase.
    pub heaviest_instructions: u64,
}

/// One function that ran in an activation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FunctionDocument {
    /// Name of the function.
    pub name: String,
    /// Number of the function's own instructions.
    pub self_instructions: u64,
    /// Number of the function's instructions, including those of functions that it called and of interrupts during it.
    pub total_instructions: u64,
    /// Whether interrupts were on or off during the function's own instructions.
    pub interrupts: Interrupts,
    /// Number of the function's own instructions with interrupts off.
    pub self_interrupts_off: u64,
}

/// Whether interrupts were on during a function's own instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Interrupts {
    /// Interrupts were on all the time.
    On,
    /// Interrupts were off all the time.
    Off,
    /// Interrupts were on for a part of the time.
    Both,
}

impl ExplainedRun {
    pub(super) fn of(
        run: &Run,
        job: &GuestJob,
        again: &Again,
        watcher: &PluginRecorder,
        [surveyed, watched]: [&RecordedBoot; 2],
        activations: &[Activation],
    ) -> Self {
        let elapsed = |watched: &RecordedBoot| watched.answer.ended.elapsed.as_nanos() as u64;
        Self {
            run: run.name.clone(),
            platform: format!("lab:{}", job.platform.name),
            trajectory_equal: true,
            samples_compared: again.count(),
            instruction_ns: activations.first().map_or(0, |activation| activation.instruction_ns),
            boot_instructions: watched.recording.instructions,
            symbols: watcher.symbols().count() as u64,
            survey_elapsed_ns: elapsed(surveyed),
            recording_elapsed_ns: elapsed(watched),
            worst: activations.iter().map(WorstDocument::of).collect(),
            profile: None,
        }
    }
}

impl WorstDocument {
    fn of(activation: &Activation) -> Self {
        let Activation { sample, span, tree, .. } = activation;
        let phases = phases(activation);
        let count = |is: &dyn Fn(&str) -> bool| {
            tree.nodes.iter().filter(|node| is(&node.name)).map(|node| node.self_instructions()).sum()
        };
        Self {
            activation: sample.activation,
            at_ns: sample.at_ns,
            latency_ns: sample.latency_ns,
            instructions: span.to - span.from,
            idle_ns: span.idle_ns,
            was_idle_at_due: span.was_idle_at_due,
            interrupts_off_instructions: tree.nodes.iter().map(|node| node.self_off).sum(),
            unknown_instructions: count(&|name| name.starts_with("unknown (")),
            user_instructions: count(&|name| name.ends_with(" (user mode)")),
            clock_error_ns: span.clock_error_ns,
            clocks_compared: span.clocks_compared as u64,
            sentence: sentence(activation, &phases),
            phases: phases.iter().map(|phase| PhaseDocument::of(phase, activation)).collect(),
            levels: LevelDocument::all(tree),
            functions: profile(tree).iter().map(FunctionDocument::of).collect(),
        }
    }
}

impl PhaseDocument {
    fn of(phase: &super::phases::Phase, activation: &Activation) -> Self {
        Self {
            phase: phase.kind,
            instructions: phase.instructions,
            interrupts_off_instructions: phase.interrupts_off,
            heaviest: phase.heaviest.map(|(node, _)| activation.tree.nodes[node].name.clone()),
            heaviest_instructions: phase.heaviest.map_or(0, |(_, count)| count),
        }
    }
}

impl FunctionDocument {
    fn of(share: &FunctionShare) -> Self {
        let interrupts = match (share.self_on, share.self_off) {
            (_, 0) => Interrupts::On,
            (0, _) => Interrupts::Off,
            _ => Interrupts::Both,
        };
        Self {
            name: share.name.clone(),
            self_instructions: share.self_instructions(),
            total_instructions: share.total,
            interrupts,
            self_interrupts_off: share.self_off,
        }
    }
}
