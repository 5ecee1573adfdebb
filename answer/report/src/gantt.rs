//! A schedule to look at: who ran where and when, between two instants, and which jobs were late.
//!
//! From events alone: a job that already runs when the window opens is known by its end, one that still runs when it closes
//! by its beginning. [`svg::gantt`](crate::svg::gantt) draws it.

use prazo_core::event::{Event, EventKind};
use std::collections::BTreeMap;

/// What is drawn.
#[derive(Clone, Debug)]
pub struct Gantt<'a> {
    /// What stands above it.
    pub title: String,
    /// What stands below the title: policy, processors, outcome.
    pub subtitle: String,
    /// Names of the processors, from 0.
    pub cpus: Vec<String>,
    /// The tasks, in order.
    pub tasks: Vec<GanttTask>,
    /// The first instant.
    pub start_ns: u64,
    /// The last instant; after the first.
    pub end_ns: u64,
    /// When the tasks had no processor, because their supply had ended.
    pub unserved: Vec<(u64, u64)>,
    /// What happened, in order; what lies outside is used where it reaches in.
    pub events: &'a [Event],
}

/// One task of a chart.
#[derive(Clone, Debug)]
pub struct GanttTask {
    /// Its name.
    pub name: String,
    /// D.
    pub deadline_ns: u64,
}

/// One job on one processor, [start, end).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The task.
    pub task: usize,
    /// Number of the task's job.
    pub job: u64,
    /// Where.
    pub cpu: usize,
    /// From when.
    pub start_ns: u64,
    /// Until when.
    pub end_ns: u64,
    /// True for what lies behind the job's deadline.
    pub is_late: bool,
}

