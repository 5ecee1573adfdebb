//! Two kinds of tasks in one set: many light ones, few heavy ones.

use super::random::below;
use super::uniform::Uniform;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU16;

/// `parts[0]` of all tasks are `light`, `parts[1]` `heavy`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bimodal {
    parts: [NonZeroU16; 2],
    #[serde(default = "light_half")]
    light: Uniform,
    #[serde(default = "heavy_half")]
    heavy: Uniform,
}

const fn light_half() -> Uniform {
    Uniform::between(0.001, 0.5)
}

const fn heavy_half() -> Uniform {
    Uniform::HEAVY
}

impl Bimodal {
    /// 8 light ones to 1 heavy one.
    pub const LIGHT: Bimodal = Bimodal::of(8, 1);
    /// 6 light ones to 3 heavy ones.
    pub const MEDIUM: Bimodal = Bimodal::of(6, 3);
    /// 4 light ones to 5 heavy ones.
    pub const HEAVY: Bimodal = Bimodal::of(4, 5);

    /// Light tasks in [0.001, 0.5] and heavy ones in [0.5, 0.9], in this proportion.
    const fn of(light: u16, heavy: u16) -> Self {
        let (Some(light), Some(heavy)) = (NonZeroU16::new(light), NonZeroU16::new(heavy)) else {
            panic!("a kind without tasks")
        };
        Self { parts: [light, heavy], light: light_half(), heavy: heavy_half() }
    }

    /// One task's utilization.
    pub fn share(&self, rng: &mut ChaCha8Rng) -> f64 {
        let [light, heavy] = self.parts.map(|part| u64::from(part.get()));
        let kind = if below(rng, light + heavy) < light { &self.light } else { &self.heavy };
        kind.share(rng)
    }
}

#[cfg(test)]
mod tests {
    use super::super::set_rng;
    use super::*;

    #[test]
    fn the_kinds_appear_in_their_proportion() {
        for (family, heavy_of_nine) in [(Bimodal::LIGHT, 1), (Bimodal::MEDIUM, 3), (Bimodal::HEAVY, 5)] {
            let mut rng = set_rng(5, 0, heavy_of_nine);
            let heavy = (0..9_000).filter(|_| family.share(&mut rng) >= 0.5).count();
            assert!(
                heavy.abs_diff(1_000 * heavy_of_nine as usize) < 200,
                "{heavy} of 9000, expected {heavy_of_nine} of 9"
            );
        }
    }
}
