//! A proof holds for arrivals at any real instant, whatever the tick: every pattern of arrivals at halves and thirds of a tick
//! is tried, and scaling all times loses no proof.
//!
//! `PRAZO_SETS=100000 cargo test --release --test continuous_time` is the long form; `PRAZO_SEED` repeats a run.

use prazo_analysis::gfp::{self, System};
use prazo_analysis::uniprocessor::priority::PriorityOrder;
use prazo_analysis::{Budget, Task, TaskSet, TimeModel, gedf};
use prazo_oracle::any_arrival::{MissSearch, Order, search};
use prazo_oracle::{random, scaled};

/// One test, for global EDF or for global fixed priorities in the order of the tasks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Test {
    Edf(gedf::Test),
    FixedPriority(gfp::Test),
}

impl Test {
    fn all() -> impl Iterator<Item = Self> {
        let fixed_priority = gfp::Test::VALUES.iter().copied().map(Self::FixedPriority);
        gedf::Test::VALUES.iter().copied().map(Self::Edf).chain(fixed_priority)
    }

    fn order(self) -> Order {
        match self {
            Self::Edf(_) => Order::Edf,
            Self::FixedPriority(_) => Order::Fixed,
        }
    }

    fn proves(self, tasks: &[Task], processors: u32, time: TimeModel) -> bool {
        let (set, budget) = (TaskSet::new(tasks).unwrap(), &mut Budget::unlimited());
        let order = PriorityOrder::as_given(tasks.len());
        let finding = match self {
            Self::Edf(test) => gedf::apply(test, set, processors, time, budget),
            Self::FixedPriority(test) => {
                gfp::apply(test, System { tasks: set, order: &order, processors, time }, budget)
            }
        };
        finding.is_proven()
    }
}

/// Two to five tasks with C <= D <= T <= 7, in random order.
fn tiny_set(random: &mut fastrand::Rng) -> Vec<Task> {
    let constrained = random.bool();
    let task = |random: &mut fastrand::Rng| {
        let period = random.u64(1..=7);
        let most = if random.bool() { period } else { period.div_ceil(3) };
        let cost = random.u64(1..=most);
        Task::new(cost, period, if constrained { random.u64(cost..=period) } else { period })
    };
    (0..random.usize(2..=5)).map(|_| task(random)).collect()
}

/// The set of the changelog: proven for whole ticks, and with arrivals at half ticks the last task misses.
const BETWEEN_TICKS: [(u64, u64); 4] = [(1, 2), (1, 2), (1, 6), (2, 4)];

#[test]
fn a_set_that_misses_between_ticks_is_proven_for_whole_ticks_only() {
    let tasks = BETWEEN_TICKS.map(|(cost, period)| Task::implicit(cost, period));
    let guan = Test::FixedPriority(gfp::Test::Guan);
    assert!(guan.proves(&tasks, 2, TimeModel::Discrete));
    assert_eq!(search(&tasks, 2, Order::Fixed, 100_000), MissSearch::NoMiss);
    assert_eq!(search(&scaled(&tasks, 2), 2, Order::Fixed, 100_000), MissSearch::Miss);
    let proves = |test: Test| test.order() == Order::Fixed && test.proves(&tasks, 2, TimeModel::Continuous);
    assert!(!Test::all().any(proves));
}

/// States that a search may see, of each set and each part of a tick.
const STATES: usize = 3_000;

/// Of the sets that are proven in one time model: how many, and how many of them were seen to miss between ticks.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    proven: usize,
    missing: usize,
    /// Every pattern of arrivals was tried, none misses.
    exhausted: usize,
}

#[test]
fn no_set_that_is_proven_in_continuous_time_misses_between_ticks() {
    let mut random = random::seeded("continuous time", 61);
    let sets = random::sets(1_500);
    let mut counts = [(Order::Edf, [Count::default(); 2]), (Order::Fixed, [Count::default(); 2])];
    for _ in 0..sets {
        let (tasks, processors) = (tiny_set(&mut random), random.u32(2..=3));
        for (order, counts) in &mut counts {
            let proven =
                |time| Test::all().find(|test| test.order() == *order && test.proves(&tasks, processors, time));
            let [continuous, discrete] = [TimeModel::Continuous, TimeModel::Discrete].map(proven);
            assert!(discrete.is_some() || continuous.is_none(), "{continuous:?} proves {tasks:?}, not in whole ticks");
            if discrete.is_none() {
                continue;
            }
            let found = [2, 3].map(|parts| search(&scaled(&tasks, parts), processors, *order, STATES));
            let misses = found.contains(&MissSearch::Miss);
            assert!(!misses || continuous.is_none(), "{continuous:?} proves {tasks:?} on {processors}, which misses");
            for count in counts.iter_mut().zip([continuous, discrete]).filter_map(|(count, by)| by.map(|_| count)) {
                count.proven += 1;
                count.missing += usize::from(misses);
                count.exhausted += usize::from(found == [MissSearch::NoMiss; 2]);
            }
        }
    }
    for (order, [continuous, discrete]) in counts {
        eprintln!("{sets} sets, {order:?}: continuous {continuous:?}, discrete {discrete:?}");
        assert!(continuous.proven > sets / 20, "too few sets were proven to show anything");
        let catches = order == Order::Edf || sets < 1_000 || discrete.missing > 0;
        assert!(catches, "a search that finds no miss of a discrete proof shows nothing");
    }
}

