//! Small random task sets, for which everything can be tried.

use prazo_core::task::{DeadlineKind, Task};

/// The seed of every ordinary run, or the one that `PRAZO_SEED` asks for; printed, so that a failure can be repeated.
pub fn seed(test: &str, ordinary: u64) -> u64 {
    let seed = from_environment("PRAZO_SEED").unwrap_or(ordinary);
    eprintln!("{test}: PRAZO_SEED={seed}");
    seed
}

/// Draws from [`seed`].
pub fn seeded(test: &str, ordinary: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(seed(test, ordinary))
}

/// How many random sets a test tries: `PRAZO_SETS` (a million takes minutes), or the usual number.
pub fn sets(usual: usize) -> usize {
    from_environment("PRAZO_SETS").unwrap_or(usual)
}

fn from_environment<T: std::str::FromStr>(variable: &str) -> Option<T> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is '{text}', and takes a number")))
}

/// One deadline kind after the other is drawn equally often.
pub fn deadlines(random: &mut fastrand::Rng) -> DeadlineKind {
    [DeadlineKind::Implicit, DeadlineKind::Constrained, DeadlineKind::Arbitrary][random.usize(0..3)]
}

/// What random sets look like.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// At most so many tasks.
    pub tasks: usize,
    /// Periods are drawn from these.
    pub periods: &'static [u64],
    /// Deadlines up to so many periods; 0 for implicit ones.
    pub deadline_periods: u64,
    /// Jitter up to so many ticks.
    pub jitter: u64,
    /// Costs are at most the period over this.
    pub lightness: u64,
}

/// A random set of `family`.
pub fn set(random: &mut fastrand::Rng, family: Family) -> Vec<Task> {
    let count = random.usize(1..=family.tasks);
    let task = |random: &mut fastrand::Rng| {
        let period = *random.choice(family.periods).expect("periods to choose from");
        let deadline = match family.deadline_periods {
            0 => period,
            times => random.u64(1..=times * period),
        };
        let cost = random.u64(1..=(period / family.lightness).max(1));
        Task { jitter: random.u64(0..=family.jitter), ..Task::new(cost, period, deadline) }
    };
    (0..count).map(|_| task(random)).collect()
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
