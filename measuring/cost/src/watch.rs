//! From a command's word to begin until nothing of it is left: collects, drains, passes signals on, ends what is over its time.

use crate::command::Task;
use crate::ending::{Ending, Exit};
use crate::group::Group;
use crate::signals::Signals;
use crate::sys::{self, Waited};
use crate::taskstats::Listener;
use crate::tree;
use crate::usage::Usage;
use std::collections::BTreeSet;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

/// How long what was killed may take to end; a process that waits for a disk cannot be hurried.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest time without looking: exit records must not fill their buffer, and what was killed may have forked before.
const LOOK_MS: u32 = 100;

/// What was seen of a run.
pub(crate) struct Watched {
    /// From the command's word to begin to its end.
    pub wall_ns: u64,
    pub ending: Ending,
    /// Of the command and of all that this process collected.
    pub usage: Usage,
    /// What could not be ended; empty, as it should be.
    pub unended: BTreeSet<u32>,
}

/// A command under way.
pub(crate) struct Watch<'a> {
    pub task: &'a Task,
    pub pid: u32,
    pub handle: OwnedFd,
    pub group: Option<&'a Group>,
    pub signals: &'a Signals,
    pub begun_ns: u64,
}

/// What has been seen so far.
#[derive(Default)]
struct Seen {
    end: Option<(Exit, u64)>,
    usage: Usage,
    stops: u64,
    limit_reached: bool,
    interrupted: bool,
    left_behind: Option<u64>,
    ended: BTreeSet<u32>,
    killed_ns: Option<u64>,
}

impl Watch<'_> {
    /// Watches until nothing is left.
    pub fn until_the_end(self, mut listener: Option<&mut Listener>) -> Watched {
        let mut seen = Seen::default();
        loop {
            let has_children = self.collect(&mut seen);
            if let Some(listener) = &mut listener {
                listener.drain();
            }
            let left = self.left(&mut seen, has_children);
            if seen.end.is_some() && (left.is_empty() || self.is_beyond_patience(&seen)) {
                return self.watched(&seen, left);
            }
            self.end_what_is_over_its_time(&mut seen, &left);
            self.signals.wait(LOOK_MS.min(self.left_ms(&seen)));
            seen.interrupted |= self.signals.pass_on(self.handle.as_fd());
        }
    }

    /// Collects whoever has ended; true if there are children left.
    fn collect(&self, seen: &mut Seen) -> bool {
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
            if !self.task.apart.contains(&pid) {
                seen.usage += usage.into();
            }
            if pid == self.pid {
                seen.end = Some((exit, sys::monotonic_ns()));
            }
        }
    }

    /// The descendants that outlive the command; none while it runs, since nobody asks then.
    fn left(&self, seen: &mut Seen, has_children: bool) -> BTreeSet<u32> {
        if seen.end.is_none() || !has_children {
            return BTreeSet::new();
        }
        let left = tree::descendants(&self.task.apart);
        seen.left_behind.get_or_insert(left.len() as u64);
        left
    }

    fn end_what_is_over_its_time(&self, seen: &mut Seen, left: &BTreeSet<u32>) {
        if self.left_ms(seen) > 0 {
            return;
        }
        seen.killed_ns.get_or_insert_with(sys::monotonic_ns);
        seen.limit_reached |= seen.end.is_none();
        let over = if seen.end.is_none() { tree::descendants(&self.task.apart) } else { left.clone() };
        if self.group.is_none_or(|group| group.end().is_err()) {
            tree::end(&over, &self.task.apart);
        } else {
            // Who moved itself out of the group is still ended by id.
            tree::end(&tree::descendants(&self.task.apart), &self.task.apart);
        }
        seen.ended.extend(over.iter().filter(|pid| **pid != self.pid));
    }

    /// Milliseconds until something is over its time, rounded up.
    fn left_ms(&self, seen: &Seen) -> u32 {
        let (since_ns, limit) = match seen.end {
            Some((_, ended_ns)) => (ended_ns, Some(self.task.left_behind_limit)),
            None => (self.begun_ns, self.task.limit),
        };
        let Some(limit) = limit else { return u32::MAX };
        let elapsed = Duration::from_nanos(sys::monotonic_ns() - since_ns);
        limit.saturating_sub(elapsed).as_nanos().div_ceil(1_000_000).min(u128::from(u32::MAX)) as u32
    }

    fn is_beyond_patience(&self, seen: &Seen) -> bool {
        seen.killed_ns.is_some_and(|killed_ns| sys::monotonic_ns() - killed_ns > PATIENCE.as_nanos() as u64)
    }

    fn watched(&self, seen: &Seen, unended: BTreeSet<u32>) -> Watched {
        let (exit, ended_ns) = seen.end.expect("the watch ends after the command");
        let ending = Ending {
            exit,
            status: exit.status(),
            stops: seen.stops,
            limit_reached: seen.limit_reached,
            interrupted: seen.interrupted,
            left_behind: seen.left_behind.unwrap_or(0),
            ended_by_us: seen.ended.len() as u64,
        };
        Watched { wall_ns: ended_ns - self.begun_ns, ending, usage: seen.usage, unended }
    }
}
