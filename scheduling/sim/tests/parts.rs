//! Parts in which others wait under each protocol, and bursts: the simulator against a processor computed tick by tick, and against what is proven.

use prazo_analysis::blocking::{System, edf, fixed_priority};
use prazo_analysis::{Budget, Task};
use prazo_core::behaviour::{Behaviours, Burst, CriticalSection, Departure, Locking, NonPreemptive};
use prazo_core::event::{Event, EventKind};
use prazo_core::overheads::Overheads;
use prazo_core::time::Instant;
use prazo_oracle::blocked::{Blocked, Part, PartedJob, Protocol, Rank};
use prazo_oracle::random;
use prazo_scenario::Conduct;
use prazo_sim::model::Offsets;
use prazo_sim::sink::{Memory, Nowhere};
use prazo_sim::{Limits, Model, Policy, Request, SimulationError, Variation, simulate};

const HORIZON: i64 = 120;

/// A set as the simulator takes it.
struct Set {
    tasks: Vec<Task>,
    departures: Vec<Departure>,
    sections: Vec<CriticalSection>,
    locking: Locking,
}

impl Set {
    fn behaviours(&self) -> Behaviours<'_> {
        Behaviours {
            of_tasks: &self.departures,
            sections: &self.sections,
            locking: self.locking,
            supply: None,
            phases: &[],
        }
    }

    fn drawn(random: &mut fastrand::Rng) -> Self {
        let locking = [Locking::Srp, Locking::Pcp, Locking::Pip][random.usize(0..3)];
        let mut set = Set { tasks: Vec::new(), departures: Vec::new(), sections: Vec::new(), locking };
        for _ in 0..random.usize(2..=4) {
            let (mut period, cost) = (random.u64(4..=14), random.u64(1..=3));
            let deadline = random.u64(cost..=period);
            let mut departure = Departure::default();
            match random.u8(0..7) {
                0 => departure.non_preemptive = NonPreemptive::WHOLE,
                1 => departure.non_preemptive = NonPreemptive::floating(random.u64(0..=cost)),
                2 => {
                    let (jobs, distance) = (random.u64(1..=3), random.u64(0..=2));
                    let within = period * jobs;
                    departure.burst = Some(Burst { jobs, within, distance });
                    period = within.div_ceil(jobs);
                }
                3 | 4 => {
                    set.sections.push(CriticalSection::once(random.u32(0..2), random.u64(1..=cost)));
                }
                5 if cost > 1 => {
                    let first = random.u64(1..cost);
                    set.sections.push(CriticalSection::once(0, first));
                    set.sections.push(CriticalSection::once(1, random.u64(1..=cost - first)));
                }
                _ => {}
            }
            departure.sections_end = set.sections.len();
            set.tasks.push(Task::new(cost, period, deadline));
            set.departures.push(departure);
        }
        set
    }

    fn model(&self, policy: &Policy, clusters: &[u32], variation: Variation) -> Result<Model, SimulationError> {
        Model::new(&Request {
            tasks: &self.tasks,
            conduct: &[],
            behaviours: self.behaviours(),
            ns_per_tick: 1,
            clusters,
            places: &vec![0; self.tasks.len()],
            policy,
            overheads: Overheads::NONE,
            variation,
        })
    }

    fn misses(&self, policy: &Policy, variation: Variation) -> bool {
        let model = self.model(policy, &[1], variation).unwrap();
        let limits = Limits::until(Instant::from_ns(HORIZON as u64));
        !simulate(&model, &limits, Nowhere).figures.misses.is_empty()
    }

    /// The same jobs with the same parts, in the order of the tasks.
    fn jobs(&self, offsets: &[i64]) -> Vec<PartedJob> {
        let of = |(index, task): (usize, &Task)| {
            let behaviour = self.behaviours().of(index);
            let burst = behaviour.burst.unwrap_or(Burst { jobs: 1, within: task.period, distance: 0 });
            let arrival = move |job: u64| (job / burst.jobs * burst.within + job % burst.jobs * burst.distance) as i64;
            let (cost, longest) = (task.cost as i64, behaviour.non_preemptive.longest.min(task.cost) as i64);
            let mut parts = vec![Part { from: 0, to: longest, resource: None }];
            let mut from = 0;
            for section in behaviour.sections {
                let to = from + section.length as i64;
                parts.push(Part { from, to, resource: Some(section.resource) });
                from = to;
            }
            let (deadline, offset) = (task.deadline as i64, offsets[index]);
            (0..)
                .map(move |job| offset + arrival(job))
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

    fn twin_misses(&self, variation: Variation) -> bool {
        let model = self.model(&fixed(self), &[1], variation).unwrap();
        let offsets: Vec<i64> = model.tasks.iter().map(|task| task.pattern.offset.as_ns() as i64).collect();
        let jobs = self.jobs(&offsets);
        let deadlines: Vec<i64> = self.tasks.iter().map(|task| task.deadline as i64).collect();
        let users = prazo_oracle::users(self.behaviours(), self.tasks.len(), 2);
        let protocol = Protocol::of(self.locking);
        let on = Blocked { jobs: &jobs, deadlines: &deadlines, users: &users, rank: Rank::Fixed, protocol };
        on.first_miss(0, HORIZON).is_some()
    }

    fn system(&self) -> System<'_> {
        System::new(self.tasks.clone(), self.behaviours().iter().collect(), self.locking)
    }
}

