//! One sample and the parts of its latency.

use prazo_run::split::Unsplit;

/// One sample, on CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamped {
    /// When the activation was due.
    pub due_ns: u64,
    /// The thread's own stamp, t3.
    pub woke_ns: u64,
}

/// What became of one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joined {
    /// Its time was split.
    Split(Parts),
    /// Its instant was past when the thread would have waited for it.
    NeverSlept,
    /// It slept, and could not be split.
    Unsplit(Unsplit),
}

/// The parts of one latency, in nanoseconds; slack + interrupt + handling + wake-up + own stamp is the whole, exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    /// Due to expiry.
    pub slack_ns: i64,
    /// Expiry to handler.
    pub interrupt_ns: i64,
    /// Handler to runnable.
    pub handling_ns: i64,
    /// Runnable to switched to.
    pub wakeup_ns: i64,
    /// Switched to, to the thread's own stamp.
    pub own_stamp_ns: i64,
    /// Where it was switched to.
    pub cpu: u32,
    /// Of a frame: what lies in front of the whole.
    pub arrival: Arrival,
}

impl Parts {
    /// Handler to the thread's own stamp, t3 - t2.
    pub(crate) fn activation_ns(&self) -> i64 {
        self.handling_ns + self.wakeup_ns + self.own_stamp_ns
    }
}

/// What lies in front of the receive stamp; nothing where no interrupt announced the frame, but polling found it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// The interrupt to the start of its thread; `None` where its handler has no thread.
    pub thread_start_ns: Option<i64>,
    /// The handler's first stamp, or its thread's, to the receive stamp.
    pub receive_path_ns: Option<i64>,
}
