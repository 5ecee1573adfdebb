//! One task's thread: sleep until the release, work, note what was seen.

use super::locks::{self, Point};
use super::log::Log;
use super::work::{self, Moment};
use super::{attributes, cluster_placement::ClusterPlacement, error::TasksError};
use prazo_engine::StopFlag;
use prazo_run::jobs::{SetPlan, Stretch, TaskPlan};
use prazo_sys::lock::Lock;
use prazo_sys::{clock, process, signal};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};

/// Empty jobs by which a thread finds out what a job costs it beside its work.
const REHEARSALS: u32 = 5;
const REHEARSAL_NS: u64 = 300_000;

/// What every thread of a set shares.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    /// The set.
    pub plan: &'a SetPlan,
    /// Who shares processors.
    pub place: &'a ClusterPlacement,
    /// The set's locks.
    pub locks: &'a [Lock],
    /// The user's wish to stop.
    pub stop: &'a StopFlag,
}

/// A task's thread that is set up.
pub(super) struct Worker<'a> {
    shared: Shared<'a>,
    task: &'a TaskPlan,
    number: u32,
    turns: u64,
    /// Of each job's execution, what it costs beside its work.
    own_ns: u64,
    /// Where its jobs take locks and give them back.
    points: Vec<Point>,
    /// Where the stretch under way began.
    open: Moment,
    log: Log,
}

/// What a job executes, counted from where its thread's processor time stood.
#[derive(Clone, Copy, Debug)]
struct Amount {
    from_ns: u64,
    amount_ns: u64,
}

impl Amount {
    /// Where the processor time stands after so much of it, or all.
    fn after(self, ns: u64) -> u64 {
        self.from_ns + ns.min(self.amount_ns)
    }
}

/// From when on, and up to when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// The common start, on CLOCK_MONOTONIC.
    pub start_ns: u64,
    /// What has not ended here is given up.
    pub end_ns: u64,
}

impl<'a> Worker<'a> {
    /// Sets the calling thread up for task `number`; nothing runs yet.
    pub(super) fn prepare(shared: Shared<'a>, number: u32, log: Log) -> Result<Self, TasksError> {
        let task = &shared.plan.tasks[number as usize];
        signal::prepare_measuring_thread()
            .map_err(|source| TasksError::system("installing signal handlers", source))?;
        shared.place.enter(shared.plan, task)?;
        let turns = work::turns_of(shared.plan.step_ns);
        attributes::set(shared.plan, task)?;
        let own_ns = shared.plan.spare_ns.unwrap_or_else(rehearse);
        Ok(Self { shared, task, number, turns, own_ns, points: locks::points(task), open: Moment::default(), log })
    }

    /// The kernel's number of the calling thread.
    pub(super) fn thread_id() -> i32 {
        process::thread_id()
    }

    /// Runs every job of the task, or as many as there is time for.
    pub(super) fn serve(mut self, span: Span) -> Log {
        let budget_gone = AtomicBool::new(false);
        signal::with_limit_note(&budget_gone, || {
            let mut used_ns = clock::thread_cpu_ns();
            for job in 0..self.log.jobs.len() {
                if !self.sleep_until(span.start_ns + self.log.jobs[job].release_ns) {
                    return;
                }
                let begun = Moment::now();
                if begun.at_ns >= span.end_ns {
                    return;
                }
                used_ns = self.job(job, used_ns, begun, span);
                self.note_overrun(job, budget_gone.swap(false, Ordering::Relaxed));
            }
        });
        self.log
    }

    /// False where the user wants to stop.
    fn sleep_until(&self, due_ns: u64) -> bool {
        while !self.shared.stop.is_set() {
            if clock::sleep_until(due_ns) == 0 {
                return true;
            }
        }
        false
    }

    /// One job, from where the thread's processor time stood at the end of the one before; answers where it stands now.
    fn job(&mut self, job: usize, used_ns: u64, begun: Moment, span: Span) -> u64 {
        let preempted = work::preemptions();
        self.log.jobs[job].start_ns = Some(begun.at_ns - span.start_ns);
        let amount_ns = self.task.execution_ns(job).saturating_sub(self.own_ns);
        let (end, is_done) = self.execute(job, begun, Amount { from_ns: used_ns, amount_ns }, span);
        let record = &mut self.log.jobs[job];
        record.completion_ns = is_done.then(|| end.at_ns - span.start_ns);
        record.executed_ns = end.used_ns - used_ns;
        record.preemptions = work::preemptions() - preempted;
        end.used_ns
    }

