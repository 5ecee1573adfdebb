//! One activation, with the calls that were executed between its due instant and its first clock reading.

use prazo_lab::calls::{CallTree, Span};
use prazo_run::run::WorstSample;

/// What an activation waits for: the interrupt that announces its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventInterrupt {
    /// The local timer's.
    Timer,
    /// That of the measured interrupt line.
    Line,
}

impl EventInterrupt {
    /// Whether this is the kernel's entry for it; all lines have one.
    pub(super) fn is_entry(self, name: &str) -> bool {
        match self {
            Self::Timer => name.contains("timer_interrupt"),
            Self::Line => ["irq_entries_start", "asm_common_interrupt"].contains(&name),
        }
    }

    /// The function that the entry calls to handle it.
    pub(super) fn handler(self, entry: &str) -> &str {
        match self {
            Self::Timer => entry.strip_prefix("asm_").unwrap_or(entry),
            Self::Line => "common_interrupt",
        }
    }

    /// As a sentence names it.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Timer => "the timer's interrupt",
            Self::Line => "the line's interrupt",
        }
    }
}

/// One activation.
#[derive(Clone, Debug)]
pub struct Activation {
    /// What it waited for.
    pub awaited: EventInterrupt,
    /// The sample.
    pub sample: WorstSample,
    /// Which instructions of the boot it consists of.
    pub span: Span,
    /// The calls that executed them.
    pub tree: CallTree,
    /// Nanoseconds for each instruction.
    pub instruction_ns: u64,
}
