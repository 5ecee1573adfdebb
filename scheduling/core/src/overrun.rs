//! What becomes of a job that wants to run longer than it was granted, and of the job after it.
//!
//! When a job overruns (its granted time, or its deadline: the driver says which it watches) is for the driver to notice,
//! once a job. The policy says what follows, and every answer names the event that makes it visible in the trace. The three are
//! those of Cervin, "Analysis of overrun strategies in periodic control tasks", IFAC 2005: go on and queue up, abort, skip.

use crate::event::EventKind;

/// What a task does about its overruns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverrunPolicy {
    /// The job goes on; later ones wait behind it.
    #[default]
    Continue,
    /// The job ends there.
    Abort,
    /// The job goes on, and the task's next one is left out.
    SkipNext,
}

crate::words!(OverrunPolicy: Continue => "continue", Abort => "abort", SkipNext => "skip-next");

/// What becomes of the job that overruns.
#[must_use = "a job that is neither stopped nor let go on is lost"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It goes on.
    GoOn,
    /// It ends as if it were complete.
    Abort,
}

/// What becomes of a job that arrives.
#[must_use = "a job that is neither released nor skipped is lost"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It is released.
    Release,
    /// It is left out, and its number with it.
    Skip,
}

/// The overruns of one task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overruns {
    policy: OverrunPolicy,
    /// Jobs still to be left out.
    owed: u64,
}

impl Overruns {
    /// No overrun yet, under `policy`.
    pub const fn new(policy: OverrunPolicy) -> Self {
        Self { policy, owed: 0 }
    }

    /// A job overruns.
    pub const fn overrun(&mut self) -> Action {
        match self.policy {
            OverrunPolicy::Continue => Action::GoOn,
            OverrunPolicy::Abort => Action::Abort,
            OverrunPolicy::SkipNext => {
                self.owed += 1;
                Action::GoOn
            }
        }
    }

    /// The task's next job arrives.
    pub const fn arrive(&mut self) -> Arrival {
        if self.owed == 0 {
            return Arrival::Release;
        }
        self.owed -= 1;
        Arrival::Skip
    }
}

impl Action {
    /// The events of an overrun that is answered so, in the order of the trace.
    pub const fn events(self) -> &'static [EventKind] {
        match self {
            Self::GoOn => &[EventKind::Overrun],
            Self::Abort => &[EventKind::Overrun, EventKind::Abortion],
        }
    }
}

impl Arrival {
    /// The events of an arrival without jitter that is answered so, in the order of the trace.
    pub const fn events(self) -> &'static [EventKind] {
        match self {
            Self::Release => &[EventKind::Arrival, EventKind::Release],
            Self::Skip => &[EventKind::Arrival, EventKind::Skip],
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    /// The trace of one overrun and the two arrivals after it.
    fn trace(policy: OverrunPolicy) -> Vec<&'static str> {
        let mut overruns = Overruns::new(policy);
        let mut events = overruns.overrun().events().to_vec();
        events.extend(overruns.arrive().events());
        events.extend(overruns.arrive().events());
        events.iter().map(|kind| kind.name()).collect()
    }

    #[test]
    fn each_policy_shows_in_the_trace() {
        assert_eq!(trace(OverrunPolicy::Continue), ["overrun", "arrival", "release", "arrival", "release"]);
        assert_eq!(trace(OverrunPolicy::Abort), ["overrun", "abortion", "arrival", "release", "arrival", "release"]);
        assert_eq!(trace(OverrunPolicy::SkipNext), ["overrun", "arrival", "skip", "arrival", "release"]);
    }
}
