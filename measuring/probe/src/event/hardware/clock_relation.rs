//! A card's clock as a straight line over CLOCK_MONOTONIC, and how far off each next reading found it. Pure.
//!
//! ```text
//! card ▲        x reading: off by what the line missed
//!      │     x╱
//!      │   x╱╌╌ anchor: the newest reading; slope: from the oldest kept one to it
//!      │  ╱
//!      └──────────► CLOCK_MONOTONIC
//! ```
//! The task's latency is needed when it wakes, before the next reading exists, so that a stamp is converted by the line of the
//! readings up to now; the next reading then says how far that line was off. Invariant: every line that converted a stamp is
//! judged by a reading behind it, and the worst of these judgements is kept.

use crate::event::stamp::Relation;
use std::collections::VecDeque;

/// Readings that the slope is taken over.
const READINGS_KEPT: usize = 16;
/// No oscillator's rate changes by as much between two readings: 100 ppm. Somebody set the clock.
const SET_PER_MILLION: u64 = 100;
/// The slope's unit is 2^-40.
const SLOPE_BITS: u32 = 40;

/// How a stamp of the card is told on CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockRelation {
    card_ns: u64,
    monotonic_ns: u64,
    /// What CLOCK_MONOTONIC gains on the card's clock in a unit of the latter, in 2^-40.
    gain: i64,
}

impl ClockRelation {
    /// Through two readings, exact at the newer one.
    fn through(older: &Relation, newer: &Relation) -> Self {
        let card_ns = newer.at_ns.wrapping_add(newer.ahead_ns as u64);
        let elapsed_ns = i128::from(newer.at_ns) - i128::from(older.at_ns);
        let of_card_ns = elapsed_ns + i128::from(newer.moved_since(older));
        let gain = match of_card_ns {
            1.. => ((elapsed_ns - of_card_ns) << SLOPE_BITS) / of_card_ns,
            _ => 0,
        };
        Self { card_ns, monotonic_ns: newer.at_ns, gain: gain.try_into().unwrap_or(0) }
    }

    /// The card's stamp on CLOCK_MONOTONIC; two subtractions and a multiplication.
    #[inline]
    pub const fn to_monotonic(self, card_ns: u64) -> u64 {
        let since_ns = card_ns.wrapping_sub(self.card_ns) as i64;
        let gained_ns = (since_ns as i128 * self.gain as i128) >> SLOPE_BITS;
        self.monotonic_ns.wrapping_add(since_ns as u64).wrapping_add(gained_ns as u64)
    }
}

/// How well the card's clock was followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quality {
    /// Readings.
    pub readings: u64,
    /// Readings that failed.
    pub failed: u64,
    /// The farthest that a line may have been off: what the next reading found, with both readings' uncertainty.
    pub error_ns_max: u64,
    /// The widest of the readings' uncertainties.
    pub uncertainty_ns_max: u64,
    /// How often the card's clock was set meanwhile.
    pub steps: u64,
}

/// Readings of a card's clock, and what they come to.
#[derive(Clone, Debug)]
pub(super) struct Track {
    kept: VecDeque<Relation>,
    /// The newest line, and the one before: a task that could not take the newest converts by that one.
    lines: [ClockRelation; 2],
    quality: Quality,
}

impl Track {
    /// Begins with two readings, which give the first slope.
    pub(super) fn through(first: Relation, second: Relation) -> Self {
        let line = ClockRelation::through(&first, &second);
        let uncertainty_ns_max = first.uncertainty_ns.max(second.uncertainty_ns);
        let quality = Quality { readings: 2, uncertainty_ns_max, ..Quality::default() };
        Self { kept: VecDeque::from([first, second]), lines: [line; 2], quality }
    }

    /// Judges the lines by a new reading, and draws the next one.
    pub(super) fn take(&mut self, reading: Relation) {
        self.quality.readings += 1;
        self.quality.uncertainty_ns_max = self.quality.uncertainty_ns_max.max(reading.uncertainty_ns);
        let error_ns = self.lines.iter().map(|line| self.error_ns(line, &reading)).max().unwrap_or(0);
        self.quality.error_ns_max = self.quality.error_ns_max.max(error_ns);
        if self.was_set_by(&reading) {
            self.quality.steps += 1;
            self.kept.clear();
        }
        self.kept.push_back(reading);
        if self.kept.len() > READINGS_KEPT {
            self.kept.pop_front();
        }
        self.lines = [self.next_line(&reading), self.lines[0]];
    }

    /// Counts a reading that could not be had.
    pub(super) fn failed(&mut self) {
        self.quality.failed += 1;
    }

    /// The newest line.
    pub(super) fn line(&self) -> ClockRelation {
        self.lines[0]
    }

    /// How well it went so far.
    pub(super) fn quality(&self) -> Quality {
        self.quality
    }

    /// A clock that was set keeps its rate.
    fn next_line(&self, newest: &Relation) -> ClockRelation {
        match self.kept.front() {
            Some(oldest) if oldest != newest => ClockRelation::through(oldest, newest),
            _ => ClockRelation { gain: self.lines[0].gain, ..ClockRelation::through(newest, newest) },
        }
    }

