//! The two laws of extremes, their fits, and intervals of their quantiles.

pub(super) mod gev;
pub(super) mod gpd;
pub(super) mod likelihood;
pub(super) mod redrawn;
pub(super) mod sorted;

/// A law with a fit in closed form, which can be drawn from.
pub(super) trait Law: Copy {
    /// The name in sentences.
    const NAME: &'static str;

    /// The fit to values in ascending order by probability-weighted moments; `None` if there is none.
    fn fitted(ascending: &[f64]) -> Option<Self>;

    /// The probability of a value of at most `x`.
    fn below(self, x: f64) -> f64;

    /// So many random values, in ascending order.
    fn drawn(self, count: usize, random: &mut fastrand::Rng) -> Vec<f64>;

    /// The shape; positive for a heavy tail.
    fn shape(self) -> f64;
}

/// (e^(shape x) - 1) / shape, and its limit x for a shape of 0.
pub(super) fn grown(shape: f64, x: f64) -> f64 {
    if (shape * x).abs() < 1e-9 { x } else { (shape * x).exp_m1() / shape }
}

/// ln(1 + shape x) / shape, and its limit x for a shape of 0: the inverse of [`grown`].
pub(super) fn shrunk(shape: f64, x: f64) -> f64 {
    if (shape * x).abs() < 1e-9 { x } else { (shape * x).ln_1p() / shape }
}
