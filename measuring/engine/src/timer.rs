//! How a thread waits for its next activation, as the measuring loop sees it.

use super::when_late::{NextActivation, Served};
use prazo_sys::clock;

/// A timer that is armed: where its grid begins, how to wait for the next point, what comes after it.
pub trait Timer {
    /// When the first activation is due, on CLOCK_MONOTONIC; asked once, when the loop begins.
    fn first_due_ns(&mut self) -> u64;

    /// Blocks until the activation that is due at `due_ns`, with one system call; how often the timer expired by then.
    fn wait(&mut self, due_ns: u64) -> Result<u64, Broken>;

    /// The thread's own stamp, as soon as it waits no longer.
    #[inline]
    fn stamp_ns(&self) -> u64 {
        clock::monotonic_ns()
    }

    /// The activation that a wake-up at `now_ns` was really for, where the kernel does not tell: `expected` elsewhere.
    #[inline]
    fn settle(&self, expected: Expected, _now_ns: u64) -> Expected {
        expected
    }

    /// The next activation after `served`, of which the timer expired `expired` times.
    fn step(&mut self, served: Served, expired: u64) -> Result<NextActivation, Broken>;
}

/// The activation that a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// When it is due.
    pub due_ns: u64,
    /// How many were jumped over before it.
    pub skipped: u64,
}

/// Why a wait ended without an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A signal came: the stop word says whether to go on.
    Interrupted,
    /// The call failed with this error number.
    Failed(i32),
    /// Nothing will come any more; this many were due and never came.
    Over {
        /// Missing at the end.
        skipped: u64,
    },
}

impl Broken {
    /// The meaning of an error number of a blocking call.
    #[cold]
    pub fn of(errno: i32) -> Self {
        if errno == libc::EINTR { Self::Interrupted } else { Self::Failed(errno) }
    }
}

/// What arming a timer needs to know.
#[derive(Clone, Copy, Debug)]
pub struct Arming {
    /// When the first activation should be due.
    pub first_ns: u64,
    /// Period of the activations.
    pub period_ns: u64,
    /// What to do when late.
    pub when_late: prazo_run::plan::WhenLate,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::error::SetupError;
    use super::super::wait_source::WaitSource;
    use super::super::when_late::step;
    use super::super::worker::{Activations, Finished};
    use super::*;
    use prazo_run::plan::WhenLate;

    /// The simplest timer: a sleep to an absolute instant.
    #[derive(Debug)]
    pub(crate) struct AbsoluteSleep(pub(crate) Arming);

    impl Default for AbsoluteSleep {
        fn default() -> Self {
            Self(Arming { first_ns: 0, period_ns: 1_000_000, when_late: WhenLate::Skip })
        }
    }

    impl Timer for AbsoluteSleep {
        fn first_due_ns(&mut self) -> u64 {
            self.0.first_ns
        }
        fn wait(&mut self, due_ns: u64) -> Result<u64, Broken> {
            match clock::sleep_until(due_ns) {
                0 => Ok(1),
                errno => Err(Broken::of(errno)),
            }
        }
        fn step(&mut self, served: Served, _expired: u64) -> Result<NextActivation, Broken> {
            Ok(step(self.0.when_late, served))
        }
    }

    impl WaitSource for AbsoluteSleep {
        fn serve(&self, activations: Activations<'_>) -> Result<Finished, SetupError> {
            let (request, start_ns) = (activations.request, activations.start_ns);
            let arming = Arming { first_ns: start_ns, period_ns: request.period_ns, when_late: request.when_late };
            activations.serve(&mut Self(arming), request.pace(start_ns))
        }
    }
}