impl Gantt<'_> {
    /// Who ran where, within the window; a job that passes its deadline is two slices.
    pub fn slices(&self) -> Vec<Slice> {
        let mut slices = Vec::new();
        let mut open: Vec<Option<(usize, u64, u64)>> = vec![None; self.cpus.len()];
        for event in self.events {
            let at_ns = event.at.as_ns();
            let runs = |open: &Option<(usize, u64, u64)>| {
                open.is_some_and(|(task, job, _)| (task, job) == (event.task.index(), event.job))
            };
            // An abortion says not where: the job may have been waiting. Nor does a suspension: it runs when it happens.
            let leaves = matches!(event.kind, EventKind::Abortion | EventKind::Suspension);
            let aborted = || leaves.then(|| open.iter().position(runs)).flatten();
            let Some(cpu) = event.kind.cpu().map(|cpu| cpu.number() as usize).or_else(aborted) else { continue };
            match event.kind {
                EventKind::Dispatch { .. } => open[cpu] = Some((event.task.index(), event.job, at_ns)),
                EventKind::Preemption { .. }
                | EventKind::Yield { .. }
                | EventKind::Withdrawal { .. }
                | EventKind::Completion { .. }
                | EventKind::Suspension
                | EventKind::Abortion => {
                    let start_ns = open[cpu].take().map_or(self.start_ns, |(.., start_ns)| start_ns);
                    slices.push(self.slice(event.task.index(), event.job, cpu, (start_ns, at_ns)));
                }
                _ => {}
            }
        }
        for (cpu, open) in open.iter().enumerate() {
            slices.extend(open.map(|(task, job, start_ns)| self.slice(task, job, cpu, (start_ns, self.end_ns))));
        }
        let late = self.late();
        slices.into_iter().flat_map(|slice| split(slice, late.get(&(slice.task, slice.job)).copied())).collect()
    }

    fn slice(&self, task: usize, job: u64, cpu: usize, (start_ns, end_ns): (u64, u64)) -> Slice {
        let within = |ns: u64| ns.clamp(self.start_ns, self.end_ns);
        Slice { task, job, cpu, start_ns: within(start_ns), end_ns: within(end_ns), is_late: false }
    }

    /// When jobs of `task` were pending within the window, in stretches that do not touch.
    pub fn pending(&self, task: usize) -> Vec<(u64, u64)> {
        let mut spans = self.pending_jobs(task);
        spans.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for (start_ns, end_ns) in spans {
            match merged.last_mut().filter(|last| last.1 >= start_ns) {
                Some(last) => last.1 = last.1.max(end_ns),
                None => merged.push((start_ns, end_ns)),
            }
        }
        merged
    }

    /// When jobs of `task` were suspended within the window: they waited for something else than a processor.
    pub fn suspended(&self, task: usize) -> Vec<(u64, u64)> {
        let (mut since, mut spans) = (None, Vec::new());
        for event in self.events.iter().filter(|event| event.task.index() == task) {
            match event.kind {
                EventKind::Suspension => since = Some(event.at.as_ns()),
                // A measured job may go on without an event of its own that says that it is back.
                EventKind::Resumption | EventKind::Dispatch { .. } | EventKind::Abortion => {
                    spans.extend(since.take().map(|since| (since, event.at.as_ns())));
                }
                _ => {}
            }
        }
        spans.extend(since.map(|since| (since, self.end_ns)));
        let within = |ns: u64| ns.clamp(self.start_ns, self.end_ns);
        let spans = spans.into_iter().map(|(start_ns, end_ns)| (within(start_ns), within(end_ns)));
        spans.filter(|(start_ns, end_ns)| start_ns < end_ns).collect()
    }

    /// From release to completion of each job of `task`, within the window.
    fn pending_jobs(&self, task: usize) -> Vec<(u64, u64)> {
        let mut open = BTreeMap::new();
        let mut spans = Vec::new();
        for event in self.events.iter().filter(|event| event.task.index() == task) {
            match event.kind {
                EventKind::Release => drop(open.insert(event.job, event.at.as_ns())),
                EventKind::Completion { .. } | EventKind::Abortion => {
                    spans.push((open.remove(&event.job).unwrap_or(self.start_ns), event.at.as_ns()));
                }
                _ => {}
            }
        }
        spans.extend(open.into_values().map(|start_ns| (start_ns, self.end_ns)));
        let within = |ns: u64| ns.clamp(self.start_ns, self.end_ns);
        let spans = spans.into_iter().map(|(start_ns, end_ns)| (within(start_ns), within(end_ns)));
        spans.filter(|(start_ns, end_ns)| start_ns < end_ns).collect()
    }

    /// Jobs that missed their deadline, with it.
    pub fn late(&self) -> BTreeMap<(usize, u64), u64> {
        let misses = self.events.iter().filter(|event| event.kind == EventKind::Miss);
        misses.map(|event| ((event.task.index(), event.job), event.at.as_ns())).collect()
    }

    /// Jobs of `task` that ended late within the window: when, and how long after their deadline.
    pub fn tardy(&self, task: usize) -> Vec<(u64, u64)> {
        let late = self.late();
        let ends = self.events.iter().filter(|event| {
            event.task.index() == task
                && matches!(event.kind, EventKind::Completion { .. })
                && self.shows(event.at.as_ns())
        });
        let of_end = |event: &Event| {
            let end_ns = event.at.as_ns();
            late.get(&(task, event.job)).map(|deadline_ns| (end_ns, end_ns - deadline_ns))
        };
        ends.filter_map(of_end).collect()
    }

    /// When the budget of the server of `task` was used up within the window, and by which deadline it serves from then on.
    pub fn postponements(&self, task: usize) -> Vec<(u64, u64)> {
        let of_task = self.events.iter().filter(|event| event.task.index() == task && self.shows(event.at.as_ns()));
        let postponed = |event: &Event| match event.kind {
            EventKind::Replenishment { absolute_deadline } => Some((event.at.as_ns(), absolute_deadline.as_ns())),
            _ => None,
        };
        of_task.filter_map(postponed).collect()
    }

    /// Instants within the window at which jobs of `task` arrive.
    pub fn arrivals(&self, task: usize) -> Vec<u64> {
        self.arrivals_ns(task).map(|(_, at_ns)| at_ns).filter(|at_ns| self.shows(*at_ns)).collect()
    }

    /// Deadlines of `task` within the window.
    pub(crate) fn deadlines_ns(&self, task: usize) -> impl Iterator<Item = u64> {
        self.deadlines(task).into_iter().map(|(at_ns, _)| at_ns)
    }

    /// Deadlines of `task` within the window, each with whether it was missed.
    pub fn deadlines(&self, task: usize) -> Vec<(u64, bool)> {
        let late = self.late();
        let deadline_ns = self.tasks[task].deadline_ns;
        let of_job = |(job, at_ns): (u64, u64)| (at_ns.saturating_add(deadline_ns), late.contains_key(&(task, job)));
        self.arrivals_ns(task).map(of_job).filter(|(at_ns, _)| self.shows(*at_ns)).collect()
    }

    fn arrivals_ns(&self, task: usize) -> impl Iterator<Item = (u64, u64)> {
        let arrivals =
            self.events.iter().filter(move |event| event.kind == EventKind::Arrival && event.task.index() == task);
        arrivals.map(|event| (event.job, event.at.as_ns()))
    }

    fn shows(&self, at_ns: u64) -> bool {
        (self.start_ns..=self.end_ns).contains(&at_ns)
    }
}

