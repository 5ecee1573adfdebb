//! Parts in which others wait, and bursts: the simulator against a processor computed tick by tick, and against what is proven.

use prazo_analysis::blocking::{System, edf, fixed_priority};
use prazo_analysis::{Budget, Task};
use prazo_core::behaviour::{Behaviours, Burst, CriticalSection, Departure, Locking, NonPreemptive};
use prazo_core::overheads::Overheads;
use prazo_core::time::Instant;
use prazo_oracle::blocked::{Blocked, Part, PartedJob, Protocol, Rank};
use prazo_oracle::random;
use prazo_sim::sink::Nowhere;
use prazo_sim::{Limits, Model, Policy, Refused, Request, Variation, simulate};

const HORIZON: i64 = 120;

/// A set as the simulator takes it.
struct Set {
    tasks: Vec<Task>,
    departures: Vec<Departure>,
    sections: Vec<CriticalSection>,
}

impl Set {
    fn behaviours(&self) -> Behaviours<'_> {
        Behaviours { of_tasks: &self.departures, sections: &self.sections, locking: Locking::Srp, supply: None }
    }

    fn drawn(random: &mut fastrand::Rng) -> Self {
        let mut set = Set { tasks: Vec::new(), departures: Vec::new(), sections: Vec::new() };
        for _ in 0..random.usize(2..=4) {
            let (mut period, cost) = (random.u64(4..=14), random.u64(1..=3));
            let deadline = random.u64(cost..=period);
            let mut departure = Departure::default();
            match random.u8(0..5) {
                0 => departure.non_preemptive = NonPreemptive::WHOLE,
                1 => departure.non_preemptive = NonPreemptive::floating(random.u64(0..=cost)),
                2 => {
                    let (jobs, distance) = (random.u64(1..=3), random.u64(0..=2));
                    let within = period * jobs;
                    departure.burst = Some(Burst { jobs, within, distance });
                    period = within.div_ceil(jobs);
                }
                3 => set.sections.push(CriticalSection { resource: random.u32(0..2), length: random.u64(1..=cost) }),
                _ => {}
            }
            departure.sections_end = set.sections.len();
            set.tasks.push(Task::new(cost, period, deadline));
            set.departures.push(departure);
        }
        set
    }

    fn model(&self, policy: &Policy, clusters: &[u32]) -> Result<Model, Refused> {
        Model::new(&Request {
            tasks: &self.tasks,
            conduct: &[],
            behaviours: self.behaviours(),
            ns_per_tick: 1,
            clusters,
            places: &vec![0; self.tasks.len()],
            policy,
            overheads: Overheads::NONE,
            variation: Variation::default(),
        })
    }

    fn misses(&self, policy: &Policy) -> bool {
        let model = self.model(policy, &[1]).unwrap();
        let limits = Limits::until(Instant::from_ns(HORIZON as u64));
        !simulate(&model, &limits, Nowhere).figures.misses.is_empty()
    }

    /// The same jobs with the same parts, in the order of the tasks.
    fn jobs(&self) -> Vec<PartedJob> {
        let of = |(index, task): (usize, &Task)| {
            let behaviour = self.behaviours().of(index);
            let burst = behaviour.burst.unwrap_or(Burst { jobs: 1, within: task.period, distance: 0 });
            let arrival = move |job: u64| (job / burst.jobs * burst.within + job % burst.jobs * burst.distance) as i64;
            let (cost, longest) = (task.cost as i64, behaviour.non_preemptive.longest.min(task.cost) as i64);
            let mut parts = vec![Part { from: 0, to: longest, resource: None }];
            parts.extend(behaviour.sections.iter().map(|section| Part {
                from: 0,
                to: section.length as i64,
                resource: Some(section.resource),
            }));
            let deadline = task.deadline as i64;
            (0..)
                .map(arrival)
                .take_while(|at| *at < HORIZON)
                .map(move |release| PartedJob {
                    task: index,
                    release,
                    due: release + deadline,
                    cost,
                    parts: parts.clone(),
                })
                .collect::<Vec<_>>()
        };
        self.tasks.iter().enumerate().flat_map(of).collect()
    }

    fn twin_misses(&self) -> bool {
        let jobs = self.jobs();
        let deadlines: Vec<i64> = self.tasks.iter().map(|task| task.deadline as i64).collect();
        let uses =
            |task: usize, resource| self.behaviours().of(task).sections.iter().any(|one| one.resource == resource);
        let users: Vec<Vec<usize>> =
            (0..2).map(|resource| (0..self.tasks.len()).filter(|task| uses(*task, resource)).collect()).collect();
        let on =
            Blocked { jobs: &jobs, deadlines: &deadlines, users: &users, rank: Rank::Fixed, protocol: Protocol::Srp };
        on.first_miss(0, HORIZON).is_some()
    }

    fn system(&self) -> System<'_> {
        System::new(self.tasks.clone(), self.behaviours().iter().collect(), Locking::Srp)
    }
}

#[test]
fn the_simulator_misses_where_the_tick_by_tick_processor_does_and_never_where_it_is_proven() {
    let mut random = random::seeded("parts", 23);
    let (mut missed, mut proven) = (0, 0);
    let sets = random::sets(6_000);
    for _ in 0..sets {
        let set = Set::drawn(&mut random);
        let ranks = Policy::FixedPriority((0..set.tasks.len() as u32).collect());
        let misses = set.misses(&ranks);
        assert_eq!(misses, set.twin_misses(), "{:?} {:?} {:?}", set.tasks, set.departures, set.sections);
        missed += usize::from(misses);
        let system = set.system();
        if fixed_priority::test(&system, &mut Budget::unlimited()).is_proven() {
            assert!(!misses, "proven: {:?} {:?} {:?}", set.tasks, set.departures, set.sections);
            proven += 1;
        }
        if edf::test(&system, &mut Budget::unlimited()).is_proven() {
            let misses = set.misses(&Policy::EarliestDeadlineFirst);
            assert!(!misses, "EDF: {:?} {:?} {:?}", set.tasks, set.departures, set.sections);
            proven += 1;
        }
    }
    eprintln!("{sets} sets: {missed} miss, {proven} proven");
    assert!(missed > sets / 10 && proven > sets / 10);
}

#[test]
fn what_is_not_simulated_is_refused() {
    let set = Set {
        tasks: vec![Task::implicit(1, 4)],
        departures: vec![Departure { non_preemptive: NonPreemptive::WHOLE, ..Departure::default() }],
        sections: Vec::new(),
    };
    assert_eq!(set.model(&Policy::EarliestDeadlineFirst, &[2]).unwrap_err(), Refused::Parts);
    assert!(set.model(&Policy::EarliestDeadlineFirst, &[1]).is_ok());
}
