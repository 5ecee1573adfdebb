//! The test that only looks at capacity, which the packing has done already: the sum of C/T is at most the bin's processors.
//!
//! It proves nothing, and so packs clusters that are to be tested afterwards (Vitor 2013 section IV-C).

use super::{BinTest, Candidate, Fit, Sums, SureFit};

/// Takes whatever has room.
#[derive(Clone, Copy, Debug, Default)]
pub struct Capacity;

impl BinTest for Capacity {
    fn fits(&mut self, _: &Candidate<'_>) -> Fit {
        Fit { takes: true, finding: None, work: 0 }
    }

    fn sure_fit(&self, _: &Sums) -> Option<SureFit> {
        Some(SureFit::Capacity)
    }
}
