//! Points that speak for every instant below them, found from the highest downwards.
//!
//! A point whose demand is served by the capacity of an earlier instant speaks for the stretch between; the next point
//! is the last instant before that stretch. This is the search of QPA (Zhang, Burns, IEEE TC 58(9), 2009) for any
//! growing capacity.

use super::NoCertificate;
use crate::Ticks;
use prazo_core::ratio::Ratio;

/// More numbers than this are not written.
const POINTS_MAX: usize = 1_000_000;

/// What there is at one instant.
pub(super) struct Look {
    /// The demand, as it is written.
    pub demand: Ratio,
    /// The earliest instant whose capacity is as large.
    pub served_from: u128,
}

impl Look {
    /// A whole demand.
    pub(super) fn whole(demand: u128, served_from: u128) -> Self {
        Self { demand: Ratio::new(demand, 1).unwrap_or_default(), served_from }
    }
}

/// Why no points were found.
pub(super) enum Stopped {
    /// Demand exceeds capacity at this instant.
    At(Ticks),
    /// There would be too many.
    TooMany,
}

impl Stopped {
    /// The same as a reason for a reader.
    pub(super) fn because(self, test: &'static str) -> NoCertificate {
        match self {
            Self::At(_) => NoCertificate::NotFoundAgain(test),
            Self::TooMany => NoCertificate::TooLong(test),
        }
    }
}

/// The lines of points from `highest` down to 0.
pub(super) fn points(highest: Ticks, look: impl Fn(Ticks) -> Look) -> Result<String, Stopped> {
    let (mut lines, mut at) = (String::new(), highest);
    for _ in 0..POINTS_MAX {
        let Look { demand, served_from } = look(at);
        if served_from > at.into() {
            return Err(Stopped::At(at));
        }
        lines += &format!("point {at} demand {demand}\n");
        match served_from.checked_sub(1) {
            // Not above `at`, so it fits.
            Some(below) => at = below as Ticks,
            None => return Ok(lines),
        }
    }
    Err(Stopped::TooMany)
}
