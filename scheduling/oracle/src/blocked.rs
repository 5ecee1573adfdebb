//! One processor on which jobs block each other, one tick after the other: parts that are not preempted, critical sections under
//! three protocols.
//!
//! Each job is a row of parts. Whoever is strictly inside a part is bound by it: a job in a non-preemptive part goes on, a job in a
//! section holds its resource. So nothing has to be remembered but how much each job has executed.

use prazo_core::behaviour::Locking;

/// One part of a job, by what it has executed: from `from` to `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where it begins.
    pub from: i64,
    /// Where it ends.
    pub to: i64,
    /// The resource that it holds; `None` if it is not preempted instead.
    pub resource: Option<u32>,
}

/// A job before it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartedJob {
    /// Index of its task.
    pub task: usize,
    /// From when on it may run.
    pub release: i64,
    /// Its absolute deadline.
    pub due: i64,
    /// What it executes.
    pub cost: i64,
    /// Its parts, one behind the other.
    pub parts: Vec<Part>,
}

/// Who is more urgent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// The earlier absolute deadline; of equal ones a started job.
    Edf,
    /// The lower index.
    Fixed,
}

/// What a lock does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// A job starts only above the ceiling of all that is held.
    Srp,
    /// A job locks only above the ceiling of all that others hold.
    Pcp,
    /// A job waits for the resource itself.
    Pip,
}

impl Protocol {
    /// The one that task sets call `locking`; panics if that is none of these.
    pub fn of(locking: Locking) -> Self {
        match locking {
            Locking::Srp => Self::Srp,
            Locking::Pcp => Self::Pcp,
            Locking::Pip => Self::Pip,
            other => panic!("{other} crosses processors"),
        }
    }
}

/// A job under way: which, and how much it has executed.
#[derive(Clone, Copy)]
struct UnderWay {
    job: usize,
    executed: i64,
}

/// The processor.
#[derive(Clone, Copy, Debug)]
pub struct Blocked<'a> {
    /// The jobs, those of a task in the order of their release.
    pub jobs: &'a [PartedJob],
    /// Relative deadlines of the tasks, which are their levels under EDF.
    pub deadlines: &'a [i64],
    /// For each resource, who may use it.
    pub users: &'a [Vec<usize>],
    /// Who is more urgent.
    pub rank: Rank,
    /// What locks do.
    pub protocol: Protocol,
}

