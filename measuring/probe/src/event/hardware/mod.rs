//! A network card's own stamps as t1: the card told to stamp, its clock related to CLOCK_MONOTONIC, all put back at the end.
//!
//! ```text
//! card ── stamp of its clock (/dev/ptpN) ─► line ─► CLOCK_MONOTONIC
//!              read four times a second ────┘
//! ```
//! The card stamps a frame on the wire's side of its interrupt, so that with it the latency is a whole response. Needs a card
//! that stamps every frame: those that stamp time-synchronisation messages only do not see our triggers.

mod clock_relation;
mod follower;
mod reading;

pub use clock_relation::{ClockRelation, Quality};

use follower::{Follower, Newest};
use prazo_platform::root::Root;
use prazo_platform::tunable::{Held, Journal, TunableRecord};
use prazo_sys::card::stamping;
use std::fs::File;
use std::io;
use std::sync::{Mutex, PoisonError};

/// The bit of the receive filter "every frame".
const EVERY_FRAME: u32 = 1 << 1;

/// Why a card's stamps cannot be had; each with what to use instead.
#[derive(Debug, thiserror::Error)]
pub enum NoCardStamps {
    /// Frames of any interface are taken, and each card has a clock of its own.
    #[error("no interface was named; give --interface, since each card has its own clock")]
    AnyInterface,
    /// The driver does not say what it can, or there is no such interface.
    #[error("{interface} does not report its time-stamping modes: {source}")]
    Unasked {
        /// The interface.
        interface: String,
        /// What came back.
        source: io::Error,
    },
    /// There is no clock to relate its stamps by.
    #[error("{interface} has no hardware clock")]
    NoClock {
        /// The interface.
        interface: String,
    },
    /// It stamps some frames, and a trigger is none of them.
    #[error("{interface} cannot stamp every frame, only some kinds of frames or none")]
    NotEveryFrame {
        /// The interface.
        interface: String,
    },
    /// Its clock cannot be read.
    #[error("cannot read {clock}, the clock of {interface}: {source}")]
    Clock {
        /// The interface.
        interface: String,
        /// The clock's file.
        clock: String,
        /// What came back.
        source: io::Error,
    },
    /// It was asked to stamp, and did not.
    #[error("{why}")]
    NotSet {
        /// By the knob's name.
        why: String,
    },
}

/// A card that stamps every frame, and whose clock is followed. Dropped, its setting is put back.
#[derive(Debug, Default)]
pub struct Card {
    newest: Newest,
    follower: Mutex<Follower>,
    held: Mutex<Option<Held>>,
}

impl Card {
    /// Has the card behind `interface` stamp, and follows its clock, off the processor that is measured.
    pub fn open(interface: &str, measured: u32) -> Result<Self, NoCardStamps> {
        let clock = clock_of(interface)?;
        let clock_refused =
            |source| NoCardStamps::Clock { interface: interface.to_owned(), clock: clock.clone(), source };
        let file = File::open(&clock).map_err(clock_refused)?;
        let (follower, newest) = Follower::start(file, measured).map_err(clock_refused)?;
        let not_set = |error: &dyn std::fmt::Display| NoCardStamps::NotSet { why: error.to_string() };
        let journal = Journal::open(&Root::system()).map_err(|error| not_set(&error))?;
        let held = journal.hold_receive_stamps(interface).map_err(|error| not_set(&error))?;
        Ok(Self { newest, follower: Mutex::new(follower), held: Mutex::new(Some(held)) })
    }

    /// The newest line, or `None` where it is being written at this moment.
    #[inline]
    pub fn line(&self) -> Option<ClockRelation> {
        self.newest.take()
    }

    /// The newest line, waited for: before the measuring loop.
    pub fn first_line(&self) -> ClockRelation {
        self.newest.wait()
    }

    /// Reads the clock a last time, and says how well it was followed.
    pub fn end(&self) -> Quality {
        self.follower.lock().unwrap_or_else(PoisonError::into_inner).end()
    }

    /// Puts the card's setting back; once.
    pub fn release(&self) -> Option<TunableRecord> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).take().map(Held::release)
    }
}

/// The file of the clock that the card's stamps are of, where it stamps every frame.
fn clock_of(interface: &str) -> Result<String, NoCardStamps> {
    let interface = interface.to_owned();
    let can = match stamping(&interface) {
        Ok(can) => can,
        Err(source) => return Err(NoCardStamps::Unasked { interface, source }),
    };
    match can.clock {
        None => Err(NoCardStamps::NoClock { interface }),
        Some(_) if can.filters & EVERY_FRAME == 0 => Err(NoCardStamps::NotEveryFrame { interface }),
        Some(number) => Ok(format!("/dev/ptp{number}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_has_no_clock_and_a_card_that_is_not_there_says_nothing() {
        assert!(matches!(Card::open("lo", 0), Err(NoCardStamps::NoClock { .. })));
        let error = Card::open("nowhere9", 0).unwrap_err().to_string();
        assert!(error.contains("nowhere9 does not report its time-stamping modes"), "{error}");
    }
}
