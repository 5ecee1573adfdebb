//! Locks across processors: the simulator against processors computed tick by tick, and against what is proven.

use prazo_analysis::question::{Answer, JobRanking as Ranked, Method, Priorities, Question, Shape, answer};
use prazo_analysis::{Task, TimeModel, Verdict};
use prazo_core::behaviour::{Behaviours, CriticalSection, Departure, Locking};
use prazo_core::event::{Event, EventKind};
use prazo_core::overheads::Overheads;
use prazo_core::time::Instant;
use prazo_oracle::locked::{Protocol, Ranking, SectionSpan, Sharing, SharingJob};
use prazo_oracle::random;
use prazo_sim::model::{Arrivals, Offsets};
use prazo_sim::sink::Memory;
use prazo_sim::{Limits, Model, Policy, Request, SimulationError, Variation, simulate};

const LOCKINGS: [Locking; 3] = [Locking::Msrp, Locking::Fmlp, Locking::Mpcp];
const RESOURCES: u32 = 2;
const PROCESSORS: u32 = 3;
/// Jobs arrive at any quarter of a tick.
const NS_PER_TICK: u64 = 4;
const HORIZON: i64 = 480;

struct Set {
    tasks: Vec<Task>,
    departures: Vec<Departure>,
    sections: Vec<CriticalSection>,
    locking: Locking,
    places: Vec<u32>,
}

impl Set {
    fn drawn(random: &mut fastrand::Rng) -> Self {
        let locking = LOCKINGS[random.usize(0..3)];
        let (tasks, departures, sections) = (Vec::new(), Vec::new(), Vec::new());
        let mut set = Self { tasks, departures, sections, locking, places: Vec::new() };
        for _ in 0..random.usize(2..=5) {
            let (period, cost) = (random.u64(6..=20), random.u64(1..=4));
            let mut left = cost;
            for resource in 0..RESOURCES {
                let length = random.u64(1..=2);
                if left >= length && random.bool() {
                    let requests = random.u64(1..=2.min(left / length)) as u32;
                    set.sections.push(CriticalSection { resource, length, requests });
                    left -= length * u64::from(requests);
                }
            }
            set.tasks.push(Task::new(cost, period, random.u64(cost..=period)));
            set.departures.push(Departure { sections_end: set.sections.len(), ..Departure::default() });
            set.places.push(random.u32(0..PROCESSORS));
        }
        set
    }

    fn behaviours(&self) -> Behaviours<'_> {
        Behaviours { of_tasks: &self.departures, sections: &self.sections, locking: self.locking, ..Behaviours::PLAIN }
    }

    fn model(&self, policy: &Policy, variation: Variation) -> Result<Model, SimulationError> {
        Model::new(&Request {
            tasks: &self.tasks,
            conduct: &[],
            behaviours: self.behaviours(),
            ns_per_tick: NS_PER_TICK,
            clusters: &[1; PROCESSORS as usize],
            places: &self.places,
            policy,
            overheads: Overheads::NONE,
            variation,
        })
    }

    fn answer(&self, policy: Ranked<'_>) -> Answer {
        let places: Vec<Option<u32>> = self.places.iter().copied().map(Some).collect();
        let question = Question {
            tasks: &self.tasks,
            policy,
            shape: Shape::Clusters(&[1; PROCESSORS as usize]),
            places: Some(&places),
            behaviours: self.behaviours(),
            overheads: None,
            time: TimeModel::Continuous,
        };
        answer(&question, &Method { budget: 100_000, ..Method::default() }).unwrap()
    }

    /// The jobs that arrived in `events`, with their sections at the beginning, one after the other.
    fn jobs(&self, events: &[Event]) -> Vec<SharingJob> {
        let ns = |ticks: u64| (ticks * NS_PER_TICK) as i64;
        let job = |event: &Event| {
            let (task, at) = (event.task.index(), event.at.as_ns() as i64);
            let mut sections = Vec::new();
            let mut from = 0;
            for one in self.behaviours().of(task).sections {
                for _ in 0..one.requests {
                    let to = from + ns(one.length);
                    sections.push(SectionSpan { from, to, resource: one.resource as usize });
                    from = to;
                }
            }
            let due = at + ns(self.tasks[task].deadline);
            SharingJob { task, arrival: at, release: at, due, cost: ns(self.tasks[task].cost), sections }
        };
        events.iter().filter(|event| event.kind == EventKind::Arrival).map(job).collect()
    }

    /// Task and end of each job.
    fn twin(&self, jobs: &[SharingJob], ranking: Ranking) -> Vec<(usize, i64)> {
        let users = prazo_oracle::users(self.behaviours(), self.tasks.len(), RESOURCES);
        let deadlines: Vec<i64> = self.tasks.iter().map(|task| task.deadline as i64).collect();
        let homes: Vec<usize> = self.places.iter().map(|place| *place as usize).collect();
        let protocol = Protocol::of(self.locking);
        let on = Sharing { jobs, homes: &homes, deadlines: &deadlines, users: &users, protocol, ranking };
        on.ends(HORIZON).iter().map(|end| (jobs[end.job].task, end.at)).collect()
    }

    fn about(&self) -> String {
        format!("{} {:?} {:?} {:?} {:?}", self.locking, self.tasks, self.departures, self.sections, self.places)
    }
}

