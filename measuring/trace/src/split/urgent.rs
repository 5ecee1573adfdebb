//! Threads of others that ran above the measuring ones: every one is noted by BPF when it gets a measured processor.

use super::record::Urgent;
use prazo_core::text::counted;
use prazo_engine::{Surroundings, rivals};
use prazo_run::{Caveat, Severity};
use std::collections::BTreeSet;

/// So many are named; those beyond are counted.
const NAMED: usize = 5;

/// What is known before the start.
#[derive(Clone, Debug, Default)]
pub(super) struct RealTimeThreads {
    threads: BTreeSet<u32>,
    start_ns: u64,
}

impl RealTimeThreads {
    /// Real-time threads that there are now, of whatever priority: a run names those as it finds them.
    pub(super) fn now(around: &Surroundings, start_ns: u64) -> Self {
        let threads = rivals::at_or_above(1, around).into_iter().filter_map(|rival| rival.thread_id.try_into().ok());
        Self { threads: threads.collect(), start_ns }
    }

    /// One caveat for each thread that came to run, first come first.
    pub(super) fn caveats(&self, all: Vec<Urgent>) -> Vec<Caveat> {
        let unseen: u64 = all.iter().map(|urgent| u64::from(urgent.hidden)).sum();
        // The kernel's stopper threads are above everything on every system.
        let is_new = |urgent: &Urgent| {
            urgent.last_ns >= self.start_ns
                && !self.threads.contains(&urgent.thread_id)
                && !urgent.name.starts_with("migration/")
        };
        let mut new: Vec<Urgent> = all.into_iter().filter(is_new).collect();
        new.sort_by_key(|urgent| (urgent.first_ns, urgent.thread_id));
        let (named, more) = new.split_at(new.len().min(NAMED));
        let mut caveats: Vec<Caveat> = named.iter().map(|urgent| self.caveat(urgent)).collect();
        if !more.is_empty() {
            caveats.push(caveat(format!(
                "{} that the measuring threads cannot preempt ran on their processors",
                counted(more.len() as u64, "more thread")
            )));
        }
        if unseen > 0 && !new.is_empty() {
            caveats.push(caveat(format!(
                "threads that the measuring threads cannot preempt ran {} and could not be identified",
                counted(unseen, "more time")
            )));
        }
        caveats
    }

    fn caveat(&self, urgent: &Urgent) -> Caveat {
        let Urgent { first_ns, thread_id, times, priority, cpu, name, .. } = urgent;
        let urgency = if *priority < 0 { "deadline".into() } else { format!("real-time priority {}", 99 - priority) };
        let times = counted(u64::from(*times), "time");
        let first_s = first_ns.saturating_sub(self.start_ns) as f64 / 1e9;
        caveat(format!(
            "a thread that the measuring threads cannot preempt ran on their processors: {name} (thread {thread_id}), \
             {urgency}, {times}, first on processor {cpu}, {first_s:.6} s after the start"
        ))
    }
}

fn caveat(what: String) -> Caveat {
    let remedy = "stop the thread, or give a --priority above its own (impossible for a thread with priority 99 or a deadline), and repeat the run; if the thread belongs to \
                  the real system, start it before the run";
    Caveat::new("foreign-real-time-ran", Severity::High, what, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urgent(thread_id: u32, first_ns: u64, name: &str) -> Urgent {
        let (last_ns, times) = (first_ns + 5, 3);
        Urgent { first_ns, last_ns, thread_id, times, hidden: 0, priority: 0, cpu: 1, name: name.into() }
    }

    #[test]
    fn only_threads_that_came_after_the_start_are_told_and_the_first_comes_first() {
        let known = RealTimeThreads { threads: BTreeSet::from([7]), start_ns: 1_000_000_000 };
        let over = urgent(8, 10, "over");
        let all =
            [urgent(9, 2_500_000_000, "spin"), urgent(7, 3_000_000_000, "irq/9"), over, urgent(6, 1_500_000_000, "dl")];
        let explanation = known.caveats([&all[..], &[urgent(5, 2_000_000_000, "migration/1")]].concat());
        assert_eq!(explanation.len(), 2, "{explanation:?}");
        assert!(explanation[0].what.contains("dl (thread 6)"), "{}", explanation[0].what);
        let expected =
            "spin (thread 9), real-time priority 99, 3 times, first on processor 1, 1.500000 s after the start";
        assert!(explanation[1].what.ends_with(expected), "{}", explanation[1].what);
    }

    #[test]
    fn what_is_not_named_is_counted() {
        let all: Vec<Urgent> = (1..=8).map(|number| urgent(number, number.into(), "spin")).collect();
        let explanation =
            RealTimeThreads::default().caveats([&all[..], &[Urgent { hidden: 4, ..urgent(9, 9, "x") }]].concat());
        assert_eq!(explanation.len(), NAMED + 2);
        assert!(explanation[NAMED].what.starts_with("4 more threads"), "{}", explanation[NAMED].what);
        let hidden = &explanation[NAMED + 1].what;
        assert!(hidden.contains("ran 4 more times and could not be identified"), "{hidden}");
    }
}
