//! The confidence of every interval, and what is left of it for error.

/// How often an interval holds what it is about.
pub const CONFIDENCE: f64 = 0.95;

/// What may be wrong, in one direction or in both together. A number of its own: 1 - 0.95 is not quite 0.05 in binary.
pub(crate) const ALPHA: f64 = 0.05;

/// What may be wrong in each of two directions.
pub(crate) const ALPHA_OF_A_SIDE: f64 = 0.025;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_one_number() {
        assert!((1.0 - CONFIDENCE - ALPHA).abs() < 1e-15 && 2.0 * ALPHA_OF_A_SIDE == ALPHA);
        assert_eq!(1.0 - ALPHA_OF_A_SIDE, 0.975);
    }
}
