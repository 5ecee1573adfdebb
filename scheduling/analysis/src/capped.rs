//! Where m processors catch up with a sum of capped terms: the step of a response-time analysis that does not creep.
//!
//! # The condition
//!
//! A job of cost C that is unfinished after a window of C + y has been kept from running for more than y. While it waits,
//! all m processors serve others. W_i is the most that task i can do in the window.
//!
//! - [`TimeModel::Continuous`]: the job has waited for y + e, and for every smaller e > 0 too. So the sum of min(W_i, y + e) is
//!   at least m (y + e) for every small e. Let k tasks have W_i > y. Then the job is finished if and only if k < m and the sum
//!   of min(W_i, y) is at most m y. This holds for arrivals at any real instant.
//! - [`TimeModel::Discrete`]: the job has waited for y + 1 ticks at least. It is finished if the sum of min(W_i, y + 1) is below
//!   m (y + 1). This is the form that the papers print. It holds for arrivals at whole ticks only.
//!
//! [`limit`] is what a term is capped at: y or y + 1.
//!
//! # The search
//!
//! Only whole y are looked at. A bound that is rounded up to a tick is still a bound.
//!
//! Plain iteration creeps: where m terms grow with y, it gains a tick a turn. Each term grows by steps of slope one, so from the
//! present limit x on it is at least min(x + offset, cap), up to the end of the step it is on. The sum of those is concave; the
//! least x that satisfies it is found by Newton's method, cannot lie beyond the one sought, and is the next x.

use crate::{Ticks, TimeModel};
use std::ops::{Add, Div, Mul, Sub};

/// What a task's work is capped at in a window that leaves others `laxity` ticks.
#[inline]
pub(crate) fn limit(time: TimeModel, laxity: Ticks) -> Ticks {
    match time {
        TimeModel::Continuous => laxity,
        TimeModel::Discrete => laxity + 1,
    }
}

/// The laxity whose [`limit`] is `limit`; the inverse.
#[inline]
pub(crate) fn laxity(time: TimeModel, limit: u128) -> u128 {
    match time {
        TimeModel::Continuous => limit,
        TimeModel::Discrete => limit - 1,
    }
}

/// The work of others in one window, each at most the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interference {
    /// Sum of the capped work.
    pub total: u128,
    /// How many tasks have more work than the limit.
    pub exceeding: u64,
}

impl Interference {
    /// Adds a task with `work`.
    #[inline]
    pub(crate) fn add(&mut self, work: Ticks, limit: Ticks) {
        self.total += u128::from(work.min(limit));
        self.exceeding += u64::from(work > limit);
    }

    /// Takes out a task with `work`, which was added before.
    #[inline]
    pub(crate) fn remove(&mut self, work: Ticks, limit: Ticks) {
        self.total -= u128::from(work.min(limit));
        self.exceeding -= u64::from(work > limit);
    }

    /// For how long a job can be delayed at most, in whole ticks; more than `laxity` if it may be unfinished after that.
    #[inline]
    pub(crate) fn delay(self, time: TimeModel, processors: u32, laxity: Ticks) -> u128 {
        match time {
            TimeModel::Continuous if self.exceeding >= processors.into() => u128::from(laxity) + 1,
            TimeModel::Continuous => self.total.div_ceil(processors.into()),
            TimeModel::Discrete => self.total / u128::from(processors),
        }
    }
}

/// min(x + offset, cap), a lower bound of a term from the present limit x on, exact at the present one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    /// At most 0: how far the work lies below x.
    offset: i64,
    /// What the work can become at most on its step.
    cap: i64,
    /// True if the work is above x; it stays so until x reaches the cap.
    exceeds: bool,
}

impl Term {
    /// The term of a task that can take `work` ticks of the present window, and more of longer ones until it has `cap`.
    #[inline]
    pub(crate) fn new(work: Ticks, cap: Ticks, limit: Ticks) -> Self {
        let offset = (work as i64 - limit as i64).min(0);
        Self { offset, cap: cap as i64, exceeds: work > limit }
    }
}

/// m x minus the sum of the terms, as the line `slope x - constant` that touches it at one x from the left.
#[derive(Clone, Copy, Debug)]
struct TouchingLine<N> {
    slope: N,
    constant: N,
}

/// Whole numbers that are long enough: of 64 bits where that is known, else of 128.
trait Number:
    Copy + From<i64> + Ord + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
}

impl Number for i64 {}
impl Number for i128 {}

impl<N: Number> TouchingLine<N> {
    #[inline]
    fn touching(terms: &[Term], processors: u32, x: N) -> Self {
        let (mut rising, mut constant) = (0, N::from(0));
        for term in terms {
            let (offset, cap) = (N::from(term.offset), N::from(term.cap));
            let rises = x + offset <= cap;
            rising += i64::from(rises);
            constant = constant + if rises { offset } else { cap };
        }
        Self { slope: N::from(i64::from(processors) - rising), constant }
    }

