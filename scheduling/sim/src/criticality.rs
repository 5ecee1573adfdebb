//! Two criticalities: what a job may run in each mode, and by which deadline it is ranked in low mode.
//!
//! High mode begins when a job has run for C and has not ended. It drops all jobs of low criticality, and ends when no job is pending.

use prazo_core::ratio::Ratio;
use prazo_core::time::Duration;

/// What the modes mean for one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Criticality {
    /// C: when a job has run for so long and has not ended, high mode begins.
    budget: Duration,
    /// C(HI) of a task of high criticality.
    cost_high: Option<Duration>,
    /// x D: jobs are ranked by it in low mode; `None` if by D.
    virtual_deadline: Option<Duration>,
}

impl Criticality {
    /// A task of cost `budget`, of high criticality if it has another cost in high mode.
    pub fn new(budget: Duration, cost_high: Option<Duration>) -> Self {
        Self { budget, cost_high, virtual_deadline: None }
    }

    /// True if its jobs are never dropped.
    pub fn is_high(&self) -> bool {
        self.cost_high.is_some()
    }

    /// In low mode jobs are ranked by `deadline` times `factor`, rounded up.
    pub(crate) fn shorten(&mut self, deadline: Duration, factor: Ratio) {
        let whole = deadline.as_ns();
        self.virtual_deadline = Some(Duration::from_ns(product_rounded_up(whole, factor).min(whole)));
    }

    /// C.
    pub fn budget(&self) -> Duration {
        self.budget
    }

    /// x D, where that is not D.
    pub fn virtual_deadline(&self) -> Option<Duration> {
        self.virtual_deadline
    }

    /// What a job runs that would need `drawn`: a job of high criticality never needs more than C(HI).
    pub fn limited(&self, drawn: Duration) -> Duration {
        self.cost_high.map_or(drawn, |most| drawn.min(most))
    }
}

/// `whole` times `factor`, rounded up; `whole` where the factor is 1 or more. The product may be longer than 128 bits.
fn product_rounded_up(whole: u64, factor: Ratio) -> u64 {
    let (mut above, mut below) = (factor.numerator(), factor.denominator());
    if above >= below {
        return whole;
    }
    // Three times the denominator has to fit below. A shorter fraction is the next one above.
    while below.leading_zeros() < 2 {
        (above, below) = (above / 2 + 1, below / 2);
    }
    // Bit by bit, as by hand: `product` whole parts and `rest` of `below` parts.
    let (mut product, mut rest) = (0u64, 0u128);
    for bit in (0..u64::BITS).rev() {
        let sum = 2 * rest + if whole >> bit & 1 == 1 { above } else { 0 };
        product = product.saturating_mul(2).saturating_add((sum / below) as u64);
        rest = sum % below;
    }
    product.saturating_add(u64::from(rest > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn virtual_deadlines_are_rounded_up_and_never_beyond_the_deadline() {
        let mut high = Criticality::new(Duration::from_ns(2), Some(Duration::from_ns(5)));
        assert_eq!(high.virtual_deadline(), None);
        for (factor, shorter) in [((1, 3), 4), ((1, 2), 5), ((1, 1), 10), ((2, 1), 10)] {
            high.shorten(Duration::from_ns(10), Ratio::new(factor.0, factor.1).unwrap());
            assert_eq!(high.virtual_deadline(), Some(Duration::from_ns(shorter)));
        }
        // Fractions whose product with the deadline is longer than 128 bits.
        let third = u128::MAX / 3;
        for (factor, shorter) in [((third, u128::MAX), 333_333_333_334), ((third, u128::MAX - 1), 333_333_333_334)] {
            high.shorten(Duration::from_ns(1_000_000_000_000), Ratio::new(factor.0, factor.1).unwrap());
            assert_eq!(high.virtual_deadline(), Some(Duration::from_ns(shorter)), "{factor:?}");
        }
        assert_eq!([4, 5, 6].map(|ns| high.limited(Duration::from_ns(ns)).as_ns()), [4, 5, 5]);
    }
}
