//! What shall be costed: words, the limits of its time, and where its input and output go.

use prazo_platform::{Root, preemption};
use std::ffi::CString;
use std::io;
use std::time::Duration;

/// A program and its arguments.
///
/// Invariant: there is at least the program, and no word holds a NUL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words(Vec<CString>);

/// A command to be costed.
#[derive(Clone, Debug)]
pub struct Task {
    /// The program and its arguments.
    pub words: Words,
    /// The file of a program of the system's, which finds others as [`programs`](prazo_platform::programs) does. A search for
    /// the user's words along the user's PATH, as a shell does, if `None`.
    pub file: Option<CString>,
    /// Longest time for the command, after which it and its descendants are ended.
    pub limit: Option<Duration>,
    /// How long descendants that outlive the command are waited for.
    pub left_behind_limit: Duration,
    /// What the command reads and writes.
    pub streams: Streams,
    /// Where it runs; here, if `None`.
    pub folder: Option<CString>,
    /// The event counters that follow it.
    pub counting: Counting,
    /// Processes of ours that run beside and are not part of the account, as a workload's server.
    pub apart: Vec<u32>,
}

/// What the command reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Streams {
    /// Reads nothing, so that a second run finds what the first found.
    pub no_input: bool,
    /// Where its standard output goes.
    pub output: Output,
}

pub use prazo_sys::accounting::Output;

/// Which event counters (perf) follow a command and all that it forks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// None, so that every kernel does the same for the command.
    Nothing,
    /// The kernel's: of faults, moves and processor time.
    Software,
    /// Those and the processor's, instructions and cycles, which cost a few percent on a virtual machine.
    Hardware,
}

impl Counting {
    /// What a command feels next to nothing of: under PREEMPT_RT each counter holds up the end of every process by some 10 ms.
    pub fn usual(root: &Root) -> Self {
        if preemption::is_real_time(root) { Self::Nothing } else { Self::Software }
    }
}

/// How long descendants are waited for where nobody says.
pub const LEFT_BEHIND_LIMIT: Duration = Duration::from_secs(5);

impl Task {
    /// A command with default limits; an error for no word, and for a word with a NUL in it.
    pub fn new<W: Into<Vec<u8>>>(words: impl IntoIterator<Item = W>) -> io::Result<Self> {
        let words = words.into_iter().map(CString::new).collect::<Result<Vec<_>, _>>()?;
        if words.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no command was given"));
        }
        let streams = Streams::default();
        let words = Words(words);
        Ok(Self {
            words,
            file: None,
            limit: None,
            left_behind_limit: LEFT_BEHIND_LIMIT,
            streams,
            folder: None,
            counting: Counting::usual(&Root::system()),
            apart: vec![],
        })
    }

    /// The program as the user wrote it.
    pub fn program(&self) -> String {
        self.words.0[0].to_string_lossy().into_owned()
    }
}

impl Words {
    /// As execvp(3) takes them.
    pub(crate) fn as_slice(&self) -> &[CString] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_time_kernel_is_counted_on_by_nobody_unless_asked() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("sys/kernel")).unwrap();
        let usual = |realtime: &str| {
            std::fs::write(folder.path().join("sys/kernel/realtime"), realtime).unwrap();
            Counting::usual(&Root::at(folder.path()))
        };
        assert_eq!(usual("0\n"), Counting::Software);
        assert_eq!(usual("1\n"), Counting::Nothing);
    }
}
