//! Bounds of chains held against data that are followed from job to job, in schedules at halves of a tick with random arrivals, execution times and
//! delays; and the times that disprove a requirement against arrivals that were made to approach them.
//!
//! `PRAZO_SETS=100000 cargo test --release --test chains` is the long form; `PRAZO_SEED` repeats a run.

use prazo_analysis::chain::{Bound, ChainBounds, NoBound, activation, bounds, members};
use prazo_analysis::question::{Answer, JobRanking, Method, Priorities, Question, Shape, answer};
use prazo_analysis::{Budget, Task, Ticks, TimeModel, Verdict};
use prazo_oracle::any_arrival::Order;
use prazo_oracle::chained::{ChainJob, ChainTask, FollowedChain, run};
use prazo_oracle::random;
use prazo_scenario::read::{nothing_beside, toml};
use prazo_scenario::set::{Arrival, Conduct, NamedTask, Scenario};
use prazo_scenario::{Chain, Communication, Preemption, ResolvedBehaviours, Stage, TaskBehaviour};

/// What is asked of a scenario: a queue for each processor, tasks by index under fixed priorities.
struct Posed {
    scenario: Scenario,
    tasks: Vec<Task>,
    ranks: Vec<u32>,
    places: Vec<Option<u32>>,
    ones: Vec<u32>,
    behaviours: ResolvedBehaviours,
    order: Order,
}

impl Posed {
    fn new(scenario: Scenario, order: Order) -> Self {
        let processors = scenario.processors.unwrap_or(1);
        Self {
            tasks: scenario.tasks(),
            ranks: (0..scenario.tasks.len() as u32).collect(),
            places: scenario.tasks.iter().map(|named| Some(named.cluster.unwrap_or(0))).collect(),
            ones: vec![1; processors as usize],
            behaviours: ResolvedBehaviours::of(&scenario),
            scenario,
            order,
        }
    }

    fn question(&self) -> Question<'_> {
        Question {
            tasks: &self.tasks,
            policy: match self.order {
                Order::Edf | Order::EdfByIndex => JobRanking::Edf,
                Order::Fixed => JobRanking::FixedPriority(Priorities::Given(&self.ranks)),
            },
            shape: Shape::Clusters(&self.ones),
            places: Some(&self.places),
            behaviours: self.behaviours.borrow(),
            overheads: None,
            time: TimeModel::Continuous,
        }
    }

    /// The bounds of the first chain; none where the jitter of an activated task is not known.
    fn bounds(&mut self) -> Option<(ChainBounds, Answer)> {
        let method = Method { budget: 200_000, disprove: false, ..Method::default() };
        self.tasks = activation::settled(&self.scenario, &self.question(), &method).ok()?;
        let answered = answer(&self.question(), &method).unwrap();
        let of_chains = members(&self.scenario, &self.question(), &answered, &method);
        let found = bounds(&self.scenario.chains[0], &of_chains[0], &mut Budget::new(200_000));
        Some((found, answered))
    }
}

/// Up to five tasks on one or two processors, and a chain through some of them.
fn drawn(random: &mut fastrand::Rng) -> Scenario {
    let (count, processors) = (random.usize(1..=5), random.u32(1..=2));
    let mut tasks: Vec<NamedTask> = (0..count).map(|index| named(random, index, processors)).collect();
    let mut order: Vec<usize> = (0..count).collect();
    random.shuffle(&mut order);
    order.truncate(random.usize(1..=count.min(4)));
    let is_let = random.u8(0..4) == 0;
    let synchronized = random.u8(0..4) == 0;
    let stage = |task: usize, random: &mut fastrand::Rng| Stage {
        task,
        activated: !is_let && !synchronized && random.u8(0..3) == 0,
        hop: if random.bool() && task != order[0] { random.u64(0..=4) } else { 0 },
    };
    let stages: Vec<Stage> = order.iter().map(|&task| stage(task, random)).collect();
    for pair in stages.windows(2).filter(|pair| pair[1].activated) {
        let before = tasks[pair[0].task].clone();
        let after = &mut tasks[pair[1].task];
        (after.task.period, after.arrival, after.task.jitter) = (before.task.period, before.arrival, 0);
        after.task.deadline = before.task.deadline + random.u64(1..=2 * before.task.period);
        after.task.cost = random.u64(1..=2);
        after.behaviour = TaskBehaviour { burst: None, ..after.behaviour.clone() };
        after.conduct.max_inter_arrival = before.conduct.max_inter_arrival;
    }
    for stage in stages.iter().filter(|_| synchronized) {
        let named = &mut tasks[stage.task];
        (named.arrival, named.conduct.max_inter_arrival) = (Arrival::Periodic, None);
        named.conduct.offset = Some(random.u64(0..12));
    }
    let communication = if is_let { Communication::Let } else { Communication::Implicit };
    let name = "chain".to_owned();
    let chain = Chain { name, stages, communication, synchronized, max_reaction: None, max_age: None };
    Scenario { tasks, processors: Some(processors), chains: vec![chain], ..Scenario::default() }
}

