//! "B at most so long after A": each time that A is reached, B must be within the limit; pure.
//!
//! One B answers every A before it. So only those A wait that no B has followed yet, and the limit bounds how many.

use std::collections::VecDeque;

/// So many wait at most; what finds no room is counted as unseen.
const WAITING: usize = 65_536;

/// The A that no B has followed yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Follows {
    /// Number and instant of each, oldest first.
    waiting: VecDeque<(u64, u64)>,
    /// How often A was reached.
    begun: u64,
    /// Those that found no room, or were lost.
    pub unseen: u64,
}

/// One A, and what followed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Followed {
    /// Its number, from 0.
    pub number: u64,
    /// When it was reached.
    pub at_ns: u64,
    /// B came after this; `None` where it did not come within the limit.
    pub after_ns: Option<u64>,
}

impl Follows {
    /// A is reached; `overdue` are those whose time was over before.
    pub(super) fn begin(&mut self, at_ns: u64, limit_ns: u64, overdue: impl FnMut(Followed)) {
        self.passed(at_ns, limit_ns, overdue);
        let number = self.begun;
        self.begun += 1;
        match self.waiting.len() < WAITING {
            true => self.waiting.push_back((number, at_ns)),
            false => self.unseen += 1,
        }
    }

    /// B is reached: it follows all that wait.
    pub(super) fn end(&mut self, at_ns: u64, limit_ns: u64, mut each: impl FnMut(Followed)) {
        self.passed(at_ns, limit_ns, &mut each);
        for (number, begun_ns) in self.waiting.drain(..) {
            each(Followed { number, at_ns: begun_ns, after_ns: Some(at_ns.saturating_sub(begun_ns)) });
        }
    }

    /// It is so late now: those whose time is over were not followed.
    pub(super) fn passed(&mut self, now_ns: u64, limit_ns: u64, mut overdue: impl FnMut(Followed)) {
        let is_over = |(_, at_ns): &(u64, u64)| now_ns.saturating_sub(*at_ns) > limit_ns;
        while let Some((number, at_ns)) = self.waiting.front().copied().filter(is_over) {
            self.waiting.pop_front();
            overdue(Followed { number, at_ns, after_ns: None });
        }
    }

    /// Records were lost: whether B followed is not known.
    pub(super) fn lost(&mut self) {
        self.unseen += 1 + self.waiting.len() as u64;
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Step {
        A,
        B,
    }

    proptest! {
        /// The twin looks for a B within the limit, A by A.
        #[test]
        fn each_a_has_its_b_or_none(
            steps in prop::collection::vec((1_u64..20, prop_oneof![Just(Step::A), Just(Step::B)]), 1..60),
            limit in 0_u64..40,
        ) {
            let mut at = 0;
            let steps: Vec<(u64, Step)> = steps.into_iter().map(|(gap, step)| { at += gap; (at, step) }).collect();
            let (mut follows, mut found) = (Follows::default(), Vec::new());
            for (at, step) in &steps {
                match step {
                    Step::A => follows.begin(*at, limit, |one| found.push(one)),
                    Step::B => follows.end(*at, limit, |one| found.push(one)),
                }
            }
            follows.passed(at + limit + 1, limit, |one| found.push(one));
            let of_kind = |wanted: Step| steps.iter().filter(move |(_, step)| *step == wanted).map(|(at, _)| *at);
            let expected: Vec<Followed> = of_kind(Step::A).zip(0..).map(|(a, number)| {
                let next = of_kind(Step::B).find(|b| *b > a);
                let after_ns = next.map(|b| b - a).filter(|after| *after <= limit);
                Followed { number, at_ns: a, after_ns }
            }).collect();
            found.sort_by_key(|one| one.number);
            prop_assert_eq!(found, expected);
            prop_assert_eq!(follows.unseen, 0);
        }
    }

    #[test]
    fn what_was_lost_is_unseen_and_neither_followed_nor_overdue() {
        let mut follows = Follows::default();
        follows.begin(10, 5, |_| panic!());
        follows.lost();
        follows.end(100, 5, |_| panic!());
        assert_eq!(follows.unseen, 2);
    }
}
