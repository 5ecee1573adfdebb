//! Numbers that look random and come from a seed alone: the same on every machine and in every version.

use prazo_core::hash::{GOLDEN, fnv1a, mixed};

/// SplitMix64 (Steele, Lea and Flood, 2014).
#[derive(Clone, Debug)]
pub(super) struct Numbers(u64);

impl Numbers {
    /// The numbers of `name` under a seed; two names share none.
    pub(super) fn of(seed: u64, name: &str) -> Self {
        Self(seed ^ fnv1a(name.as_bytes()))
    }

    /// The numbers of one of several that have a name in common.
    pub(super) fn numbered(seed: u64, name: &str, number: u64) -> Self {
        Self::of(seed, &format!("{name} {number}"))
    }

    /// The numbers of one of several workers.
    pub(super) fn of_worker(seed: u64, worker: u32) -> Self {
        Self::numbered(seed, "worker", worker.into())
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mixed(self.0)
    }

    /// Below `end`, which is at least 1; the first values are more likely by less than `end` in 2^64.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// The numbers below `count`, each once (Fisher and Yates).
    pub(super) fn shuffled(&mut self, count: u32) -> Vec<u32> {
        let mut all: Vec<u32> = (0..count).collect();
        for place in (1..all.len()).rev() {
            all.swap(place, self.below(place as u64 + 1) as usize);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_has_every_number_once_and_follows_the_seed() {
        let of = |seed| Numbers::of(seed, "x").shuffled(1_000);
        let mut sorted = of(1);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..1_000).collect::<Vec<_>>());
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        assert!(Numbers::of(1, "x").shuffled(0).is_empty());
    }

    #[test]
    fn two_workers_share_no_numbers() {
        let of = |worker| Numbers::of_worker(1, worker).next();
        assert_ne!(of(0), of(1));
    }
}