fn variation(random: &mut fastrand::Rng) -> Variation {
    let arrivals = [Arrivals::Periodic, Arrivals::Sporadic { extra_thousandths: 300 }][random.usize(0..2)];
    Variation { seed: random.u64(..), offsets: Offsets::Random, arrivals, ..Variation::default() }
}

fn ends(events: &[Event]) -> Vec<(usize, i64)> {
    let of = |event: &Event| {
        matches!(event.kind, EventKind::Completion { .. }).then(|| (event.task.index(), event.at.as_ns() as i64))
    };
    events.iter().filter_map(of).collect()
}

#[test]
fn every_job_ends_when_it_does_tick_by_tick_and_none_that_is_proven_misses() {
    let mut random = random::seeded("sharing", 47);
    let (mut waited, mut proven, mut missed) = ([0; 3], [0; 3], [0; 3]);
    let sets = random::sets(6_000);
    let limits = Limits::until(Instant::from_ns(HORIZON as u64));
    for _ in 0..sets {
        let set = Set::drawn(&mut random);
        let by = LOCKINGS.iter().position(|locking| *locking == set.locking).unwrap();
        let ranks: Vec<u32> = (0..set.tasks.len() as u32).collect();
        let is_proven = set.answer(Ranked::FixedPriority(Priorities::Given(&ranks))).verdict == Verdict::Proven;
        proven[by] += usize::from(is_proven);
        for _ in 0..2 {
            let model = set.model(&Policy::FixedPriority(ranks.clone()), variation(&mut random)).unwrap();
            let mut memory = Memory::new(100_000);
            let figures = simulate(&model, &limits, &mut memory).figures;
            let mut simulated = ends(&memory.events);
            let mut computed = set.twin(&set.jobs(&memory.events), Ranking::Fixed);
            simulated.sort_unstable();
            computed.sort_unstable();
            assert_eq!(simulated, computed, "{}\n{:#?}", set.about(), memory.events);
            waited[by] += usize::from(figures.tasks.iter().any(|task| task.lock_waits > 0));
            missed[by] += usize::from(!figures.misses.is_empty());
            assert!(!is_proven || figures.misses.is_empty(), "{}", set.about());
        }
        if set.locking != Locking::Mpcp && set.answer(Ranked::Edf).verdict == Verdict::Proven {
            let model = set.model(&Policy::EarliestDeadlineFirst, variation(&mut random)).unwrap();
            let figures = simulate(&model, &limits, Memory::new(100_000)).figures;
            assert!(figures.misses.is_empty(), "EDF: {}", set.about());
        }
    }
    eprintln!(
        "{sets} sets; msrp, fmlp+, mpcp: {proven:?} proven; of twice as many runs {waited:?} waited, {missed:?} missed"
    );
    let enough = |counts: [usize; 3]| counts.iter().all(|count| *count > sets / 60);
    assert!(enough(waited) && enough(proven) && enough(missed));
}

#[test]
fn mpcp_needs_priorities_and_a_job_no_more_than_a_thousand_requests() {
    let mut set = Set {
        tasks: vec![Task::new(2_000, 9_000, 9_000); 2],
        departures: [1, 2].map(|sections_end| Departure { sections_end, ..Departure::default() }).to_vec(),
        sections: vec![CriticalSection::once(0, 1); 2],
        locking: Locking::Mpcp,
        places: vec![0, 1],
    };
    let refused = |set: &Set, policy| set.model(&policy, Variation::default()).err();
    assert_eq!(refused(&set, Policy::EarliestDeadlineFirst), Some(SimulationError::Mpcp));
    assert_eq!(refused(&set, Policy::DeadlineMonotonic), None);
    set.sections[1].requests = 1_001;
    assert_eq!(refused(&set, Policy::DeadlineMonotonic), Some(SimulationError::Requests(1)));
}
