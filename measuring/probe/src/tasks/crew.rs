//! The threads of one set: all set up, started at one instant, and waited for.

use super::cluster_placement::ClusterPlacement;
use super::error::TasksError;
use super::locks;
use super::log::Log;
use super::worker::{Shared, Span, Worker};
use prazo_engine::follow::{self, Followed, FollowedThread};
use prazo_engine::{LEAD_NS, STACK_BYTES, StopFlag, Surroundings, rivals};
use prazo_run::Caveat;
use prazo_run::jobs::{SetPlan, SetRun, TaskPlan};
use prazo_sys::{clock, memory, signal};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, Scope};
use std::time::Duration;

/// Stretches of a task beyond one a job, at most.
const STRETCHES_MAX: u64 = 1 << 16;
/// How soon a wish to stop is seen.
const LOOK: Duration = Duration::from_millis(100);

/// What a thread tells.
enum ThreadMessage {
    Ready { number: usize, thread_id: i32 },
    Refused { number: usize, error: TasksError },
    Done(Log),
}

/// Runs the set, and says what others and the machine did meanwhile to its threads and processors; the calling thread waits.
pub(super) fn run(
    plan: &SetPlan,
    place: &ClusterPlacement,
    stop: &StopFlag,
) -> Result<(SetRun, Vec<Caveat>), TasksError> {
    let locks = locks::of(plan)?;
    let shared = Shared { plan, place, locks: &locks, stop };
    std::thread::scope(|scope| {
        let (tell, messages) = channel();
        let mut starts = Vec::new();
        for number in 0..plan.tasks.len() {
            let (start, go) = channel();
            spawn(scope, shared, number, (go, tell.clone()))?;
            starts.push(start);
        }
        drop(tell);
        let threads = ready(plan, &messages)?;
        // Refused, it is a caveat of the run.
        let _ = memory::lock_current();
        let served = follow::during(&Surroundings::default(), followed(plan, &threads), || {
            let start_ns = clock::monotonic_ns() + LEAD_NS;
            let span = Span { start_ns, end_ns: start_ns + give_up_ns(plan) };
            for start in &starts {
                // A thread that has ended tells why itself.
                let _ = start.send(span);
            }
            let logs = ended(&messages, &threads, stop);
            set_run(plan, logs, stop.is_set().then(|| clock::monotonic_ns().saturating_sub(start_ns)))
        });
        memory::unlock_all();
        served.map_err(|source| TasksError::system("starting the thread that monitors the run", source))
    })
}

fn followed(plan: &SetPlan, threads: &[i32]) -> Followed {
    let thread = |(task, id): (&TaskPlan, &i32)| FollowedThread { name: format!("task '{}'", task.name), id: *id };
    Followed {
        cpus: plan.clusters.concat(),
        threads: plan.tasks.iter().zip(threads).map(thread).collect(),
        rival_priority: plan.tasks.iter().filter_map(|task| task.priority).min().map_or(rivals::ABOVE_ALL, u32::from),
        move_themselves: false,
    }
}

fn spawn<'scope, 'a: 'scope>(
    scope: &'scope Scope<'scope, '_>,
    shared: Shared<'a>,
    number: usize,
    (go, tell): (Receiver<Span>, Sender<ThreadMessage>),
) -> Result<(), TasksError> {
    let task = &shared.plan.tasks[number];
    let releases = task.releases_before(shared.plan.length_ns);
    let log = Log::new(number as u32, &releases, room(shared.plan, number));
    let life = move || {
        let worker = match Worker::prepare(shared, number as u32, log) {
            Ok(worker) => worker,
            Err(error) => return drop(tell.send(ThreadMessage::Refused { number, error })),
        };
        // Nobody listens any more only where the run was given up; then there is no start either.
        let _ = tell.send(ThreadMessage::Ready { number, thread_id: Worker::thread_id() });
        if let Ok(span) = go.recv() {
            let _ = tell.send(ThreadMessage::Done(worker.serve(span)));
        }
    };
    let name: String = task.name.chars().take(15).collect();
    let thread = Builder::new().name(name.replace('\0', "")).stack_size(STACK_BYTES).spawn_scoped(scope, life);
    thread.map(drop).map_err(|source| TasksError::system("starting a task's thread", source))
}