fn named(random: &mut fastrand::Rng, index: usize, processors: u32) -> NamedTask {
    let period = random.u64(3..=12);
    let cost = random.u64(1..=(period / 3).max(1));
    let is_sporadic = random.u8(0..3) == 0;
    let jitter = if random.u8(0..4) == 0 { random.u64(0..=2) } else { 0 };
    // Equal deadlines are frequent: what goes first then is somebody else's choice.
    let deadline = if random.u8(0..4) == 0 { 12 } else { random.u64((cost + jitter).min(period)..=2 * period) };
    let is_whole = random.u8(0..5) == 0;
    NamedTask {
        name: index.to_string(),
        task: Task { jitter, ..Task::new(cost, period, deadline) },
        arrival: if is_sporadic { Arrival::Sporadic } else { Arrival::Periodic },
        priority: None,
        cluster: Some(random.u32(0..processors)),
        affinity: None,
        behaviour: TaskBehaviour {
            preemption: if is_whole { Preemption::Never } else { Preemption::Anywhere },
            ..TaskBehaviour::default()
        },
        conduct: Conduct { max_inter_arrival: is_sporadic.then(|| period + random.u64(0..=3)), ..Conduct::default() },
    }
}

/// A tick is two here.
const FINE: u64 = 2;
const UNTIL: i64 = 260;

/// One random schedule of the posed tasks, in fine ticks.
fn scheduled(posed: &Posed, random: &mut fastrand::Rng) -> Vec<ChainTask> {
    let activations = posed.scenario.activations();
    let hop_of = |task: usize| {
        let pairs = posed.scenario.chains[0].stages.windows(2);
        pairs.filter(|pair| pair[0].task == task).map(|pair| pair[1].hop).max().unwrap_or(0)
    };
    let mut tasks: Vec<ChainTask> = Vec::new();
    // Those that are activated arrive with the first of their chain, which may stand behind them.
    let mut arrivals: Vec<Vec<i64>> = (0..posed.tasks.len()).map(|index| arrivals(posed, index, random)).collect();
    for index in 0..posed.tasks.len() {
        let mut head = index;
        while let Some(one) = activations[head] {
            head = one.by;
        }
        arrivals[index] = arrivals[head].clone();
    }
    let (is_long, is_late) = (random.u8(0..3), random.bool());
    for (index, task) in posed.scenario.tasks.iter().map(|named| named.task).enumerate() {
        let job = |&arrival: &i64, random: &mut fastrand::Rng| ChainJob {
            arrival,
            release: arrival + random.u64(0..=FINE * task.jitter) as i64,
            due: arrival + (FINE * task.deadline) as i64,
            cost: match is_long {
                0 => FINE * task.cost,
                1 => random.u64(1..=FINE * task.cost),
                _ => *random.choice(&[1, FINE * task.cost]).unwrap(),
            },
            hop: if is_late { FINE * hop_of(index) } else { random.u64(0..=FINE * hop_of(index)) } as i64,
            began: None,
            ended: None,
        };
        let jobs = arrivals[index].iter().map(|arrival| job(arrival, random)).collect();
        tasks.push(ChainTask {
            processor: posed.scenario.tasks[index].cluster.unwrap_or(0) as usize,
            is_whole: posed.scenario.tasks[index].behaviour.preemption == Preemption::Never,
            activated_by: activations[index].map(|one| one.by),
            jobs,
        });
    }
    run(&mut tasks, posed.order, UNTIL);
    tasks
}

