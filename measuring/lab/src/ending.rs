//! How a guest ended, read from the emulator's status and from what it said.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// How a guest ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuestEnding {
    /// It wrote this value to the isa-debug-exit device.
    Exit {
        /// The value, 0 to 127; the emulator's own status is twice that and one.
        value: u8,
    },
    /// It powered off, or asked for a reset.
    Off,
    /// A fault while handling a fault's fault: the processor gave up.
    TripleFault,
    /// It was ended at its limit of wall time.
    Limit,
    /// It was ended because its console printed more than allowed.
    ConsoleTooLong,
    /// It was ended because whoever started it wanted to stop.
    Stopped,
    /// The emulator failed or was ended by somebody else.
    Emulator {
        /// What it said, or the signal.
        reason: String,
    },
}

impl GuestEnding {
    /// What prazo's own kernel writes to the exit device when all went well. Zero would not do: the emulator's status would
    /// be 1, that of its own failures.
    pub const PASS: u8 = 0x10;

    /// True if the guest said that all went well.
    pub fn is_pass(&self) -> bool {
        matches!(self, Self::Exit { value: Self::PASS })
    }

    /// One word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Exit { .. } => "exit",
            Self::Off => "off",
            Self::TripleFault => "triple_fault",
            Self::Limit => "limit",
            Self::ConsoleTooLong => "console_too_long",
            Self::Stopped => "stopped",
            Self::Emulator { .. } => "emulator",
        }
    }

    /// The value that the guest ended with, where it gave one.
    pub fn value(&self) -> Option<u8> {
        if let Self::Exit { value } = self { Some(*value) } else { None }
    }

    /// Reads the emulator's status and what it wrote to standard error.
    pub(crate) fn of(status: ExitStatus, messages: &str) -> Self {
        match (status.code(), status.signal()) {
            (None, signal) => Self::Emulator { reason: format!("ended by signal {}", signal.unwrap_or_default()) },
            (Some(0), _) if messages.contains("Triple fault") => Self::TripleFault,
            (Some(0), _) => Self::Off,
            (Some(code), _) => Self::of_code(code, messages),
        }
    }

    /// The device makes the status 2 v + 1; status 1 with a complaint is the emulator's.
    fn of_code(code: i32, messages: &str) -> Self {
        let complaints = complaints(messages);
        match u8::try_from(code) {
            Ok(code) if code % 2 == 1 && (code > 1 || complaints.is_empty()) => Self::Exit { value: code / 2 },
            _ if complaints.is_empty() => {
                Self::Emulator { reason: format!("ended with status {code} without a message") }
            }
            _ => Self::Emulator { reason: complaints },
        }
    }
}

impl std::fmt::Display for GuestEnding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exit { value } => write!(f, "the guest ended with exit value {value}"),
            Self::Off => write!(f, "the guest powered off"),
            Self::TripleFault => write!(f, "the guest stopped with a triple fault"),
            Self::Limit => write!(f, "the guest was terminated at its time limit"),
            Self::ConsoleTooLong => write!(f, "the guest was terminated because it printed too much"),
            Self::Stopped => write!(f, "the guest was terminated on request"),
            Self::Emulator { reason } => write!(f, "the emulator failed: {reason}"),
        }
    }
}

/// The emulator's own lines, without the registers that each reset logs.
fn complaints(messages: &str) -> String {
    let is_own = |line: &&str| line.starts_with("qemu") || line.contains("error while loading shared libraries");
    messages.lines().filter(is_own).filter(|line| !line.contains("warning:")).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(raw: i32, messages: &str) -> GuestEnding {
        GuestEnding::of(ExitStatus::from_raw(raw), messages)
    }

    #[test]
    fn the_exit_devices_value_is_read_from_the_status() {
        assert_eq!(ended(33 << 8, "CPU Reset (CPU 0)\nEAX=0"), GuestEnding::Exit { value: GuestEnding::PASS });
        assert!(ended(33 << 8, "").is_pass());
        assert_eq!(ended(255 << 8, "qemu: noise"), GuestEnding::Exit { value: 127 });
    }

    #[test]
    fn status_one_is_the_emulators_own_only_where_it_complains() {
        assert_eq!(ended(1 << 8, "CPU Reset (CPU 0)"), GuestEnding::Exit { value: 0 });
        let complaint = "qemu-system-x86_64: -device nonsense: 'nonsense' is not a valid device model name";
        assert_eq!(ended(1 << 8, complaint), GuestEnding::Emulator { reason: complaint.into() });
    }

    #[test]
    fn a_triple_fault_is_told_from_a_power_off() {
        assert_eq!(ended(0, "CPU Reset (CPU 0)"), GuestEnding::Off);
        assert_eq!(ended(0, "CPU Reset (CPU 0)\nTriple fault\nCPU Reset"), GuestEnding::TripleFault);
    }

    #[test]
    fn signals_are_no_guests_end() {
        assert_eq!(ended(9, ""), GuestEnding::Emulator { reason: "ended by signal 9".into() });
        assert_eq!(ended(2 << 8, ""), GuestEnding::Emulator { reason: "ended with status 2 without a message".into() });
    }
}
