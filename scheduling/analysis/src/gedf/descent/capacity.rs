//! A capacity that grows in proportion to the window.

use super::{Judgement, Sides};
use crate::Ticks;
use prazo_core::ratio::Ratio;

/// `per_tick / scale` processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gedf) struct Capacity {
    /// Work in a tick, scaled; not zero.
    pub per_tick: u128,
    /// What work is scaled by to be whole; not zero.
    pub scale: u128,
}

impl Capacity {
    /// Processors, in lowest terms.
    pub fn ratio(self) -> Ratio {
        Ratio::new(self.per_tick, self.scale).unwrap_or(Ratio::ZERO)
    }

    /// Whether the scaled `work` fits into `window`, and the shortest window into which it would.
    pub fn judge(self, window: Ticks, work: u128) -> Judgement {
        let from = work.div_ceil(self.per_tick);
        let processors = self.per_tick as f64 / self.scale as f64;
        let (demand, capacity) = (work as f64 / self.scale as f64, processors * window as f64);
        let sides = Sides { demand, capacity, window, task: None };
        match u64::try_from(from) {
            Ok(from) if from <= window => Judgement::HoldsFrom { from, sides },
            _ => Judgement::Fails(sides),
        }
    }
}
