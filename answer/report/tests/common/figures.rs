//! Chance that is the same every time, for made-up runs.

/// A seeded source of chance (splitmix64), so that each report is the same every time.
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xd134_2543_de82_ef95) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// Uniform in [0, 1).
    pub(super) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A latency about `typical` ns, log-normal with `spread`, and with probability `stalls` far beyond.
    pub(super) fn latency(&mut self, typical: i64, spread: f64, stalls: f64) -> i64 {
        let normal: f64 = (0..6).map(|_| self.uniform()).sum::<f64>() - 3.0;
        let stall =
            if self.uniform() < stalls { (12.0 * (1.0 / (1.0 - self.uniform())).powf(0.6)).min(400.0) } else { 1.0 };
        (typical as f64 * (normal * spread * 1.4).exp() * stall) as i64
    }
}
