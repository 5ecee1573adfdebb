//! Two criticalities, held against schedules computed tick by tick; and what is not simulated.

use prazo_core::behaviour::{Behaviours, Departure, Supply};
use prazo_core::overheads::Overheads;
use prazo_core::ratio::Ratio;
use prazo_core::task::Task;
use prazo_core::time::Instant;
use prazo_oracle::mixed::{Critical, CriticalJob, Fate, Ranking, schedule};
use prazo_oracle::random;
use prazo_scenario::Conduct;
use prazo_sim::execution::Distribution;
use prazo_sim::sink::Nowhere;
use prazo_sim::{Limits, Model, Policy, Request, SimulationError, Variation, simulate};

fn request<'a>(
    tasks: &'a [Task],
    of_tasks: &'a [Departure],
    conduct: &'a [Conduct],
    policy: &'a Policy,
) -> Request<'a> {
    Request {
        tasks,
        conduct,
        behaviours: Behaviours { of_tasks, ..Behaviours::PLAIN },
        // Virtual deadlines are whole then.
        ns_per_tick: 2_520,
        clusters: &[1],
        places: &[0; 4],
        policy,
        overheads: Overheads::NONE,
        variation: Variation::default(),
    }
}

#[test]
fn runs_agree_with_schedules_computed_tick_by_tick() {
    let mut random = random::seeded("simulated criticality", 63);
    let (mut changes, mut dropped) = (0, 0);
    for number in 0..random::sets(600) {
        let is_edf = number % 2 == 0;
        let count = random.usize(2..=4);
        let mut set: Vec<Critical> = Vec::new();
        for index in 0..count {
            let period = random.u64(3..=12);
            let cost = random.u64(1..=period.div_ceil(3));
            let is_high = index == 0 || random.bool();
            set.push((Task::implicit(cost, period), is_high.then(|| random.u64(cost..=period))));
        }
        set.rotate_left(random.usize(0..count));
        let conduct: Vec<Conduct> = set
            .iter()
            .map(|(task, cost_high)| {
                // Some of low criticality overrun, too.
                let most = cost_high.unwrap_or(task.cost + u64::from(random.u8(0..4) == 0));
                let offset = Some(random.u64(0..=6));
                Conduct { offset, execution: Some(random.u64(1..=most)), ..Conduct::default() }
            })
            .collect();
        let (over, under) = [(1, 2), (2, 3), (3, 4), (1, 1)][random.usize(0..4)];
        let until = 150;
        let mut jobs: Vec<CriticalJob> = Vec::new();
        for (index, ((task, _), conduct)) in set.iter().zip(&conduct).enumerate() {
            let arrivals = (0..).map(|job| conduct.offset.unwrap() + job * task.period);
            let needs = conduct.execution.unwrap();
            jobs.extend(arrivals.take_while(|at| *at < until).map(|arrival| CriticalJob {
                task: index,
                arrival,
                needs,
            }));
        }
        jobs.sort_by_key(|job| (job.arrival, job.task));
        let ranking = if is_edf { Ranking::Virtual { over, under } } else { Ranking::Fixed };
        let fates = schedule(&set, ranking, &jobs, until);
        let (tasks, of_tasks): (Vec<Task>, Vec<Departure>) =
            set.iter().map(|&(task, cost_high)| (task, Departure { cost_high, ..Departure::default() })).unzip();
        let ranks = (0..count as u32).collect();
        let policy = if is_edf { Policy::EarliestDeadlineFirst } else { Policy::FixedPriority(ranks) };
        let model = Model::new(&request(&tasks, &of_tasks, &conduct, &policy)).unwrap();
        let model = model.with_virtual_deadlines(Ratio::new(over, under).unwrap());
        let ran = simulate(&model, &Limits::until(Instant::from_ns(until * 2_520)), Nowhere);
        for (index, figures) in ran.figures.tasks.iter().enumerate() {
            let of_task = |wanted: fn(&Fate) -> bool| {
                jobs.iter().zip(&fates).filter(|(job, fate)| job.task == index && wanted(fate)).count() as u64
            };
            let said = format!("{set:?} {conduct:?} {ranking:?} task {index}: {figures:?} {fates:?}");
            assert_eq!(figures.completed, of_task(|fate| matches!(fate, Fate::Ended(_))), "{said}");
            // A job that arrives in high mode's last tick is dropped in the next.
            assert_eq!(figures.dropped, of_task(|fate| matches!(fate, Fate::Dropped(_))), "{said}");
            let longest =
                jobs.iter().zip(&fates).filter(|(job, _)| job.task == index).filter_map(|(job, fate)| match fate {
                    Fate::Ended(at) => Some((at - job.arrival) * 2_520),
                    _ => None,
                });
            if let Some(longest) = longest.max() {
                assert_eq!(figures.response_max.as_ns(), longest, "{said}");
            }
            dropped += figures.dropped;
        }
        changes += ran.figures.mode_changes;
    }
    assert!(changes > 300 && dropped > 300, "{changes} {dropped}");
}

#[test]
fn a_job_of_high_criticality_never_runs_longer_than_its_cost_in_high_mode() {
    let tasks = [Task::implicit(2, 10), Task::implicit(1, 10)];
    let of_tasks = [Some(4), None].map(|cost_high| Departure { cost_high, ..Departure::default() });
    let policy = Policy::EarliestDeadlineFirst;
    let variation = Variation {
        distribution: Distribution::Overrun { rare_thousandths: 5_000, one_in: 1 },
        ..Variation::default()
    };
    let model = Model::new(&Request { variation, ..request(&tasks, &of_tasks, &[], &policy) }).unwrap();
    let ran = simulate(&model, &Limits::until(Instant::from_ns(10 * 10 * 2_520)), Nowhere);
    let [high, low] = &ran.figures.tasks[..] else { panic!() };
    assert_eq!((high.completed, high.response_max.as_ns()), (10, 4 * 2_520));
    assert_eq!((low.completed, low.dropped, low.released, ran.figures.mode_changes), (0, 10, 10, 10));
    assert!(ran.figures.misses.is_empty());
}

#[test]
fn what_is_not_simulated_with_it_is_refused() {
    let tasks = [Task::implicit(2, 10), Task::implicit(1, 10)];
    let high = Departure { cost_high: Some(4), ..Departure::default() };
    let of_tasks = [high, Departure::default()];
    let policy = Policy::EarliestDeadlineFirst;
    let plain = request(&tasks, &of_tasks, &[], &policy);
    assert!(Model::new(&plain).is_ok());
    let refused = |request: Request<'_>| {
        assert!(matches!(Model::new(&request), Err(SimulationError::Criticality)), "{:?}", Model::new(&request).err());
    };
    refused(Request { clusters: &[2], ..plain });
    refused(Request { clusters: &[1, 1], places: &[0, 1], ..plain });
    refused(Request { policy: &Policy::FirstComeFirstServed, ..plain });
    let late = [Task { jitter: 1, ..tasks[0] }, tasks[1]];
    refused(Request { tasks: &late, ..plain });
    let suspends = [Departure { suspension: 1, ..high }, Departure::default()];
    refused(Request { behaviours: Behaviours { of_tasks: &suspends, ..Behaviours::PLAIN }, ..plain });
    let supply = Some(Supply::Periodic { budget: 1, period: 2 });
    refused(Request { behaviours: Behaviours { supply, ..plain.behaviours }, ..plain });
}
