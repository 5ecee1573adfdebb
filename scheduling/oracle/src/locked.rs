//! Several processors whose tasks share resources, one tick after the other, under three protocols.
//!
//! Before each tick every processor chooses its job; a chosen job that stands where a section of its begins makes its request, and all choose
//! again until nobody makes another. Then all chosen jobs execute for a tick, but for those that spin, and who is at the end of a section gives
//! back. Beside the ends of jobs it counts what they waited.

use prazo_core::behaviour::Locking;
use std::collections::VecDeque;

/// A critical section, by what the job has executed: [from, to).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionSpan {
    /// Where it begins.
    pub from: i64,
    /// Where it ends.
    pub to: i64,
    /// What it needs.
    pub resource: usize,
}

/// A job before it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharingJob {
    /// Index of its task.
    pub task: usize,
    /// From when its response counts.
    pub arrival: i64,
    /// From when on it may run.
    pub release: i64,
    /// Its absolute deadline.
    pub due: i64,
    /// What it executes.
    pub cost: i64,
    /// Its sections, ascending and apart.
    pub sections: Vec<SectionSpan>,
}

/// What happens to who waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// It spins without preemption, first come first served; resources of one processor are under SRP.
    Spin,
    /// It is suspended, first come first served; of several holders on a processor the first to request runs.
    Fifo,
    /// It is suspended, the most urgent is next; of several holders the one whose resource has the most urgent user.
    Urgency,
}

impl Protocol {
    /// The one that task sets call `locking`; panics if that is none of these.
    pub fn of(locking: Locking) -> Self {
        match locking {
            Locking::Msrp => Self::Spin,
            Locking::Fmlp => Self::Fifo,
            Locking::Mpcp => Self::Urgency,
            other => panic!("{other} is of one processor"),
        }
    }
}

/// Who is more urgent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// The earlier absolute deadline; of equal ones a started job, then the one that runs.
    Edf,
    /// The lower index.
    Fixed,
}

/// What became of one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedEnd {
    /// Its place among the jobs.
    pub job: usize,
    /// When it ended.
    pub at: i64,
    /// Ticks for which its requests were not done and it did not execute.
    pub requesting: i64,
    /// Ticks for which it was ready without a request, while a less urgent job had its processor.
    pub blocked: i64,
}

#[derive(Clone, Copy)]
struct Request {
    section: SectionSpan,
    number: u64,
    holds: bool,
}

/// The jobs of a run on their processors.
pub struct Sharing<'a> {
    /// The jobs, those of a task in the order of their release.
    pub jobs: &'a [SharingJob],
    /// By task: its processor, from 0.
    pub homes: &'a [usize],
    /// By task: its relative deadline.
    pub deadlines: &'a [i64],
    /// By resource: the tasks that may use it.
    pub users: &'a [Vec<usize>],
    /// What who waits does.
    pub protocol: Protocol,
    /// Who is more urgent.
    pub ranking: Ranking,
}

struct State<'a> {
    on: &'a Sharing<'a>,
    queues: Vec<VecDeque<usize>>,
    executed: Vec<i64>,
    requests: Vec<Option<Request>>,
    running: Vec<Option<usize>>,
    requesting: Vec<i64>,
    blocked: Vec<i64>,
    made: u64,
    now: i64,
}

impl Sharing<'_> {
    /// What became of the jobs that ended by `until`, in the order of their ends.
    pub fn ends(&self, until: i64) -> Vec<SharedEnd> {
        let tasks = self.homes.len();
        let processors = self.homes.iter().max().map_or(0, |last| last + 1);
        let mut queues = vec![VecDeque::new(); tasks];
        self.jobs.iter().enumerate().for_each(|(index, job)| queues[job.task].push_back(index));
        let mut state = State {
            on: self,
            queues,
            executed: vec![0; tasks],
            requests: vec![None; tasks],
            running: vec![None; processors],
            requesting: vec![0; tasks],
            blocked: vec![0; tasks],
            made: 0,
            now: 0,
        };
        let mut ends = Vec::new();
        while state.now < until {
            if (0..tasks).all(|task| state.pending(task).is_none()) {
                let releases = state.queues.iter().filter_map(|queue| queue.front()).map(|&job| self.jobs[job].release);
                state.now = releases.min().unwrap_or(until);
                continue;
            }
            let chosen = state.settled();
            state.count(&chosen);
            state.execute(&chosen, &mut ends);
        }
        ends
    }

    fn is_shared(&self, resource: usize) -> bool {
        let homes = self.users[resource].iter().map(|&task| self.homes[task]);
        self.protocol != Protocol::Spin || homes.clone().min() != homes.max()
    }
}

