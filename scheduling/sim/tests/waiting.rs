//! Jobs that suspend themselves, and tasks in a supply: the simulator against a processor computed tick by tick, and against what
//! is proven.
//!
//! `PRAZO_SETS` sets how many sets are looked at, `PRAZO_SEED` repeats a run.

use prazo_analysis::blocking::{System, edf, fixed_priority};
use prazo_analysis::{Budget, Response, Task, Ticks};
use prazo_core::behaviour::{Behaviours, Burst, Departure, Locking, NonPreemptive, Supply};
use prazo_core::event::{Event, EventKind};
use prazo_core::overheads::{Overhead, Overheads};
use prazo_core::ratio::Ratio;
use prazo_core::time::{Duration, Instant};
use prazo_oracle::any_arrival::Order;
use prazo_oracle::{Job, random, supplied, suspended};
use prazo_sim::model::{Arrivals, Offsets};
use prazo_sim::sink::{Memory, Nowhere};
use prazo_sim::supply::SupplyTimes;
use prazo_sim::suspension::Suspensions;
use prazo_sim::{Figures, Limits, Model, Policy, Request, SimulationError, Variation, simulate};

/// Arrivals, suspensions and supply may lie at quarters of a tick.
const NS_PER_TICK: u64 = 4;
const HORIZON_TICKS: u64 = 200;

struct Set {
    tasks: Vec<Task>,
    departures: Vec<Departure>,
    supply: Option<Supply>,
}

impl Set {
    fn behaviours(&self) -> Behaviours<'_> {
        Behaviours {
            of_tasks: &self.departures,
            sections: &[],
            locking: Locking::Srp,
            supply: self.supply,
            phases: &[],
        }
    }

    fn model(&self, policy: &Policy, ns_per_tick: u64, variation: Variation) -> Result<Model, SimulationError> {
        self.placed(policy, ns_per_tick, variation, &[1], &vec![0; self.tasks.len()])
    }

    fn placed(
        &self,
        policy: &Policy,
        ns_per_tick: u64,
        variation: Variation,
        clusters: &[u32],
        places: &[u32],
    ) -> Result<Model, SimulationError> {
        Model::new(&Request {
            tasks: &self.tasks,
            conduct: &[],
            behaviours: self.behaviours(),
            ns_per_tick,
            clusters,
            places,
            policy,
            overheads: Overheads::NONE,
            variation,
        })
    }

    fn fixed(&self) -> Policy {
        Policy::FixedPriority((0..self.tasks.len() as u32).collect())
    }

    fn suspends(&self) -> bool {
        self.departures.iter().any(|one| one.suspension > 0)
    }

    /// The tasks at these places, most urgent first.
    fn system(&self, places: &[u32], place: u32) -> System<'_> {
        let here: Vec<usize> = (0..self.tasks.len()).filter(|task| places[*task] == place).collect();
        let of_tasks = here.iter().map(|task| self.behaviours().of(*task)).collect();
        let tasks = here.iter().map(|task| self.tasks[*task]).collect();
        System::new(tasks, of_tasks, Locking::Srp).with_supply(self.supply)
    }
}

fn task(random: &mut fastrand::Rng, lightness: u64) -> Task {
    let period = random.u64(3..=20);
    let cost = random.u64(1..=period.div_ceil(lightness));
    let deadline = match random.u8(0..3) {
        0 => period,
        1 => random.u64(cost..=period),
        _ => random.u64(cost..=2 * period),
    };
    let jitter = if random.u8(0..4) == 0 { random.u64(0..=2) } else { 0 };
    Task { jitter, ..Task::new(cost, period, deadline) }
}

fn suspending(random: &mut fastrand::Rng) -> Set {
    let count = random.usize(1..=4);
    let tasks: Vec<Task> = (0..count).map(|_| task(random, 1 + count as u64)).collect();
    let departure = |task: &Task, random: &mut fastrand::Rng| {
        let burst = (random.u8(0..6) == 0).then(|| {
            let jobs = random.u64(1..=3);
            Burst { jobs, within: task.period * jobs, distance: random.u64(0..=2) }
        });
        let suspension = if random.bool() { random.u64(0..=4) } else { 0 };
        Departure { burst, suspension, ..Departure::default() }
    };
    let departures = tasks.iter().map(|task| departure(task, random)).collect();
    Set { tasks, departures, supply: None }
}

fn reserved(random: &mut fastrand::Rng) -> Set {
    let period = random.u64(1..=9);
    let budget = random.u64(period.div_ceil(3)..=period);
    let reserved = Supply::Periodic { budget, period };
    // Delays that leave room for slices even where a tick is a nanosecond.
    let delayed = Supply::BoundedDelay { rate: reserved.rate(), delay: random.u64(5..=10) };
    let supply = if random.bool() { reserved } else { delayed };
    let tasks: Vec<Task> = (0..random.usize(1..=3)).map(|_| task(random, 6)).collect();
    let departures = vec![Departure::default(); tasks.len()];
    Set { tasks, departures, supply: Some(supply) }
}