/// The part before the deadline and the part behind it; empty parts are left out.
fn split(slice: Slice, deadline_ns: Option<u64>) -> impl Iterator<Item = Slice> {
    let deadline_ns = deadline_ns.unwrap_or(u64::MAX).clamp(slice.start_ns, slice.end_ns);
    let parts = [Slice { end_ns: deadline_ns, ..slice }, Slice { start_ns: deadline_ns, is_late: true, ..slice }];
    parts.into_iter().filter(|part| part.start_ns < part.end_ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::cpu::Cpu;
    use prazo_core::job::TaskIndex;
    use prazo_core::time::Instant;

    fn event(at_ns: u64, job: u64, kind: EventKind) -> Event {
        Event { at: Instant::from_ns(at_ns), task: TaskIndex::new(0).unwrap(), job, kind }
    }

    fn chart(events: &[Event]) -> Gantt<'_> {
        let task = GanttTask { name: "a<b".to_owned(), deadline_ns: 5 };
        let (title, subtitle, cpus) = ("t".to_owned(), String::new(), vec!["CPU 0".to_owned()]);
        Gantt { title, subtitle, cpus, tasks: vec![task], start_ns: 10, end_ns: 30, unserved: vec![], events }
    }

    #[test]
    fn slices_reach_over_the_edges_and_split_at_a_missed_deadline() {
        let cpu = Cpu::LOWEST;
        let events = [
            event(12, 0, EventKind::Completion { cpu }),
            event(14, 1, EventKind::Arrival),
            event(14, 1, EventKind::Release),
            event(14, 1, EventKind::Dispatch { cpu }),
            event(19, 1, EventKind::Miss),
        ];
        let gantt = chart(&events);
        let spans: Vec<_> = gantt.slices().iter().map(|slice| (slice.start_ns, slice.end_ns, slice.is_late)).collect();
        assert_eq!(spans, [(10, 12, false), (14, 19, false), (19, 30, true)]);
        assert_eq!((gantt.arrivals(0), gantt.deadlines(0)), (vec![14], vec![(19, true)]));
        assert_eq!(gantt.pending(0), [(10, 12), (14, 30)]);
        assert_eq!((gantt.tardy(0), gantt.postponements(0)), (vec![], vec![]));
    }

    #[test]
    fn a_suspended_job_is_shown_as_such_until_it_is_back_or_runs() {
        let cpu = Cpu::LOWEST;
        let events = [
            event(12, 0, EventKind::Dispatch { cpu }),
            event(14, 0, EventKind::Suspension),
            event(17, 0, EventKind::Resumption),
            event(18, 0, EventKind::Dispatch { cpu }),
            event(19, 0, EventKind::Suspension),
            event(22, 0, EventKind::Dispatch { cpu }),
            event(24, 0, EventKind::Withdrawal { cpu }),
            event(26, 0, EventKind::Dispatch { cpu }),
            event(27, 0, EventKind::Suspension),
        ];
        let gantt = chart(&events);
        assert_eq!(gantt.suspended(0), [(14, 17), (19, 22), (27, 30)]);
        let spans: Vec<_> = gantt.slices().iter().map(|slice| (slice.start_ns, slice.end_ns)).collect();
        assert_eq!(spans, [(12, 14), (18, 19), (22, 24), (26, 27)]);
    }

    #[test]
    fn a_backlog_is_one_stretch_and_late_ends_say_how_late() {
        let cpu = Cpu::LOWEST;
        let absolute_deadline = Instant::from_ns(40);
        let events = [
            event(11, 0, EventKind::Release),
            event(14, 1, EventKind::Release),
            event(16, 0, EventKind::Miss),
            event(18, 0, EventKind::Replenishment { absolute_deadline }),
            event(20, 0, EventKind::Completion { cpu }),
            event(25, 1, EventKind::Completion { cpu }),
        ];
        let gantt = chart(&events);
        assert_eq!((gantt.pending(0), gantt.tardy(0)), (vec![(11, 25)], vec![(20, 4)]));
        assert_eq!(gantt.postponements(0), [(18, 40)]);
    }
}
