//! Every execution of a small periodic, non-preemptive set on one clock, one part of a tick after the other: each job is released at every
//! instant at which it may be, and needs every amount that it may.
//!
//! What happens at one instant: jobs end, others are released, then those that can start do. A state is what all tasks and
//! processors are in at an instant; two instants a hyperperiod apart at which all of it is the same have the same future.

use prazo_core::task::Task;
use std::collections::HashSet;

/// One task, its times in parts of a tick.
#[derive(Clone, Copy, Debug)]
pub struct PeriodicTask {
    /// Its times.
    pub task: Task,
    /// When its first job arrives.
    pub offset: i64,
    /// What a job needs at least; 0 stands for one part.
    pub least: i64,
}

/// Which job starts first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starts {
    /// That of the earliest deadline; of equal ones that of the lower index.
    Edf,
    /// That of the earliest deadline; of equal ones any.
    EdfAnyTie,
    /// That of the lower index.
    Fixed,
}

/// What was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A job is late in some execution.
    Miss,
    /// None is late in any.
    NoMiss,
    /// There were too many states.
    TooMany,
}

/// All of it at one instant, jobs being numbered from the first of the present hyperperiod.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    now: i64,
    /// The next job of each task, and whether it is released.
    next: Vec<(i64, bool)>,
    /// When each processor becomes free, and each task's last job ends; in the past as `now`.
    free: Vec<i64>,
    ends: Vec<i64>,
}

/// Looks at every execution, until `most` states have been seen.
pub fn search(tasks: &[PeriodicTask], processors: usize, starts: Starts, most: usize) -> Seen {
    let plain: Vec<Task> = tasks.iter().map(|one| one.task).collect();
    let all = Search { tasks, starts, hyperperiod: crate::hyperperiod(&plain) };
    let begin =
        State { now: 0, next: vec![(0, false); tasks.len()], free: vec![0; processors], ends: vec![0; tasks.len()] };
    let mut seen = HashSet::from([begin.clone()]);
    let mut open = vec![begin];
    while let Some(state) = open.pop() {
        let Some(following) = all.after(&state) else { return Seen::Miss };
        for state in following {
            if seen.insert(state.clone()) {
                open.push(state);
            }
        }
        if seen.len() > most {
            return Seen::TooMany;
        }
    }
    Seen::NoMiss
}

struct Search<'a> {
    tasks: &'a [PeriodicTask],
    starts: Starts,
    hyperperiod: i64,
}

impl Search<'_> {
    /// All states of the next instant; `None` if a job is late.
    fn after(&self, state: &State) -> Option<Vec<State>> {
        let has_due = |(task, next): (usize, &(i64, bool))| self.due(task, next.0) <= state.now;
        if state.next.iter().enumerate().any(has_due) {
            return None;
        }
        let mut open = self.released(state);
        let mut done = Vec::new();
        while let Some(state) = open.pop() {
            match self.started(&state)? {
                following if following.is_empty() => done.push(self.next_instant(state)),
                following => open.extend(following),
            }
        }
        Some(done)
    }

    fn arrival(&self, task: usize, number: i64) -> i64 {
        self.tasks[task].offset + number * self.tasks[task].task.period as i64
    }

    fn due(&self, task: usize, number: i64) -> i64 {
        self.arrival(task, number) + self.tasks[task].task.deadline as i64
    }

    /// Every choice of who is released now of those who may be.
    fn released(&self, state: &State) -> Vec<State> {
        let mut all = vec![state.clone()];
        for task in 0..self.tasks.len() {
            let (number, is_released) = state.next[task];
            let since = state.now - self.arrival(task, number);
            if is_released || since < 0 {
                continue;
            }
            let must = since >= self.tasks[task].task.jitter as i64;
            let released = all.iter().cloned().map(|mut one| {
                one.next[task].1 = true;
                one
            });
            all = if must { released.collect() } else { released.collect::<Vec<_>>().into_iter().chain(all).collect() };
        }
        all
    }

    /// Every job that can start now, with every cost; none if nobody can. `None` if one of them ends late.
    fn started(&self, state: &State) -> Option<Vec<State>> {
        let Some(processor) = (0..state.free.len()).find(|&processor| state.free[processor] <= state.now) else {
            return Some(Vec::new());
        };
        let ready: Vec<usize> =
            (0..self.tasks.len()).filter(|&task| state.next[task].1 && state.ends[task] <= state.now).collect();
        let key = |task: usize| match self.starts {
            Starts::Edf => (self.due(task, state.next[task].0), task),
            Starts::EdfAnyTie => (self.due(task, state.next[task].0), 0),
            Starts::Fixed => (0, task),
        };
        let first = ready.iter().map(|&task| key(task)).min();
        let mut all = Vec::new();
        for task in ready.into_iter().filter(|&task| Some(key(task)) == first) {
            let of = &self.tasks[task];
            let number = state.next[task].0;
            for cost in of.least.max(1)..=of.task.cost as i64 {
                let mut one = state.clone();
                (one.free[processor], one.ends[task]) = (state.now + cost, state.now + cost);
                one.next[task] = (number + 1, false);
                if state.now + cost > self.due(task, number) {
                    return None;
                }
                all.push(one);
            }
        }
        Some(all)
    }

    fn next_instant(&self, mut state: State) -> State {
        state.now += 1;
        let begun = self.tasks.iter().map(|one| one.offset).max().unwrap_or(0);
        if state.now >= begun + self.hyperperiod {
            state.now -= self.hyperperiod;
            state.free.iter_mut().chain(&mut state.ends).for_each(|instant| *instant -= self.hyperperiod);
            for (next, one) in state.next.iter_mut().zip(self.tasks) {
                next.0 -= self.hyperperiod / one.task.period as i64;
            }
        }
        state.free.iter_mut().chain(&mut state.ends).for_each(|instant| *instant = (*instant).max(state.now));
        state.free.sort_unstable();
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(cost: u64, period: u64, offset: i64, least: i64) -> PeriodicTask {
        PeriodicTask { task: Task::implicit(cost, period), offset, least }
    }

    #[test]
    fn a_job_that_needs_less_makes_another_one_late() {
        // After 2 ticks of the second task, the first one starts at 2 and the third at 3. After less, the third starts first.
        let first = PeriodicTask { task: Task::new(1, 4, 2), offset: 2, least: 1 };
        let set = |least| [first, task(2, 12, 0, least), task(3, 12, 1, 3)];
        assert_eq!(search(&set(2), 1, Starts::Fixed, 10_000), Seen::NoMiss);
        assert_eq!(search(&set(1), 1, Starts::Fixed, 10_000), Seen::Miss);
    }

    #[test]
    fn a_late_release_is_seen() {
        let set = |jitter| {
            let first = Task { jitter, ..Task::new(1, 4, 2) };
            [PeriodicTask { task: first, offset: 0, least: 1 }, task(2, 4, 0, 2)]
        };
        assert_eq!(search(&set(0), 1, Starts::Edf, 10_000), Seen::NoMiss);
        assert_eq!(search(&set(1), 1, Starts::Edf, 10_000), Seen::Miss);
    }
}
