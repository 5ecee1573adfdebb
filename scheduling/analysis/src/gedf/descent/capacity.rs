//! A capacity that grows in proportion to the window, and what is asked of it.

use crate::{Margin, Quantity, Ticks};
use prazo_core::ratio::Ratio;

/// `per_tick / scale` processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gedf) struct Capacity {
    /// Work in a tick, scaled; not zero.
    pub per_tick: u128,
    /// What work is scaled by to be whole; not zero.
    pub scale: u128,
}

/// Work that one window has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::gedf) struct WindowDemand {
    /// Work, scaled as the capacity is.
    pub work: u128,
    /// The task that asks it, if a test asks for each.
    pub task: Option<usize>,
}

impl Capacity {
    /// `processors`, each giving one tick of work in a tick.
    pub(crate) fn of_processors(processors: u32) -> Self {
        Self { per_tick: processors.into(), scale: 1 }
    }

    /// Processors, in lowest terms.
    pub(crate) fn ratio(self) -> Ratio {
        Ratio::new(self.per_tick, self.scale).expect("the scale is not zero")
    }

    /// The shortest window that holds `work`.
    #[inline]
    pub(crate) fn window_for(self, work: u128) -> u128 {
        match (u64::try_from(work), u64::try_from(self.per_tick)) {
            (Ok(work), Ok(per_tick)) => work.div_ceil(per_tick).into(),
            _ => work.div_ceil(self.per_tick),
        }
    }

    /// Both sides at `window`, for a reader.
    pub(crate) fn margin(self, demand: WindowDemand, window: Ticks) -> Margin {
        let scale = self.scale as f64;
        let (demand, capacity) = (demand.work as f64 / scale, self.per_tick as f64 / scale * window as f64);
        Margin { demand, capacity, of: Quantity::Work { window } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_window_just_holds_the_work() {
        let capacity = Capacity { per_tick: 7, scale: 3 };
        assert_eq!([0, 1, 7, 8, 14].map(|work| capacity.window_for(work)), [0, 1, 1, 2, 2]);
        let long = Capacity { per_tick: 3, scale: 1 << 48 };
        assert_eq!(long.window_for(3 << 100), 1 << 100);
        assert_eq!(capacity.margin(WindowDemand { work: 6, task: None }, 3).capacity, 7.0);
    }
}