fn fixed(set: &Set) -> Policy {
    Policy::FixedPriority((0..set.tasks.len() as u32).collect())
}

#[test]
fn the_simulator_misses_where_the_tick_by_tick_processor_does_and_never_where_it_is_proven() {
    let mut random = random::seeded("parts", 23);
    let (mut missed, mut proven, mut with_locks) = ([0; 3], [0; 3], [0; 3]);
    let sets = random::sets(10_000);
    for number in 0..sets {
        let set = Set::drawn(&mut random);
        let by = set.locking as usize;
        with_locks[by] += usize::from(!set.sections.is_empty());
        let offsets = [Offsets::Synchronous, Offsets::Random, Offsets::Random];
        let system = set.system();
        let is_proven = fixed_priority::test(&system, &mut Budget::unlimited()).is_proven();
        proven[by] += usize::from(is_proven);
        let mut any = false;
        for (seed, offsets) in offsets.into_iter().enumerate() {
            let variation = Variation { seed: (3 * number + seed) as u64, offsets, ..Variation::default() };
            let misses = set.misses(&fixed(&set), variation);
            let about =
                format!("{variation:?} {:?} {:?} {:?} {:?}", set.locking, set.tasks, set.departures, set.sections);
            assert_eq!(misses, set.twin_misses(variation), "{about}");
            assert!(!is_proven || !misses, "proven: {about}");
            any |= misses;
        }
        missed[by] += usize::from(any);
        if edf::test(&system, &mut Budget::unlimited()).is_proven()
            && (set.locking == Locking::Srp || set.sections.is_empty())
        {
            let misses = set.misses(&Policy::EarliestDeadlineFirst, Variation::default());
            assert!(!misses, "EDF: {:?} {:?} {:?}", set.tasks, set.departures, set.sections);
        }
    }
    eprintln!("{sets} sets; SRP, PCP, PIP: {missed:?} miss, {proven:?} proven, {with_locks:?} with sections");
    let enough = |counts: [usize; 3]| counts.iter().all(|count| *count > sets / 30);
    assert!(enough(missed) && enough(proven) && enough(with_locks));
}

#[test]
fn jobs_that_hold_nothing_inherit_nothing_in_the_trace() {
    use EventKind::{Disinheritance, Inheritance, Resumption, Suspension};
    for locking in [Locking::Pip, Locking::Pcp] {
        let sections = [2, 2, 8].map(|length| CriticalSection::once(0, length)).to_vec();
        let departures = [1, 2, 3].map(|sections_end| Departure { sections_end, ..Departure::default() }).to_vec();
        let tasks = vec![Task::new(3, 100, 100), Task::new(3, 100, 100), Task::new(9, 100, 100)];
        let set = Set { tasks, departures, sections, locking };
        let conduct = [4, 2, 0].map(|offset| Conduct { offset: Some(offset), ..Conduct::default() });
        let request = Request {
            tasks: &set.tasks,
            conduct: &conduct,
            behaviours: set.behaviours(),
            ns_per_tick: 1,
            clusters: &[1],
            places: &[0; 3],
            policy: &fixed(&set),
            overheads: Overheads::NONE,
            variation: Variation::default(),
        };
        let (model, mut memory) = (Model::new(&request).unwrap(), Memory::new(1_000));
        simulate(&model, &Limits::until(Instant::from_ns(100)), &mut memory);
        let of_locks = |event: &&Event| matches!(event.kind, Suspension | Resumption | Inheritance | Disinheritance);
        let mut kinds: Vec<(usize, EventKind)> =
            memory.events.iter().filter(of_locks).map(|event| (event.task.index(), event.kind)).collect();
        let inherited: Vec<usize> =
            kinds.iter().filter(|(_, kind)| *kind == Inheritance).map(|(task, _)| *task).collect();
        assert_eq!(inherited, [2, 2], "{locking:?}");
        kinds.retain(|(_, kind)| *kind == Disinheritance);
        assert_eq!(kinds, [(2, Disinheritance)], "{locking:?}");
    }
}

