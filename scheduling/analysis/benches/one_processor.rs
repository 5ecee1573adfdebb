//! Whole questions about one processor, model by model: sets of 5 to 100 tasks, U = 0.7, periods of 1 ms to 1 s.
//!
//! `cargo bench -p prazo-analysis --bench one_processor`, or with `-- suspension`. One iteration asks about all sets of a size, so that the
//! throughput is in sets a second. Sets are drawn before: UUniFast-discard, periods log-uniform in steps of 1 ms, D = T.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use prazo_analysis::question::{JobRanking, Method, Priorities, Question, Shape, answer};
use prazo_analysis::{Task, TimeModel};
use prazo_core::behaviour::{Behaviours, CriticalSection, Departure, Locking, NonPreemptive, Phase, Supply};
use prazo_core::ratio::Ratio;
use prazo_scenario::generate::{Deadlines, Family, Periods, Spread, UUniFastDiscard, Utilizations, set_rng};
use std::hint::black_box;
use std::num::NonZeroU16;
use std::time::Duration;

const SETS: u64 = 100;
const SEED: u64 = 2005;
const SIZES: [u16; 5] = [5, 10, 20, 50, 100];

/// Deadline-monotonic priorities.
const FIXED: JobRanking<'static> = JobRanking::FixedPriority(Priorities::DeadlineMonotonic);

/// A drawn set with what its tasks do.
struct Drawn {
    tasks: Vec<Task>,
    departures: Vec<Departure>,
    sections: Vec<CriticalSection>,
    phases: Vec<Phase>,
    supply: Option<Supply>,
}

impl Drawn {
    fn plain(tasks: Vec<Task>) -> Self {
        let departures = vec![Departure::default(); tasks.len()];
        Self { tasks, departures, sections: Vec::new(), phases: Vec::new(), supply: None }
    }

    /// Each task with this departure.
    fn each(tasks: Vec<Task>, of: impl Fn(&Task) -> Departure) -> Self {
        Self { departures: tasks.iter().map(of).collect(), ..Self::plain(tasks) }
    }

    /// A tenth of each job holds one of three resources.
    fn sharing(tasks: Vec<Task>) -> Self {
        let section = |(index, task): (usize, &Task)| CriticalSection::once(index as u32 % 3, (task.cost / 10).max(1));
        let sections = tasks.iter().enumerate().map(section).collect();
        let departure = |index: usize| Departure { sections_end: index + 1, ..Departure::default() };
        Self { departures: (0..tasks.len()).map(departure).collect(), sections, ..Self::plain(tasks) }
    }

    /// On one clock, with round periods, jitter and best cases.
    fn on_one_clock(mut tasks: Vec<Task>) -> Self {
        const PERIODS: [u64; 8] = [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000];
        for (task, period) in tasks.iter_mut().zip(PERIODS.iter().cycle()) {
            let cost = (task.cost * period / task.period).clamp(1, 300);
            *task = Task { jitter: period / 20, ..Task::implicit(cost, *period) };
        }
        let phase = |(index, task): (usize, &Task)| Phase {
            offset: index as u64 * 137 % task.period,
            best_case: task.cost / 4,
        };
        let phases = tasks.iter().enumerate().map(phase).collect();
        Self { phases, ..Self::each(tasks, |_| whole()) }
    }

    fn proves(&self, policy: JobRanking<'_>) -> bool {
        let behaviours = Behaviours {
            of_tasks: &self.departures,
            sections: &self.sections,
            locking: Locking::Srp,
            supply: self.supply,
            phases: &self.phases,
        };
        let question = Question {
            tasks: black_box(&self.tasks),
            policy,
            shape: Shape::Global { processors: 1 },
            places: None,
            behaviours,
            overheads: None,
            time: TimeModel::Continuous,
        };
        answer(&question, &Method::default()).is_ok_and(|answer| answer.verdict == prazo_analysis::Verdict::Proven)
    }
}

fn whole() -> Departure {
    Departure { non_preemptive: NonPreemptive::WHOLE, ..Departure::default() }
}

/// The sets of one size, as `model` makes them.
fn sets(tasks: u16, model: fn(Vec<Task>) -> Drawn) -> Vec<Drawn> {
    let family = Family {
        utilization: Utilizations::UUniFastDiscard(UUniFastDiscard { tasks: NonZeroU16::new(tasks).expect("above 0") }),
        periods: Periods::WIDE.spread(Spread::LogUniform),
        deadlines: Deadlines::Implicit,
    };
    let utilization = Ratio::new(7, 10).expect("ten is not zero");
    (0..SETS).map(|index| model(family.draw(&mut set_rng(SEED, tasks.into(), index), utilization))).collect()
}

fn each_model(criterion: &mut Criterion) {
    type Model = (&'static str, JobRanking<'static>, fn(Vec<Task>) -> Drawn);
    let models: [Model; 9] = [
        ("response times", FIXED, Drawn::plain),
        ("demand", JobRanking::Edf, Drawn::plain),
        ("parts, fixed priorities", FIXED, |tasks| Drawn::each(tasks, part)),
        ("parts, EDF", JobRanking::Edf, |tasks| Drawn::each(tasks, part)),
        ("sections, fixed priorities", FIXED, Drawn::sharing),
        ("sections, EDF", JobRanking::Edf, Drawn::sharing),
        ("suspension, fixed priorities", FIXED, |tasks| Drawn::each(tasks, suspends)),
        ("supply, fixed priorities", FIXED, |tasks| Drawn {
            supply: Some(Supply::Periodic { budget: 900, period: 1_000 }),
            ..Drawn::plain(tasks)
        }),
        ("offsets, fixed priorities", FIXED, Drawn::on_one_clock),
    ];
    for (name, policy, model) in models {
        let mut group = criterion.benchmark_group(name);
        group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1)).sample_size(20);
        group.throughput(Throughput::Elements(SETS));
        let largest = if name.starts_with("offsets") { 20 } else { 100 };
        for tasks in SIZES.into_iter().filter(|tasks| *tasks <= largest) {
            let sets = sets(tasks, model);
            group.bench_with_input(BenchmarkId::from_parameter(tasks), &sets, |bencher, sets| {
                bencher.iter(|| sets.iter().filter(|set| set.proves(policy)).count());
            });
        }
        group.finish();
    }
}

/// A tenth of each job, at most 500 µs, is not preempted.
fn part(task: &Task) -> Departure {
    Departure { non_preemptive: NonPreemptive::floating((task.cost / 10).clamp(1, 500)), ..Departure::default() }
}

/// Each job suspends itself for a tenth of its cost.
fn suspends(task: &Task) -> Departure {
    Departure { suspension: (task.cost / 10).max(1), ..Departure::default() }
}

criterion_group!(benches, each_model);
criterion_main!(benches);
