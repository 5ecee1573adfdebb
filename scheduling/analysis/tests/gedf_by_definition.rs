//! BAR, LOAD and FF-DBF against their definitions, evaluated window by window on small random sets.

use prazo_analysis::demand::{demand_bound, total_demand_bound};
use prazo_analysis::{Budget, Finding, Task, TaskSet, gedf};
use prazo_core::ratio::Ratio;
use prazo_scenario::generate::{Deadlines, Family, Uniform, Utilizations, set_rng};
use std::collections::BTreeSet;

const SEED: u64 = 2013;

/// A set of up to five tasks with C <= min(D, T), T <= 9; `latest(T)` is the largest deadline.
fn small_set(random: &mut fastrand::Rng, latest: fn(u64) -> u64) -> Vec<Task> {
    let task = |random: &mut fastrand::Rng| {
        let period = random.u64(1..10);
        let cost = random.u64(1..=period.div_ceil(2));
        Task::new(cost, period, random.u64(cost..=latest(period).max(cost)))
    };
    (0..random.usize(1..6)).map(|_| task(random)).collect()
}

fn hyperperiod(tasks: &[Task]) -> u64 {
    (1..).find(|t| tasks.iter().all(|task| t % task.period == 0)).unwrap()
}

/// U times the hyperperiod: exact.
fn work_per_hyperperiod(tasks: &[Task], hyperperiod: u64) -> u64 {
    tasks.iter().map(|task| hyperperiod / task.period * task.cost).sum()
}

type Tested = fn(TaskSet<'_>, u32, &mut Budget) -> Finding;

fn proves(test: Tested, tasks: &[Task], processors: u32) -> bool {
    test(TaskSet::new(tasks).unwrap(), processors, &mut Budget::unlimited()).is_proven()
}

/// Baruah's condition 8 for task `k` and one A, as printed.
fn condition_8(tasks: &[Task], processors: u32, k: usize, a: u64) -> bool {
    let Task { cost, deadline, .. } = tasks[k];
    let length = a + deadline;
    let capped = |i: usize, work: u64| if i == k { (work - cost).min(a) } else { work.min(length - cost + 1) };
    let (mut sum, mut extra) = (0, Vec::new());
    for (i, task) in tasks.iter().enumerate() {
        let alone = capped(i, demand_bound(task, length) as u64);
        let carried = capped(i, length / task.period * task.cost + task.cost.min(length % task.period));
        sum += alone;
        extra.push(carried - alone);
    }
    extra.sort_unstable();
    let carried: u64 = extra.iter().rev().take(processors as usize - 1).sum();
    sum + carried <= u64::from(processors) * (length - cost)
}

/// Where condition 8 is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    EveryInstant,
    EveryDeadline,
}

/// Condition 8 for every task up to a little beyond equation 9's bound on A; U < m.
fn bar_by_definition(tasks: &[Task], processors: u32, at: At) -> bool {
    let utilization = |task: &Task| task.cost as f64 / task.period as f64;
    let spare = f64::from(processors) - tasks.iter().map(utilization).sum::<f64>();
    let mut costs: Vec<u64> = tasks.iter().map(|task| task.cost).collect();
    costs.sort_unstable();
    let carried: u64 = costs.iter().rev().take(processors as usize - 1).sum();
    let early: f64 = tasks.iter().map(|task| (task.period - task.deadline) as f64 * utilization(task)).sum();
    (0..tasks.len()).all(|k| {
        let beyond = ((carried as f64 + early + f64::from(processors) * tasks[k].cost as f64) / spare + 2.0) as u64;
        let holds = |window: u64| condition_8(tasks, processors, k, window - tasks[k].deadline);
        if at == At::EveryInstant {
            return (tasks[k].deadline..=beyond).all(holds);
        }
        let steps = tasks.iter().flat_map(|task| (task.deadline..=beyond).step_by(task.period as usize));
        let steps: BTreeSet<u64> = steps.filter(|step| *step >= tasks[k].deadline).collect();
        steps.into_iter().all(holds)
    })
}

#[test]
fn bar_fails_between_two_steps_where_condition_8_does() {
    let tasks = [(1, 9), (7, 17), (11, 17), (13, 17)].map(|(cost, period)| Task::implicit(cost, period));
    assert!(bar_by_definition(&tasks, 3, At::EveryDeadline));
    assert!(!bar_by_definition(&tasks, 3, At::EveryInstant));
    assert!(!proves(gedf::bar::test, &tasks, 3));
}

