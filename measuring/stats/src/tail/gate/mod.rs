//! The tests behind the gates, one file a test; each decides at 5 % unless it says otherwise.

pub(super) mod bds;
pub(super) mod dispersion;
pub(super) mod fit;
pub(super) mod gaps;
pub(super) mod kpss;
pub(super) mod ljung_box;
pub(super) mod rescaled_range;

/// How often each gate refuses what it should let pass.
pub(super) const LEVEL: f64 = 0.05;
