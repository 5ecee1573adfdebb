//! All tasks of a run: each in a thread of its own, started together once all have what they asked for.

use super::task::{Served, Span, TaskRequest, set_of};
use prazo_engine::LEAD_NS;
use prazo_engine::follow::{self, Followed, FollowedThread};
use prazo_engine::{ProbeError, SetupError, StopFlag, Surroundings, not_followed, rivals};
use prazo_run::plan::{Policy, ThreadPlan};
use prazo_run::source::{OverheadsSource, TaskAffinity};
use prazo_run::{Caveat, Plan};
use prazo_sys::{clock, process};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread;
/// How many of the priorities below the first are used.
const LEVELS: usize = 80;
/// No start: a task could not be set up.
const GIVEN_UP: u64 = 0;

/// The requests to all tasks.
pub(super) fn requests(plan: &Plan, source: &OverheadsSource) -> Vec<TaskRequest> {
    let request = |(thread, priority): (&ThreadPlan, u8)| {
        let one = [thread.cpu];
        let cpus = if source.shape == TaskAffinity::Global { &source.cpus[..] } else { &one[..] };
        let policy = match plan.policy {
            Policy::Fifo { .. } => Policy::Fifo { priority },
            other => other,
        };
        Some(TaskRequest { thread: *thread, cpus: set_of(cpus)?, policy })
    };
    plan.threads.iter().zip(priorities(plan)).filter_map(request).collect()
}

/// Rate monotonic: the shorter the period, the higher; many tasks share a level with their neighbours.
fn priorities(plan: &Plan) -> Vec<u8> {
    let Policy::Fifo { priority: top } = plan.policy else { return vec![0; plan.threads.len()] };
    let mut by_period: Vec<usize> = (0..plan.threads.len()).collect();
    by_period.sort_by_key(|place| (plan.threads[*place].period, *place));
    let levels = by_period.len().min(LEVELS).min(top.into());
    let mut priorities = vec![top; by_period.len()];
    for (rank, place) in by_period.iter().enumerate() {
        priorities[*place] = top - (rank * levels / by_period.len()) as u8;
    }
    priorities
}

/// When the tasks ran and what each did, in the plan's order.
pub(super) struct Ran {
    /// The common start and the end.
    pub span: Span,
    /// What each did.
    pub served: Vec<Served>,
    /// What changed meanwhile about them and their processors.
    pub changes: Vec<Caveat>,
}

/// Runs them all to their end; `ready` is called when every task waits for the start.
pub(super) fn run(
    requests: &[TaskRequest],
    length_ns: u64,
    stop: &StopFlag,
    ready: impl FnOnce(),
) -> Result<Ran, ProbeError> {
    let (gate, start) = (Barrier::new(requests.len() + 1), AtomicU64::new(GIVEN_UP));
    let refused: Mutex<Option<SetupError>> = Mutex::new(None);
    let thread_ids: Vec<AtomicI32> = requests.iter().map(|_| AtomicI32::new(0)).collect();
    let work = |request: &TaskRequest, thread_id: &AtomicI32| {
        let samples = Vec::with_capacity(request.room(length_ns));
        thread_id.store(process::thread_id(), Ordering::Relaxed);
        if let Err(error) = request.prepare() {
            refused.lock().expect("no holder panics").get_or_insert(error);
        }
        gate.wait();
        gate.wait();
        match start.load(Ordering::Acquire) {
            GIVEN_UP => Served::default(),
            start_ns => request.serve(Span { start_ns, end_ns: start_ns + length_ns }, stop, samples),
        }
    };
    thread::scope(|scope| {
        let started =
            requests.iter().zip(&thread_ids).map(|(request, thread_id)| scope.spawn(|| work(request, thread_id)));
        let tasks: Vec<_> = started.collect();
        gate.wait();
        let refused = refused.lock().expect("no holder panics").take();
        ready();
        // The scope waits for the tasks themselves.
        let go = |start_ns: u64| {
            start.store(start_ns, Ordering::Release);
            gate.wait();
        };
        if let Some(error) = refused {
            go(GIVEN_UP);
            return Err(ProbeError::Setup(error));
        }
        let serve = || {
            let start_ns = clock::monotonic_ns() + LEAD_NS;
            go(start_ns);
            let served = tasks.into_iter().map(|task| task.join().expect("a task does not panic")).collect();
            (Span { start_ns, end_ns: start_ns + length_ns }, served)
        };
        let ((span, served), changes) =
            follow::during(&Surroundings::default(), followed(requests, &thread_ids), serve).map_err(|source| {
                go(GIVEN_UP);
                not_followed(source)
            })?;
        Ok(Ran { span, served, changes })
    })
}

fn followed(requests: &[TaskRequest], thread_ids: &[AtomicI32]) -> Followed {
    let thread = |(number, thread_id): (usize, &AtomicI32)| FollowedThread {
        name: format!("task {number}"),
        id: thread_id.load(Ordering::Relaxed),
    };
    let cpus: BTreeSet<u32> = requests.iter().flat_map(|request| request.cpus.iter().map(|cpu| cpu.number())).collect();
    Followed {
        cpus: cpus.into_iter().collect(),
        threads: (1..).zip(thread_ids).map(thread).collect(),
        rival_priority: requests
            .iter()
            .map(|request| rivals::priority(request.policy))
            .min()
            .unwrap_or(rivals::ABOVE_ALL),
        move_themselves: false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::draw::Draw;
    use super::*;
    use prazo_core::time::Duration;
    use prazo_run::source::Source;

    fn drawn(tasks: u32, shape: TaskAffinity) -> (Plan, OverheadsSource) {
        let (length, cpus) = (Duration::from_s(1), vec![0, 1]);
        let draw = Draw {
            tasks,
            by_deadline: false,
            cpus,
            shape,
            length,
            warm_up: Duration::ZERO,
            kinds: Vec::new(),
            working_sets_kib: Vec::new(),
            seed: 3,
        };
        let plan = draw.plan();
        let Source::Overheads(source) = plan.source.clone() else { panic!("as drawn") };
        (plan, source)
    }

    #[test]
    fn shorter_periods_never_have_lower_priorities() {
        for tasks in [1, 5, 80, 125] {
            let (plan, source) = drawn(tasks, TaskAffinity::Global);
            let mut requests = requests(&plan, &source);
            requests.sort_by_key(|request| request.thread.period);
            let priority = |request: &TaskRequest| match request.policy {
                Policy::Fifo { priority } => priority,
                _ => panic!("fixed priorities"),
            };
            assert!(requests.is_sorted_by_key(|request| std::cmp::Reverse(priority(request))), "{tasks}");
            assert_eq!(requests.len(), tasks as usize);
            assert!(requests.iter().all(|request| request.cpus.to_string() == "0-1"));
        }
    }

    #[test]
    fn partitioned_tasks_keep_to_the_processor_that_they_were_dealt() {
        let (plan, source) = drawn(5, TaskAffinity::Partitioned);
        let places: Vec<String> = requests(&plan, &source).iter().map(|request| request.cpus.to_string()).collect();
        assert_eq!(places, ["0", "1", "0", "1", "0"]);
    }
}