/// The least urgent of three holds what the most urgent one wants, and the one between executes for long.
fn inverted(locking: Locking) -> (Vec<Task>, Vec<EventKind>) {
    let sections = vec![CriticalSection::once(0, 2), CriticalSection::once(0, 8)];
    let ends = [1, 1, 2].map(|sections_end| Departure { sections_end, ..Departure::default() });
    let tasks = vec![Task::new(2, 100, 100), Task::new(30, 100, 100), Task::new(9, 100, 100)];
    let set = Set { tasks, departures: ends.to_vec(), sections, locking };
    let conduct = [4, 5, 0].map(|offset| Conduct { offset: Some(offset), ..Conduct::default() });
    let request = Request {
        tasks: &set.tasks,
        conduct: &conduct,
        behaviours: set.behaviours(),
        ns_per_tick: 1,
        clusters: &[1],
        places: &[0; 3],
        policy: &fixed(&set),
        overheads: Overheads::NONE,
        variation: Variation::default(),
    };
    let (model, mut memory) = (Model::new(&request).unwrap(), Memory::new(1_000));
    simulate(&model, &Limits::until(Instant::from_ns(100)), &mut memory);
    let of_locks = |kind: &EventKind| {
        use EventKind::{Disinheritance, Inheritance, Resumption, Suspension};
        matches!(kind, Suspension | Resumption | Inheritance | Disinheritance)
    };
    let first = memory.events.iter().find(|event| event.task.index() == 0 && event.kind.name() == "completion");
    assert_eq!(first.unwrap().at, Instant::from_ns(10), "{locking:?}");
    (set.tasks.clone(), memory.events.iter().map(|event| event.kind).filter(of_locks).collect())
}

#[test]
fn a_job_waits_for_its_lock_and_lends_its_urgency_meanwhile() {
    use EventKind::{Disinheritance, Inheritance, Resumption, Suspension};
    for locking in [Locking::Pip, Locking::Pcp] {
        let (_, kinds) = inverted(locking);
        assert_eq!(kinds, [Inheritance, Suspension, Disinheritance, Resumption], "{locking:?}");
    }
    assert!(inverted(Locking::Srp).1.is_empty(), "under SRP a job waits before it starts");
}

#[test]
fn what_is_not_simulated_is_refused() {
    let set = Set {
        tasks: vec![Task::implicit(1, 4)],
        departures: vec![Departure { non_preemptive: NonPreemptive::WHOLE, ..Departure::default() }],
        sections: Vec::new(),
        locking: Locking::Srp,
    };
    let model = |set: &Set, clusters: &[u32]| {
        set.model(&Policy::EarliestDeadlineFirst, clusters, Variation::default()).map(drop)
    };
    assert_eq!(model(&set, &[2]), Err(SimulationError::Parts));
    assert_eq!(model(&set, &[1]), Ok(()));
    let locked = Set {
        departures: vec![Departure { sections_end: 1, ..Departure::default() }],
        sections: vec![CriticalSection::once(0, 1)],
        locking: Locking::Pip,
        ..set
    };
    assert_eq!(model(&locked, &[1]), Err(SimulationError::Locks));
    let several = locked.model(&Policy::RateMonotonic, &[1, 1], Variation::default()).map(drop);
    assert_eq!(several, Err(SimulationError::LockQueues(2)));
    assert!(locked.model(&Policy::RateMonotonic, &[1], Variation::default()).is_ok());
}
