//! What is drawn for one candidate: numbers by name, so that a draw that is added later changes no other one.

use prazo_core::hash::{GOLDEN, fnv1a, mixed};

/// The draws of one candidate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draws(u64);

impl Draws {
    /// Those of the candidate with this number in a hunt with this seed.
    pub(super) fn of(seed: u64, number: u64) -> Self {
        Self(mixed(mixed(seed).wrapping_add(number.wrapping_add(1).wrapping_mul(GOLDEN))))
    }

    /// A number below `end`, which is at least 1.
    pub(super) fn below(self, what: &str, end: u64) -> u64 {
        mixed(self.0 ^ fnv1a(what.as_bytes())) % end.max(1)
    }

    /// A number from 0 to 1, both included, in steps of a thousandth.
    fn share(self, what: &str) -> f64 {
        self.below(what, 1_001) as f64 / 1_000.0
    }

    /// Between the two, both above 0: their ratio is divided evenly, so that half and double are equally likely.
    pub(super) fn by_ratio(self, what: &str, least: f64, most: f64) -> f64 {
        least * (most / least).powf(self.share(what))
    }
}
