//! Data followed through chains in the simulator, held against data followed from job to job in a schedule computed tick by tick.

use prazo_core::behaviour::Behaviours;
use prazo_core::overheads::Overheads;
use prazo_core::task::Task;
use prazo_core::time::{Duration, Instant};
use prazo_oracle::any_arrival::Order;
use prazo_oracle::chained::{ChainJob, ChainTask, FollowedChain, run};
use prazo_oracle::random;
use prazo_scenario::{Activation, Chain, Communication, Conduct, Stage};
use prazo_sim::chains::{ChainFigures, ChainObserver};
use prazo_sim::model::{Arrivals, SimulationError};
use prazo_sim::sink::Nowhere;
use prazo_sim::{Limits, Model, Policy, Request, Variation, simulate};

const HORIZON: i64 = 240;

/// Tasks by urgency, on processors of their own or shared, with a chain through some of them.
#[derive(Debug)]
struct Set {
    tasks: Vec<Task>,
    conduct: Vec<Conduct>,
    places: Vec<u32>,
    chain: Chain,
}

impl Set {
    fn drawn(random: &mut fastrand::Rng) -> Self {
        let count = random.usize(1..=5);
        let mut tasks: Vec<Task> = (0..count)
            .map(|_| {
                let period = random.u64(4..=14);
                Task::new(random.u64(1..=3), period, random.u64(4..=2 * period))
            })
            .collect();
        let mut conduct: Vec<Conduct> = tasks
            .iter()
            .map(|task| Conduct { offset: Some(random.u64(0..task.period)), ..Conduct::default() })
            .collect();
        let mut order: Vec<usize> = (0..count).collect();
        random.shuffle(&mut order);
        order.truncate(random.usize(1..=count));
        let is_let = random.u8(0..3) == 0;
        let stages: Vec<Stage> = order
            .iter()
            .enumerate()
            .map(|(at, &task)| Stage {
                task,
                activated: !is_let && random.u8(0..3) == 0,
                hop: if at > 0 { random.u64(0..=5) } else { 0 },
            })
            .collect();
        for pair in stages.windows(2).filter(|pair| pair[1].activated) {
            tasks[pair[1].task].period = tasks[pair[0].task].period;
            conduct[pair[1].task].offset = conduct[pair[0].task].offset;
        }
        let communication = if is_let { Communication::Let } else { Communication::Implicit };
        let name = "chain".to_owned();
        let chain = Chain { name, stages, communication, synchronized: false, max_reaction: None, max_age: None };
        Self { places: tasks.iter().map(|_| random.u32(0..2)).collect(), tasks, conduct, chain }
    }

    fn activations(&self) -> Vec<Option<Activation>> {
        let mut all = vec![None; self.tasks.len()];
        for pair in self.chain.stages.windows(2).filter(|pair| pair[1].activated) {
            all[pair[1].task] = Some(Activation { by: pair[0].task, hop: pair[1].hop });
        }
        all
    }

    fn model(&self, policy: &Policy, variation: Variation) -> Result<Model, SimulationError> {
        let request = Request {
            tasks: &self.tasks,
            conduct: &self.conduct,
            behaviours: Behaviours::PLAIN,
            ns_per_tick: 1,
            clusters: &[1, 1],
            places: &self.places,
            policy,
            overheads: Overheads::NONE,
            variation,
        };
        Model::new(&request)?.with_activations(&self.activations(), 1)
    }

    fn simulated(&self) -> ChainFigures {
        let ranks = (0..self.tasks.len() as u32).collect();
        let model = self.model(&Policy::FixedPriority(ranks), Variation::default()).unwrap();
        let mut observer = ChainObserver::new(std::slice::from_ref(&self.chain), &model, 1, Nowhere);
        let _ = simulate(&model, &Limits::until(Instant::from_ns(HORIZON as u64)), &mut observer);
        observer.figures()[0]
    }

