//! What the tests of this crate share: a slow, obvious scheduler and a seeded source of numbers.

pub(crate) mod naive;
pub(crate) mod random;
