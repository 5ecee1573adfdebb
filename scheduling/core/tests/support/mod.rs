//! What the tests of this crate share: a slow, obvious scheduler and a seeded source of numbers.

pub mod naive;
pub mod random;
