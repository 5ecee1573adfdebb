//! Whether the tool's threads fell back to Linux while they measured, by Cobalt's account of them.
//!
//! A thread switches once or twice by starting, and once more by ending. So only what changes in between counts: from the first
//! look behind the warm-up to the last look before the tool was asked to end.

use super::accounts::ThreadAccount;
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_run::{Caveat, Severity};
use std::collections::BTreeMap;

/// How long a tool starts its threads and warms up: one second of `latency`'s, and some more.
const WARM_UP: Duration = Duration::from_ms(1_500);

/// What was seen of the tool's threads.
#[derive(Debug)]
pub(super) struct Switches {
    until: Duration,
    threads: BTreeMap<u32, Seen>,
}

#[derive(Debug)]
struct Seen {
    name: String,
    looks: u64,
    first: u64,
    last: u64,
}

impl Switches {
    /// For a tool that measures this long from its start.
    pub(super) fn of(length: Duration) -> Self {
        Self { until: length, threads: BTreeMap::new() }
    }

    /// Notes the accounts of the tool's threads, this long after its start.
    pub(super) fn look(&mut self, after: Duration, accounts: impl Iterator<Item = ThreadAccount>) {
        if after < WARM_UP || after >= self.until {
            return;
        }
        // Linux itself, and the tool's threads that run under it, have priority 0 or less.
        for thread in accounts.filter(|thread| thread.priority > 0) {
            let ThreadAccount { name, mode_switches, .. } = thread;
            let seen = self.threads.entry(thread.thread_id).or_insert(Seen {
                name,
                looks: 0,
                first: mode_switches,
                last: mode_switches,
            });
            (seen.looks, seen.last) = (seen.looks + 1, mode_switches);
        }
    }

    /// `mode-switches`, or `mode-switches-unknown` where no thread was seen twice.
    pub(super) fn caveat(&self) -> Option<Caveat> {
        if self.threads.values().all(|thread| thread.looks < 2) {
            return Some(Caveat::new(
                "mode-switches-unknown",
                Severity::High,
                "no thread of the tool appeared in two readings of /proc/xenomai/sched/acct, so switches to Linux could not be \
                 counted",
                "measure for at least 3 s, on a machine that has /proc/xenomai/sched/acct",
            ));
        }
        let switched = |thread: &&Seen| thread.last > thread.first;
        let fell: Vec<String> = self.threads.values().filter(switched).map(text).collect();
        (!fell.is_empty()).then(|| {
            Caveat::new(
                "mode-switches",
                Severity::Fatal,
                format!(
                    "threads of the tool switched between the co-kernel and Linux while they measured: {}",
                    fell.join(", ")
                ),
                "samples after a switch to Linux are latencies of Linux, not of the co-kernel; find the cause of the \
                 switch (a Linux system call, a page fault) and measure again",
            )
        })
    }
}

fn text(thread: &Seen) -> String {
    format!("{} ({})", thread.name, counted(thread.last - thread.first, "switch"))
}

#[cfg(test)]
mod tests {
    use super::super::accounts::accounts;
    use super::*;
    use prazo_testing::data;

    /// The accounts one second after the start of a live `latency` and at its end: every second block of the recording.
    fn recorded() -> [Vec<ThreadAccount>; 2] {
        let text = data::text("xenomai/cobalt/guest-3.3.1-6.6.69/sched-acct-during-latency.txt");
        let lines: Vec<&str> = text.lines().take(8).collect();
        [lines[..4].join("\n"), lines[4..].join("\n")].map(|block| accounts(&block))
    }

    fn caveat(looks: &[(u64, &[ThreadAccount])]) -> Option<String> {
        let mut switches = Switches::of(Duration::from_s(4));
        for (after_ms, accounts) in looks {
            switches.look(Duration::from_ms(*after_ms), accounts.iter().cloned());
        }
        switches.caveat().map(|caveat| caveat.id)
    }

    #[test]
    fn two_switches_of_a_live_thread_that_started_before_are_no_fault() {
        let [early, late] = recorded();
        let sampling = early.iter().find(|thread| thread.name == "sampling-26").unwrap();
        assert_eq!((sampling.mode_switches, sampling.priority), (2, 98));
        assert_eq!(caveat(&[(2_000, &early), (3_900, &late)]), None);
    }

    #[test]
    fn a_switch_while_it_measures_is_fatal_and_one_by_its_end_is_not() {
        let [early, mut late] = recorded();
        late.iter_mut().for_each(|thread| thread.mode_switches += 1);
        assert_eq!(caveat(&[(2_000, &early), (3_900, &late)]).as_deref(), Some("mode-switches"));
        assert_eq!(caveat(&[(1_600, &early), (3_000, &early), (4_000, &late)]), None);
        assert_eq!(caveat(&[(1_000, &early), (1_600, &late), (3_000, &late)]), None, "it had only started");
    }

    #[test]
    fn what_was_not_seen_is_said() {
        let [early, _] = recorded();
        assert_eq!(caveat(&[(2_000, &early)]).as_deref(), Some("mode-switches-unknown"));
        assert_eq!(caveat(&[]).as_deref(), Some("mode-switches-unknown"));
    }
}
