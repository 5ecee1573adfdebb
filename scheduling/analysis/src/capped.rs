//! Where m processors catch up with a sum of capped terms: the step of a response-time analysis that does not creep.
//!
//! A window of C - 1 + x ticks leaves x of them to others, and the job is served where the sum of what each other task can
//! take, at most x, is below m x. Plain iteration creeps: where m terms grow with x, it gains a tick a turn. Each term grows
//! by steps of slope one, so from the present x on it is at least min(x + offset, cap), up to the end of the step it is
//! on. The sum of those is concave; the least x that satisfies it is found by Newton's method, cannot lie beyond the one
//! sought, and is the next x.

use crate::Ticks;

/// min(x + offset, cap), a lower bound of a term from the present x on, exact at the present one.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// At most 0: how far the work lies below x.
    offset: i64,
    /// What the work can become at most on its step.
    cap: i64,
}

impl Term {
    /// The term of a task that can take `work` ticks of the present window, and more of longer ones until it has `cap`.
    #[inline]
    pub fn new(work: Ticks, cap: Ticks, x: Ticks) -> Self {
        Self { offset: (work as i64 - x as i64).min(0), cap: cap as i64 }
    }
}

/// m x minus the sum of the terms, as the line `slope x - constant` that touches it at one x from the left.
#[derive(Clone, Copy, Debug)]
struct Line {
    slope: i128,
    constant: i128,
}

impl Line {
    fn touching(terms: &[Term], processors: u32, x: i128) -> Self {
        let mut line = Self { slope: processors.into(), constant: 0 };
        for term in terms {
            let rises = x + i128::from(term.offset) <= i128::from(term.cap);
            line.slope -= i128::from(rises);
            line.constant += i128::from(if rises { term.offset } else { term.cap });
        }
        line
    }

    fn at(self, x: i128) -> i128 {
        self.slope * x - self.constant
    }

    fn least_above_zero(self) -> i128 {
        self.constant / self.slope + 1
    }
}

/// The least x' >= `x` at which the sum of the terms is below m x'; there floor(sum / m) <= x' - 1.
///
/// m x minus a concave sum is convex, so its tangents lie below: the first place where a tangent is above zero is
/// never left of the one sought, and to stay is to have arrived. A tangent's slope is positive there, for the
/// difference was not above zero at `x` and is further right.
pub fn least_x(terms: &[Term], processors: u32, x: Ticks) -> u128 {
    let line = |x| Line::touching(terms, processors, x);
    if line(x.into()).at(x.into()) > 0 {
        return x.into();
    }
    let caps: i128 = terms.iter().map(|term| i128::from(term.cap)).sum();
    let mut right = caps / i128::from(processors) + 1;
    loop {
        let next = line(right).least_above_zero();
        if next == right {
            return right as u128;
        }
        right = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_x_is_that_of_a_search_tick_by_tick() {
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..5_000 {
            let (processors, x) = (random.u32(1..=4), random.u64(1..20));
            let mut term = |_| {
                let work = random.u64(0..40);
                Term::new(work, work + random.u64(0..20), x)
            };
            let terms: Vec<Term> = (0..6).map(&mut term).collect();
            let sum = |x: u64| terms.iter().map(|term| (x as i64 + term.offset).min(term.cap)).sum::<i64>();
            let searched = (x..).find(|&x| sum(x) < i64::from(processors) * x as i64).unwrap();
            assert_eq!(least_x(&terms, processors, x), u128::from(searched), "{terms:?} on {processors} from {x}");
        }
    }
}
