//! One activation, with the calls that were executed between its due instant and its first clock reading.

use prazo_lab::calls::{CallTree, Span};
use prazo_lab::recording::is_common_interrupt;
use prazo_run::run::WorstSample;

/// What an activation waits for: the interrupt that announces its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventInterrupt {
    /// The local timer's.
    Timer,
    /// The local timer's, handled by a Xenomai core before Linux.
    CoreTimer,
    /// That of the measured interrupt line.
    Line,
}

impl EventInterrupt {
    /// True for the kernel's entry of this interrupt. All lines share one, and so does a timer on a line; on 64-bit Arm, all interrupts
    /// share one.
    pub(super) fn is_entry(self, name: &str) -> bool {
        let (is_local, is_line) = (name.contains("timer_interrupt"), LINES.contains(&name));
        is_common_interrupt(name)
            || match self {
                Self::Timer => is_local,
                Self::CoreTimer => is_local || is_line,
                Self::Line => is_line,
            }
    }

    /// True for an entry that only interrupts of this kind have.
    pub(super) fn has_own_entry(self, name: &str) -> bool {
        self == Self::Line || !is_common_interrupt(name) && !LINES.contains(&name)
    }

    /// True for an interrupt line.
    pub(in crate::lab) fn is_line(self) -> bool {
        self == Self::Line
    }

    /// True where the timer is programmed to fire before the activation is due.
    pub(super) fn may_be_early(self) -> bool {
        self == Self::CoreTimer
    }

    /// Functions that run in it and in no other interrupt. Of the module irqlat they are those of its handler.
    pub(super) fn runs(self) -> &'static [&'static str] {
        match self {
            Self::Timer => &["hrtimer_interrupt"],
            Self::CoreTimer => &["xnclock_tick"],
            Self::Line => &["handle", "stamp_in_interrupt"],
        }
    }

    /// Functions at whose end the interrupt and its softirqs are handled; the first name in the list that occurs below the entry
    /// counts. A core switches threads below the entry, behind this function.
    pub(super) fn handled_with(self, entry: &str) -> Vec<&str> {
        match self {
            _ if is_common_interrupt(entry) => vec!["irq_exit_rcu", "gic_handle_irq"],
            Self::CoreTimer => vec!["generic_pipeline_irq_desc"],
            Self::Timer => vec![entry.strip_prefix("asm_").unwrap_or(entry)],
            Self::Line => vec!["common_interrupt"],
        }
    }

    /// As a sentence names it.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Timer | Self::CoreTimer => "the timer's interrupt",
            Self::Line => "the line's interrupt",
        }
    }
}

/// Entries of the interrupts of lines.
const LINES: [&str; 2] = ["irq_entries_start", "asm_common_interrupt"];

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