    /// How far `line` may have been off just before this reading.
    fn error_ns(&self, line: &ClockRelation, reading: &Relation) -> u64 {
        let card_ns = reading.at_ns.wrapping_add(reading.ahead_ns as u64);
        let before = self.kept.back().map_or(0, |newest| newest.uncertainty_ns);
        line.to_monotonic(card_ns).abs_diff(reading.at_ns) + reading.uncertainty_ns + before
    }

    fn was_set_by(&self, reading: &Relation) -> bool {
        let Some(newest) = self.kept.back() else { return false };
        let uncertain_ns = reading.uncertainty_ns + newest.uncertainty_ns;
        let drifted_ns = reading.at_ns.saturating_sub(newest.at_ns) / 1_000_000 * SET_PER_MILLION;
        // A slope that two readings gave is off by as much as both are, and so is what it is held against.
        self.error_ns(&self.lines[0], reading) > 4 * uncertain_ns + drifted_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::stamp::Bracket;
    use proptest::prelude::*;

    const START_NS: u64 = 7_000_000_000_000;
    const EVERY_NS: u64 = 250_000_000;

    /// The slow, obvious twin: a clock that runs at a rate of its own from an instant on.
    #[derive(Clone, Copy, Debug)]
    struct Clock {
        ahead_ns: i64,
        per_billion: i64,
    }

    impl Clock {
        fn at(&self, monotonic_ns: u64) -> u64 {
            let elapsed_ns = i128::from(monotonic_ns - START_NS);
            let card_ns = i128::from(monotonic_ns)
                + i128::from(self.ahead_ns)
                + elapsed_ns * i128::from(self.per_billion) / 1_000_000_000;
            card_ns as u64
        }

        /// A reading that took `until` before the clock was read, and `then` behind it.
        fn read(&self, before_ns: u64, (until, then): (u64, u64)) -> Relation {
            let read_ns = before_ns + until;
            let bracket = Bracket { before_ns, foreign_ns: self.at(read_ns), after_ns: read_ns + then };
            Relation::narrowest([bracket]).unwrap()
        }
    }

    fn clocks() -> impl Strategy<Value = Clock> {
        (-1_000_000_000_000i64..1_000_000_000_000_000_000, -200_000i64..200_000)
            .prop_map(|(ahead_ns, per_billion)| Clock { ahead_ns, per_billion })
    }

    fn instant(number: usize) -> u64 {
        START_NS + EVERY_NS * number as u64
    }

    proptest! {
        #[test]
        fn no_stamp_is_farther_off_than_the_readings_behind_it_say(
            clock in clocks(),
            readings in prop::collection::vec((0u64..5_000, 0u64..5_000), 4..40),
            within in prop::collection::vec(10_000u64..EVERY_NS, 40),
        ) {
            let read = |number: usize| clock.read(instant(number), readings[number]);
            let mut track = Track::through(read(0), read(1));
            let mut worst_ns = 0;
            for (number, after_ns) in (2..readings.len()).zip(&within) {
                let event_ns = instant(number - 1) + after_ns;
                for line in track.lines {
                    worst_ns = worst_ns.max(line.to_monotonic(clock.at(event_ns)).abs_diff(event_ns));
                }
                track.take(read(number));
            }
            let quality = track.quality();
            prop_assert_eq!((quality.readings, quality.steps), (readings.len() as u64, 0));
            // Each of a stamp, a reading and a conversion is rounded to a nanosecond.
            prop_assert!(worst_ns <= quality.error_ns_max + 3, "{} > {}", worst_ns, quality.error_ns_max);
            prop_assert!(quality.error_ns_max <= 8 * 5_000 + 3, "readings of 5 us explain no more: {:?}", quality);
        }

        #[test]
        fn a_clock_that_is_set_is_told_and_followed_again(clock in clocks(), by in 500_000i64..1_000_000_000_000) {
            let set = Clock { ahead_ns: clock.ahead_ns + by, ..clock };
            let read = |clock: &Clock, number: usize| clock.read(instant(number), (400, 400));
            let mut track = Track::through(read(&clock, 0), read(&clock, 1));
            track.take(read(&set, 2));
            prop_assert_eq!(track.quality().steps, 1);
            // The rate is of the step as well.
            prop_assert!(track.quality().error_ns_max.abs_diff(by as u64) < 10_000 + by as u64 / 1_000);
            let event_ns = instant(2) + EVERY_NS / 2;
            prop_assert!(track.line().to_monotonic(set.at(event_ns)).abs_diff(event_ns) < 2_000);
            (3..6).for_each(|number| track.take(read(&set, number)));
            prop_assert_eq!(track.quality().steps, 1);
        }
    }

    #[test]
    fn a_clock_s_rate_is_taken_off_between_two_readings() {
        let clock = Clock { ahead_ns: 0, per_billion: 50_000 };
        let read = |number| clock.read(instant(number), (0, 0));
        let track = Track::through(read(0), read(1));
        let event_ns = instant(2);
        let off_ns = track.line().to_monotonic(clock.at(event_ns)).abs_diff(event_ns);
        assert!(off_ns <= 1, "{off_ns} ns; at 50 ppm a quarter of a second is 12,500 ns");
    }
}
