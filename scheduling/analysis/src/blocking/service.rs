//! What a supply serves in an interval at least, and by when it has served some work at the latest.
//!
//! The tasks have a budget Q in every period P. The least that they have in an interval of t is
//!
//! ```text
//! sbf(t) = k Q + max(0, t - 2 (P - Q) - k P)      k = floor((t - (P - Q)) / P), for t >= P - Q; else 0
//! ```
//!
//! That is what they have from the end of a budget on that was served at the very beginning of its period, where all later ones
//! are served at the end of theirs: nothing for 2 (P - Q), then Q and a gap of P - Q in turn. One supply has that in all
//! intervals from this instant on, so a bound that is reached with sbf is reached by some legal supply. Both gaps and budgets
//! are whole ticks, and work is; so the least t with sbf(t) >= w is a whole tick too:
//!
//! ```text
//! t = w + (P - Q) (2 + floor((w - 1) / Q))        for w > 0
//! ```
//!
//! Of two intervals one behind the other, sbf(s + t) >= sbf(s) + sbf(t), for the supply in both is at least that. Shin, Lee, RTSS
//! 2003; Davis, Burns, RTSS 2005.
//!
//! With bounded delay D at a rate of n/d, what they have in an interval of t is at least (Mok, Feng, Chen, RTAS 2001)
//!
//! ```text
//! sbf(t) = max(0, (t - D) n/d)        sbf(s + t) >= sbf(s) + sbf(t) here too
//! ```
//!
//! Work and intervals in which something is due are whole ticks, so sbf(t) rounded down serves as much of it at a whole t. Work w is served
//! by t = D + w d/n, rounded up: releases of the worst case are at whole ticks, so none lies between t and t rounded up, and the first
//! whole tick at which all work released before it is served is the exact instant, rounded up. A deadline is a whole tick; it is met by both or neither.
//!
//! The bound is reached as nearly as one likes where D > 0: the processor stays away for a little less than D, and then comes in slices of the rate that
//! are short enough. Where w > sbf(t), w exceeds it by 1/d at least, and slices shorter than that leave some of w undone at t. With D = 0 the
//! model is a processor that is slower by n/d.

use crate::SetError;
use prazo_core::behaviour::Supply;

/// What is served, and by when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// A budget Q in every period.
    Periodic {
        /// Q.
        budget: u128,
        /// P - Q.
        gap: u128,
    },
    /// `served` in every `of` after a delay.
    BoundedDelay {
        /// n.
        served: u128,
        /// d.
        of: u128,
        /// D.
        delay: u128,
    },
}

impl Service {
    /// That of `supply`, which is possible; without one the processor is always there.
    pub fn of(supply: Option<Supply>) -> Self {
        match supply {
            None => Self::Periodic { budget: 1, gap: 0 },
            Some(Supply::Periodic { budget, period }) => {
                Self::Periodic { budget: budget.into(), gap: (period - budget).into() }
            }
            Some(Supply::BoundedDelay { rate, delay }) => {
                Self::BoundedDelay { served: rate.numerator(), of: rate.denominator(), delay: delay.into() }
            }
        }
    }

    /// sbf: the least that is served in an interval of `length`, in whole ticks.
    pub fn least(&self, length: u128) -> u128 {
        match *self {
            Self::Periodic { budget, gap } => {
                let Some(since_gap) = length.checked_sub(gap) else { return 0 };
                let whole = since_gap / (budget + gap);
                whole * budget + (since_gap % (budget + gap)).saturating_sub(gap)
            }
            Self::BoundedDelay { served, of, delay } => {
                let rest = length.saturating_sub(delay);
                // Not the product at once, which may exceed 128 bits.
                rest / of * served + rest % of * served / of
            }
        }
    }

    /// The least whole length in which `work` is served whatever the supply; 0 for none.
    pub fn latest(&self, work: u128) -> u128 {
        let Some(before_last) = work.checked_sub(1) else { return 0 };
        match *self {
            Self::Periodic { gap: 0, .. } => work,
            Self::Periodic { budget, gap } => work.saturating_add(gap.saturating_mul(before_last / budget + 2)),
            Self::BoundedDelay { served, of, delay } => {
                let whole = (work / served).saturating_mul(of);
                whole.saturating_add((work % served * of).div_ceil(served)).saturating_add(delay)
            }
        }
    }

    /// From this length of an interval on, every further multiple of [`Self::repeats_every`] serves as much, at the rate of the long run.
    pub(super) fn settled_after(&self) -> u128 {
        match *self {
            Self::Periodic { budget, gap } => budget + gap,
            Self::BoundedDelay { delay, .. } => delay,
        }
    }

