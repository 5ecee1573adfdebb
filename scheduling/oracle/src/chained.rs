//! Chains of cause and effect in a schedule computed tick by tick, each datum followed from job to job.
//!
//! Every job has its own arrival, release and execution time. A processor runs the most urgent of its tasks' oldest jobs. Jobs of an
//! activated task are released when the job of the same number of another task has ended, after a delay of their own.

use crate::any_arrival::Order;

/// One job.
#[derive(Clone, Copy, Debug)]
pub struct ChainJob {
    /// From when its deadline counts.
    pub arrival: i64,
    /// From when on it may run; of an activated job the earliest, whatever activates it.
    pub release: i64,
    /// Its absolute deadline.
    pub due: i64,
    /// What it needs.
    pub cost: u64,
    /// How long its output is under way to the next stage.
    pub hop: i64,
    /// When it first ran.
    pub began: Option<i64>,
    /// When it was done.
    pub ended: Option<i64>,
}

/// One task, the more urgent the earlier it stands under fixed priorities.
#[derive(Clone, Debug)]
pub struct ChainTask {
    /// Which processor it runs on.
    pub processor: usize,
    /// True if a job that has begun runs to its end.
    pub is_whole: bool,
    /// The task whose jobs activate this one's.
    pub activated_by: Option<usize>,
    /// Its jobs in the order of their arrival.
    pub jobs: Vec<ChainJob>,
}

/// Runs `tasks` up to `until`.
pub fn run(tasks: &mut [ChainTask], order: Order, until: i64) {
    let processors = tasks.iter().map(|task| task.processor + 1).max().unwrap_or(0);
    for now in 0..until {
        for processor in 0..processors {
            let mut ready: Vec<(usize, usize)> = Vec::new();
            for (index, task) in tasks.iter().enumerate().filter(|(_, task)| task.processor == processor) {
                let Some(oldest) = task.jobs.iter().position(|job| job.ended.is_none()) else { continue };
                let activated = task.activated_by.map(|by| {
                    let job = tasks[by].jobs.get(oldest)?;
                    Some(job.ended? + job.hop)
                });
                let is_activated = activated.is_none_or(|at| at.is_some_and(|at| at <= now));
                if is_activated && task.jobs[oldest].release <= now {
                    ready.push((index, oldest));
                }
            }
            let begun = |(task, job): &(usize, usize)| tasks[*task].is_whole && tasks[*task].jobs[*job].began.is_some();
            let urgency = |&(task, job): &(usize, usize)| match order {
                // Two legal orders of equal deadlines, each of which suits other data: the lower index first, or the higher one.
                Order::EdfByIndex => (tasks[task].jobs[job].due, task),
                Order::Edf => (tasks[task].jobs[job].due, usize::MAX - task),
                Order::Fixed => (0, task),
            };
            let chosen = ready.iter().copied().find(|one| begun(one)).or(ready.iter().copied().min_by_key(urgency));
            let Some((task, job)) = chosen else { continue };
            let job = &mut tasks[task].jobs[job];
            job.began.get_or_insert(now);
            job.cost -= 1;
            if job.cost == 0 {
                job.ended = Some(now + 1);
            }
        }
    }
}

/// A chain through tasks that have run.
#[derive(Clone, Debug)]
pub struct FollowedChain {
    /// The tasks in order.
    pub stages: Vec<usize>,
    /// True if jobs read when they arrive and write when they are due.
    pub is_let: bool,
    /// True if an event outside activates the first stage.
    pub is_event: bool,
}

impl FollowedChain {
    fn read(&self, tasks: &[ChainTask], stage: usize, job: usize) -> Option<i64> {
        let job = tasks[self.stages[stage]].jobs.get(job)?;
        if self.is_let { Some(job.arrival) } else { job.began }
    }

    fn written(&self, tasks: &[ChainTask], stage: usize, job: usize) -> Option<i64> {
        let job = tasks[self.stages[stage]].jobs.get(job)?;
        if self.is_let { Some(job.due) } else { job.ended }
    }

    /// When the output of this job is there for the next stage: not before those of the jobs before it.
    fn there(&self, tasks: &[ChainTask], stage: usize, job: usize) -> Option<i64> {
        let each =
            (0..=job).map(|job| Some(self.written(tasks, stage, job)? + tasks[self.stages[stage]].jobs[job].hop));
        each.collect::<Option<Vec<i64>>>()?.into_iter().max()
    }

    fn is_activated(&self, tasks: &[ChainTask], stage: usize) -> bool {
        stage > 0 && tasks[self.stages[stage]].activated_by == Some(self.stages[stage - 1])
    }

