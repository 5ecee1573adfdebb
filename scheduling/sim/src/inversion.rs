//! The task sets of Marsal 2013's priority inversion, as jobs with critical sections; Linux and prazo's kernel run the same.

use crate::locks::{CriticalSection, LockedJob};
use prazo_core::time::{Duration, Instant};

const fn ms(ms: u64) -> Duration {
    Duration::from_ms(ms)
}

fn job(release_ms: u64, execution: Duration, sections: &[(usize, u64, u64)]) -> LockedJob {
    let section = |&(lock, from, to): &(usize, u64, u64)| CriticalSection { lock, from: ms(from), to: ms(to) };
    let release = Instant::EPOCH + ms(release_ms);
    LockedJob { release, execution, sections: sections.iter().map(section).collect() }
}

/// The most urgent one wants for 4 ms, from 10 ms on, what the least urgent one holds for 20 ms; one between them executes
/// `middle`.
pub fn three(middle: Duration) -> [LockedJob; 3] {
    [job(10, ms(4), &[(0, 0, 4)]), job(14, middle, &[]), job(0, ms(20), &[(0, 0, 20)])]
}

/// The second preempts the first in A, the third the second in B; the third wants B, the second A.
pub fn nested() -> [LockedJob; 3] {
    [job(20, ms(10), &[(1, 4, 10)]), job(10, ms(20), &[(1, 0, 20), (0, 15, 20)]), job(0, ms(40), &[(0, 0, 40)])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locks::{LockProtocol, LockSchedule, run};
    use prazo_core::event::EventKind;

    fn response_ms(middle_ms: u64, protocol: LockProtocol) -> u64 {
        let jobs = three(ms(middle_ms));
        (run(&jobs, protocol).unwrap().completions[0] - jobs[0].release).as_ns() / 1_000_000
    }

    #[test]
    fn without_inheritance_the_most_urgent_waits_as_long_as_the_middle_one_likes() {
        assert_eq!([40, 80, 160].map(|middle| response_ms(middle, LockProtocol::Plain)), [54, 94, 174]);
        assert_eq!([40, 80, 160].map(|middle| response_ms(middle, LockProtocol::Inherit)), [14, 14, 14]);
        assert_eq!([40, 80, 160].map(|middle| response_ms(middle, LockProtocol::Protect)), [14, 14, 14]);
    }

    fn order(outcome: &LockSchedule) -> Vec<usize> {
        let dispatches = outcome.events.iter().filter(|event| matches!(event.kind, EventKind::Dispatch { .. }));
        dispatches.map(|event| event.task.index()).collect()
    }

    #[test]
    fn three_nested_tasks_switch_six_times_where_two_would_do() {
        assert_eq!(order(&run(&nested(), LockProtocol::Inherit).unwrap()), [2, 1, 0, 1, 2, 1, 0]);
        assert_eq!(order(&run(&nested(), LockProtocol::Protect).unwrap()), [2, 0, 1]);
    }
}