impl State<'_> {
    fn pending(&self, task: usize) -> Option<&SharingJob> {
        self.queues[task].front().map(|&job| &self.on.jobs[job]).filter(|job| job.release <= self.now)
    }

    /// The less, the more urgent.
    fn key(&self, task: usize) -> (i64, bool, bool, usize) {
        match self.on.ranking {
            Ranking::Fixed => (0, false, false, task),
            Ranking::Edf => {
                let runs = self.running.contains(&Some(task));
                (self.pending(task).map_or(i64::MAX, |job| job.due), self.executed[task] == 0, !runs, task)
            }
        }
    }

    fn level(&self, task: usize) -> i64 {
        if self.on.ranking == Ranking::Fixed { task as i64 } else { self.on.deadlines[task] }
    }

    fn ceiling(&self, resource: usize) -> i64 {
        self.on.users[resource].iter().map(|&task| self.level(task)).min().unwrap_or(i64::MAX)
    }

    /// The resource of one processor that the job of `task` is strictly inside of.
    fn local(&self, task: usize) -> Option<usize> {
        let executed = self.executed[task];
        let inside = |section: &&SectionSpan| section.from < executed && executed < section.to;
        let section = self.pending(task)?.sections.iter().find(inside)?;
        (!self.on.is_shared(section.resource)).then_some(section.resource)
    }

    fn choose(&self, processor: usize) -> Option<usize> {
        let here = |&task: &usize| self.on.homes[task] == processor && self.pending(task).is_some();
        let all: Vec<usize> = (0..self.queues.len()).filter(here).collect();
        let spins = self.on.protocol == Protocol::Spin;
        let first = |&task: &usize| {
            let request = self.requests[task].filter(|request| request.holds || spins)?;
            let ceiling =
                if self.on.protocol == Protocol::Urgency { self.ceiling(request.section.resource) } else { 0 };
            Some((ceiling, request.number, task))
        };
        if let Some((.., task)) = all.iter().filter_map(first).min() {
            return Some(task);
        }
        let ready: Vec<usize> = all.iter().copied().filter(|&task| self.requests[task].is_none()).collect();
        let most_urgent = ready.iter().copied().min_by_key(|&task| self.key(task))?;
        let held: Vec<usize> = ready.iter().filter_map(|&task| self.local(task)).collect();
        let starts = self.executed[most_urgent] == 0;
        if starts && held.iter().any(|&resource| self.level(most_urgent) >= self.ceiling(resource)) {
            return ready.into_iter().filter(|&task| self.executed[task] > 0).min_by_key(|&task| self.key(task));
        }
        Some(most_urgent)
    }

    /// What every processor chooses once all requests of this instant are made.
    fn settled(&mut self) -> Vec<Option<usize>> {
        loop {
            let chosen: Vec<Option<usize>> = (0..self.running.len()).map(|processor| self.choose(processor)).collect();
            let wants = |task: &usize| {
                let at = self.executed[*task];
                let sections = self.pending(*task).into_iter().flat_map(|job| &job.sections);
                let begins = sections.copied().find(|one| one.from == at && self.on.is_shared(one.resource));
                begins.filter(|_| self.requests[*task].is_none())
            };
            let next = chosen.iter().flatten().find_map(|task| Some((*task, wants(task)?)));
            let Some((task, section)) = next else {
                self.running.clone_from(&chosen);
                return chosen;
            };
            let is_free = self.requests.iter().flatten().all(|other| other.section.resource != section.resource);
            self.requests[task] = Some(Request { section, number: self.made, holds: is_free });
            self.made += 1;
        }
    }

    fn count(&mut self, chosen: &[Option<usize>]) {
        for task in 0..self.queues.len() {
            if self.pending(task).is_none() {
                continue;
            }
            let runs = chosen[self.on.homes[task]];
            let has_it = runs == Some(task);
            match self.requests[task] {
                Some(request) => self.requesting[task] += i64::from(!(has_it && request.holds)),
                None => {
                    let is_blocked = runs.is_some_and(|other| !has_it && self.key(other) > self.key(task));
                    self.blocked[task] += i64::from(is_blocked);
                }
            }
        }
    }

    fn execute(&mut self, chosen: &[Option<usize>], ends: &mut Vec<SharedEnd>) {
        let executes = |task: &usize| self.requests[*task].is_none_or(|request| request.holds);
        let all: Vec<usize> = chosen.iter().flatten().copied().filter(executes).collect();
        self.now += 1;
        all.iter().for_each(|&task| self.executed[task] += 1);
        for &task in &all {
            if self.requests[task].is_some_and(|request| request.section.to == self.executed[task]) {
                self.give_back(task);
            }
            let job = self.queues[task][0];
            if self.executed[task] == self.on.jobs[job].cost {
                let (requesting, blocked) = (self.requesting[task], self.blocked[task]);
                ends.push(SharedEnd { job, at: self.now, requesting, blocked });
                self.queues[task].pop_front();
                (self.executed[task], self.requesting[task], self.blocked[task]) = (0, 0, 0);
                let runs = self.running.iter_mut().find(|running| **running == Some(task));
                runs.into_iter().for_each(|running| *running = None);
            }
        }
    }

    fn give_back(&mut self, task: usize) {
        let Some(given) = self.requests[task].take() else { return };
        let by_urgency = self.on.protocol == Protocol::Urgency;
        let waits = |(other, request): (usize, &Option<Request>)| {
            let request = request.filter(|one| one.section.resource == given.section.resource)?;
            Some((if by_urgency { other } else { 0 }, request.number, other))
        };
        if let Some((.., next)) = self.requests.iter().enumerate().filter_map(waits).min()
            && let Some(request) = &mut self.requests[next]
        {
            request.holds = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(task: usize, release: i64, cost: i64, sections: &[(i64, i64)]) -> SharingJob {
        let sections = sections.iter().map(|&(from, to)| SectionSpan { from, to, resource: 0 }).collect();
        SharingJob { task, arrival: release, release, due: 99, cost, sections }
    }

    fn ends(jobs: &[SharingJob], homes: &[usize], protocol: Protocol) -> Vec<(usize, i64, i64, i64)> {
        let users = [(0..homes.len()).filter(|task| !jobs[*task].sections.is_empty()).collect::<Vec<_>>()];
        let deadlines = vec![99; homes.len()];
        let on = Sharing { jobs, homes, deadlines: &deadlines, users: &users, protocol, ranking: Ranking::Fixed };
        on.ends(40).into_iter().map(|end| (jobs[end.job].task, end.at, end.requesting, end.blocked)).collect()
    }

    /// Task 2 holds from 0 to 4 on the second processor. Task 1 requests at 1 on the first; task 0 is released there at 2.
    #[test]
    fn who_spins_keeps_its_processor_and_who_is_suspended_leaves_it() {
        let jobs = [job(0, 2, 3, &[]), job(1, 0, 4, &[(1, 3)]), job(2, 0, 4, &[(0, 4)])];
        let homes = [0, 0, 1];
        assert_eq!(ends(&jobs, &homes, Protocol::Spin), [(2, 4, 0, 0), (0, 9, 0, 4), (1, 10, 3, 0)]);
        for protocol in [Protocol::Fifo, Protocol::Urgency] {
            assert_eq!(ends(&jobs, &homes, protocol), [(2, 4, 0, 0), (0, 7, 0, 2), (1, 8, 3, 0)], "{protocol:?}");
        }
    }

    /// The third processor's task requests before the first one's, which is more urgent.
    #[test]
    fn the_earliest_or_the_most_urgent_request_is_next() {
        let jobs = [job(0, 2, 2, &[(0, 2)]), job(1, 0, 4, &[(0, 4)]), job(2, 1, 3, &[(0, 3)])];
        let order = |protocol| ends(&jobs, &[0, 1, 2], protocol).into_iter().map(|end| end.0).collect::<Vec<_>>();
        assert_eq!(order(Protocol::Fifo), [1, 2, 0]);
        assert_eq!(order(Protocol::Spin), [1, 2, 0]);
        assert_eq!(order(Protocol::Urgency), [1, 0, 2]);
    }
}