/// Ways for the same tasks to arrive and to wait.
fn variations(seed: u64) -> Vec<Variation> {
    let mut all = Vec::new();
    for suspensions in [Suspensions::Random, Suspensions::Start, Suspensions::Middle] {
        for supply in [SupplyTimes::Worst, SupplyTimes::Random] {
            let first = Variation { seed, suspensions, supply, ..Variation::default() };
            let arrivals = Arrivals::Sporadic { extra_thousandths: 300 };
            all.extend([first, Variation { offsets: Offsets::Random, arrivals, ..first }]);
        }
    }
    all
}

fn figures(model: &Model) -> Figures {
    simulate(model, &Limits::until(Instant::from_ns(HORIZON_TICKS * NS_PER_TICK)), Nowhere).figures
}

/// No proven set misses, and no response is longer than its bound; counts sets that are proven, by policy, and bounds.
fn keeps_promises(random: &mut fastrand::Rng, sets: usize, draw: impl Fn(&mut fastrand::Rng) -> Set) -> [u64; 3] {
    let mut counts = [0; 3];
    for number in 0..sets {
        let set = draw(random);
        let clusters: u32 = if set.supply.is_none() && random.bool() { 2 } else { 1 };
        let places: Vec<u32> = set.tasks.iter().map(|_| random.u32(0..clusters)).collect();
        let sizes = vec![1; clusters as usize];
        let systems: Vec<System<'_>> = (0..clusters).map(|place| set.system(&places, place)).collect();
        let systems: Vec<&System<'_>> = systems.iter().filter(|system| !system.tasks.is_empty()).collect();
        let is_proven = [
            systems.iter().all(|system| edf::test(system, &mut Budget::new(100_000)).is_proven()),
            systems.iter().all(|system| fixed_priority::test(system, &mut Budget::new(100_000)).is_proven()),
        ];
        counts[0] += u64::from(is_proven[0]);
        counts[1] += u64::from(is_proven[1]);
        let bounds =
            (clusters == 1).then(|| fixed_priority::responses(systems[0], &mut Budget::new(100_000)).ok()).flatten();
        if !is_proven.contains(&true) && bounds.is_none() {
            continue;
        }
        let unique = variations(number as u64);
        let kinds = unique.iter().filter(|one| match set.supply {
            Some(_) => one.suspensions == Suspensions::Random,
            None => one.supply == SupplyTimes::Worst,
        });
        for variation in kinds {
            for (policy, is_proven) in [Policy::EarliestDeadlineFirst, set.fixed()].into_iter().zip(is_proven) {
                let figures = figures(&set.placed(&policy, NS_PER_TICK, *variation, &sizes, &places).unwrap());
                let about = format!(
                    "{policy:?} {variation:?} {:?} {:?} {:?} {places:?}",
                    set.tasks, set.departures, set.supply
                );
                assert!(!is_proven || figures.misses.is_empty(), "proven, and missed: {about}");
                let Some(bounds) = bounds.as_ref().filter(|_| policy != Policy::EarliestDeadlineFirst) else {
                    continue;
                };
                for (task, bound) in figures.tasks.iter().zip(bounds) {
                    if let Response::Within(bound) = bound {
                        counts[2] += 1;
                        assert!(task.response_max.as_ns() <= bound * NS_PER_TICK, "beyond {bound}: {task:?} {about}");
                    }
                }
            }
        }
    }
    counts
}

#[test]
fn no_proven_set_that_suspends_itself_misses() {
    let mut random = random::seeded("waiting: suspension", 51);
    let sets = random::sets(10_000);
    let counts = keeps_promises(&mut random, sets, suspending);
    eprintln!("{sets} sets: {counts:?} proven under EDF, under fixed priorities, response bounds");
    assert!(counts.iter().all(|count| *count > sets as u64 / 10), "{counts:?}");
}

#[test]
fn no_proven_set_in_a_supply_misses() {
    let mut random = random::seeded("waiting: supply", 52);
    let sets = random::sets(10_000);
    let counts = keeps_promises(&mut random, sets, reserved);
    eprintln!("{sets} sets: {counts:?} proven under EDF, under fixed priorities, response bounds");
    assert!(counts.iter().all(|count| *count > sets as u64 / 10), "{counts:?}");
}