#[test]
fn bar_agrees_with_condition_8_at_every_instant() {
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut proven = 0;
    for _ in 0..10_000 {
        let (tasks, processors) = (small_set(&mut random, |period| period), random.u32(1..5));
        let h = hyperperiod(&tasks);
        if work_per_hyperperiod(&tasks, h) >= u64::from(processors) * h {
            assert!(!proves(gedf::bar::test, &tasks, processors));
            continue;
        }
        let expected = bar_by_definition(&tasks, processors, At::EveryInstant);
        assert_eq!(proves(gedf::bar::test, &tasks, processors), expected, "{tasks:?} on {processors}, seed {SEED}");
        proven += u32::from(expected);
    }
    assert!((1_000..9_000).contains(&proven), "{proven} proven: the sets no longer lie on both sides, seed {SEED}");
}

/// Light, medium and heavy tasks on two and three processors: nearly full with D = T, less with deadlines before the period.
fn drawn_set(index: u64) -> (Vec<Task>, u32) {
    let (spread, full, less) =
        [(Uniform::LIGHT, 199, 120), (Uniform::LIGHT, 195, 90), (Uniform::MEDIUM, 170, 80), (Uniform::HEAVY, 140, 100)]
            [index as usize % 4];
    let implicit = index % 8 < 4;
    let family = Family {
        utilization: Utilizations::Uniform(spread),
        deadlines: if implicit { Deadlines::Implicit } else { Deadlines::UniConstrained },
        ..Family::PAPERS_004
    };
    let processors = 2 + (index / 8 % 2) as u32;
    let utilization = Ratio::new(u128::from(processors) * if implicit { full } else { less }, 200).unwrap();
    (family.draw(&mut set_rng(SEED, 8, index), utilization), processors)
}

#[test]
fn bar_agrees_with_condition_8_on_drawn_sets() {
    let mut proven = 0;
    for index in 0..160 {
        let (tasks, processors) = drawn_set(index);
        // Every instant is slow to try at this size: only where the deadlines do not tell already.
        let expected = bar_by_definition(&tasks, processors, At::EveryDeadline)
            && (proves(gedf::bar::test, &tasks, processors) || bar_by_definition(&tasks, processors, At::EveryInstant));
        assert_eq!(proves(gedf::bar::test, &tasks, processors), expected, "set {index} of seed {SEED}");
        proven += u32::from(expected);
    }
    assert!((40..120).contains(&proven), "{proven} proven: the sets no longer lie on both sides, seed {SEED}");
}

/// Corollary 2 in multiples of 1/w, where delta = c/w: B w, for any m.
fn load_bound_times_w(c: i64, w: i64, m: i64) -> i64 {
    let mu = m * w - (m - 1) * c;
    let whole = (1..).find(|whole| whole * w >= mu).unwrap();
    (mu - (whole - 1) * c).max((whole - 1) * w - (whole - 2) * c)
}

/// The density C/min(D,T) that no task exceeds, as two whole numbers.
fn largest_density(tasks: &[Task]) -> (u64, u64) {
    let densities = tasks.iter().map(|task| (task.cost, task.window()));
    densities.reduce(|a, b| if b.0 * a.1 > a.0 * b.1 { b } else { a }).unwrap()
}

/// DBF(t) <= B t at every instant: demand repeats with the hyperperiod once all deadlines have come round.
fn load_by_definition(tasks: &[Task], processors: u32) -> bool {
    let (c, w) = largest_density(tasks);
    let bound = load_bound_times_w(c as i64, w as i64, i64::from(processors)) as u128;
    let h = hyperperiod(tasks);
    let within = |demand: u128, t: u64| demand * u128::from(w) <= bound * u128::from(t);
    let last = h + tasks.iter().map(|task| task.deadline).max().unwrap();
    within(work_per_hyperperiod(tasks, h).into(), h) && (1..=last).all(|t| within(total_demand_bound(tasks, t), t))
}

#[test]
fn load_agrees_with_the_demand_at_every_instant() {
    let mut random = fastrand::Rng::with_seed(SEED + 1);
    let mut proven = 0;
    for round in 0..10_000 {
        let latest: fn(u64) -> u64 = if round % 2 == 0 { |period| period } else { |period| 3 * period };
        let (tasks, processors) = (small_set(&mut random, latest), random.u32(1..5));
        let expected = load_by_definition(&tasks, processors);
        assert_eq!(proves(gedf::load::test, &tasks, processors), expected, "{tasks:?} on {processors}, seed {SEED}+1");
        proven += u32::from(expected);
    }
    assert!((1_000..9_000).contains(&proven), "{proven} proven: the sets no longer lie on both sides, seed {SEED}+1");
}