impl Blocked<'_> {
    /// The first instant at which a job ends after its deadline, or is not done by `until`.
    pub fn first_miss(&self, from: i64, until: i64) -> Option<i64> {
        let tasks = self.deadlines.len();
        let mut queues: Vec<std::collections::VecDeque<usize>> = vec![Default::default(); tasks];
        self.jobs.iter().enumerate().for_each(|(index, job)| queues[job.task].push_back(index));
        let mut executed = vec![0i64; tasks];
        let mut running: Option<usize> = None;
        for now in from..until {
            let under_way: Vec<UnderWay> = (0..tasks)
                .filter_map(|task| queues[task].front().map(|job| UnderWay { job: *job, executed: executed[task] }))
                .filter(|state| self.jobs[state.job].release <= now)
                .collect();
            let Some(chosen) = self.choose(&under_way, running) else { continue };
            let task = self.jobs[chosen].task;
            executed[task] += 1;
            running = Some(chosen);
            if executed[task] == self.jobs[chosen].cost {
                queues[task].pop_front();
                (executed[task], running) = (0, None);
                if now + 1 > self.jobs[chosen].due {
                    return Some(now + 1);
                }
            }
        }
        queues.iter().filter_map(|queue| queue.front()).any(|job| self.jobs[*job].due <= until).then_some(until)
    }

    fn choose(&self, under_way: &[UnderWay], running: Option<usize>) -> Option<usize> {
        let inside = |state: &&UnderWay| self.part(state).is_some_and(|part| part.resource.is_none());
        if let Some(bound) = under_way.iter().find(inside) {
            return Some(bound.job);
        }
        let key = |state: &&UnderWay| {
            let job = &self.jobs[state.job];
            match self.rank {
                Rank::Edf => (job.due, state.executed == 0, Some(state.job) != running, job.task),
                Rank::Fixed => (0, false, false, job.task),
            }
        };
        let most_urgent = under_way.iter().min_by_key(key)?;
        match self.protocol {
            Protocol::Srp if most_urgent.executed == 0 && !self.may_start(most_urgent, under_way) => {
                let started = under_way.iter().filter(|state| state.executed > 0);
                started.min_by_key(key).map(|state| state.job)
            }
            Protocol::Srp => Some(most_urgent.job),
            Protocol::Pcp | Protocol::Pip => Some(self.who_lets(most_urgent, under_way)),
        }
    }

    /// The part that the job is strictly inside of.
    fn part(&self, state: &UnderWay) -> Option<Part> {
        let inside = |part: &&Part| part.from < state.executed && state.executed < part.to;
        self.jobs[state.job].parts.iter().find(inside).copied()
    }

    fn held(&self, state: &UnderWay) -> Option<u32> {
        self.part(state)?.resource
    }

    /// The less, the higher.
    fn level(&self, task: usize) -> i64 {
        match self.rank {
            Rank::Edf => self.deadlines[task],
            Rank::Fixed => task as i64,
        }
    }

    fn ceiling(&self, resource: u32) -> i64 {
        self.users[resource as usize].iter().map(|task| self.level(*task)).min().unwrap_or(i64::MAX)
    }

    fn may_start(&self, state: &UnderWay, under_way: &[UnderWay]) -> bool {
        let held = under_way.iter().filter_map(|other| self.held(other));
        let level = self.level(self.jobs[state.job].task);
        held.map(|resource| self.ceiling(resource)).all(|ceiling| level < ceiling)
    }

    /// The job itself, or the one that it waits for.
    fn who_lets(&self, state: &UnderWay, under_way: &[UnderWay]) -> usize {
        let begins = |part: &&Part| part.from == state.executed && part.resource.is_some();
        let Some(wanted) = self.jobs[state.job].parts.iter().find(begins).and_then(|part| part.resource) else {
            return state.job;
        };
        let level = self.level(self.jobs[state.job].task);
        let stands_in_the_way = |other: &&UnderWay| {
            other.job != state.job
                && self.held(other).is_some_and(|held| match self.protocol {
                    Protocol::Pcp => self.ceiling(held) <= level,
                    _ => held == wanted,
                })
        };
        let in_the_way = under_way.iter().filter(stands_in_the_way);
        let first = in_the_way.min_by_key(|other| self.held(other).map(|held| self.ceiling(held)));
        first.map_or(state.job, |other| other.job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(task: usize, release: i64, due: i64, parts: &[(i64, i64, Option<u32>)], cost: i64) -> PartedJob {
        let parts = parts.iter().map(|&(from, to, resource)| Part { from, to, resource }).collect();
        PartedJob { task, release, due, cost, parts }
    }

    #[test]
    fn a_part_blocks_whom_a_ceiling_would_let_pass() {
        let jobs = |resource| vec![job(1, 0, 20, &[(0, 4, resource)], 4), job(0, 1, 4, &[], 1)];
        let misses = |jobs: &[PartedJob]| {
            let users = [vec![1]];
            let on = Blocked { jobs, deadlines: &[3, 20], users: &users, rank: Rank::Fixed, protocol: Protocol::Srp };
            on.first_miss(0, 20)
        };
        assert_eq!((misses(&jobs(None)), misses(&jobs(Some(0)))), (Some(5), None));
    }

    #[test]
    fn under_inheritance_the_holder_goes_before_the_middle_one() {
        let jobs = [job(2, 0, 30, &[(0, 4, Some(0))], 5), job(0, 1, 7, &[(1, 2, Some(0))], 2), job(1, 1, 40, &[], 9)];
        let users = [vec![0, 2]];
        for protocol in [Protocol::Pip, Protocol::Pcp] {
            let on = Blocked { jobs: &jobs, deadlines: &[6, 39, 30], users: &users, rank: Rank::Fixed, protocol };
            assert_eq!(on.first_miss(0, 30), None, "{protocol:?}");
        }
    }
}
