//! What a triggering station is told: where to send, how often, how many, as whom.

use crate::event::frame::Offer;
use crate::event::link::{Peer, Wire};
use prazo_core::time::Duration;
use prazo_run::plan::Policy;
use serde::{Deserialize, Serialize};

/// A series of triggers; also what our own station's process is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesRequest {
    /// This station's end of the wire.
    pub wire: Wire,
    /// The measuring side.
    pub to: Peer,
    /// Distance of two points of the grid.
    pub period_ns: u64,
    /// A trigger leaves up to this long after its point, as the period.
    pub jitter_ns: u64,
    /// Decides the jitter.
    pub seed: u64,
    /// How many triggers.
    pub count: u64,
    /// The sender's policy.
    pub policy: Policy,
    /// The sender's processor; `None` leaves it where it is.
    pub cpu: Option<u32>,
    /// How long to offer the series before giving up; `None` sends it without asking anybody.
    pub patience_ns: Option<u64>,
    /// Note when the answers to each trigger come (Regnier 2008, second set-up).
    pub takes_answers: bool,
}

/// What is wrong with a request: a usage error that names the flag and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // Each variant's message says what it is.
pub enum BadSeries {
    #[error("--period is {0}; the shortest period is 10 µs: give 10us or more")]
    PeriodTooShort(Duration),
    #[error("--jitter {jitter} must be below --period {period}; otherwise triggers could overtake each other")]
    JitterTooLong { jitter: Duration, period: Duration },
    #[error("--count 0 triggers nothing; give at least 1")]
    CountZero,
    #[error("--count is {0}; with --answers a series has at most {ANSWERED_MAX} triggers: send several series")]
    TooManyAnswers(u64),
    #[error("--priority {0} does not exist; real-time priorities are 1 to 99")]
    Priority(u8),
}

/// The shortest period; one frame of a wire at 100 Mbit/s takes 7 us.
const PERIOD_MIN_NS: u64 = 10_000;
/// The most triggers whose answers are kept: 200 MB of them.
const ANSWERED_MAX: u64 = 4_000_000;

impl SeriesRequest {
    /// What it offers to the measuring side.
    pub const fn offer(&self) -> Offer {
        Offer { period_ns: self.period_ns, count: self.count, jitter_ns: self.jitter_ns, seed: self.seed }
    }

    /// Refuses what cannot be sent, for the first reason found.
    pub fn check(&self) -> Result<(), BadSeries> {
        let (period, jitter) = (Duration::from_ns(self.period_ns), Duration::from_ns(self.jitter_ns));
        match self.policy {
            _ if self.period_ns < PERIOD_MIN_NS => Err(BadSeries::PeriodTooShort(period)),
            _ if self.jitter_ns >= self.period_ns => Err(BadSeries::JitterTooLong { jitter, period }),
            _ if self.count == 0 => Err(BadSeries::CountZero),
            _ if self.takes_answers && self.count > ANSWERED_MAX => Err(BadSeries::TooManyAnswers(self.count)),
            Policy::Fifo { priority } | Policy::Rr { priority } if !(1..=99).contains(&priority) => {
                Err(BadSeries::Priority(priority))
            }
            _ => Ok(()),
        }
    }
}
