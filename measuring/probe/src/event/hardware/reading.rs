//! One reading of a card's clock against CLOCK_MONOTONIC, by the narrowest way that this kernel and driver have.
//!
//! The kernel brackets the card's register between two of its own clock readings (PTP_SYS_OFFSET_EXTENDED): of CLOCK_MONOTONIC
//! where it can, else of CLOCK_REALTIME, which is then told on CLOCK_MONOTONIC by a relation before and one behind. Where a driver has no
//! such reading, we bracket a whole clock_gettime of the card's clock.

use crate::event::stamp::{Bracket, Relation};
use crate::event::wall_clock::wall_clock;
use prazo_sys::card_clock as sys;
use std::io;
use std::os::fd::BorrowedFd;

/// Brackets of a reading, of which the narrowest counts.
const BRACKETS: u32 = 10;
/// So often a wall clock that is being stepped is given another chance.
const TRIES: usize = 3;

/// How a clock is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadingMethod {
    /// The kernel brackets by CLOCK_MONOTONIC.
    Monotonic,
    /// The kernel brackets by CLOCK_REALTIME.
    WallClock,
    /// We bracket.
    Outside,
}

/// Reads a card's clock, `None` where the wall clock would not stand still.
pub(super) fn read(clock: BorrowedFd<'_>, method: ReadingMethod) -> io::Result<Option<Relation>> {
    match method {
        ReadingMethod::Monotonic => sys::bracketed(clock, libc::CLOCK_MONOTONIC, BRACKETS).map(Relation::narrowest),
        ReadingMethod::Outside => {
            (0..BRACKETS).map(|_| sys::bracket(clock)).collect::<io::Result<Vec<_>>>().map(Relation::narrowest)
        }
        ReadingMethod::WallClock => by_wall_clock(|| sys::bracketed(clock, libc::CLOCK_REALTIME, BRACKETS)),
    }
}

/// The narrowest way that works here, and its first reading.
pub(super) fn find(clock: BorrowedFd<'_>) -> io::Result<(ReadingMethod, Relation)> {
    let mut refused = io::Error::other("the clock returned no reading");
    for method in [ReadingMethod::Monotonic, ReadingMethod::WallClock, ReadingMethod::Outside] {
        match read(clock, method) {
            Ok(Some(relation)) => return Ok((method, relation)),
            Ok(None) => {}
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

fn by_wall_clock(read: impl Fn() -> io::Result<Vec<Bracket>>) -> io::Result<Option<Relation>> {
    for _ in 0..TRIES {
        let before = wall_clock();
        let card = Relation::narrowest(read()?);
        if let Some(card) = card.and_then(|card| through(&before, &card, &wall_clock())) {
            return Ok(Some(card));
        }
    }
    Ok(None)
}

/// A relation to the wall clock as one to CLOCK_MONOTONIC; `None` where the wall clock was stepped meanwhile.
fn through(before: &Relation, to_wall: &Relation, after: &Relation) -> Option<Relation> {
    (!after.has_moved_since(before)).then(|| Relation {
        ahead_ns: to_wall.ahead_ns.wrapping_add(before.ahead_ns),
        uncertainty_ns: to_wall.uncertainty_ns + before.uncertainty_ns,
        at_ns: before.to_monotonic(to_wall.at_ns),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wall clock this far ahead of CLOCK_MONOTONIC.
    fn wall(ahead_ns: i64) -> Relation {
        Relation { ahead_ns, uncertainty_ns: 30, at_ns: 1_000 }
    }

    /// The card's clock runs 500 ns ahead of CLOCK_MONOTONIC; read at 1,200 by a wall clock this far ahead.
    fn card_by(wall_ahead_ns: i64) -> Relation {
        Relation {
            ahead_ns: 500 - wall_ahead_ns,
            uncertainty_ns: 200,
            at_ns: 1_200u64.wrapping_add(wall_ahead_ns as u64),
        }
    }

    #[test]
    fn a_wall_clock_that_is_stepped_between_two_readings_moves_neither() {
        let expected = Some(Relation { ahead_ns: 500, uncertainty_ns: 230, at_ns: 1_200 });
        for ahead_ns in [1_700_000_000_000_000_000, 1_700_003_600_000_000_000] {
            assert_eq!(through(&wall(ahead_ns), &card_by(ahead_ns), &wall(ahead_ns + 20)), expected);
        }
    }

    #[test]
    fn a_wall_clock_that_is_stepped_within_a_reading_gives_none() {
        let (before, after) = (1_700_000_000_000_000_000, 1_700_000_000_000_100_000);
        assert_eq!(through(&wall(before), &card_by(before), &wall(after)), None);
    }

    #[test]
    fn what_is_no_clock_has_no_way_to_be_read() {
        let file = std::fs::File::open("/dev/null").unwrap();
        assert!(find(std::os::fd::AsFd::as_fd(&file)).is_err());
    }
}