    /// See [`Self::settled_after`]. With bounded delay any length, where parts of a tick count.
    pub(super) fn repeats_every(&self) -> u128 {
        match *self {
            Self::Periodic { budget, gap } => budget + gap,
            Self::BoundedDelay { .. } => 1,
        }
    }
}

/// Refuses a supply that is none; see [`Supply::is_possible`].
pub fn check(supply: Option<Supply>) -> Result<(), SetError> {
    if supply.is_none_or(Supply::is_possible) { Ok(()) } else { Err(SetError::Supply) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::ratio::Ratio;
    use prazo_core::task::TICKS_MAX;

    /// The least over all phases and all places of the budgets in four periods, tick by tick.
    fn enumerated(budget: u32, period: u32, length: usize) -> u128 {
        let one: Vec<u32> = (0..1 << period).filter(|set: &u32| set.count_ones() == budget).collect();
        let periods = length.div_ceil(period as usize) as u32 + 1;
        let count = one.len().pow(periods);
        let least = (0..count).flat_map(|mut number| {
            let mut supply = Vec::new();
            for _ in 0..periods {
                supply.extend((0..period).map(|tick| one[number % one.len()] >> tick & 1));
                number /= one.len();
            }
            (0..period as usize).map(move |phase| supply[phase..phase + length].iter().sum::<u32>())
        });
        least.min().unwrap_or(0).into()
    }

    #[test]
    fn the_least_supply_is_that_of_all_phases_and_places() {
        for (budget, period) in [(1, 1), (1, 2), (2, 2), (1, 3), (2, 3), (3, 4), (1, 4), (2, 4)] {
            let service = Service::of(Some(Supply::Periodic { budget: budget.into(), period: period.into() }));
            for length in 0..=2 * period as usize + 2 {
                assert_eq!(
                    service.least(length as u128),
                    enumerated(budget, period, length),
                    "{budget}/{period} {length}"
                );
            }
        }
    }

    #[test]
    fn what_is_served_at_the_latest_inverts_the_least() {
        for period in 1..=9 {
            for budget in 1..=period {
                show_inverse(&Service::of(Some(Supply::Periodic { budget, period })));
                for delay in 0..5 {
                    let rate = Ratio::new(budget.into(), period.into()).unwrap();
                    show_inverse(&Service::of(Some(Supply::BoundedDelay { rate, delay })));
                }
            }
        }
        assert_eq!(Service::of(None).latest(7), 7);
    }

    fn show_inverse(service: &Service) {
        for work in 0..40 {
            let latest = service.latest(work);
            assert!(service.least(latest) >= work);
            assert!(latest == 0 || service.least(latest - 1) < work, "{service:?} {work}");
        }
        let mut pairs = (0..30).flat_map(|s| (0..30).map(move |t| (s, t)));
        assert!(pairs.all(|(s, t)| service.least(s + t) >= service.least(s) + service.least(t)));
    }

    #[test]
    fn a_bounded_delay_serves_its_rate_of_what_is_left() {
        let service = Service::of(Some(Supply::BoundedDelay { rate: Ratio::new(2, 5).unwrap(), delay: 6 }));
        let least: Vec<u128> = (5..=14).map(|length| service.least(length)).collect();
        assert_eq!(least, [0, 0, 0, 0, 1, 1, 2, 2, 2, 3]);
        assert_eq!((service.latest(1), service.latest(2), service.latest(3)), (9, 11, 14));
        let slow = Supply::BoundedDelay { rate: Ratio::new(1, u128::from(TICKS_MAX)).unwrap(), delay: 1 };
        assert_eq!(Service::of(Some(slow)).latest(u128::MAX), u128::MAX, "saturates");
        assert_eq!(Service::of(Some(slow)).least(u128::MAX), (u128::MAX - 1) / u128::from(TICKS_MAX));
    }

    #[test]
    fn a_reservation_serves_no_less_than_its_rate_after_two_gaps() {
        for (budget, period) in (1..9).flat_map(|period| (1..=period).map(move |budget| (budget, period))) {
            let reserved = Supply::Periodic { budget, period };
            let linear = Supply::BoundedDelay { rate: reserved.rate(), delay: 2 * (period - budget) };
            let [reserved, linear] = [reserved, linear].map(|supply| Service::of(Some(supply)));
            assert!((0..60).all(|length| reserved.least(length) >= linear.least(length)), "{budget}/{period}");
        }
    }
}
