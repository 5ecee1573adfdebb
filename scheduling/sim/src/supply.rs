//! When tasks have their processor that have it for a budget in every period: in the worst way, or in ways that are drawn.
//!
//! ```text
//! worst     |.Q......|......Q|......Q|......Q|     the longest gap, 2 (P - Q), begins at instant 0; offsets move jobs out of it
//!             ^ instant 0
//! random    |..Q...QQ|Q......|....QQQ|             the first period has begun at a random instant before 0
//! ```

use crate::random::{Draws, Purpose};
use prazo_core::time::{Duration, Instant};

/// When a supply gives its budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SupplyTimes {
    /// At the end of each period, after one that gave it at its beginning, just before instant 0.
    #[default]
    Worst,
    /// In each period in up to three pieces at random places; the first period begins at a random instant.
    Random,
}

prazo_core::words!(SupplyTimes: Worst => "worst", Random => "random");

/// A supply in nanoseconds. Invariant: `0 < budget < period`.
#[derive(Clone, Copy, Debug)]
pub struct SimulatedSupply {
    /// Q.
    pub budget: Duration,
    /// P.
    pub period: Duration,
    /// When the budgets are given.
    pub times: SupplyTimes,
    /// How long before instant 0 the first period begins.
    before: Duration,
    draws: Draws,
}

/// Pieces of a period's budget.
const PIECES: usize = 3;

impl SimulatedSupply {
    /// `budget` in every `period` in the run with this seed.
    pub fn new(budget: Duration, period: Duration, times: SupplyTimes, seed: u64) -> Self {
        let draws = Draws::new(seed, 0, Purpose::Supply);
        let before = match times {
            SupplyTimes::Worst => budget,
            SupplyTimes::Random => draws.within(0, period.saturating_sub(Duration::from_ns(1))),
        };
        Self { budget, period, times, before, draws }
    }

    /// The intervals in which the tasks have the processor, in order and for ever, from `instant` on or from a little before it. They may touch.
    pub fn served(self, instant: Instant) -> impl Iterator<Item = (Instant, Instant)> {
        let since = instant.saturating_since(Instant::EPOCH);
        let first = since.div_floor(self.period).unwrap_or(0);
        (first..).flat_map(move |number| self.in_period(number)).filter(|(start, end)| start < end)
    }

    /// The pieces of period `number`, what lies before instant 0 cut off.
    fn in_period(self, number: u64) -> [(Instant, Instant); PIECES] {
        let (start, before) = (self.period.checked_mul(number), self.before);
        let Some(start) = start else { return [(Instant::NEVER, Instant::NEVER); PIECES] };
        let at = |within: Duration| Instant::EPOCH.saturating_add(start.saturating_add(within).saturating_sub(before));
        self.pieces(number).map(|(from, length)| (at(from), at(from.saturating_add(length))))
    }

    /// Where in period `number` its pieces begin, and how long they are.
    fn pieces(self, number: u64) -> [(Duration, Duration); PIECES] {
        let gap = self.period.saturating_sub(self.budget);
        let whole = |from| [(from, self.budget), (self.period, Duration::ZERO), (self.period, Duration::ZERO)];
        match self.times {
            SupplyTimes::Worst if number == 0 => whole(Duration::ZERO),
            SupplyTimes::Worst => whole(gap),
            SupplyTimes::Random => {
                let draw = |which: u64, most: Duration| {
                    self.draws.within(number.wrapping_add(1).wrapping_mul(8).wrapping_add(which), most)
                };
                let (mut gaps, mut cuts) =
                    ([draw(0, gap), draw(1, gap), draw(2, gap)], [draw(3, self.budget), draw(4, self.budget)]);
                gaps.sort_unstable();
                cuts.sort_unstable();
                let begins = [Duration::ZERO, cuts[0], cuts[1]];
                let ends = [cuts[0], cuts[1], self.budget];
                let mut pieces = [(Duration::ZERO, Duration::ZERO); PIECES];
                for (index, piece) in pieces.iter_mut().enumerate() {
                    *piece = (gaps[index].saturating_add(begins[index]), ends[index].saturating_sub(begins[index]));
                }
                pieces
            }
        }
    }

    /// The intervals within [start, end) in which the tasks do not have the processor.
    pub fn unserved(self, start: Instant, end: Instant) -> Vec<(Instant, Instant)> {
        let (mut gaps, mut from) = (Vec::new(), start);
        for (begins, ends) in self.served(start) {
            if begins.min(end) > from {
                gaps.push((from, begins.min(end)));
            }
            from = from.max(ends);
            if from >= end {
                return gaps;
            }
        }
        gaps
    }
}

/// Where the supply stands.
pub(crate) struct SupplyState {
    pub(crate) served: Box<dyn Iterator<Item = (Instant, Instant)>>,
    /// The interval of service that is under way, or comes next.
    pub(crate) interval: (Instant, Instant),
    pub(crate) is_there: bool,
    /// Since when it has not been.
    pub(crate) gone_since: Instant,
    /// True if the job that was chosen for the processor waits for the supply.
    pub(crate) waits: bool,
}

impl SupplyState {
    pub(crate) fn new(supply: SimulatedSupply) -> Self {
        let mut served: Box<dyn Iterator<Item = (Instant, Instant)>> = Box::new(supply.served(Instant::EPOCH));
        let interval = served.next().unwrap_or((Instant::NEVER, Instant::NEVER));
        Self { served, interval, is_there: false, gone_since: Instant::EPOCH, waits: false }
    }

    /// When it begins or ends next.
    pub(crate) fn changes_at(&self) -> Instant {
        if self.is_there { self.interval.1 } else { self.interval.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(ns: u64) -> Duration {
        Duration::from_ns(ns)
    }

    fn unserved(supply: SimulatedSupply, from: u64, to: u64) -> Vec<(u64, u64)> {
        let gaps = supply.unserved(Instant::from_ns(from), Instant::from_ns(to));
        gaps.iter().map(|(from, to)| (from.as_ns(), to.as_ns())).collect()
    }

    #[test]
    fn the_worst_supply_serves_nothing_for_two_gaps() {
        let supply = SimulatedSupply::new(ns(4), ns(10), SupplyTimes::Worst, 1);
        assert_eq!(unserved(supply, 0, 30), [(0, 12), (16, 22), (26, 30)]);
        assert_eq!(unserved(supply, 14, 20), [(16, 20)]);
    }

    #[test]
    fn a_drawn_supply_gives_its_budget_in_every_period() {
        for seed in 0..200 {
            let supply = SimulatedSupply::new(ns(7), ns(20), SupplyTimes::Random, seed);
            let first = 20 - supply.before.as_ns();
            for period in 0..50 {
                let (from, to) = (first + 20 * period, first + 20 * (period + 1));
                let gaps: u64 = unserved(supply, from, to).iter().map(|(from, to)| to - from).sum();
                assert_eq!(gaps, 13, "seed {seed}, period {period}");
            }
        }
    }
}
