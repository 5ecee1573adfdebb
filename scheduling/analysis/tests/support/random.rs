//! Small random task sets, for which everything can be tried.

use prazo_analysis::{DeadlineKind, Task};

/// A seed of the environment or the given one, printed so that a failure can be repeated.
pub fn seeded(test: &str, seed: u64) -> fastrand::Rng {
    let seed = std::env::var("PRAZO_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(seed);
    eprintln!("{test}: PRAZO_SEED={seed}");
    fastrand::Rng::with_seed(seed)
}

/// How many sets a test tries: PRAZO_SETS, or `usual`.
pub fn sets(usual: u32) -> u32 {
    std::env::var("PRAZO_SETS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// One deadline kind after the other is drawn equally often.
pub fn deadlines(random: &mut fastrand::Rng) -> DeadlineKind {
    [DeadlineKind::Implicit, DeadlineKind::Constrained, DeadlineKind::Arbitrary][random.usize(0..3)]
}

/// Up to `most` tasks with periods up to 12 and costs that can end in time, light and heavy ones mixed.
pub fn small_set(random: &mut fastrand::Rng, most: usize, kind: DeadlineKind) -> Vec<Task> {
    (0..random.usize(1..=most)).map(|_| small_task(random, kind)).collect()
}

fn small_task(random: &mut fastrand::Rng, kind: DeadlineKind) -> Task {
    let period = random.u64(1..=12);
    let most = if random.bool() { period } else { period.div_ceil(3) };
    let cost = random.u64(1..=most);
    let deadline = match kind {
        DeadlineKind::Implicit => period,
        DeadlineKind::Constrained => random.u64(cost..=period),
        DeadlineKind::Arbitrary => random.u64(cost..=3 * period),
    };
    Task::new(cost, period, deadline)
}
