//! Executors that run callbacks one after the other, computed tick by tick: what is sampled, what runs, what it activates.

/// How an executor chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// First come, first served.
    Events,
    /// Rounds; timers are looked at before each callback.
    TimersAtOnce,
    /// Rounds; timers are sampled with the subscriptions, and run before them.
    TimersSampled,
}

/// One callback; those of an executor are in the order of their registration.
#[derive(Clone, Debug)]
pub struct Callback {
    /// Index of its executor.
    pub executor: usize,
    /// True for a timer.
    pub is_timer: bool,
    /// The callback that activates it, and the longest delay of the message.
    pub by: Option<(usize, u64)>,
}

/// A job that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Index of its callback.
    pub callback: usize,
    /// When it arrived.
    pub arrival: u64,
    /// When the first callback of its path arrived.
    pub origin: u64,
    /// When it ended.
    pub end: u64,
}

/// What is drawn while executors run.
pub struct Draws<'a> {
    /// The execution time of a job of this callback.
    pub cost: &'a mut dyn FnMut(usize) -> u64,
    /// The delay of a message, at most so long.
    pub delay: &'a mut dyn FnMut(u64) -> u64,
    /// Puts the subscriptions that an executor has sampled for a round in the order in which they run; they come in that of registration.
    pub order: &'a mut dyn FnMut(usize, &mut [usize]),
}

#[derive(Clone, Copy)]
struct Job {
    arrival: u64,
    origin: u64,
}

#[derive(Clone, Default)]
struct Thread {
    /// The job that runs: its callback and what is left of it.
    running: Option<(usize, Job, u64)>,
    /// Callbacks that were sampled and have not run since.
    sampled: Vec<usize>,
}

/// All jobs that end before `end`. `arrivals` are those from outside, each with its callback; `has_time` says which executor has its processor in
/// which tick.
pub fn run(
    rules: &[Rule],
    callbacks: &[Callback],
    arrivals: &[(u64, usize)],
    has_time: &dyn Fn(usize, u64) -> bool,
    end: u64,
    draws: &mut Draws<'_>,
) -> Vec<Ended> {
    let mut to_come: Vec<(usize, Job)> =
        arrivals.iter().map(|(at, callback)| (*callback, Job { arrival: *at, origin: *at })).collect();
    let mut pending: Vec<Vec<Job>> = vec![Vec::new(); callbacks.len()];
    let mut threads = vec![Thread::default(); rules.len()];
    let mut ended = Vec::new();
    for now in 0..end {
        let (here, later): (Vec<_>, Vec<_>) = to_come.into_iter().partition(|(_, job)| job.arrival <= now);
        to_come = later;
        for (callback, job) in here {
            pending[callback].push(job);
            pending[callback].sort_by_key(|job| job.arrival);
        }
        for (executor, rule) in rules.iter().enumerate() {
            if !has_time(executor, now) {
                continue;
            }
            let own: Vec<usize> = (0..callbacks.len()).filter(|&one| callbacks[one].executor == executor).collect();
            let thread = &mut threads[executor];
            if thread.running.is_none()
                && let Some(callback) =
                    next(*rule, &own, callbacks, &pending, &mut thread.sampled, &mut |all| (draws.order)(executor, all))
            {
                let job = pending[callback].remove(0);
                thread.running = Some((callback, job, (draws.cost)(callback)));
            }
            let Some((callback, job, left)) = thread.running else { continue };
            if left > 1 {
                thread.running = Some((callback, job, left - 1));
                continue;
            }
            thread.running = None;
            let done = now + 1;
            ended.push(Ended { callback, arrival: job.arrival, origin: job.origin, end: done });
            for (other, after) in callbacks.iter().enumerate() {
                if let Some((by, delay)) = after.by
                    && by == callback
                {
                    to_come.push((other, Job { arrival: done + (draws.delay)(delay), origin: job.origin }));
                }
            }
        }
    }
    ended
}

fn next(
    rule: Rule,
    own: &[usize],
    callbacks: &[Callback],
    pending: &[Vec<Job>],
    sampled: &mut Vec<usize>,
    arrange: &mut dyn FnMut(&mut [usize]),
) -> Option<usize> {
    let waiting = |is_timer: bool| {
        own.iter().copied().filter(move |&one| callbacks[one].is_timer == is_timer && !pending[one].is_empty())
    };
    match rule {
        Rule::Events => {
            own.iter().copied().filter(|&one| !pending[one].is_empty()).min_by_key(|&one| pending[one][0].arrival)
        }
        Rule::TimersAtOnce | Rule::TimersSampled => {
            let at_once = rule == Rule::TimersAtOnce;
            if at_once && let Some(timer) = waiting(true).next() {
                return Some(timer);
            }
            if sampled.is_empty() {
                if !at_once {
                    sampled.extend(waiting(true));
                }
                let timers = sampled.len();
                sampled.extend(waiting(false));
                arrange(&mut sampled[timers..]);
            }
            if sampled.is_empty() { None } else { Some(sampled.remove(0)) }
        }
    }
}
