//! What became of a station's triggers besides the samples: everything that did not become one is counted here.

use super::frame::Ending;
use super::hardware::Quality;
use super::stamp::Relation;

/// Counts of one measured series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventCounts {
    /// Arrived a second time.
    pub duplicates: u64,
    /// Arrived behind a newer one; a part of the skipped.
    pub overtaken: u64,
    /// Arrived without a stamp, so that their latency is unknown; a part of the skipped.
    pub unstamped: u64,
    /// Frames of no meeting of ours.
    pub foreign: u64,
    /// Never arrived, or behind a newer one.
    pub missing: u64,
    /// Triggers that the card stamped, on its own clock.
    pub hardware_stamps: u64,
    /// How well the card's clock was followed, where its stamps are t1.
    pub card: Option<Quality>,
    /// Answers sent by the task.
    pub answered: u64,
    /// Answers that the kernel refused.
    pub unanswered: u64,
    /// How the station ended.
    pub ending: Option<StationEnd>,
    /// The wall clock against CLOCK_MONOTONIC before the run.
    pub wall_before: Relation,
    /// The same after it.
    pub wall_after: Relation,
}

/// How a station ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StationEnd {
    /// It said so, with its own counts.
    Said(Ending),
    /// It fell silent this long before the run ended.
    Silent {
        /// Since its last frame.
        for_ns: u64,
    },
}