#[test]
fn no_set_with_release_jitter_that_is_proven_misses_between_ticks() {
    let mut random = random::seeded("release jitter", 63);
    let sets = random::sets(1_500);
    let (mut proven, mut exhausted, mut needs_the_window) = ([0; gedf::Test::VALUES.len()], 0, 0);
    for _ in 0..sets {
        let (mut tasks, processors) = (tiny_set(&mut random), random.u32(2..=3));
        tasks.iter_mut().for_each(|task| task.jitter = random.u64(0..=(task.deadline - task.cost).min(2)));
        let by: Vec<usize> = (0..proven.len())
            .filter(|test| Test::Edf(gedf::Test::VALUES[*test]).proves(&tasks, processors, TimeModel::Continuous))
            .collect();
        let punctual: Vec<Task> = tasks.iter().map(|task| Task { jitter: 0, ..*task }).collect();
        let would_be =
            gedf::Test::VALUES.iter().any(|test| Test::Edf(*test).proves(&punctual, processors, TimeModel::Continuous));
        if by.is_empty() && !would_be {
            continue;
        }
        let found = [1, 2].map(|parts| search(&scaled(&tasks, parts), processors, Order::Edf, 4 * STATES));
        let misses = found.contains(&MissSearch::Miss);
        assert!(by.is_empty() || !misses, "{by:?} prove {tasks:?} on {processors}, which misses");
        by.iter().for_each(|test| proven[*test] += 1);
        exhausted += usize::from(!by.is_empty() && found == [MissSearch::NoMiss; 2]);
        needs_the_window += usize::from(misses);
    }
    eprintln!(
        "{sets} sets: proven by each {proven:?}, {exhausted} with every pattern tried; {needs_the_window} miss by jitter"
    );
    let mut by_test = gedf::Test::VALUES.iter().zip(proven);
    assert!(
        by_test.all(|(test, count)| *test == gedf::Test::Rta || count > sets / 50),
        "{proven:?}: too few to show anything"
    );
    assert!(needs_the_window > 0, "sets that miss only by their jitter are among those tried");
}

#[test]
fn no_set_with_release_jitter_that_is_proven_under_fixed_priorities_misses_between_ticks() {
    let mut random = random::seeded("release jitter, fixed priorities", 64);
    let sets = random::sets(600);
    let (mut proven, mut exhausted, mut needs_the_window) = (0, 0, 0);
    for _ in 0..sets {
        let (mut tasks, processors) = (tiny_set(&mut random), random.u32(2..=3));
        tasks.iter_mut().for_each(|task| task.jitter = random.u64(0..=(task.deadline - task.cost).min(2)));
        let proves = |tasks: &[Task]| {
            gfp::Test::VALUES
                .iter()
                .any(|test| Test::FixedPriority(*test).proves(tasks, processors, TimeModel::Continuous))
        };
        let punctual: Vec<Task> = tasks.iter().map(|task| Task { jitter: 0, ..*task }).collect();
        if !proves(&punctual) {
            continue;
        }
        let found = [1, 2].map(|parts| search(&scaled(&tasks, parts), processors, Order::Fixed, 2 * STATES));
        let misses = found.contains(&MissSearch::Miss);
        let is_proven = proves(&tasks);
        assert!(!(is_proven && misses), "{tasks:?} on {processors} is proven and misses");
        proven += usize::from(is_proven);
        exhausted += usize::from(is_proven && found == [MissSearch::NoMiss; 2]);
        needs_the_window += usize::from(misses);
    }
    eprintln!("{sets} sets: {proven} proven, {exhausted} with every pattern tried; {needs_the_window} miss by jitter");
    assert!(proven > sets / 20 && needs_the_window > 0, "the sets do not show what they are meant to show");
}

#[test]
fn scaling_all_times_loses_no_proof() {
    let mut random = random::seeded("scaled sets", 62);
    let sets = random::sets(3_000);
    let (mut proven, mut gained, mut lost_in_whole_ticks) = (0, 0, 0);
    for _ in 0..sets {
        let (tasks, processors) = (tiny_set(&mut random), random.u32(1..=3));
        for factor in [1_000, 1_009] {
            let finer = scaled(&tasks, factor);
            for test in Test::all() {
                let [coarse, fine] =
                    [&tasks, &finer].map(|tasks| test.proves(tasks, processors, TimeModel::Continuous));
                assert!(fine || !coarse, "{test:?} proves {tasks:?} on {processors}, not {factor} times as long");
                proven += u32::from(coarse);
                gained += u32::from(fine && !coarse);
                let in_whole_ticks = test.proves(&tasks, processors, TimeModel::Discrete);
                lost_in_whole_ticks +=
                    u32::from(in_whole_ticks && !test.proves(&finer, processors, TimeModel::Discrete));
            }
        }
    }
    eprintln!("{proven} proofs kept, {gained} more in finer ticks; {lost_in_whole_ticks} lost in discrete time");
    assert!(lost_in_whole_ticks > 0, "the sets do not show what they are meant to show");
}
