//! Signals while a command is costed: held back from us, passed on to the command, and put back afterwards.

use prazo_sys::accounting::{self as sys, Mask};
use prazo_sys::poll::wait_readable;
use prazo_sys::process::ProcessHandle;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// What is passed on. SIGTSTP is left alone: a terminal stops the command and us together, as it should.
const PASSED_ON: [libc::c_int; 6] =
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGUSR1, libc::SIGUSR2];

/// What asks a process to end.
const ASK_TO_END: [libc::c_int; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];

/// Signals held back from this process for as long as this value lives.
pub(crate) struct Signals {
    before: Mask,
    arrived: OwnedFd,
}

impl Signals {
    /// Holds them back from now on.
    pub(crate) fn hold_back() -> io::Result<Self> {
        sys::keep_ended_children();
        // What we are told to ignore, as nohup does with SIGHUP, is not for us nor for the command, which ignores it too.
        let heard = PASSED_ON.into_iter().filter(|signal| !sys::is_ignored(*signal));
        let (before, arrived) = sys::block(&heard.chain([libc::SIGCHLD]).collect::<Vec<_>>())?;
        Ok(Self { before, arrived })
    }

    /// The signals that were blocked before, as the command shall have them.
    pub(crate) fn before(&self) -> &Mask {
        &self.before
    }

    /// Waits until a signal arrives or a child ends; at most so long.
    pub(crate) fn wait(&self, timeout_ms: u32) {
        wait_readable([self.arrived.as_fd()], Some(timeout_ms));
    }

    /// Passes on what arrived. What a terminal sent, the command got by itself. True if it asked us to end.
    pub(crate) fn pass_on(&self, command: &ProcessHandle) -> bool {
        let mut asked_to_end = false;
        while let Some((number, from_terminal)) = sys::next_signal(self.arrived.as_fd()) {
            if number != libc::SIGCHLD && !from_terminal {
                // A command that has ended already does not need it any more.
                let _ = command.signal(number);
            }
            asked_to_end |= ASK_TO_END.contains(&number);
        }
        asked_to_end
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        sys::restore(&self.before);
    }
}