fn arrivals(posed: &Posed, index: usize, random: &mut fastrand::Rng) -> Vec<i64> {
    let NamedTask { task, conduct, .. } = &posed.scenario.tasks[index];
    let is_rare = random.bool();
    let offset = conduct.offset.map_or_else(|| random.u64(0..2 * task.period), |offset| FINE * offset);
    let mut all = Vec::new();
    let mut at = offset;
    while (at as i64) < UNTIL {
        all.push(at as i64);
        let longest = FINE * conduct.max_inter_arrival.unwrap_or(task.period);
        at += if is_rare { longest } else { random.u64(FINE * task.period..=longest) };
    }
    all
}

fn followed(chain: &Chain) -> FollowedChain {
    FollowedChain {
        stages: chain.stages.iter().map(|stage| stage.task).collect(),
        is_let: chain.communication == Communication::Let,
        is_event: chain.stages[0].activated,
    }
}

#[test]
fn no_datum_takes_longer_than_the_bound() {
    let mut random = random::seeded("chains", 3);
    // By kind of chain: sets, sum of the longest that was seen, sum of the bounds, how often the bound was reached up to a tick.
    let mut kinds = [[0u64; 4]; 4];
    let mut missing = 0;
    for _ in 0..random::sets(2_000) {
        let order = *random.choice(&[Order::Edf, Order::EdfByIndex, Order::Fixed, Order::Fixed]).unwrap();
        let mut posed = Posed::new(drawn(&mut random), order);
        let Some((found, _)) = posed.bounds() else {
            missing += 1;
            continue;
        };
        let chain = &posed.scenario.chains[0];
        let followed = followed(chain);
        let is_activated = chain.stages.iter().any(|stage| stage.activated);
        let kind = match (followed.is_let, chain.synchronized) {
            (_, true) => 3,
            (true, _) => 2,
            _ => usize::from(is_activated),
        };
        let mut longest = [0i64; 2];
        for _ in 0..10 {
            let tasks = scheduled(&posed, &mut random);
            let seen = [followed.reaction(&tasks), followed.age(&tasks)].map(|seen| seen.unwrap_or(0));
            for ((seen, bound), name) in seen.iter().zip([found.reaction, found.age]).zip(["reaction", "age"]) {
                if let Ok(at_most) = bound.at_most {
                    let context = || format!("{name}: {seen} of {at_most} x {FINE}\n{order:?} {:#?}", posed.scenario);
                    assert!(*seen <= (FINE * at_most) as i64, "{}", context());
                    assert!(bound.at_least <= at_most, "{bound:?} {}", context());
                }
            }
            // An output grows no older until the next one than the longest reaction.
            if let (Ok(at_most), false) = (found.reaction.at_most, followed.is_event) {
                assert!(followed.age_in_use(&tasks).unwrap_or(0) <= (FINE * at_most) as i64, "{:#?}", posed.scenario);
            }
            longest = [longest[0].max(seen[0]), longest[1].max(seen[1])];
        }
        match found.reaction.at_most {
            Ok(at_most) => {
                let reached = u64::from(longest[0] + FINE as i64 >= (FINE * at_most) as i64);
                let sums = [1, longest[0] as u64, FINE * at_most, reached];
                kinds[kind].iter_mut().zip(sums).for_each(|(sum, one)| *sum += one);
            }
            Err(_) => missing += 1,
        }
    }
    for (name, [sets, seen, bounds, reached]) in ["plain", "activated", "LET", "synchronized"].iter().zip(kinds) {
        let share = 100 * seen / bounds.max(1);
        eprintln!("{name}: {sets} bounds; longest seen {share} % of them, {reached} reached up to a tick");
    }
    eprintln!("without a bound: {missing}");
    assert!(kinds.iter().all(|[sets, ..]| *sets > 40), "{kinds:?}");
}