/// The jobs of `model` up to `until`, in the order of tasks and arrivals.
fn jobs(set: &Set, model: &Model, until: i64) -> Vec<(Job, Vec<(u64, u64)>)> {
    let mut all = Vec::new();
    for (index, task) in model.tasks.iter().enumerate() {
        let mut place = task.pattern.first();
        while (place.arrival.as_ns() as i64) < until {
            let execution = task.execution.of_job(place.job);
            let stops = task.suspension.of_job(place.job, execution);
            let stops = stops.iter().map(|stop| (stop.after.as_ns(), stop.length.as_ns()));
            let arrival = place.arrival.as_ns() as i64;
            let job = Job {
                task: index,
                arrival,
                release: place.release.as_ns() as i64,
                due: arrival + (set.tasks[index].deadline) as i64,
                cost: execution.as_ns(),
            };
            all.push((job, stops.filter(|(_, length)| *length > 0).collect()));
            place = task.pattern.after(place);
        }
    }
    all
}

#[test]
fn suspended_jobs_end_when_they_do_tick_by_tick() {
    const UNTIL: i64 = 150;
    let mut random = random::seeded("waiting: twin", 53);
    let (mut suspensions, mut ended) = (0, 0);
    for number in 0..random::sets(3_000) {
        let set = suspending(&mut random);
        if !set.suspends() {
            continue;
        }
        let all = variations(number as u64);
        let variation = all[number % all.len()];
        for (policy, order) in [(Policy::EarliestDeadlineFirst, Order::Edf), (set.fixed(), Order::Fixed)] {
            let model = set.model(&policy, 1, variation).unwrap();
            let mut memory = Memory::new(usize::MAX);
            let seen = simulate(&model, &Limits::until(Instant::from_ns(UNTIL as u64)), &mut memory).figures;
            let jobs = jobs(&set, &model, UNTIL);
            let ends = suspended::ends(&jobs, order, UNTIL);
            for (index, task) in seen.tasks.iter().enumerate() {
                suspensions += task.suspensions;
                let of_task = |event: &&Event| event.task.index() == index && event.kind.name() == "completion";
                let completions: Vec<i64> =
                    memory.events.iter().filter(of_task).map(|event| event.at.as_ns() as i64).collect();
                let expected: Vec<i64> = jobs
                    .iter()
                    .zip(&ends)
                    .filter(|((job, _), _)| job.task == index)
                    .filter_map(|(_, end)| *end)
                    .collect();
                assert_eq!(
                    completions, expected,
                    "{policy:?} {variation:?} task {index} {:?} {:?}",
                    set.tasks, set.departures
                );
                ended += completions.len();
            }
        }
    }
    eprintln!("{suspensions} suspensions, {ended} jobs");
    assert!(suspensions > 10_000 && ended > 10_000);
}

#[test]
fn jobs_in_a_supply_miss_when_they_do_tick_by_tick() {
    const UNTIL: i64 = 200;
    let mut random = random::seeded("waiting: supply twin", 54);
    let mut counts = [0; 2];
    for number in 0..random::sets(4_000) {
        let set = reserved(&mut random);
        let all = variations(number as u64);
        let variation = all[number % all.len()];
        for (policy, order) in [(Policy::EarliestDeadlineFirst, Order::Edf), (set.fixed(), Order::Fixed)] {
            let model = set.model(&policy, 1, variation).unwrap();
            let seen = simulate(&model, &Limits::until(Instant::from_ns(UNTIL as u64)), Nowhere).figures;
            let gaps = model
                .supply
                .map_or_else(Vec::new, |supply| supply.unserved(Instant::EPOCH, Instant::from_ns(UNTIL as u64)));
            let unsupplied: u64 = gaps.iter().map(|(from, to)| (*to - *from).as_ns()).sum();
            assert_eq!(seen.unsupplied, Duration::from_ns(unsupplied));
            let is_served =
                |now: i64| !gaps.iter().any(|(from, to)| (from.as_ns() as i64..to.as_ns() as i64).contains(&now));
            let jobs: Vec<Job> = jobs(&set, &model, UNTIL).into_iter().map(|(job, _)| job).collect();
            let expected = supplied::first_miss(&jobs, order, UNTIL, &is_served);
            let first = seen.misses.first().map(|miss| miss.deadline.as_ns() as i64);
            assert_eq!(first, expected, "{policy:?} {variation:?} {:?} {:?}", set.tasks, set.supply);
            counts[usize::from(first.is_some())] += 1;
        }
    }
    eprintln!("in time, missed: {counts:?}");
    assert!(counts.iter().all(|count| *count > 300), "{counts:?}");
}

fn trace(set: &Set, variation: Variation, until: u64) -> Vec<(u64, usize, &'static str)> {
    let (model, mut memory) = (set.model(&set.fixed(), 1, variation).unwrap(), Memory::new(1_000));
    simulate(&model, &Limits::until(Instant::from_ns(until)), &mut memory);
    let kept = |event: &&Event| !matches!(event.kind, EventKind::Arrival | EventKind::Release | EventKind::Miss);
    let line = |event: &Event| (event.at.as_ns(), event.task.index(), event.kind.name());
    memory.events.iter().filter(kept).map(line).collect()
}

