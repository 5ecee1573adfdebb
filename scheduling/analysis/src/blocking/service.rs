//! What a reservation serves in an interval at least, and by when it has served some work at the latest.
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

use crate::Refused;
use prazo_core::behaviour::Supply;
use prazo_core::task::TICKS_MAX;

/// What is served, and by when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    /// Q.
    budget: u128,
    /// P.
    period: u128,
}

impl Service {
    /// That of `supply`; without one the processor is always there.
    pub fn of(supply: Option<Supply>) -> Self {
        let Supply { budget, period } = supply.unwrap_or(Supply { budget: 1, period: 1 });
        Self { budget: budget.into(), period: period.into() }
    }

    /// P - Q.
    fn gap(&self) -> u128 {
        self.period - self.budget
    }

    /// sbf: the least that is served in an interval of `length`.
    pub fn least(&self, length: u128) -> u128 {
        let Some(since_gap) = length.checked_sub(self.gap()) else { return 0 };
        let whole = since_gap / self.period;
        whole * self.budget + (since_gap % self.period).saturating_sub(self.gap())
    }

    /// The least length in which `work` is served whatever the supply; 0 for none.
    pub fn latest(&self, work: u128) -> u128 {
        let Some(before_last) = work.checked_sub(1) else { return 0 };
        work.saturating_add(self.gap().saturating_mul(before_last / self.budget + 2))
    }
}

/// Refuses a supply that is none: 0 < budget <= period <= 2^48.
pub fn check(supply: Option<Supply>) -> Result<(), Refused> {
    match supply {
        Some(Supply { budget, period }) if budget == 0 || budget > period || period > TICKS_MAX => Err(Refused::Supply),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let service = Service::of(Some(Supply { budget: budget.into(), period: period.into() }));
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
                let service = Service::of(Some(Supply { budget, period }));
                for work in 0..40 {
                    let latest = service.latest(work);
                    assert!(service.least(latest) >= work);
                    assert!(latest == 0 || service.least(latest - 1) < work, "{budget}/{period} {work}");
                }
                let mut pairs = (0..30).flat_map(|s| (0..30).map(move |t| (s, t)));
                assert!(pairs.all(|(s, t)| service.least(s + t) >= service.least(s) + service.least(t)));
            }
        }
        assert_eq!(Service::of(None).latest(7), 7);
    }
}