/// So many ticks are one in schedules that are made to approach a bound; the shortest job takes one of them.
const FINEST: i64 = 64;

/// The tasks of a chain, each with all other jobs as short as they may be, and the longest distance of arrivals.
struct Approach<'a> {
    posed: &'a Posed,
    chain: FollowedChain,
    tasks: Vec<ChainTask>,
}

impl Approach<'_> {
    /// A task that has arrivals at `instant` and at all multiples of its longest distance from there.
    fn begin(&mut self, stage: usize, instant: i64) {
        let index = self.chain.stages[stage];
        let NamedTask { task, conduct, .. } = &self.posed.scenario.tasks[index];
        let distance = FINEST * conduct.max_inter_arrival.unwrap_or(task.period) as i64;
        let job = |arrival: i64| ChainJob {
            arrival,
            release: arrival,
            due: arrival + FINEST * task.deadline as i64,
            cost: 1,
            hop: 0,
            began: None,
            ended: None,
        };
        let first = instant.rem_euclid(distance);
        self.tasks[index].jobs = (0..60).map(|number| job(first + number * distance)).collect();
    }

    fn job_at(&self, stage: usize, instant: i64) -> usize {
        self.tasks[self.chain.stages[stage]].jobs.iter().position(|job| job.arrival >= instant).unwrap()
    }

    /// The job takes its whole cost, and its output as long as it may to the next stage.
    fn lengthen(&mut self, stage: usize, job: usize) {
        let index = self.chain.stages[stage];
        let hop = self.posed.scenario.chains[0].stages.get(stage + 1).map_or(0, |next| next.hop);
        let cost = FINEST as u64 * self.posed.tasks[index].cost;
        let job = &mut self.tasks[index].jobs[job];
        (job.cost, job.hop) = (cost, FINEST * hop as i64);
    }

    fn ran(&self) -> Vec<ChainTask> {
        let mut tasks = self.tasks.clone();
        run(&mut tasks, self.posed.order, 9_000);
        tasks
    }

    /// When the job's output is there for the next stage.
    fn there(&self, stage: usize, job: usize) -> i64 {
        let job = self.ran()[self.chain.stages[stage]].jobs[job];
        let written = if self.chain.is_let { Some(job.due) } else { job.ended };
        written.unwrap() + job.hop
    }
}

/// A schedule whose longest reaction or whose oldest output is close to `at_least`: what is seen of it.
fn approached(posed: &Posed, interrupts: &[bool], is_age: bool) -> i64 {
    let processor = |named: &NamedTask| named.cluster.unwrap_or(0) as usize;
    let idle = |named: &NamedTask| ChainTask {
        processor: processor(named),
        is_whole: false,
        activated_by: None,
        jobs: Vec::new(),
    };
    let tasks = posed.scenario.tasks.iter().map(idle).collect();
    let mut made = Approach { posed, chain: followed(&posed.scenario.chains[0]), tasks };
    let start = 30 * FINEST;
    made.begin(0, start);
    let last = made.chain.stages.len() - 1;
    // The job that the datum passes through; for ages, the next one delays its successor.
    let mut job = made.job_at(0, if is_age || made.chain.is_event { start } else { start + 1 });
    for stage in 0..last {
        let late = if is_age { job + 1 } else { job };
        made.lengthen(stage, late);
        let arrival = made.tasks[made.chain.stages[stage]].jobs[late].arrival;
        let just_before = if interrupts[stage + 1] { made.there(stage, late) } else { arrival } - 2;
        made.begin(stage + 1, just_before);
        job = if is_age {
            made.job_at(stage + 1, just_before)
        } else {
            let there = made.there(stage, job);
            let ran = made.ran();
            let reads = |job: &ChainJob| if made.chain.is_let { Some(job.arrival) } else { job.began };
            let index = made.chain.stages[stage + 1];
            ran[index].jobs.iter().position(|job| reads(job).is_some_and(|read| read >= there)).unwrap()
        };
    }
    made.lengthen(last, job);
    let ran = made.ran();
    let seen = if is_age { made.chain.age(&ran) } else { made.chain.reaction(&ran) };
    seen.unwrap_or(0)
}

