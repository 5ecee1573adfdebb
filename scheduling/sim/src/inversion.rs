//! The task sets of papers/003's priority inversion, as jobs with critical sections; Linux and prazo's kernel run the same.

use crate::locks::{LockedJob, Section};

const MS: u64 = 1_000_000;

fn job(release_ms: u64, execution_ns: u64, sections: &[(usize, u64, u64)]) -> LockedJob {
    let section =
        |&(lock, from_ms, to_ms): &(usize, u64, u64)| Section { lock, from_ns: from_ms * MS, to_ns: to_ms * MS };
    LockedJob { release_ns: release_ms * MS, execution_ns, sections: sections.iter().map(section).collect() }
}

/// The most urgent one wants for 4 ms, from 10 ms on, what the least urgent one holds for 20 ms; one between them executes
/// `middle_ns`.
pub fn three(middle_ns: u64) -> [LockedJob; 3] {
    [job(10, 4 * MS, &[(0, 0, 4)]), job(14, middle_ns, &[]), job(0, 20 * MS, &[(0, 0, 20)])]
}

/// The second preempts the first in A, the third the second in B; the third wants B, the second A.
pub fn nested() -> [LockedJob; 3] {
    [job(20, 10 * MS, &[(1, 4, 10)]), job(10, 20 * MS, &[(1, 0, 20), (0, 15, 20)]), job(0, 40 * MS, &[(0, 0, 40)])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locks::{Outcome, Protocol, run};
    use prazo_core::event::Kind;

    fn response_ms(middle_ms: u64, protocol: Protocol) -> u64 {
        let jobs = three(middle_ms * MS);
        (run(&jobs, protocol).unwrap().completions_ns[0] - jobs[0].release_ns) / MS
    }

    #[test]
    fn without_inheritance_the_most_urgent_waits_as_long_as_the_middle_one_likes() {
        assert_eq!([40, 80, 160].map(|middle| response_ms(middle, Protocol::Plain)), [54, 94, 174]);
        assert_eq!([40, 80, 160].map(|middle| response_ms(middle, Protocol::Inherit)), [14, 14, 14]);
        assert_eq!([40, 80, 160].map(|middle| response_ms(middle, Protocol::Protect)), [14, 14, 14]);
    }

    fn order(outcome: &Outcome) -> Vec<usize> {
        let dispatches = outcome.events.iter().filter(|event| matches!(event.kind, Kind::Dispatch { .. }));
        dispatches.map(|event| event.task.index()).collect()
    }

    #[test]
    fn three_nested_tasks_switch_six_times_where_two_would_do() {
        assert_eq!(order(&run(&nested(), Protocol::Inherit).unwrap()), [2, 1, 0, 1, 2, 1, 0]);
        assert_eq!(order(&run(&nested(), Protocol::Protect).unwrap()), [2, 0, 1]);
    }
}