    /// Works up to each point, does what is to be done there, and works on to the end; whether it got there.
    fn execute(&mut self, job: usize, begun: Moment, amount: Amount, span: Span) -> (Moment, bool) {
        self.open = begun;
        for place in 0..self.points.len() {
            let Point { at_ns, lock, takes } = self.points[place];
            let (now, is_there) = self.work(job, amount.after(at_ns), span);
            if !is_there {
                self.give_all_back(place);
                return (now, false);
            }
            let lock = &self.shared.locks[lock];
            let before = (now, work::switches());
            let done = if takes { lock.lock() } else { lock.unlock() };
            assert!(done.is_ok(), "sections are nested, and each lock is taken once: {done:?}");
            self.go_on_behind_lock(job, before, span, takes);
        }
        let (now, is_there) = self.work(job, amount.after(amount.amount_ns), span);
        if is_there {
            self.ran(job, now, span, false);
        }
        (now, is_there)
    }

    /// Whoever waits for what this thread holds must not wait for ever: what was taken before point `reached` is given back.
    fn give_all_back(&self, reached: usize) {
        let points = &self.points[..reached];
        let is_held =
            |taken: &&Point| taken.takes && !points.iter().any(|other| other.lock == taken.lock && !other.takes);
        for point in points.iter().filter(is_held) {
            let _ = self.shared.locks[point.lock].unlock();
        }
    }

    /// The stretch goes on, or ended before the lock where the thread left its processor: who takes a lock waited for it, who gives
    /// one back was preempted by whom it was for. An interrupt takes time too, but no processor.
    fn go_on_behind_lock(&mut self, job: usize, before: (Moment, u64), span: Span, takes: bool) {
        let now = (Moment::now(), work::switches());
        if work::has_left(before, now) {
            self.ran(job, before.0, span, takes);
            self.open = now.0;
        }
    }

    /// Works until the thread has used `target_ns` or there is no time left; whether it had enough. Stretches that end on the way are
    /// noted, the last one where there is no time left.
    fn work(&mut self, job: usize, target_ns: u64, span: Span) -> (Moment, bool) {
        let (mut now, mut step_ns, mut preempted) = (Moment::now(), 0, work::preemptions());
        while now.used_ns + step_ns < target_ns {
            if now.at_ns >= span.end_ns || self.shared.stop.is_set() {
                self.ran(job, now, span, false);
                return (now, false);
            }
            black_box(work::step(self.turns));
            let next = Moment::now();
            step_ns = next.used_ns - now.used_ns;
            if next.was_away(&now) && std::mem::replace(&mut preempted, work::preemptions()) != preempted {
                self.ran(job, now, span, false);
                self.log.jobs[job].migrations += u64::from(next.cpu != now.cpu);
                self.open = next;
            }
            now = next;
        }
        (now, true)
    }

    /// The stretch under way ended.
    fn ran(&mut self, job: usize, to: Moment, span: Span, waited: bool) {
        let (from_ns, to_ns, cpu) = (self.open.at_ns - span.start_ns, to.at_ns - span.start_ns, self.open.cpu);
        self.log.stretch(Stretch { task: self.number, job: job as u64, cpu, from_ns, to_ns, waited });
    }

    /// A budget is used up where the kernel said so, or where the thread's own account does.
    fn note_overrun(&mut self, job: usize, was_told: bool) {
        let record = &mut self.log.jobs[job];
        record.overran = self.task.reservation.map(|of| was_told || record.executed_ns > of.budget_ns);
    }
}

/// What a job costs beside its work: the longest of a few empty ones.
fn rehearse() -> u64 {
    let mut used_ns = clock::thread_cpu_ns();
    let mut empty = || {
        clock::sleep_until(clock::monotonic_ns() + REHEARSAL_NS);
        black_box((Moment::now(), work::preemptions(), work::preemptions()));
        let now_ns = clock::thread_cpu_ns();
        now_ns - std::mem::replace(&mut used_ns, now_ns)
    };
    (0..REHEARSALS).map(|_| empty()).max().unwrap_or(0)
}
