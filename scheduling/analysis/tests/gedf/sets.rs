//! Random task sets: small integers that hit equalities, periods of thousands, and the longest times there are.

use prazo_analysis::{TICKS_MAX, Task};

/// Draws a set and a number of processors.
type Draw = fn(&mut fastrand::Rng) -> (Vec<Task>, u32);

/// A number of sets of each kind, drawn from a seed.
pub(crate) struct Sets {
    seed: u64,
    kinds: Vec<(u64, Draw)>,
}

fn environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The sets of every ordinary run; PRAZO_SEED draws others.
const SEED: u64 = 20_261_121;

impl Sets {
    /// Up to seven tasks with periods up to 12, on up to five processors; all kinds of deadlines.
    pub(crate) fn small() -> Self {
        Self::of(1, small)
    }

    /// One or two tasks that nearly fill a processor and have late deadlines, beside short ones with early deadlines:
    /// the class in which tests that forget min(D, T) prove sets that miss.
    pub(crate) fn heavy_and_late() -> Self {
        Self::of(1, heavy_and_late)
    }

    /// Up to forty light tasks with periods of thousands of ticks, where slacks are refined over several rounds.
    pub(crate) fn long_periods() -> Self {
        Self::of(20, long_periods)
    }

    /// Times up to 2^48, and up to 2^32 - 1 processors.
    pub(crate) fn longest_times() -> Self {
        Self::of(20, longest_times)
    }

    fn of(rarity: u64, draw: Draw) -> Self {
        let seed = environment("PRAZO_SEED").unwrap_or(SEED);
        Self { seed, kinds: vec![(environment("PRAZO_SETS").unwrap_or(10_000) / rarity, draw)] }
    }

    /// These, then those.
    pub(crate) fn chain(mut self, other: Self) -> Self {
        self.kinds.extend(other.kinds);
        self
    }

    /// Shows every set to `look`: its tasks, the number of processors, and what repeats it.
    pub(crate) fn each(self, mut look: impl FnMut(&[Task], u32, &str)) {
        let mut rng = fastrand::Rng::with_seed(self.seed);
        let origin = format!("PRAZO_SEED={}", self.seed);
        for (count, draw) in self.kinds {
            for _ in 0..count {
                let (tasks, processors) = draw(&mut rng);
                look(&tasks, processors, &origin);
            }
        }
    }
}

fn small(rng: &mut fastrand::Rng) -> (Vec<Task>, u32) {
    let kind = rng.u32(0..3);
    let most_of_period = rng.u64(1..=4);
    let tasks = (0..rng.usize(1..=7)).map(|_| {
        let period = rng.u64(1..=12);
        let cost = rng.u64(1..=(period * most_of_period).div_ceil(4));
        let deadline = match kind {
            0 => period,
            1 => rng.u64(cost..=period),
            _ => rng.u64(cost..=3 * period),
        };
        Task::new(cost, period, deadline)
    });
    (tasks.collect(), rng.u32(1..=5))
}

fn heavy_and_late(rng: &mut fastrand::Rng) -> (Vec<Task>, u32) {
    let mut tasks: Vec<Task> = (0..rng.usize(1..=2))
        .map(|_| {
            let period = rng.u64(3..=30);
            Task::new(period - rng.u64(0..=period / 2), period, rng.u64(period..=5 * period))
        })
        .collect();
    tasks.extend((0..rng.usize(1..=4)).map(|_| {
        let period = rng.u64(2..=9);
        let cost = rng.u64(1..=period.div_ceil(3));
        Task::new(cost, period, rng.u64(cost..=period))
    }));
    (tasks, rng.u32(2..=3))
}

fn long_periods(rng: &mut fastrand::Rng) -> (Vec<Task>, u32) {
    let (implicit, share) = (rng.bool(), rng.u64(2..=12));
    let tasks = (0..rng.usize(2..=40)).map(|_| {
        let period = rng.u64(300..=3_300);
        let cost = rng.u64(1..=period / share);
        Task::new(cost, period, if implicit { period } else { rng.u64(cost + (period - cost) / 2..=period) })
    });
    (tasks.collect(), rng.u32(2..=8))
}

fn longest_times(rng: &mut fastrand::Rng) -> (Vec<Task>, u32) {
    let tasks = (0..rng.usize(1..=12)).map(|_| {
        let time = |rng: &mut fastrand::Rng| TICKS_MAX >> rng.u32(0..4) | 1;
        let period = time(rng).min(TICKS_MAX) - rng.u64(0..3);
        let deadline = if rng.bool() { period } else { time(rng).min(TICKS_MAX) - rng.u64(0..3) };
        Task::new((period.min(deadline) >> rng.u32(0..5)).max(1) - rng.u64(0..=1), period, deadline)
    });
    (tasks.collect(), [1, 2, 5, 16, u32::MAX][rng.usize(0..5)])
}