    fn at(self, x: N) -> N {
        self.slope * x - self.constant
    }
}

/// The least limit x' >= `x` at which the job is served, if the terms are what others can do.
///
/// m x minus a concave sum is convex, so its tangents lie below: the first place where a tangent is high enough is
/// never left of the one sought, and to stay is to have arrived. A tangent's slope is not negative there, for the
/// difference was not high enough at `x` and is further right. It is zero only in continuous time: exactly m terms grow with x,
/// the others are nothing, and the job is served where the first of the m ends, which is where the tangent touches.
pub(crate) fn least_limit(time: TimeModel, terms: &[Term], processors: u32, x: Ticks) -> u128 {
    let caps: i128 = terms.iter().map(|term| i128::from(term.cap)).sum();
    // No offset is below -x, and the search goes no further right than the sum of the caps: so each number below is at most
    // (n + m + 1) (x + 1) plus twice that sum.
    let many = terms.len() as i128 + i128::from(processors) + 1;
    if many * (i128::from(x) + 1) + 2 * caps < 1 << 62 {
        least_limit_by(time, terms, processors, x as i64, caps as i64) as u128
    } else {
        least_limit_by(time, terms, processors, i128::from(x), caps) as u128
    }
}

fn least_limit_by<N: Number>(time: TimeModel, terms: &[Term], processors: u32, x: N, caps: N) -> N {
    let (m, zero) = (N::from(processors.into()), N::from(0));
    let spare = N::from(i64::from(time == TimeModel::Discrete));
    let exceeding = || terms.iter().filter(|term| term.exceeds && N::from(term.cap) > x).count() as u64;
    if TouchingLine::touching(terms, processors, x).at(x) >= spare
        && (time == TimeModel::Discrete || exceeding() < processors.into())
    {
        return x;
    }
    let mut right = ceil(caps + spare, m);
    loop {
        let TouchingLine { slope, constant } = TouchingLine::touching(terms, processors, right);
        if slope == zero {
            return right;
        }
        let next = ceil(constant + spare, slope);
        if next == right {
            return right;
        }
        right = next;
    }
}

/// Rounded up; neither is negative.
fn ceil<N: Number>(over: N, under: N) -> N {
    (over + under - N::from(1)) / under
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The condition by its definition, in ticks `fine` times as short in continuous time: e is one of them.
    fn is_served(time: TimeModel, terms: &[Term], processors: u32, x: i64) -> bool {
        let fine = if time == TimeModel::Continuous { 1_000 } else { 1 };
        let e = i64::from(time == TimeModel::Continuous);
        let work = |term: &Term| {
            let grown = if term.exceeds { i64::MAX } else { (x + term.offset) * fine };
            grown.min(term.cap * fine).min(x * fine + e)
        };
        terms.iter().map(work).sum::<i64>() < i64::from(processors) * (x * fine + e)
    }

    #[test]
    fn the_least_limit_is_that_of_a_search_tick_by_tick() {
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        for &time in TimeModel::VALUES {
            for _ in 0..20_000 {
                let (processors, x) = (random.u32(1..=4), random.u64(limit(time, 0)..20));
                let (most, grows) = ([6, 40][random.usize(0..2)], random.u64(1..20));
                let mut term = |_| {
                    let work = random.u64(0..most) * random.u64(0..=1);
                    Term::new(work, work + random.u64(0..grows), x)
                };
                let terms: Vec<Term> = (0..6).map(&mut term).collect();
                let served = |x: &i64| is_served(time, &terms, processors, *x);
                let searched = (x as i64..).find(served).unwrap();
                let found = least_limit(time, &terms, processors, x);
                assert_eq!(found, searched as u128, "{time}: {terms:?} on {processors} from {x}");
            }
        }
    }

    #[test]
    fn numbers_of_64_and_of_128_bits_find_the_same() {
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        for &time in TimeModel::VALUES {
            for _ in 0..20_000 {
                let longest = [10, 33_000, 1 << 48][random.usize(0..3)];
                let (processors, x) = (random.u32(1..=16), random.u64(limit(time, 0)..=longest));
                let mut term = |_| {
                    let work = random.u64(0..=longest);
                    Term::new(work, random.u64(work..=longest), x)
                };
                let terms: Vec<Term> = (0..8).map(&mut term).collect();
                let caps: i128 = terms.iter().map(|term| i128::from(term.cap)).sum();
                let long = least_limit_by(time, &terms, processors, i128::from(x), caps);
                let short = least_limit_by(time, &terms, processors, x as i64, caps as i64);
                assert_eq!(long, i128::from(short), "{time}: {terms:?} on {processors} from {x}");
                assert_eq!(least_limit(time, &terms, processors, x), long as u128);
            }
        }
    }
}
