//! From a command's word to begin until nothing of it is left: collects, drains, passes signals on, ends what is over its time.

use crate::command::Task;
use crate::descendants;
use crate::ending::{CommandEnding, Exit};
use crate::group::Group;
use crate::signals::Signals;
use crate::taskstats::Listener;
use crate::usage::Usage;
use prazo_sys::accounting::{self as sys, Waited};
use prazo_sys::process::ProcessHandle;
use std::collections::BTreeSet;
use std::time::Duration;

/// How long what is asked to end (SIGTERM) may take to put its things in order, before it is killed.
const GRACE: Duration = Duration::from_millis(500);
/// How long what was killed may take to end; a process that waits for a disk cannot be hurried.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest time without looking: exit records must not fill their buffer, and what was killed may have forked before.
const LOOK_MS: u32 = 100;
/// The shortest time without looking.
const LOOK_MIN_MS: u32 = 10;

/// What was seen of a run.
pub(crate) struct Watched {
    /// From the command's word to begin to its end.
    pub wall_ns: u64,
    pub ending: CommandEnding,
    /// Of the command and of all that this process collected.
    pub usage: Usage,
    /// A process apart that ended meanwhile, and how.
    pub apart_ended: Option<(u32, Exit)>,
}

/// A command under way.
pub(crate) struct Watch<'a> {
    pub task: &'a Task,
    pub pid: u32,
    pub handle: ProcessHandle,
    pub group: Option<&'a Group>,
    pub signals: &'a Signals,
    pub begun_ns: u64,
}

/// What has been seen so far.
#[derive(Default)]
struct WatchState {
    end: Option<(Exit, u64)>,
    usage: Usage,
    stops: u64,
    limit_reached: bool,
    interrupted: bool,
    left_behind: Option<u64>,
    ended: BTreeSet<u32>,
    asked_ns: Option<u64>,
    apart_ended: Option<(u32, Exit)>,
}

impl Watch<'_> {
    /// Watches until nothing is left; `Err` names what was killed and would not end.
    pub(crate) fn until_the_end(self, mut listener: Option<&mut Listener>) -> Result<Watched, BTreeSet<u32>> {
        let mut seen = WatchState::default();
        loop {
            let has_children = self.collect(&mut seen);
            if let Some(listener) = &mut listener {
                listener.drain();
            }
            let left = self.left(&mut seen, has_children);
            if let Some(end) = seen.end.filter(|_| left.is_empty()) {
                return Ok(self.watched(&seen, end));
            }
            if elapsed_since(seen.asked_ns) > GRACE + PATIENCE {
                return Err(descendants::all(&self.task.apart));
            }
            self.end_what_is_over_its_time(&mut seen);
            self.signals.wait(self.left_ms(&seen).clamp(LOOK_MIN_MS, LOOK_MS));
            seen.interrupted |= self.signals.pass_on(&self.handle);
        }
    }

    /// Collects whoever has ended; true if there are children left.
    fn collect(&self, seen: &mut WatchState) -> bool {
        loop {
            let (pid, status, usage) = match sys::wait() {
                Waited::NothingYet => return true,
                Waited::NoChild => return false,
                Waited::Child(pid, status, usage) => (pid, status, usage),
            };
            let Some(exit) = Exit::of_wait_status(status) else {
                seen.stops += u64::from(pid == self.pid);
                continue;
            };
            if self.task.apart.contains(&pid) {
                seen.apart_ended.get_or_insert((pid, exit));
                continue;
            }
            seen.usage += usage.into();
            if pid == self.pid {
                seen.end = Some((exit, prazo_sys::clock::monotonic_ns()));
            }
        }
    }

    /// The descendants that outlive the command; none while it runs, since nobody asks then.
    fn left(&self, seen: &mut WatchState, has_children: bool) -> BTreeSet<u32> {
        if seen.end.is_none() || !has_children {
            return BTreeSet::new();
        }
        let left = descendants::all(&self.task.apart);
        seen.left_behind.get_or_insert_with(|| descendants::running(&left).len() as u64);
        left
    }

    /// Asks what is over its time to end; what still runs after a grace is killed, as often as it takes.
    fn end_what_is_over_its_time(&self, seen: &mut WatchState) {
        if self.left_ms(seen) > 0 && seen.asked_ns.is_none() {
            return;
        }
        let is_first = seen.asked_ns.is_none();
        seen.limit_reached |= is_first && seen.end.is_none();
        let over = descendants::all(&self.task.apart);
        let running = descendants::running(&over);
        if is_first {
            seen.asked_ns = Some(prazo_sys::clock::monotonic_ns());
            descendants::signal(&over, &self.task.apart, libc::SIGTERM);
        } else if elapsed_since(seen.asked_ns) > GRACE {
            self.kill(&over);
        } else {
            return;
        }
        seen.ended.extend(running.into_iter().filter(|pid| *pid != self.pid));
    }

    /// Kills the group at once, and who moved itself out of it by id.
    fn kill(&self, over: &BTreeSet<u32>) {
        if self.group.is_some_and(|group| group.end().is_ok()) {
            descendants::signal(&descendants::all(&self.task.apart), &self.task.apart, libc::SIGKILL);
        } else {
            descendants::signal(over, &self.task.apart, libc::SIGKILL);
        }
    }

    /// Milliseconds until something is over its time, rounded up; none where what it needs beside it has ended.
    fn left_ms(&self, seen: &WatchState) -> u32 {
        if seen.apart_ended.is_some() {
            return 0;
        }
        let (since_ns, limit) = match seen.end {
            Some((_, ended_ns)) => (ended_ns, Some(self.task.left_behind_limit)),
            None => (self.begun_ns, self.task.limit),
        };
        let Some(limit) = limit else { return u32::MAX };
        let elapsed = Duration::from_nanos(prazo_sys::clock::monotonic_ns() - since_ns);
        limit.saturating_sub(elapsed).as_nanos().div_ceil(1_000_000).min(u128::from(u32::MAX)) as u32
    }

    fn watched(&self, seen: &WatchState, (exit, ended_ns): (Exit, u64)) -> Watched {
        let ending = CommandEnding {
            exit,
            status: exit.status(),
            stops: seen.stops,
            limit_reached: seen.limit_reached,
            interrupted: seen.interrupted,
            left_behind: seen.left_behind.unwrap_or(0),
            ended_by_us: seen.ended.len() as u64,
        };
        Watched { wall_ns: ended_ns - self.begun_ns, ending, usage: seen.usage, apart_ended: seen.apart_ended }
    }
}

/// The time since a moment; none if it has not come yet.
fn elapsed_since(moment_ns: Option<u64>) -> Duration {
    moment_ns.map_or(Duration::ZERO, |moment_ns| Duration::from_nanos(prazo_sys::clock::monotonic_ns() - moment_ns))
}