    /// When the first output is written that the given job of the first stage, or a later one, leads to.
    fn forward(&self, tasks: &[ChainTask], first: usize) -> Option<i64> {
        let mut job = first;
        for stage in 1..self.stages.len() {
            if self.is_activated(tasks, stage) {
                continue;
            }
            let there = self.there(tasks, stage - 1, job)?;
            job = (0..tasks[self.stages[stage]].jobs.len())
                .find(|&later| self.read(tasks, stage, later).is_some_and(|read| read >= there))?;
        }
        self.written(tasks, self.stages.len() - 1, job)
    }

    /// The job of the first stage whose input the given job of the last one is made from.
    fn backward(&self, tasks: &[ChainTask], last: usize) -> Option<usize> {
        let mut job = last;
        for stage in (1..self.stages.len()).rev() {
            if self.is_activated(tasks, stage) {
                continue;
            }
            let read = self.read(tasks, stage, job)?;
            job = (0..tasks[self.stages[stage - 1]].jobs.len())
                .rev()
                .find(|&before| self.there(tasks, stage - 1, before).is_some_and(|there| there <= read))?;
        }
        Some(job)
    }

    /// From when on each of its tasks has jobs.
    fn begins(&self, tasks: &[ChainTask]) -> Option<i64> {
        let first = |&task: &usize| tasks[task].jobs.first().map(|job| job.arrival);
        self.stages.iter().map(first).collect::<Option<Vec<i64>>>()?.into_iter().max()
    }

    /// The longest reaction: of an event just after each read of the first stage, or at each arrival that activates it, once all its tasks
    /// have begun.
    pub fn reaction(&self, tasks: &[ChainTask]) -> Option<i64> {
        let count = tasks[self.stages[0]].jobs.len();
        let begins = self.begins(tasks)?;
        let of = |job: usize| {
            let (event, leads_to) = match self.is_event {
                true => (tasks[self.stages[0]].jobs[job].arrival, job),
                false => (self.read(tasks, 0, job)?, job + 1),
            };
            Some(self.forward(tasks, leads_to)? - event).filter(|_| event >= begins)
        };
        (0..count).filter_map(of).max()
    }

    /// The oldest output: from when its input was read, or the event arrived that activated the first stage.
    pub fn age(&self, tasks: &[ChainTask]) -> Option<i64> {
        let last = self.stages.len() - 1;
        let of = |job: usize| {
            let written = self.written(tasks, last, job)?;
            let first = self.backward(tasks, job)?;
            let from =
                if self.is_event { tasks[self.stages[0]].jobs[first].arrival } else { self.read(tasks, 0, first)? };
            Some(written - from)
        };
        (0..tasks[self.stages[last]].jobs.len()).filter_map(of).max()
    }

    /// The oldest that an output grows until the next one takes its place.
    pub fn age_in_use(&self, tasks: &[ChainTask]) -> Option<i64> {
        let last = self.stages.len() - 1;
        let of = |job: usize| {
            let next = self.written(tasks, last, job + 1)?;
            Some(next - self.read(tasks, 0, self.backward(tasks, job)?)?)
        };
        (0..tasks[self.stages[last]].jobs.len()).filter_map(of).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(processor: usize, offset: i64, period: i64, cost: u64) -> ChainTask {
        let job = |number: i64| {
            let arrival = offset + number * period;
            ChainJob { arrival, release: arrival, due: arrival + period, cost, hop: 0, began: None, ended: None }
        };
        let jobs = (0..12).map(job).collect();
        ChainTask { processor, is_whole: false, activated_by: None, jobs }
    }

    #[test]
    fn two_tasks_by_hand() {
        // Reads at 0, 10, ...; writes at 2, 12, ...; the second reads at 1, 11, ... and writes at 4, 14, ...: what was read at 10 is out at 24.
        let mut tasks = [task(0, 0, 10, 2), task(1, 1, 10, 3)];
        run(&mut tasks, Order::Fixed, 200);
        let chain = FollowedChain { stages: vec![0, 1], is_let: false, is_event: false };
        assert_eq!(
            (chain.reaction(&tasks), chain.age(&tasks), chain.age_in_use(&tasks)),
            (Some(24), Some(14), Some(24))
        );
        // Written when due: read at 10, written at 20, read at 21, written at 31.
        let timed = FollowedChain { is_let: true, ..chain.clone() };
        assert_eq!((timed.reaction(&tasks), timed.age(&tasks)), (Some(31), Some(21)));
        let event = FollowedChain { is_event: true, ..chain };
        assert_eq!(event.reaction(&tasks), Some(14));
    }

    #[test]
    fn an_activated_job_follows_at_once() {
        let mut tasks = [task(0, 0, 10, 2), task(1, 0, 10, 3)];
        tasks[1].activated_by = Some(0);
        run(&mut tasks, Order::Fixed, 200);
        let chain = FollowedChain { stages: vec![0, 1], is_let: false, is_event: false };
        assert_eq!((chain.reaction(&tasks), chain.age(&tasks)), (Some(15), Some(5)));
    }
}