#[test]
fn what_disproves_a_requirement_is_approached() {
    let mut random = random::seeded("approached", 5);
    let (mut sets, mut exact) = (0, 0);
    while sets < random::sets(300) {
        let mut scenario = drawn(&mut random);
        let chain = &mut scenario.chains[0];
        chain.synchronized = false;
        chain.stages.iter_mut().skip(1).for_each(|stage| stage.activated = false);
        for named in &mut scenario.tasks {
            named.behaviour = TaskBehaviour::default();
            (named.task.jitter, named.conduct.offset) = (0, None);
        }
        let order = if random.bool() { Order::Edf } else { Order::Fixed };
        let mut posed = Posed::new(scenario, order);
        let Some((found, answered)) = posed.bounds() else { continue };
        let method = Method { budget: 200_000, disprove: false, ..Method::default() };
        let of_chains = members(&posed.scenario, &posed.question(), &answered, &method);
        if found.reaction.at_least == 0 || found.age.at_least == 0 {
            continue;
        }
        sets += 1;
        let is_let = posed.scenario.chains[0].communication == Communication::Let;
        let interrupts: Vec<bool> = of_chains[0].iter().map(|member| member.interrupts || is_let).collect();
        for (bound, is_age) in [(found.reaction, false), (found.age, true)] {
            let seen = approached(&posed, &interrupts, is_age);
            let least = FINEST * bound.at_least as i64;
            assert!(
                seen >= least - 40,
                "age {is_age}: {seen} of {least}\n{order:?} {interrupts:?} {:#?}",
                posed.scenario
            );
            exact += u64::from(bound.at_most == Ok(bound.at_least));
        }
    }
    eprintln!("{sets} sets; {exact} of {} bounds are approached themselves", 2 * sets);
    assert!(exact > 50);
}

/// The set of a text with its only answer.
fn read(text: &str, order: Order) -> Posed {
    Posed::new(toml::read("chain.toml", text, &nothing_beside).unwrap(), order)
}

const THREE: &str = r#"
    unit = "none"
    processors = 2
    clusters = [1, 1]
    [task.fast]
    cost = 1
    period = 5
    cluster = 0
    [task.slow]
    cost = 3
    period = 15
    cluster = 0
    [task.far]
    cost = 2
    period = 10
    cluster = 1
"#;

fn at_most(posed: &mut Posed) -> (Result<Ticks, NoBound>, Result<Ticks, NoBound>) {
    let (found, _) = posed.bounds().unwrap();
    (found.reaction.at_most, found.age.at_most)
}

#[test]
fn three_tasks_by_hand() {
    let with = |chain: &str| read(&format!("{THREE}\n[[chain]]\n{chain}"), Order::Fixed);
    // Responses 1, 4, 2. From fast to slow on one processor: 5 + (0 + 15) + (4 + 10) + 2; the age has 5, 15 + 4 and 2.
    let mut posed = with("tasks = ['fast', 'slow', 'far']\nmax_reaction = 36\nmax_age = 25");
    assert_eq!(at_most(&mut posed), (Ok(36), Ok(26)));
    let (found, _) = posed.bounds().unwrap();
    assert_eq!((found.reaction.verdict(), found.age.verdict()), (Some(Verdict::Proven), Some(Verdict::Unknown)));
    assert_eq!((found.reaction.at_least, found.age.at_least), (5 + 15 + 3 + 10 + 2, 5 + 15 + 3 + 2));
    let of = |required: Ticks| Bound { required: Some(required), ..found.age }.verdict();
    assert_eq!((of(24), of(25), of(26)), (Some(Verdict::Disproven), Some(Verdict::Unknown), Some(Verdict::Proven)));
    // Back from slow to fast, nobody waits: 15 + 4 + 5 + 1.
    assert_eq!(at_most(&mut with("tasks = ['slow', 'fast']")), (Ok(25), Ok(20)));
    assert_eq!(
        at_most(&mut with("tasks = ['slow', 'far']\nhops = { far = 7 }")),
        (Ok(15 + 4 + 7 + 10 + 2), Ok(15 + 4 + 7 + 2))
    );
    assert_eq!(
        at_most(&mut with("tasks = ['fast', 'far']\ncommunication = 'let'")),
        (Ok(5 + 5 + 10 + 10), Ok(5 + 5 + 10))
    );
    // An event that activates fast is not waited for.
    assert_eq!(at_most(&mut with("tasks = ['fast', 'far']\nactivated = ['fast']")), (Ok(1 + 10 + 2), Ok(5 + 1 + 2)));
}

