//! The slow, obvious twin of every test: a schedule computed tick by tick, with nothing clever in it.
#![allow(dead_code)] // each test binary uses its own part

use prazo_analysis::{Task, Ticks};

/// One job of a schedule to be.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Index of its task.
    pub task: usize,
    /// When it arrives; with jitter this may lie before the schedule's start.
    pub arrival: i64,
    /// When it is ready to run.
    pub release: i64,
    /// When it must be done.
    pub due: i64,
    /// What it still needs.
    pub left: Ticks,
}

/// Jobs of `task` that arrive at `first` and then as often as they may, released at 0 at the earliest, before `until`.
pub fn jobs(index: usize, task: &Task, first: i64, until: i64) -> Vec<Job> {
    let arrivals = (0..).map(|job| first + job * task.period as i64).take_while(|arrival| *arrival < until);
    let job = |arrival: i64| Job {
        task: index,
        arrival,
        release: arrival.max(0),
        due: arrival + task.deadline as i64,
        left: task.cost,
    };
    arrivals.map(job).collect()
}

/// All tasks released together at 0, at their latest, and then as often as they may.
pub fn together(tasks: &[Task], until: i64) -> Vec<Job> {
    tasks.iter().enumerate().flat_map(|(index, task)| jobs(index, task, -(task.jitter as i64), until)).collect()
}

/// Every job with the instant at which it ends, if that is before `until`: `processors` of the ready jobs run in each
/// tick, the most urgent by `rank` first, then by task; jobs of one task one after the other.
pub fn run<R: Ord>(
    mut jobs: Vec<Job>,
    processors: usize,
    until: i64,
    rank: impl Fn(&Job) -> R,
) -> Vec<(Job, Option<i64>)> {
    jobs.sort_by_key(|job| job.arrival);
    let mut ends = vec![None; jobs.len()];
    for now in 0..until {
        let mut ready: Vec<usize> = Vec::new();
        for (index, job) in jobs.iter().enumerate() {
            let is_first_of_task = || ready.iter().all(|other| jobs[*other].task != job.task);
            if job.release <= now && job.left > 0 && is_first_of_task() {
                ready.push(index);
            }
        }
        if ready.is_empty() && jobs.iter().all(|job| job.left == 0) {
            break;
        }
        ready.sort_by_key(|index| (rank(&jobs[*index]), jobs[*index].task));
        for index in ready.into_iter().take(processors) {
            jobs[index].left -= 1;
            if jobs[index].left == 0 {
                ends[index] = Some(now + 1);
            }
        }
    }
    jobs.into_iter().zip(ends).collect()
}

/// True if some job that is due by `until` is not done when it is due.
pub fn misses(schedule: &[(Job, Option<i64>)], until: i64) -> bool {
    schedule.iter().any(|(job, end)| job.due <= until && end.is_none_or(|end| end > job.due))
}

/// The least common multiple of the periods, small as they are here.
pub fn hyperperiod(tasks: &[Task]) -> i64 {
    fn gcd(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    tasks.iter().fold(1, |multiple, task| multiple / gcd(multiple, task.period) * task.period) as i64
}

/// True if the utilization is at most `processors`: exact, for small numbers.
pub fn fits(tasks: &[Task], processors: u64) -> bool {
    let whole = hyperperiod(tasks) as u64;
    tasks.iter().map(|task| whole / task.period * task.cost).sum::<u64>() <= processors * whole
}

/// How many random sets a test tries: `PRAZO_RANDOM_SETS` (a million takes minutes), or ten thousand.
pub fn sets() -> usize {
    std::env::var("PRAZO_RANDOM_SETS").map_or(10_000, |count| count.parse().expect("PRAZO_RANDOM_SETS is a number"))
}

/// What random sets look like.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// At most so many tasks.
    pub tasks: usize,
    /// Periods are drawn from these.
    pub periods: &'static [u64],
    /// Deadlines up to so many periods; 0 for implicit ones.
    pub deadline_periods: u64,
    /// Jitter up to so many ticks.
    pub jitter: u64,
    /// Costs are at most the period over this.
    pub lightness: u64,
}

/// A random set of `family`.
pub fn random(generator: &mut fastrand::Rng, family: Family) -> Vec<Task> {
    let count = generator.usize(1..=family.tasks);
    let task = |generator: &mut fastrand::Rng| {
        let period = *generator.choice(family.periods).expect("periods to choose from");
        let deadline = match family.deadline_periods {
            0 => period,
            times => generator.u64(1..=times * period),
        };
        let cost = generator.u64(1..=(period / family.lightness).max(1));
        Task { jitter: generator.u64(0..=family.jitter), ..Task::new(cost, period, deadline) }
    };
    (0..count).map(|_| task(generator)).collect()
}