/// A task is preempted at most once for each release of another in its cluster, and now and then by the system.
fn room(plan: &SetPlan, number: usize) -> usize {
    let own = plan.tasks[number].jobs_before(plan.length_ns);
    let others: u64 = plan.members(plan.tasks[number].cluster).map(|task| task.jobs_before(plan.length_ns)).sum();
    (own + (others + 1_024).min(STRETCHES_MAX)) as usize
}

/// Time enough for every deadline to pass.
fn give_up_ns(plan: &SetPlan) -> u64 {
    plan.length_ns + 2 * plan.tasks.iter().map(|task| task.deadline_ns.max(task.period_ns)).max().unwrap_or(0)
}

/// Waits until all are set up; the numbers of their threads, in the set's order. Of several that were refused the first of the set is named,
/// whichever asked first.
fn ready(plan: &SetPlan, messages: &Receiver<ThreadMessage>) -> Result<Vec<i32>, TasksError> {
    let mut threads = vec![0; plan.tasks.len()];
    let mut refused = Vec::new();
    for _ in 0..plan.tasks.len() {
        match messages.recv() {
            Ok(ThreadMessage::Ready { number, thread_id }) => threads[number] = thread_id,
            Ok(ThreadMessage::Refused { number, error }) => refused.push((number, error)),
            Ok(ThreadMessage::Done(_)) | Err(_) => unreachable!("no thread ends before it was started"),
        }
    }
    refused.into_iter().min_by_key(|(number, _)| *number).map_or(Ok(threads), |(_, error)| Err(error))
}

/// Waits until all have ended; those that sleep are woken when the user wants to stop.
fn ended(messages: &Receiver<ThreadMessage>, threads: &[i32], stop: &StopFlag) -> Vec<Log> {
    let mut logs = Vec::new();
    loop {
        match messages.recv_timeout(LOOK) {
            Ok(ThreadMessage::Done(log)) => logs.push(log),
            Err(RecvTimeoutError::Disconnected) => return logs,
            Err(RecvTimeoutError::Timeout) if stop.is_set() => threads.iter().for_each(|id| signal::wake_thread(*id)),
            _ => {}
        }
    }
}

/// Joins the logs; `stopped_ns` where the user wanted to stop.
fn set_run(plan: &SetPlan, mut logs: Vec<Log>, stopped_ns: Option<u64>) -> SetRun {
    logs.sort_by_key(|log| log.jobs.first().map(|job| job.task));
    let stretches_lost = logs.iter().map(|log| log.lost).sum();
    let stretches = logs.iter_mut().flat_map(|log| std::mem::take(&mut log.stretches)).collect();
    let mut jobs: Vec<_> = logs.into_iter().flat_map(|log| log.jobs).collect();
    let last_ns = jobs.iter().map(|job| job.completion_ns).try_fold(0, |last, end| Some(end?.max(last)));
    let observed_ns = stopped_ns.unwrap_or_else(|| last_ns.unwrap_or_else(|| give_up_ns(plan)).max(plan.length_ns));
    jobs.retain(|job| job.release_ns < observed_ns);
    SetRun { plan: plan.clone(), refused: None, observed_ns, jobs, stretches, stretches_lost }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::work::tests::plan;
    use prazo_run::jobs::{Dispatch, JobRecord};

    fn log(completions: &[Option<u64>]) -> Log {
        let mut log = Log::new(0, &vec![0; completions.len()], 1);
        for ((number, job), completion_ns) in (0u64..).zip(&mut log.jobs).zip(completions) {
            *job = JobRecord { number, release_ns: number * 10_000_000, completion_ns: *completion_ns, ..*job };
        }
        log
    }

    #[test]
    fn a_run_is_observed_until_its_last_job_ends_or_every_deadline_has_passed() {
        let plan = plan(Dispatch::Deadline);
        let observed = |completions: &[Option<u64>], stopped| {
            let run = set_run(&plan, vec![log(completions)], stopped);
            (run.observed_ns, run.jobs.len())
        };
        assert_eq!(observed(&[Some(5), Some(12_000_000)], None), (100_000_000, 2));
        assert_eq!(observed(&[Some(5), Some(112_000_000)], None), (112_000_000, 2));
        assert_eq!(observed(&[Some(5), None], None), (120_000_000, 2));
        assert_eq!(observed(&[Some(5), None], Some(9_000_000)), (9_000_000, 1), "the second job was not due yet");
    }
}