#[test]
fn on_one_clock_the_offsets_count() {
    let offsets =
        THREE.replace("period = 5\n", "period = 5\noffset = 2\n").replace("period = 10\n", "period = 10\noffset = 8\n");
    let with = |more: &str| read(&format!("{offsets}\n[[chain]]\ntasks = ['fast', 'far']\n{more}"), Order::Fixed);
    // Free: 5 + 1 + 10 + 2. Fast reads at 2 (then 7) and has written at 8, when far arrives, which has written at 10.
    assert_eq!(at_most(&mut with("")), (Ok(18), Ok(8)));
    assert_eq!(at_most(&mut with("synchronized = true")), (Ok(10 - 2 + 5), Ok(10 - 7)));
    // Written at 12, read at 18, written at 28; the event came after 2 or 7: 5 more for the one that came first.
    let (found, _) = with("synchronized = true\ncommunication = 'let'\nmax_reaction = 25").bounds().unwrap();
    assert_eq!((found.reaction.at_most, found.age.at_most), (Ok(28 - 2), Ok(28 - 12)));
    assert_eq!(found.reaction.verdict(), Some(Verdict::Disproven));
}

#[test]
fn an_activated_task_has_the_response_before_it_as_jitter() {
    let text = THREE.replace("cost = 2\n    period = 10", "cost = 2\n    period = 15\n    deadline = 15");
    let chain = "[[chain]]\ntasks = ['slow', 'far']\nactivated = ['far']\nhops = { far = 3 }";
    let mut posed = read(&format!("{text}\n{chain}"), Order::Fixed);
    // Slow responds within 4, its datum comes within 7, far is done within 9.
    assert_eq!(at_most(&mut posed), (Ok(15 + 9), Ok(9)));
    assert_eq!(posed.tasks[2].jitter, 7);
    let late = format!("{}\n{chain}", text.replace("cost = 3", "cost = 14"));
    let mut posed = read(&late, Order::Fixed);
    assert!(posed.bounds().is_none(), "slow is late, so that nobody knows when far is released");
}

#[test]
fn nothing_is_disproven_by_phases_that_another_chain_rules_out() {
    let offsets =
        THREE.replace("period = 5\n", "period = 5\noffset = 2\n").replace("period = 10\n", "period = 10\noffset = 8\n");
    let least = |more: &str| {
        let text = format!("{offsets}\n[[chain]]\ntasks = ['fast', 'far']\ncommunication = 'let'\n{more}");
        read(&text, Order::Fixed).bounds().unwrap().0.reaction.at_least
    };
    assert_eq!(least(""), 30);
    assert_eq!(least("[[chain]]\nname = 'other'\ntasks = ['far']\nsynchronized = true"), 0);
    let same = offsets.replace("period = 15", "period = 5").replace("cost = 3", "cost = 1");
    let activated = "[[chain]]\nname = 'other'\ntasks = ['fast', 'slow']\nactivated = ['slow']";
    let text = format!("{same}\n[[chain]]\ntasks = ['slow', 'far']\n{activated}");
    assert_eq!(read(&text, Order::Fixed).bounds().unwrap().0.reaction.at_least, 0);
}

#[test]
fn a_task_that_may_never_come_bounds_nothing() {
    let rare = |more: &str| {
        let text = THREE.replace("period = 10", &format!("min_inter_arrival = 10\n{more}"));
        at_most(&mut read(&format!("{text}\n[[chain]]\ntasks = ['slow', 'far']"), Order::Edf)).0
    };
    assert_eq!(rare(""), Err(NoBound::Sporadic(2)));
    assert_eq!(rare("max_inter_arrival = 12"), Ok(15 + 4 + 12 + 2));
}

