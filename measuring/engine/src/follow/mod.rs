//! What a run was granted, followed while it measures: policies, affinities, processors, and real-time threads of others.
//!
//! A thread of its own looks, on the processor and under the policy of who starts it, so that no followed thread does anything for
//! it. It looks at the followed threads four times a second, and searches the threads of all processes as often. Where there are
//! many, it does so less often: each of the two takes at most a hundredth of its processor.

pub(crate) mod caveats;
pub(crate) mod changes;

use super::machine_readings::between_readings;
use super::rivals;
use super::surroundings::Surroundings;
use changes::{Changes, Comparison, Look, State};
pub use changes::{Followed, FollowedThread};
use prazo_core::cpu::CpuSet;
use prazo_core::time::Offset;
use prazo_run::Caveat;
use prazo_sys::{clock, scheduling};
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::Duration;

const LOOKS_EACH: Duration = Duration::from_millis(250);
/// Between two looks, and between two searches, lies so many times the processor time that the last one took.
const REST: u64 = 100;

/// Follows these threads while `work` runs, and says what changed and what the machine did; times count from now.
pub fn during<T>(around: &Surroundings, followed: Followed, work: impl FnOnce() -> T) -> io::Result<(T, Vec<Caveat>)> {
    let cpus = followed.cpus.clone();
    std::thread::scope(|scope| {
        let follower = Before::look(around, followed).follow(scope, clock::monotonic_ns())?;
        let (answer, of_machine) = between_readings(around, &cpus, work);
        Ok((answer, caveats::of(&follower.finish()).into_iter().chain(of_machine).collect()))
    })
}

/// What was there before the start, which everything later is held against.
pub(crate) struct Before<'m> {
    eyes: Eyes<'m>,
    first: Look,
    at_ns: u64,
}

impl<'m> Before<'m> {
    /// Looks for the first time.
    pub(crate) fn look(around: &'m Surroundings, followed: Followed) -> Self {
        let mut eyes = Eyes { around, followed, next_search_ns: 0, rest: LOOKS_EACH };
        let (first, at_ns) = eyes.look();
        Self { eyes, first, at_ns }
    }

    /// Leaves all further looks to a thread; `start_ns` is the common start, which times are counted from.
    pub(crate) fn follow<'scope>(self, scope: &'scope Scope<'scope, '_>, start_ns: u64) -> io::Result<Follower<'scope>>
    where
        'm: 'scope,
    {
        let (run_ends, end) = channel();
        let run = move || self.until(&end, start_ns);
        let thread = Builder::new().name("prazo-follow".into()).spawn_scoped(scope, run)?;
        Ok(Follower { run_ends, thread })
    }

    fn until(self, end: &Receiver<()>, start_ns: u64) -> Changes {
        let Self { mut eyes, first, at_ns } = self;
        let since_start = |at_ns: u64| Offset::from_ns(at_ns.wrapping_sub(start_ns) as i64);
        let mut comparison = Comparison::with(&eyes.followed, first, since_start(at_ns));
        while end.recv_timeout(eyes.rest) == Err(RecvTimeoutError::Timeout) {
            let (look, at_ns) = eyes.look();
            comparison.take(look, since_start(at_ns));
        }
        // A last time, since the rest may have been long. By now threads may have ended and policies may be put back.
        let last = Look { threads: vec![None; eyes.followed.threads.len()], online: eyes.online(), rivals: None };
        comparison.take(last, since_start(clock::monotonic_ns()));
        comparison.finish()
    }
}

/// Looks at a run until it is asked what it saw, or dropped.
pub(crate) struct Follower<'scope> {
    /// Dropped, the thread ends.
    run_ends: Sender<()>,
    thread: ScopedJoinHandle<'scope, Changes>,
}

impl Follower<'_> {
    /// What it saw.
    pub(crate) fn finish(self) -> Changes {
        drop(self.run_ends);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

struct Eyes<'m> {
    around: &'m Surroundings,
    followed: Followed,
    next_search_ns: u64,
    /// Until the next look.
    rest: Duration,
}

impl Eyes<'_> {
    /// What there is, and when that was known.
    fn look(&mut self) -> (Look, u64) {
        let look = Look { threads: self.states(), online: self.online(), rivals: self.search() };
        (look, clock::monotonic_ns())
    }

    fn online(&self) -> Option<CpuSet> {
        self.around.text("sys/devices/system/cpu/online").and_then(|list| list.parse().ok())
    }

    fn states(&mut self) -> Vec<Option<State>> {
        let before_ns = clock::thread_cpu_ns();
        let states = self.followed.threads.iter().map(|thread| state(thread.id)).collect();
        let taken_ns = clock::thread_cpu_ns() - before_ns;
        self.rest = LOOKS_EACH.max(Duration::from_nanos(taken_ns.saturating_mul(REST)));
        states
    }

    /// The rivals; `None` where the last one was too recent for what it took.
    fn search(&mut self) -> Option<Vec<rivals::Rival>> {
        if clock::monotonic_ns() < self.next_search_ns {
            return None;
        }
        let before_ns = clock::thread_cpu_ns();
        let mut found = rivals::at_or_above(self.followed.rival_priority, self.around);
        found.retain(|rival| !self.followed.threads.iter().any(|thread| thread.id == rival.thread_id));
        let taken_ns = clock::thread_cpu_ns() - before_ns;
        self.next_search_ns = clock::monotonic_ns() + taken_ns.saturating_mul(REST);
        Some(found)
    }
}

/// `None` for a thread that has ended, or was never set up.
fn state(thread_id: i32) -> Option<State> {
    let thread = u32::try_from(thread_id).ok().filter(|number| *number > 0)?;
    Some(State { granted: scheduling::attributes_of(thread).ok()?, affinity: scheduling::affinity_of(thread).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_that_changes_behind_the_last_look_is_told() {
        let tree = tempfile::tempdir().unwrap();
        let folder = tree.path().join("sys/devices/system/cpu");
        std::fs::create_dir_all(&folder).unwrap();
        let write = |list: &str| std::fs::write(folder.join("online"), list).unwrap();
        write("0-1\n");
        let followed =
            Followed { cpus: vec![1], threads: Vec::new(), rival_priority: rivals::ABOVE_ALL, move_themselves: false };
        // The work is shorter than the rest between two looks.
        let ((), found) = during(&Surroundings::below(tree.path()), followed, || write("0\n")).unwrap();
        let [offline] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(offline.id, "processor-offline");
        assert!(offline.what.starts_with("measured processor 1 went offline"), "{}", offline.what);
    }

    /// Runs of interrupts, of overheads and of task sets are followed by it.
    #[test]
    fn time_stolen_while_the_work_runs_is_a_caveat() {
        let tree = tempfile::tempdir().unwrap();
        let stat = tree.path().join("proc/stat");
        std::fs::create_dir(tree.path().join("proc")).unwrap();
        let write = |ticks: u64| std::fs::write(&stat, format!("cpu1 1 2 3 4 5 6 7 {ticks} 9 0\n")).unwrap();
        write(7);
        let followed =
            Followed { cpus: vec![1], threads: Vec::new(), rival_priority: rivals::ABOVE_ALL, move_themselves: false };
        let around = Surroundings::below(tree.path());
        let ((), found) = during(&around, followed, || write(9)).unwrap();
        let [steal] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(steal.id, "steal");
        assert!(steal.what.contains("(processor 1: 20 ms stolen)"), "{}", steal.what);
    }
}