    fn twin(&self) -> (Option<i64>, Option<i64>) {
        let activations = self.activations();
        let hop_after = |task: usize| {
            let pairs = self.chain.stages.windows(2);
            pairs.filter(|pair| pair[0].task == task).map(|pair| pair[1].hop as i64).max().unwrap_or(0)
        };
        let of = |(index, task): (usize, &Task)| {
            let offset = self.conduct[index].offset.unwrap_or(0) as i64;
            let job = |arrival: i64| ChainJob {
                arrival,
                release: arrival,
                due: arrival + task.deadline as i64,
                cost: task.cost,
                hop: hop_after(index),
                began: None,
                ended: None,
            };
            let arrivals = (0..).map(|number| offset + number * task.period as i64).take_while(|at| *at < HORIZON);
            ChainTask {
                processor: self.places[index] as usize,
                is_whole: false,
                activated_by: activations[index].map(|one| one.by),
                jobs: arrivals.map(job).collect(),
            }
        };
        let mut tasks: Vec<ChainTask> = self.tasks.iter().enumerate().map(of).collect();
        run(&mut tasks, Order::Fixed, HORIZON);
        let followed = FollowedChain {
            stages: self.chain.stages.iter().map(|stage| stage.task).collect(),
            is_let: self.chain.communication == Communication::Let,
            is_event: self.chain.stages[0].activated,
        };
        (followed.reaction(&tasks), followed.age(&tasks))
    }
}

#[test]
fn simulator_and_twin_see_the_same_times() {
    let mut random = random::seeded("chains", 11);
    let mut seen = 0;
    for _ in 0..random::sets(2_000) {
        let set = Set::drawn(&mut random);
        let figures = set.simulated();
        let ns = |length: Option<Duration>| length.map(|length| length.as_ns() as i64);
        assert_eq!((ns(figures.reaction_max), ns(figures.age_max)), set.twin(), "{set:#?}");
        seen += usize::from(figures.reaction_max.is_some());
    }
    assert!(seen > 1_000, "{seen}");
}

#[test]
fn sporadic_arrivals_are_no_farther_apart_than_stated() {
    let sporadic = Variation { arrivals: Arrivals::Sporadic { extra_thousandths: 4_000 }, ..Variation::default() };
    let task = Task::implicit(1, 10);
    let longest_of = |variation: Variation, max_inter_arrival: Option<u64>| {
        let conduct = [Conduct { max_inter_arrival, ..Conduct::default() }];
        let request = Request {
            tasks: &[task],
            conduct: &conduct,
            behaviours: Behaviours::PLAIN,
            ns_per_tick: 1,
            clusters: &[1],
            places: &[0],
            policy: &Policy::EarliestDeadlineFirst,
            overheads: Overheads::NONE,
            variation,
        };
        let pattern = Model::new(&request).unwrap().tasks[0].pattern.clone();
        let places: Vec<_> =
            std::iter::successors(Some(pattern.first()), |at| Some(pattern.after(*at))).take(500).collect();
        places.windows(2).map(|two| (two[1].arrival - two[0].arrival).as_ns()).max()
    };
    let longest = |max_inter_arrival| longest_of(sporadic, max_inter_arrival);
    assert_eq!((longest(None), longest(Some(13)), longest(Some(10))), (Some(50), Some(13), Some(10)));
    let periodic = |max_inter_arrival| longest_of(Variation::default(), max_inter_arrival);
    assert_eq!([None, Some(13), Some(u64::MAX)].map(periodic), [Some(10); 3]);
}

#[test]
fn activated_tasks_need_policies_of_deadlines_or_priorities() {
    let stages = vec![Stage { task: 0, activated: false, hop: 0 }, Stage { task: 1, activated: true, hop: 0 }];
    let set = Set {
        tasks: vec![Task::implicit(1, 8); 2],
        conduct: vec![Conduct::default(); 2],
        places: vec![0, 1],
        chain: Chain {
            name: "pair".to_owned(),
            stages,
            communication: Communication::Implicit,
            synchronized: false,
            max_reaction: None,
            max_age: None,
        },
    };
    let refused = set.model(&Policy::FirstComeFirstServed, Variation::default());
    assert_eq!(refused.err(), Some(SimulationError::Activated(1)));
    assert!(set.model(&Policy::RateMonotonic, Variation::default()).is_ok());
}
