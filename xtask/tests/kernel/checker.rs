//! What a trace says of processors and jobs, event by event: nobody lost, nothing twice, no head stale, nobody kept waiting.
//!
//! It knows the tasks and the shape, and nothing of how the kernel comes to its decisions. At the end of each instant of a
//! queue the rules of EDF must hold: no job waits while a processor of its queue idles, and none that is more urgent than
//! one that runs. A deadlock shows as processors that idle while jobs wait.

use std::collections::BTreeMap;

/// Period and queue of a task; its deadline is its period. Times in nanoseconds.
#[derive(Clone, Copy)]
pub(crate) struct Periodic {
    pub period_ns: u64,
    pub offset_ns: u64,
    pub queue: u64,
}

/// A job that is ready, by its task; `cpu` where it runs, as decided; `been` everywhere that it was dispatched.
///
/// A processor follows a decision when its interrupt arrives. Until then it carries a job that is preempted already, or
/// decided for another processor, and that may even end there.
struct Pending {
    job: u64,
    cpu: Option<u64>,
    been: Vec<u64>,
}

impl Pending {
    const fn of(job: u64) -> Self {
        Self { job, cpu: None, been: vec![] }
    }
}

/// The state that the events so far have led to.
pub(crate) struct Checker<'a> {
    tasks: &'a [Periodic],
    /// By queue: its processors.
    processors: Vec<std::ops::Range<u64>>,
    /// By task: jobs released, and the oldest that has not ended.
    released: BTreeMap<u64, u64>,
    pending: BTreeMap<u64, Pending>,
    ended: BTreeMap<u64, u64>,
    /// By queue: the instant of its last event.
    at_ns: BTreeMap<u64, u64>,
    pub events: u64,
    pub dispatches: u64,
    /// Jobs that ended before their processor had heard that they were preempted, or decided for another one.
    pub overtaken: u64,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(tasks: &'a [Periodic], heads: &[u32]) -> Self {
        let ends = heads.iter().map(|heads| u64::from(*heads)).scan(0, |end, heads| {
            *end += heads;
            Some(*end - heads..*end)
        });
        let none = BTreeMap::new;
        let (released, ended, at_ns) = (none(), none(), none());
        let pending = BTreeMap::new();
        Self {
            tasks,
            processors: ends.collect(),
            released,
            pending,
            ended,
            at_ns,
            events: 0,
            dispatches: 0,
            overtaken: 0,
        }
    }

    /// Takes one line of the console; panics where it cannot be.
    pub(crate) fn take(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [queue, at_ns, task, job, cpu] = [1, 2, 4, 5, 6].map(|index| words[index].parse::<u64>().unwrap());
        self.step(queue, at_ns, line);
        assert_eq!(self.tasks[task as usize].queue, queue, "a task of another queue: {line}");
        self.events += 1;
        match words[3] {
            "arrival" | "migration" | "miss" => {}
            "release" => self.release(task, job, line),
            "dispatch" => self.dispatch(task, job, cpu, line),
            "preemption" => self.leave(task, job, cpu, line),
            "completion" => self.complete(task, job, cpu, line),
            _ => panic!("unexpected: {line}"),
        }
    }

    /// Where the instant of a queue is over, its rules must hold.
    fn step(&mut self, queue: u64, at_ns: u64, line: &str) {
        let last = self.at_ns.insert(queue, at_ns);
        assert!(last.is_none_or(|last| last <= at_ns), "back in time: {line}");
        if last.is_some_and(|last| last < at_ns) {
            self.check_rules(queue, line);
        }
    }

    fn check_rules(&self, queue: u64, line: &str) {
        let of_queue = || self.pending.iter().filter(|(task, _)| self.tasks[**task as usize].queue == queue);
        let urgency = |(task, pending): (&u64, &Pending)| (self.deadline_ns(*task, pending.job), *task);
        let running = of_queue().filter(|(_, pending)| pending.cpu.is_some());
        let most_urgent = of_queue().filter(|(_, pending)| pending.cpu.is_none()).map(urgency).min();
        let Some((deadline_ns, task)) = most_urgent else { return };
        let processors = self.processors[queue as usize].clone().count();
        assert_eq!(running.clone().count(), processors, "task {task} waits while a processor idles, before {line}");
        let least_urgent = running.map(urgency).max().unwrap();
        assert!(least_urgent.0 <= deadline_ns, "task {task} waits for {least_urgent:?}, before {line}");
    }

    fn deadline_ns(&self, task: u64, job: u64) -> u64 {
        let Periodic { period_ns, offset_ns, .. } = self.tasks[task as usize];
        offset_ns + (job + 1) * period_ns
    }

    fn release(&mut self, task: u64, job: u64, line: &str) {
        let released = self.released.entry(task).or_default();
        assert_eq!(*released, job, "released out of sequence: {line}");
        *released += 1;
        self.pending.entry(task).or_insert(Pending::of(job));
    }

    fn dispatch(&mut self, task: u64, job: u64, cpu: u64, line: &str) {
        let queue = self.tasks[task as usize].queue as usize;
        assert!(self.processors[queue].contains(&cpu), "a processor of another queue: {line}");
        let is_taken = self.pending.values().any(|pending| pending.cpu == Some(cpu));
        assert!(!is_taken, "the processor was taken: {line}");
        let pending = self.pending.get_mut(&task).unwrap_or_else(|| panic!("dispatched before its release: {line}"));
        assert_eq!((pending.job, pending.cpu), (job, None), "another job, or one that runs already: {line}");
        pending.cpu = Some(cpu);
        pending.been.push(cpu);
        self.dispatches += 1;
    }

    fn leave(&mut self, task: u64, job: u64, cpu: u64, line: &str) {
        let pending = self.pending.get_mut(&task).unwrap_or_else(|| panic!("it was not there: {line}"));
        assert_eq!((pending.job, pending.cpu), (job, Some(cpu)), "it did not run there: {line}");
        pending.cpu = None;
    }

    fn complete(&mut self, task: u64, job: u64, cpu: u64, line: &str) {
        let pending = self.pending.get(&task).unwrap_or_else(|| panic!("it was not there: {line}"));
        assert!(pending.job == job && pending.been.contains(&cpu), "it did not run there: {line}");
        self.overtaken += u64::from(pending.cpu != Some(cpu));
        let ended = self.ended.entry(task).or_default();
        assert_eq!(*ended, job, "ended out of sequence: {line}");
        *ended += 1;
        if self.released[&task] > *ended {
            self.pending.insert(task, Pending::of(*ended));
        } else {
            self.pending.remove(&task);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASKS: [Periodic; 2] =
        [Periodic { period_ns: 10, offset_ns: 0, queue: 0 }, Periodic { period_ns: 20, offset_ns: 0, queue: 0 }];

    fn is_refused(lines: &[&str]) -> bool {
        let check = || {
            let mut checker = Checker::new(&TASKS, &[1]);
            lines.iter().for_each(|line| checker.take(line));
        };
        std::panic::catch_unwind(check).is_err()
    }

    #[test]
    fn what_cannot_be_is_seen() {
        let begin = ["event 0 0 release 0 0 0", "event 0 0 release 1 0 0"];
        let then = |more: &[&str]| is_refused(&[&begin, more].concat());
        assert!(!then(&["event 0 0 dispatch 0 0 0", "event 0 5 completion 0 0 0", "event 0 5 dispatch 1 0 0"]));
        assert!(then(&["event 0 5 release 0 1 0"]), "a processor idles while jobs wait");
        assert!(then(&["event 0 0 dispatch 1 0 0", "event 0 5 release 0 1 0"]), "the less urgent one runs");
        assert!(then(&["event 0 0 dispatch 0 0 0", "event 0 0 dispatch 1 0 0"]), "two on one processor");
        assert!(then(&["event 0 0 dispatch 0 0 1"]), "a processor that the queue has not");
        assert!(then(&["event 0 0 dispatch 0 1 0"]), "a job that is not there yet");
        assert!(then(&["event 0 0 completion 0 0 0"]), "it never ran");
        assert!(then(&["event 0 0 release 0 0 0"]), "released twice");
    }
}