/// Under EDF with equal deadlines a reader that arrives together with its writer may go first; one that arrives later may not.
#[test]
fn equal_deadlines_order_those_that_arrive_one_after_the_other() {
    let of = |order: [&str; 2], deadline: u32, more: &str| {
        let task = |name: &str, deadline: u32| {
            format!("[task.{name}]\ncost = 2\nperiod = 10\noffset = 0\ndeadline = {deadline}\ncluster = 0\n")
        };
        let tasks = task(order[0], if order[0] == "writer" { 10 } else { deadline })
            + &task(order[1], if order[1] == "writer" { 10 } else { deadline });
        let text = format!("unit = \"none\"\nclusters = [1]\n{tasks}[[chain]]\ntasks = ['writer', 'reader']\n{more}");
        at_most(&mut read(&text, Order::Edf))
    };
    for order in [["writer", "reader"], ["reader", "writer"]] {
        // Both respond within 4. Free: 10 + 10 + 4, since a reader that arrives later reads what is written; the age has 10 and 4.
        assert_eq!(of(order, 10, ""), (Ok(10 + 10 + 4), Ok(10 + 4)), "{order:?}");
        // A reader with a shorter deadline may overtake a writer that has arrived before. It responds within 3.
        assert_eq!(of(order, 9, "").0, Ok(10 + 4 + 10 + 3), "{order:?}");
        // Together: what arrives at 10 reads what was written from 10 on only if it is due later.
        assert_eq!(of(order, 11, "synchronized = true"), (Ok(10 + 4), Ok(4)), "{order:?}");
        assert_eq!(of(order, 10, "synchronized = true"), (Ok(20 + 4), Ok(10 + 4)), "{order:?}");
    }
}

/// The times that disprove of the only chain, where the question is another than the set's own.
fn at_least(text: &str, change: for<'a> fn(Question<'a>) -> Question<'a>) -> (Ticks, Ticks) {
    let posed = read(text, Order::Fixed);
    let (question, method) = (change(posed.question()), Method::default());
    let answered = answer(&question, &method).unwrap();
    let of_chains = members(&posed.scenario, &question, &answered, &method);
    let found = bounds(&posed.scenario.chains[0], &of_chains[0], &mut Budget::new(200_000));
    (found.reaction.at_least, found.age.at_least)
}

/// What disproves must hold in every assignment and in every order that the author's words leave open.
#[test]
fn nothing_is_disproven_by_an_assignment_or_an_order_that_only_this_analysis_chose() {
    let task = |name: &str, more: &str| format!("[task.{name}]\ncost = 4\nperiod = 10\n{more}\n");
    let three = [task("a", "cluster = 0"), task("b", "cluster = 0"), task("c", "cluster = 1")].concat();
    let text = format!("unit = \"none\"\nclusters = [1, 1]\n{three}[[chain]]\ntasks = ['a', 'c']\n");
    // Apart, c reads just before a writes. Packed anew they are apart as well, but a might be beside c and go before it.
    assert_eq!(at_least(&text, |question| question), (10 + 4 + 10 + 4, 10 + 4 + 4));
    assert_eq!(at_least(&text, |question| Question { places: None, ..question }), (10 + 10 + 4, 10 + 4));
    assert_eq!(at_least(&text, |question| Question { places: Some(&[Some(0), None, Some(1)]), ..question }).0, 24);

    let two = [task("urgent", "deadline = 4"), task("slow", "deadline = 10")].concat();
    let text = format!("unit = \"none\"\nclusters = [1]\n{two}[[chain]]\ntasks = ['slow', 'urgent']\n");
    assert_eq!(at_least(&text, |question| question), (10 + 4 + 10 + 4, 10 + 4 + 4));
    let searched =
        at_least(&text, |question| Question { policy: JobRanking::FixedPriority(Priorities::Audsley), ..question });
    assert_eq!(searched, (10 + 10 + 4, 10 + 4), "another search might have found another order");
}
