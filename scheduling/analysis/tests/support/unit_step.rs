//! The schedule of one shared ready queue, one tick after the other: slow, and easy to believe.

use prazo_analysis::{Task, Ticks};

/// One activation of a task: the deadline counts from the arrival, the job may run from the release on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activation {
    pub arrival: Ticks,
    pub release: Ticks,
}

/// Each task's activations, ascending.
pub type Arrivals = Vec<Vec<Activation>>;

/// All tasks at instant 0, then as often as they may, released at once.
pub fn synchronous(tasks: &[Task], horizon: Ticks) -> Arrivals {
    let at_once = |arrival| Activation { arrival, release: arrival };
    tasks.iter().map(|task| (0..horizon).step_by(task.period as usize).map(at_once).collect()).collect()
}

/// From a random instant on, at random distances of at least a period, often exactly one; released within the jitter.
pub fn sporadic(tasks: &[Task], horizon: Ticks, random: &mut fastrand::Rng) -> Arrivals {
    tasks.iter().map(|task| sporadic_task(task, horizon, random)).collect()
}

fn sporadic_task(task: &Task, horizon: Ticks, random: &mut fastrand::Rng) -> Vec<Activation> {
    let mut activations = Vec::new();
    let mut arrival = random.u64(0..=task.period);
    while arrival < horizon {
        activations.push(Activation { arrival, release: arrival + random.u64(0..=task.jitter) });
        arrival += task.period + if random.u8(0..3) == 0 { random.u64(0..=task.period) } else { 0 };
    }
    activations
}

/// Who is more urgent.
#[derive(Clone, Copy)]
pub enum Order<'a> {
    /// Earlier absolute deadline.
    Edf,
    /// The same, but a job that runs ends first.
    NonPreemptiveEdf,
    /// Lower number of the task.
    Fixed(&'a [u32]),
    /// Earlier arrival plus this distance of the task.
    Points(&'a [Ticks]),
}

impl Order<'_> {
    fn rank(self, tasks: &[Task], task: usize, arrival: Ticks) -> u64 {
        match self {
            Order::Edf | Order::NonPreemptiveEdf => arrival + tasks[task].deadline,
            Order::Fixed(ranks) => u64::from(ranks[task]),
            Order::Points(points) => arrival + points[task],
        }
    }
}

/// One job that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    pub task: usize,
    pub job: usize,
    pub arrival: Ticks,
    pub deadline: Ticks,
    pub completion: Ticks,
}

impl Ended {
    pub fn is_late(&self) -> bool {
        self.completion > self.deadline
    }
}

/// Every job that ends until `horizon`, in the order of completion, at one instant most urgent first.
///
/// In each tick the most urgent of the tasks' oldest pending jobs run; of equally urgent ones those that ran in the tick
/// before, then those of lower task index.
pub fn completions(
    tasks: &[Task],
    arrivals: &Arrivals,
    order: Order<'_>,
    processors: u32,
    horizon: Ticks,
) -> Vec<Ended> {
    let mut ended = Vec::new();
    let mut oldest = vec![0usize; tasks.len()];
    let mut served = vec![0; tasks.len()];
    let mut ran_before = vec![false; tasks.len()];
    for now in 0..horizon {
        let next = |task: usize| arrivals[task].get(oldest[task]).filter(|job| job.release <= now);
        let rank = |task: usize| next(task).map(|job| order.rank(tasks, task, job.arrival));
        let mut ready: Vec<usize> = (0..tasks.len()).filter(|task| next(*task).is_some()).collect();
        let keeps_running = |task: usize| matches!(order, Order::NonPreemptiveEdf) && ran_before[task];
        ready.sort_by_key(|task| (!keeps_running(*task), rank(*task), !ran_before[*task], *task));
        ready.truncate(processors as usize);
        // Who runs is decided; at one instant completions are told by rank and index alone.
        ready.sort_by_key(|task| (rank(*task), *task));
        ran_before = vec![false; tasks.len()];
        for task in ready {
            served[task] += 1;
            if served[task] < tasks[task].cost {
                ran_before[task] = true;
                continue;
            }
            let (job, arrival) = (oldest[task], arrivals[task][oldest[task]].arrival);
            ended.push(Ended { task, job, arrival, deadline: arrival + tasks[task].deadline, completion: now + 1 });
            (served[task], oldest[task]) = (0, job + 1);
        }
    }
    ended
}

/// The first job that ends late, or has not ended although its deadline lies before `horizon`.
pub fn any_late(
    tasks: &[Task],
    arrivals: &Arrivals,
    order: Order<'_>,
    processors: u32,
    horizon: Ticks,
) -> Option<(usize, Activation)> {
    let ended = completions(tasks, arrivals, order, processors, horizon);
    let in_time = |task: usize, job: usize| ended.iter().any(|it| (it.task, it.job) == (task, job) && !it.is_late());
    let due = |task: usize, job: &Activation| job.arrival + tasks[task].deadline <= horizon;
    let jobs = arrivals.iter().enumerate().flat_map(|(task, jobs)| jobs.iter().enumerate().map(move |job| (task, job)));
    jobs.filter(|(task, (_, job))| due(*task, job))
        .find(|(task, (number, _))| !in_time(*task, *number))
        .map(|(task, (_, job))| (task, *job))
}

/// The first job that ends late, by the order of completions.
pub fn first_late(ended: &[Ended]) -> Option<Ended> {
    ended.iter().copied().find(Ended::is_late)
}
