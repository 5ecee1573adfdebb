//! Which of a frame's stamps is t1, and how it is told on CLOCK_MONOTONIC.

use super::endpoint::Endpoint;
use super::hardware::{Card, ClockRelation};
use super::stamp::Relation;
use std::cell::Cell;

/// Where t1 comes from.
#[derive(Debug)]
pub(super) enum Origin<'e> {
    /// The kernel's receive path, by the wall clock.
    Software(Relation),
    /// The card, by its own clock; the line is the newest that could be taken.
    Hardware(&'e Card, Cell<ClockRelation>),
}

impl<'e> Origin<'e> {
    /// The card, where the endpoint has one that stamps.
    pub(super) fn of(endpoint: &'e Endpoint, wall: Relation) -> Self {
        match endpoint.card() {
            Some(card) => Self::Hardware(card, Cell::new(card.first_line())),
            None => Self::Software(wall),
        }
    }

    /// The stamp that counts; `None` where the frame does not carry it.
    #[inline]
    pub(super) fn choose(&self, software_ns: Option<u64>, hardware_ns: Option<u64>) -> Option<u64> {
        match self {
            Self::Software(_) => software_ns,
            Self::Hardware(..) => hardware_ns,
        }
    }

    /// The chosen stamp on CLOCK_MONOTONIC.
    #[inline]
    pub(super) fn to_monotonic(&self, stamp_ns: u64) -> u64 {
        match self {
            Self::Software(wall) => wall.to_monotonic(stamp_ns),
            Self::Hardware(card, line) => {
                line.set(card.line().unwrap_or(line.get()));
                line.get().to_monotonic(stamp_ns)
            }
        }
    }
}
