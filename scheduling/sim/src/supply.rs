//! When tasks have their processor that have it only in part: in the worst way, or in ways that are drawn.
//!
//! With a budget Q in every period P:
//!
//! ```text
//! worst     |.Q......|......Q|......Q|......Q|     the longest gap, 2 (P - Q), begins at instant 0; offsets move jobs out of it
//!             ^ instant 0
//! random    |..Q...QQ|Q......|....QQQ|             the first period has begun at a random instant before 0
//! ```
//!
//! With a rate a after a delay D:
//!
//! ```text
//! worst     QQQ|..........|QQ..|QQ..|QQ..|         nothing for D from instant 0 on; then slices of length p, each served first
//!              |<-- D --->|<p >|
//! random    a drawn budget Q in every period P with Q >= a P and 2 (P - Q) <= D
//! ```
//!
//! Slice k of the worst one serves ceil(a (k + 1) p) - ceil(a k p) nanoseconds, so that D + k p has had a k p, rounded up: as little as is legal. An interval
//! from the end of the service in one slice to the end of another has had less than one nanosecond less than a times its length but for one gap,
//! which is at most p - floor(a p). So it is legal where a (D - p + floor(a p)) >= 1. Gaps are an eighth of D: shorter ones would be worse
//! between the ends of two slices, and there would be more events. The drawn one is legal because its least in t is at least (t - 2 (P - Q)) Q / P.

use crate::random::{Draws, Purpose};
use prazo_core::behaviour::Supply;
use prazo_core::ratio::Ratio;
use prazo_core::time::{Duration, Instant};

/// When a supply gives its budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SupplyTimes {
    /// As late as it may be from instant 0 on: at the end of each period, or after the delay.
    #[default]
    Worst,
    /// In each period in up to three pieces at random places; the first period begins at a random instant. A rate and a delay draw such periods too.
    Random,
}

prazo_core::words!(SupplyTimes: Worst => "worst", Random => "random");

/// A supply in nanoseconds that is not all of the processor.
#[derive(Clone, Copy, Debug)]
pub struct SimulatedSupply {
    pattern: Pattern,
    /// P, or the length of a slice.
    period: Duration,
    /// How long before instant 0 the first period begins.
    before: Duration,
    draws: Draws,
}

/// Where in its periods it serves.
#[derive(Clone, Copy, Debug)]
enum Pattern {
    /// So much at the beginning of the first period, and at the end of all others.
    Late(Duration),
    /// So much in each period, at places that are drawn.
    Drawn(Duration),
    /// The rate at the beginning of each period; the first one begins after the delay.
    Slices { rate: Ratio, delay: Duration },
}

/// Pieces of a period's budget.
const PIECES: usize = 3;

/// The gap of a slice is so many times shorter than the delay.
const GAPS_IN_DELAY: u128 = 8;

impl SimulatedSupply {
    /// `supply`, of ticks with `ns_per_tick`, where it is not all of the processor; `None` if it has no legal pattern in whole nanoseconds, or a time
    /// beyond `longest`.
    pub fn new(supply: Supply, ns_per_tick: u64, longest: Duration, times: SupplyTimes, seed: u64) -> Option<Self> {
        let length =
            |ticks: u64| ticks.checked_mul(ns_per_tick).map(Duration::from_ns).filter(|length| *length <= longest);
        match (supply, times) {
            (Supply::Periodic { budget, period }, _) => {
                Some(Self::periodic(length(budget)?, length(period)?, times, seed))
            }
            (Supply::BoundedDelay { rate, delay }, SupplyTimes::Random) => {
                let (budget, period) = drawn_periods(rate, length(delay)?, longest);
                Some(Self::periodic(budget, period, times, seed))
            }
            (Supply::BoundedDelay { rate, delay }, SupplyTimes::Worst) => {
                Self::slices(rate, length(delay)?, longest, seed)
            }
        }
    }

    fn periodic(budget: Duration, period: Duration, times: SupplyTimes, seed: u64) -> Self {
        let draws = Draws::new(seed, 0, Purpose::Supply);
        let (before, pattern) = match times {
            SupplyTimes::Worst => (budget, Pattern::Late(budget)),
            SupplyTimes::Random => {
                (draws.within(0, period.saturating_sub(Duration::from_ns(1))), Pattern::Drawn(budget))
            }
        };
        Self { pattern, period, before, draws }
    }