#[test]
fn a_suspended_job_leaves_the_processor_to_others() {
    let tasks = vec![Task::new(2, 20, 20), Task::new(3, 20, 20)];
    let departure = |suspension: Ticks| Departure { suspension, ..Departure::default() };
    let set = Set { tasks, departures: vec![departure(2), departure(0)], supply: None };
    let variation = Variation { suspensions: Suspensions::Middle, ..Variation::default() };
    let expected = [
        (0, 0, "dispatch"),
        (1, 0, "suspension"),
        (1, 1, "dispatch"),
        (3, 0, "resumption"),
        (3, 1, "preemption"),
        (3, 0, "dispatch"),
        (4, 0, "completion"),
        (4, 1, "dispatch"),
        (5, 1, "completion"),
    ];
    assert_eq!(trace(&set, variation, 20), expected);
}

#[test]
fn a_suspension_counts_as_far_as_the_run_goes() {
    let tasks = vec![Task::new(2, 100, 100)];
    let set = Set { tasks, departures: vec![Departure { suspension: 30, ..Departure::default() }], supply: None };
    let variation = Variation { suspensions: Suspensions::Middle, ..Variation::default() };
    let model = set.model(&set.fixed(), 1, variation).unwrap();
    let suspended = |until: u64| {
        let seen = simulate(&model, &Limits::until(Instant::from_ns(until)), Nowhere).figures;
        (seen.tasks[0].suspensions, seen.tasks[0].suspended_ns)
    };
    assert_eq!([suspended(11), suspended(31), suspended(90)], [(1, 10), (1, 30), (1, 30)]);
}

#[test]
fn a_supply_that_changes_often_ends_at_the_limit_of_events() {
    let supply = Some(Supply::Periodic { budget: 1, period: 2 });
    let tasks = vec![Task::new(5, 1_000_000, 1_000_000)];
    let set = Set { tasks, departures: vec![Departure::default()], supply };
    let model = set.model(&set.fixed(), 1, Variation::default()).unwrap();
    let limits = Limits { events: 1_000, ..Limits::until(Instant::from_ns(1_000_000)) };
    let ran = simulate(&model, &limits, Nowhere);
    assert!(ran.end < Instant::from_ns(2_000), "{:?}", ran.end);
}

#[test]
fn a_job_waits_where_its_supply_has_ended() {
    let tasks = vec![Task::new(5, 40, 40)];
    let supply = Some(Supply::Periodic { budget: 4, period: 10 });
    let set = Set { tasks, departures: vec![Departure::default()], supply };
    let expected = [(12, 0, "dispatch"), (16, 0, "withdrawal"), (22, 0, "dispatch"), (23, 0, "completion")];
    assert_eq!(trace(&set, Variation::default(), 40), expected);
    let always = Set { supply: Some(Supply::Periodic { budget: 10, period: 10 }), ..set };
    assert_eq!(trace(&always, Variation::default(), 40), [(0, 0, "dispatch"), (5, 0, "completion")]);
}

#[test]
fn what_is_not_simulated_is_refused() {
    let with = |departure: Departure, supply: Option<Supply>| Set {
        tasks: vec![Task::implicit(1, 4)],
        departures: vec![departure],
        supply,
    };
    let refused = |set: &Set, overheads: Overheads<'_>, clusters: &[u32]| {
        let policy = &set.fixed();
        let (tasks, behaviours, variation) = (&set.tasks, set.behaviours(), Variation::default());
        let request = Request {
            tasks,
            conduct: &[],
            behaviours,
            ns_per_tick: 1,
            clusters,
            places: &[0],
            policy,
            overheads,
            variation,
        };
        Model::new(&request).err()
    };
    let costly = Overheads { release: Overhead::constant(Ratio::ONE), ..Overheads::NONE };
    let suspends = Departure { suspension: 2, ..Departure::default() };
    let supply = Some(Supply::Periodic { budget: 1, period: 2 });
    assert_eq!(refused(&with(suspends, None), costly, &[1]), Some(SimulationError::Suspension(0)));
    assert_eq!(refused(&with(suspends, None), Overheads::NONE, &[2]), None);
    let parted = Departure { non_preemptive: NonPreemptive::WHOLE, ..suspends };
    assert_eq!(refused(&with(parted, None), Overheads::NONE, &[1]), Some(SimulationError::Suspension(0)));
    assert_eq!(refused(&with(suspends, supply), Overheads::NONE, &[1]), Some(SimulationError::Supply));
    assert_eq!(refused(&with(Departure::default(), supply), Overheads::NONE, &[1, 1]), Some(SimulationError::Supply));
    assert_eq!(refused(&with(Departure::default(), supply), costly, &[1]), Some(SimulationError::Supply));
}
