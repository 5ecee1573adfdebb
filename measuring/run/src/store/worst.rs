//! The worst samples of one series: latency descending, then in order of activation; never more than a fixed number.

use super::Sample;
use crate::run::{WORST_KEPT, WorstSample};

/// The worst samples seen so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Worst {
    kept: Vec<WorstSample>,
    grown: bool,
}

impl Worst {
    /// Goes on from a list that was kept before, worst first.
    pub(super) fn from_kept(kept: Vec<WorstSample>) -> Self {
        Self { kept, grown: false }
    }

    /// Takes what is worse than the least of the kept ones from samples in ascending order of latency.
    pub(super) fn offer(&mut self, ascending: &[Sample]) {
        let floor = self.kept.get(WORST_KEPT - 1).map(|least| least.latency_ns);
        let before = self.kept.len();
        let candidates = ascending.iter().rev().take(WORST_KEPT);
        self.kept.extend(candidates.take_while(|sample| floor.is_none_or(|floor| sample.latency_ns > floor)).map(keep));
        if self.kept.len() > before {
            self.grown = true;
            self.kept.sort_by_key(|sample| (std::cmp::Reverse(sample.latency_ns), sample.activation));
            self.kept.truncate(WORST_KEPT);
        }
    }

    /// The list, worst first, if any offer changed it.
    pub(super) fn changed(&self) -> Option<&[WorstSample]> {
        self.grown.then_some(&self.kept)
    }
}

fn keep(sample: &Sample) -> WorstSample {
    WorstSample { at_ns: sample.due_ns, latency_ns: sample.latency_ns, activation: sample.activation }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_order_of_offers_keeps_the_same_worst(
            latencies in prop::collection::vec(0i64..3_000, 0..3_000),
            chunk in 1usize..500,
        ) {
            let all: Vec<Sample> = (0..).zip(&latencies).map(|(activation, latency_ns)| Sample {
                activation, due_ns: 0, latency_ns: *latency_ns,
            }).collect();
            let mut worst = Worst::default();
            for part in all.chunks(chunk) {
                let mut part = part.to_vec();
                part.sort_by_key(|sample| sample.latency_ns);
                worst.offer(&part);
            }
            let mut obvious = latencies;
            obvious.sort_unstable_by(|a, b| b.cmp(a));
            obvious.truncate(WORST_KEPT);
            let kept: Vec<i64> = worst.changed().unwrap_or_default().iter().map(|sample| sample.latency_ns).collect();
            prop_assert_eq!(kept, obvious);
        }
    }
}