    fn slices(rate: Ratio, delay: Duration, longest: Duration, seed: u64) -> Option<Self> {
        let (served, of, wait) = (rate.numerator(), rate.denominator(), u128::from(delay.as_ns()));
        let period = if served == of { u128::MAX } else { (wait * of / ((of - served) * GAPS_IN_DELAY)).max(1) };
        let period = period.min(longest.as_ns().into());
        let gap = period - period * served / of;
        let is_legal = served == of || wait.checked_sub(gap).is_some_and(|rest| rest * served >= of);
        let period = Duration::from_ns(u64::try_from(period).ok()?);
        let draws = Draws::new(seed, 0, Purpose::Supply);
        is_legal.then_some(Self { pattern: Pattern::Slices { rate, delay }, period, before: Duration::ZERO, draws })
    }

    /// The intervals in which the tasks have the processor, in order and for ever, from `instant` on or from a little before it. They may touch.
    pub fn served(self, instant: Instant) -> impl Iterator<Item = (Instant, Instant)> {
        let since = instant.saturating_since(Instant::EPOCH).saturating_sub(self.begins_after());
        let first = since.div_floor(self.period).unwrap_or(0);
        (first..).flat_map(move |number| self.in_period(number)).filter(|(start, end)| start < end)
    }

    /// How long after instant 0 the first period begins, where it does not begin before.
    fn begins_after(self) -> Duration {
        if let Pattern::Slices { delay, .. } = self.pattern { delay } else { Duration::ZERO }
    }

    /// The pieces of period `number`, what lies before instant 0 cut off.
    fn in_period(self, number: u64) -> [(Instant, Instant); PIECES] {
        let (start, before) = (self.period.checked_mul(number), self.before);
        let Some(start) = start.map(|start| start.saturating_add(self.begins_after())) else {
            return [(Instant::NEVER, Instant::NEVER); PIECES];
        };
        let at = |within: Duration| Instant::EPOCH.saturating_add(start.saturating_add(within).saturating_sub(before));
        self.pieces(number).map(|(from, length)| (at(from), at(from.saturating_add(length))))
    }

