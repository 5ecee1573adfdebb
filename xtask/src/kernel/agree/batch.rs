//! Many task sets in one boot, one after the other: each has a window of the run, and what it does there is its own.
//!
//! ```text
//! | set a: its jobs arrive ... | the last of them end | set b: its jobs arrive ... | ...
//! ```
//!
//! The kernel sees one table of tasks whose jobs begin at the window's begin and are so many. The order of tasks within a set
//! stays, so ties fall as they do in the set alone.

use super::compare::Agreement;
use crate::kernel::tasks::Tasks;
use prazo_core::time::Duration;
use prazo_lab::own_kernel::Event;
use prazo_scenario::binary::TaskRecord;
use std::num::NonZero;

/// Tasks of one boot, as the kernel has room for.
const TASKS_MAX: usize = 127;
/// Before the first window: the kernel, slow as it is here, has then made all threads.
const LEAD: Duration = Duration::from_ms(50);
/// Between the last job of a window and the next window.
const PAUSE: Duration = Duration::from_ms(20);

/// One set in a boot.
pub(super) struct Window {
    /// What it is called.
    pub name: String,
    tasks: Tasks,
    simulated: Vec<Event>,
    begin: Duration,
    duration: Duration,
    /// The kernel's number of its first task.
    first: usize,
}

/// The sets of one boot.
#[derive(Default)]
pub(super) struct Batch {
    /// In the order of their begin.
    pub windows: Vec<Window>,
    /// When the last job has ended.
    pub end: Duration,
    tasks: usize,
}

impl Batch {
    /// Puts a set behind the others, all of whose tasks arrive within `duration`; false where the boot has no room for it.
    pub(super) fn add(&mut self, name: &str, tasks: &Tasks, events: &[Event], duration: Duration) -> bool {
        let first = self.tasks;
        if first + tasks.tasks.len() > TASKS_MAX {
            return false;
        }
        self.tasks += tasks.tasks.len();
        let window = Window {
            name: name.to_owned(),
            tasks: tasks.clone(),
            simulated: events.to_vec(),
            begin: self.end.max(LEAD),
            duration,
            first,
        };
        self.end = window.begin + duration + window.rest() + PAUSE;
        self.windows.push(window);
        true
    }

    /// The tasks of all windows.
    pub(super) fn records(&self) -> Vec<TaskRecord> {
        self.windows.iter().flat_map(Window::records).collect()
    }
}

impl Window {
    fn records(&self) -> impl Iterator<Item = TaskRecord> {
        let (begin, duration) = (self.begin, self.duration);
        self.tasks.records().into_iter().map(move |record| TaskRecord {
            offset: begin + record.offset,
            jobs: NonZero::new((duration - record.offset).as_ns().div_ceil(record.period.as_ns())),
            ..record
        })
    }

    /// The longest that its jobs can still take when no more of them arrive.
    fn rest(&self) -> Duration {
        let count = |task: usize, name: &str| {
            self.simulated.iter().filter(|event| event.task == task as u64 && event.event == name).count() as u64
        };
        let left = |task: usize| count(task, "release") - count(task, "completion");
        Duration::from_ns(
            self.tasks
                .tasks
                .iter()
                .enumerate()
                .map(|(number, task)| {
                    left(number)
                        * self.tasks.conduct.get(number).and_then(|conduct| conduct.execution).unwrap_or(task.cost)
                })
                .sum(),
        )
    }

    /// Compares what ran in this window with what was simulated, queue by queue.
    pub(super) fn compare(&self, ran: &[Event], queues: u64) -> Result<Vec<Agreement>, String> {
        let tasks = self.first as u64..(self.first + self.tasks.tasks.len()) as u64;
        let own = ran.iter().filter(|event| tasks.contains(&event.task)).map(|event| Event {
            at_ns: event.at_ns.saturating_sub(self.begin.as_ns()),
            task: event.task - tasks.start,
            ..event.clone()
        });
        let own: Vec<Event> = own.collect();
        (0..queues).map(|queue| Agreement::of_queue(queue, &self.simulated, &own, self.duration)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::simulated;
    use super::*;
    use crate::kernel::configuration::Configuration;
    use prazo_core::task::Task;

    const MS: u64 = 1_000_000;

    #[test]
    fn a_window_begins_when_the_last_job_of_the_one_before_must_have_ended() {
        let configuration = Configuration { criterion: "EarliestDeadlineFirst".into(), clusters: vec![1] };
        let tasks = Tasks { tasks: vec![Task::implicit(30 * MS, 40 * MS); 2], queues: vec![0; 2], ..Tasks::default() };
        let duration = Duration::from_ms(80);
        let events = simulated::events(&tasks, &configuration, duration).unwrap();
        let mut batch = Batch::default();
        assert!(batch.add("a", &tasks, &events, duration) && batch.add("b", &tasks, &events, duration));
        let records = batch.records();
        assert_eq!((records.len(), records[0].jobs), (4, NonZero::new(2)));
        // Four jobs of 30 ms arrive within 80 ms, of which two have ended by then.
        assert_eq!(records[2].offset, LEAD + Duration::from_ms(80 + 60) + PAUSE);
        let ran: Vec<Event> = events
            .iter()
            .map(|event| Event {
                at_ns: event.at_ns + records[2].offset.as_ns(),
                task: event.task + 2,
                ..event.clone()
            })
            .collect();
        assert!(batch.windows[1].compare(&ran, 1).unwrap()[0].count > 8);
        assert!(batch.windows[0].compare(&ran, 1).is_err(), "those of the other window are not taken for its own");
    }
}