/// Sum of ff_i(t, sigma) <= (m - (m-1) sigma) t at every instant of one hyperperiod, for sigma = over/under.
fn forced_forward_fits(tasks: &[Task], processors: u32, (over, under): (i64, i64)) -> bool {
    let h = hyperperiod(tasks) as i64;
    let capacity = |t: i64| (i64::from(processors) * under - (i64::from(processors) - 1) * over) * t;
    let forced = |task: &Task, t: i64| {
        let (c, d, period) = (task.cost as i64, task.deadline as i64, task.period as i64);
        let (q, r) = (t / period, t % period);
        q * c * under + if r >= d { c * under } else { (c * under - (d - r) * over).max(0) }
    };
    (1..=h).all(|t| tasks.iter().map(|task| forced(task, t)).sum::<i64>() <= capacity(t))
}

/// Every time of a set, and so every place where demand bends, in units of 1/6.
fn in_sixths(tasks: &[Task]) -> Vec<Task> {
    tasks.iter().map(|task| Task::new(6 * task.cost, 6 * task.period, 6 * task.deadline)).collect()
}

#[test]
fn ff_dbf_finds_a_speed_wherever_a_fine_grid_finds_one() {
    let mut random = fastrand::Rng::with_seed(SEED + 2);
    let (mut proven, mut off_the_grid) = (0, 0);
    for _ in 0..5_000 {
        let (tasks, processors) = (small_set(&mut random, |period| period), random.u32(1..5));
        let (c, w) = largest_density(&tasks);
        let mut speeds = (1..=360).map(|n| (n, 360)).filter(|(n, d)| *n as u64 * w >= c * d);
        let on_the_grid = speeds.any(|(n, d)| forced_forward_fits(&tasks, processors, (n, d as i64)))
            || forced_forward_fits(&tasks, processors, (c as i64, w as i64));
        let found = proves(gedf::ffdbf::test, &tasks, processors);
        assert!(found || !on_the_grid, "{tasks:?} on {processors}, seed {SEED}+2");
        proven += u32::from(found);
        off_the_grid += u32::from(found && !on_the_grid);
    }
    eprintln!("{proven} proven, {off_the_grid} of them between the grid's speeds");
    assert!((500..4_500).contains(&proven), "{proven} proven: the sets no longer lie on both sides, seed {SEED}+2");
}

#[test]
fn the_speed_that_ff_dbf_finds_holds_at_every_instant() {
    let mut random = fastrand::Rng::with_seed(SEED + 3);
    for _ in 0..3_000 {
        let (tasks, processors) = (small_set(&mut random, |period| period), random.u32(1..5));
        let set = TaskSet::new(&tasks).unwrap();
        let Some(speed) = gedf::ffdbf::speed(set, processors, &mut Budget::unlimited()) else { continue };
        let (c, w) = largest_density(&tasks);
        let (over, under) = (speed.numerator(), speed.denominator());
        assert!(over * u128::from(w) >= u128::from(c) * under, "{speed} is slower than {c}/{w}");
        let holds = forced_forward_fits(&in_sixths(&tasks), processors, (over as i64, under as i64));
        assert!(holds, "{tasks:?} on {processors} at {speed}, seed {SEED}+3");
    }
}

#[test]
fn ff_dbf_proves_what_gfb_proves_and_no_more_where_deadlines_are_implicit() {
    let mut random = fastrand::Rng::with_seed(SEED + 4);
    for round in 0..10_000 {
        let processors = random.u32(1..5);
        let mut tasks = small_set(&mut random, |period| period);
        if round % 2 == 0 {
            tasks.iter_mut().for_each(|task| task.deadline = task.period);
        }
        let (gfb, ff_dbf) =
            (proves(gedf::gfb::test, &tasks, processors), proves(gedf::ffdbf::test, &tasks, processors));
        let agree = if round % 2 == 0 { gfb == ff_dbf } else { ff_dbf || !gfb };
        assert!(agree, "{tasks:?} on {processors}, seed {SEED}+4");
    }
}

#[test]
fn a_set_that_holds_at_one_speed_only_is_proven() {
    let tasks = [Task::implicit(2, 9), Task::new(2, 5, 4), Task::new(3, 9, 5), Task::new(1, 4, 2)];
    let speed = gedf::ffdbf::speed(TaskSet::new(&tasks).unwrap(), 2, &mut Budget::unlimited());
    assert_eq!(speed, Ratio::new(2, 3));
    assert!(forced_forward_fits(&tasks, 2, (2, 3)));
    assert!(!forced_forward_fits(&tasks, 2, (665, 1_000)));
    assert!(!forced_forward_fits(&tasks, 2, (667, 1_000)));
}