    /// Where in period `number` its pieces begin, and how long they are.
    fn pieces(self, number: u64) -> [(Duration, Duration); PIECES] {
        let nothing = (self.period, Duration::ZERO);
        match self.pattern {
            Pattern::Late(budget) if number == 0 => [(Duration::ZERO, budget), nothing, nothing],
            Pattern::Late(budget) => [(self.period.saturating_sub(budget), budget), nothing, nothing],
            Pattern::Slices { rate, .. } => {
                let by = |slice: u64| at_rate(u128::from(slice) * u128::from(self.period.as_ns()), rate);
                let length = by(number.saturating_add(1)) - by(number);
                [(Duration::ZERO, Duration::from_ns(length as u64)), nothing, nothing]
            }
            Pattern::Drawn(budget) => {
                let gap = self.period.saturating_sub(budget);
                let draw = |which: u64, most: Duration| {
                    self.draws.within(number.wrapping_add(1).wrapping_mul(8).wrapping_add(which), most)
                };
                let (mut gaps, mut cuts) =
                    ([draw(0, gap), draw(1, gap), draw(2, gap)], [draw(3, budget), draw(4, budget)]);
                gaps.sort_unstable();
                cuts.sort_unstable();
                let begins = [Duration::ZERO, cuts[0], cuts[1]];
                let ends = [cuts[0], cuts[1], budget];
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

/// `rate` times `length`, rounded up.
fn at_rate(length: u128, rate: Ratio) -> u128 {
    let (whole, rest) = (length / rate.denominator(), length % rate.denominator());
    whole * rate.numerator() + (rest * rate.numerator()).div_ceil(rate.denominator())
}

/// The longest period, with its budget, that serves the rate and has no gap longer than half of `delay`.
fn drawn_periods(rate: Ratio, delay: Duration, longest: Duration) -> (Duration, Duration) {
    let (half, without) = (u128::from(delay.as_ns() / 2), rate.denominator() - rate.numerator());
    // The gap is the rest of the period, rounded down.
    let period = ((half + 1) * rate.denominator() - 1).checked_div(without).unwrap_or(u128::MAX);
    let period = period.clamp(1, longest.as_ns().into());
    // Both are at most `longest`.
    (Duration::from_ns(at_rate(period, rate) as u64), Duration::from_ns(period as u64))
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

    fn supplied(supply: Supply, times: SupplyTimes, seed: u64) -> Option<SimulatedSupply> {
        SimulatedSupply::new(supply, 1, Duration::from_ns(1 << 61), times, seed)
    }

    fn bounded(over: u128, under: u128, delay: u64) -> Supply {
        Supply::BoundedDelay { rate: Ratio::new(over, under).unwrap(), delay }
    }

    fn unserved(supply: SimulatedSupply, from: u64, to: u64) -> Vec<(u64, u64)> {
        let gaps = supply.unserved(Instant::from_ns(from), Instant::from_ns(to));
        gaps.iter().map(|(from, to)| (from.as_ns(), to.as_ns())).collect()
    }

    #[test]
    fn the_worst_supply_serves_nothing_for_two_gaps() {
        let supply = supplied(Supply::Periodic { budget: 4, period: 10 }, SupplyTimes::Worst, 1).unwrap();
        assert_eq!(unserved(supply, 0, 30), [(0, 12), (16, 22), (26, 30)]);
        assert_eq!(unserved(supply, 14, 20), [(16, 20)]);
    }

    #[test]
    fn a_drawn_supply_gives_its_budget_in_every_period() {
        for seed in 0..200 {
            let supply = supplied(Supply::Periodic { budget: 7, period: 20 }, SupplyTimes::Random, seed).unwrap();
            let first = 20 - supply.before.as_ns();
            for period in 0..50 {
                let (from, to) = (first + 20 * period, first + 20 * (period + 1));
                let gaps: u64 = unserved(supply, from, to).iter().map(|(from, to)| to - from).sum();
                assert_eq!(gaps, 13, "seed {seed}, period {period}");
            }
        }
    }

    #[test]
    fn a_rate_comes_in_slices_after_its_delay() {
        let supply = supplied(bounded(2, 5, 24), SupplyTimes::Worst, 1).unwrap();
        // A gap of 3, an eighth of the delay, in slices of 5.
        assert_eq!(unserved(supply, 0, 39), [(0, 24), (26, 29), (31, 34), (36, 39)]);
        assert_eq!(unserved(supply, 25, 30), [(26, 29)]);
        let whole = supplied(bounded(1, 1, 7), SupplyTimes::Worst, 1).unwrap();
        assert_eq!(unserved(whole, 0, 1_000_000), [(0, 7)]);
        assert!(supplied(bounded(2, 5, 0), SupplyTimes::Worst, 1).is_none(), "a slower processor");
        assert!(supplied(bounded(1, 5, 5), SupplyTimes::Worst, 1).is_none(), "no room for rounding");
    }

    #[test]
    fn every_interval_has_the_rate_after_the_delay() {
        for (over, under, delay) in [(2, 5, 24), (1, 3, 7), (3, 4, 9), (19, 20, 6), (1, 7, 30), (1, 2, 4), (1, 1, 3)] {
            let asked = bounded(over, under, delay);
            let all = (0..20).map(|seed| (SupplyTimes::Random, seed)).chain([(SupplyTimes::Worst, 0)]);
            for (times, seed) in all {
                let supply = supplied(asked, times, seed).unwrap();
                let mut is_served = vec![true; 400];
                unserved(supply, 0, 400)
                    .iter()
                    .for_each(|(from, to)| is_served[*from as usize..*to as usize].fill(false));
                for from in 0..400 {
                    let mut served = 0u128;
                    for (length, is_served) in is_served[from..].iter().enumerate() {
                        assert!(
                            served * under >= (length as u128).saturating_sub(delay.into()) * over,
                            "{asked}, {times} {seed}: {served} in {length} from {from}"
                        );
                        served += u128::from(*is_served);
                    }
                }
            }
        }
    }
}
