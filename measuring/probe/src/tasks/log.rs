//! What one thread notes of its jobs, in memory that was taken before the start; what finds no room is counted.

use prazo_run::jobs::{JobRecord, Stretch};

/// The notes of one task.
#[derive(Debug)]
pub(super) struct Log {
    /// A record for each release, begun or not.
    pub jobs: Vec<JobRecord>,
    /// Where jobs ran.
    pub stretches: Vec<Stretch>,
    /// Stretches that found no room.
    pub lost: u64,
}

impl Log {
    /// Room for these releases of task number `task`, and for so many stretches.
    pub(super) fn new(task: u32, releases: &[u64], stretches: usize) -> Self {
        let job = |(number, release_ns): (u64, &u64)| JobRecord {
            task,
            number,
            release_ns: *release_ns,
            ..JobRecord::default()
        };
        let jobs = (0..).zip(releases).map(job).collect();
        Self { jobs, stretches: Vec::with_capacity(stretches), lost: 0 }
    }

    /// A job had a processor.
    pub(super) fn stretch(&mut self, stretch: Stretch) {
        if self.stretches.len() < self.stretches.capacity() {
            self.stretches.push(stretch);
        } else {
            self.lost += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_no_room_is_counted() {
        let mut log = Log::new(3, &[5], 1);
        let room = log.stretches.capacity();
        let stretch = Stretch { task: 3, job: 0, cpu: 0, from_ns: 0, to_ns: 1, waited: false };
        (0..room + 2).for_each(|_| log.stretch(stretch));
        assert_eq!((log.stretches.len(), log.lost, log.jobs[0].release_ns), (room, 2, 5));
    }
}
