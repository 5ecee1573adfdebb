//! How a costed command came to its end, and the status that env(1) would pass on.

use prazo_core::text::counted;
use schemars::JsonSchema;
use serde::Serialize;

/// How the command itself ended: by an exit or by a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "how")]
pub enum Exit {
    /// The command exited.
    Exited {
        /// Exit status of the command.
        code: u8,
    },
    /// A signal ended the command.
    Killed {
        /// Number of the signal.
        signal: u8,
    },
}

impl Exit {
    /// Reads a status as wait4(2) gives it; `None` for one that says "stopped" or "continued".
    pub(crate) fn of_wait_status(status: i32) -> Option<Self> {
        if libc::WIFEXITED(status) {
            return Some(Self::Exited { code: libc::WEXITSTATUS(status) as u8 });
        }
        libc::WIFSIGNALED(status).then(|| Self::Killed { signal: libc::WTERMSIG(status) as u8 })
    }

    /// The status to pass on: the command's own, or 128 and the signal's number as a shell has it.
    pub fn status(self) -> u8 {
        match self {
            Self::Exited { code } => code,
            Self::Killed { signal } => 128u8.saturating_add(signal),
        }
    }

    /// "with status 3", "by signal 9".
    pub fn in_words(self) -> String {
        match self {
            Self::Exited { code } => format!("with status {code}"),
            Self::Killed { signal } => format!("by signal {signal}"),
        }
    }
}

/// How a run of a command ended, and how many of its descendants were still running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommandEnding {
    /// How the command itself ended: by an exit or by a signal.
    pub exit: Exit,
    /// Exit status that prazo passes on: the command's own, or 128 plus the number of the signal.
    pub status: u8,
    /// Number of times that the command was stopped (SIGSTOP, SIGTSTP); its elapsed and blocked times include the
    /// time for which it was stopped.
    pub stops: u64,
    /// True if prazo terminated the command at its time limit.
    pub limit_reached: bool,
    /// True if prazo received SIGINT, SIGTERM, SIGHUP or SIGQUIT while the command ran.
    pub interrupted: bool,
    /// Number of descendants that still ran after the command had ended; descendants that ended together with the command are not counted.
    pub left_behind: u64,
    /// Number of descendants that prazo terminated at a time limit: the limit of the command, or the limit of descendants that
    /// outlive the command.
    pub ended_by_us: u64,
}

impl CommandEnding {
    /// A command that ended by itself, with 0.
    #[cfg(test)]
    pub(crate) const USUAL: Self = Self {
        exit: Exit::Exited { code: 0 },
        status: 0,
        stops: 0,
        limit_reached: false,
        interrupted: false,
        left_behind: 0,
        ended_by_us: 0,
    };

    /// What was unusual about it, each a verb that follows the command's name; empty where nothing was.
    pub fn remarks(&self) -> Vec<String> {
        let remarks = [
            (self.status != 0, format!("ended with status {}", self.status)),
            (self.limit_reached, "was terminated at its timeout".into()),
            (self.interrupted, "was interrupted".into()),
            (self.stops > 0, format!("was stopped {}", counted(self.stops, "time"))),
            (self.left_behind > 0, format!("left {} running", counted(self.left_behind, "process"))),
            (self.ended_by_us > 0, format!("had {} that prazo terminated", counted(self.ended_by_us, "descendant"))),
        ];
        remarks.into_iter().filter_map(|(is_so, remark)| is_so.then_some(remark)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_passed_on_as_a_shell_has_them() {
        assert_eq!(Exit::of_wait_status(7 << 8).map(Exit::status), Some(7));
        assert_eq!(Exit::of_wait_status(libc::SIGKILL).map(Exit::status), Some(137));
        assert_eq!(Exit::of_wait_status(libc::SIGSTOP << 8 | 0x7f), None, "stopped is no end");
    }

    #[test]
    fn remarks_say_what_was_unusual() {
        assert!(CommandEnding::USUAL.remarks().is_empty());
        let at_limit = CommandEnding { status: 143, limit_reached: true, ended_by_us: 2, ..CommandEnding::USUAL };
        assert_eq!(
            at_limit.remarks().join("; "),
            "ended with status 143; was terminated at its timeout; had 2 descendants that prazo terminated"
        );
    }
}
