//! Events in the JSON of Chrome's trace viewer, which Perfetto reads: a track a processor with a slice for each stretch that
//! a job ran and for each gap of a supply, and a track a task with its arrivals, releases, misses and completions, and a slice for each
//! suspension.

use super::json::{HEAD, Track, named, slice, us};
use prazo_core::event::{Event, EventKind};
use serde_json::json;
use std::io::{self, Write};

const CPUS: u32 = 1;
const TASKS: u32 = 2;

/// Writes events as trace events.
pub struct Chrome<'a, W> {
    to: W,
    names: &'a [String],
    /// By processor: who runs since when.
    open: Vec<Option<(usize, u64, u64)>>,
    /// By task: which job is suspended since when.
    suspended: Vec<Option<(u64, u64)>>,
}

impl<'a, W: Write> Chrome<'a, W> {
    /// Begins with the names of the tracks.
    pub fn new(mut to: W, names: &'a [String], cpus: usize) -> io::Result<Self> {
        write!(to, "{HEAD}\n{}", named("process_name", track(CPUS, 0), "Processors"))?;
        write!(to, ",\n{}", named("process_name", track(TASKS, 0), "Tasks"))?;
        for cpu in 0..cpus {
            write!(to, ",\n{}", named("thread_name", track(CPUS, cpu), &format!("CPU {cpu}")))?;
        }
        for (task, name) in names.iter().enumerate() {
            write!(to, ",\n{}", named("thread_name", track(TASKS, task), name))?;
        }
        Ok(Self { to, names, open: vec![None; cpus], suspended: vec![None; names.len()] })
    }

    /// Writes what one event ends or says.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        let cpu = event.kind.cpu().map(|cpu| cpu.number() as usize);
        match (event.kind, cpu) {
            (EventKind::Dispatch { .. }, Some(cpu)) => {
                self.open[cpu] = Some((event.task.index(), event.job, event.at.as_ns()));
                Ok(())
            }
            (EventKind::Preemption { .. } | EventKind::Yield { .. } | EventKind::Withdrawal { .. }, Some(cpu)) => {
                self.close(cpu, event.at.as_ns())
            }
            (EventKind::Completion { .. }, Some(cpu)) => {
                self.close(cpu, event.at.as_ns())?;
                self.instant(event)
            }
            (EventKind::Abortion | EventKind::Suspension, _) => {
                let runs = |open: &Option<(usize, u64, u64)>| {
                    open.is_some_and(|(task, job, _)| (task, job) == (event.task.index(), event.job))
                };
                let cpu = self.open.iter().position(runs);
                cpu.map_or(Ok(()), |cpu| self.close(cpu, event.at.as_ns()))?;
                if event.kind == EventKind::Suspension {
                    self.suspended[event.task.index()] = Some((event.job, event.at.as_ns()));
                }
                self.instant(event)
            }
            (EventKind::Resumption, _) => {
                self.end_suspension(event.task.index(), event.at.as_ns())?;
                self.instant(event)
            }
            _ => self.instant(event),
        }
    }

    /// Writes when the tasks had no processor, because their supply had ended: a set with a supply has one processor.
    pub fn unserved(&mut self, gaps: &[(u64, u64)]) -> io::Result<()> {
        gaps.iter().try_for_each(|(start_ns, end_ns)| {
            write!(self.to, ",\n{}", slice("no supply", "supply", track(CPUS, 0), *start_ns, *end_ns))
        })
    }

    fn end_suspension(&mut self, task: usize, end_ns: u64) -> io::Result<()> {
        let Some((job, start_ns)) = self.suspended[task].take() else { return Ok(()) };
        let mut slice = slice("suspended", "suspension", track(TASKS, task), start_ns, end_ns);
        slice["args"] = json!({"job": job});
        write!(self.to, ",\n{slice}")
    }

    fn close(&mut self, cpu: usize, end_ns: u64) -> io::Result<()> {
        let Some((task, job, start_ns)) = self.open[cpu].take() else { return Ok(()) };
        let name = format!("{} {job}", self.names[task]);
        let mut slice = slice(&name, "job", track(CPUS, cpu), start_ns, end_ns);
        slice["args"] = json!({"task": self.names[task], "job": job});
        write!(self.to, ",\n{slice}")
    }

    fn instant(&mut self, event: &Event) -> io::Result<()> {
        let mut mark = json!({"name": event.kind.name(), "cat": "event", "ph": "i", "s": "t", "pid": TASKS,
            "tid": event.task.index(), "ts": us(event.at.as_ns()), "args": {"job": event.job}});
        if let EventKind::Replenishment { absolute_deadline } = event.kind {
            mark["args"]["absolute_deadline_us"] = json!(us(absolute_deadline.as_ns()));
        }
        write!(self.to, ",\n{mark}")
    }

    /// Closes what still runs at the end of the run, and the document.
    pub fn finish(mut self, end_ns: u64) -> io::Result<()> {
        for cpu in 0..self.open.len() {
            self.close(cpu, end_ns)?;
        }
        for task in 0..self.suspended.len() {
            self.end_suspension(task, end_ns)?;
        }
        writeln!(self.to, "\n]}}")?;
        self.to.flush()
    }
}

fn track(process: u32, number: usize) -> Track {
    Track { process, thread: u32::try_from(number).unwrap_or(u32::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::cpu::Cpu;
    use prazo_core::job::TaskIndex;
    use prazo_core::time::Instant;
    use serde_json::Value;

    #[test]
    fn suspensions_and_gaps_of_a_supply_are_slices() {
        let (cpu, names) = (Cpu::LOWEST, ["a".to_owned()]);
        let at = |ns, kind| Event { at: Instant::from_ns(ns), task: TaskIndex::new(0).unwrap(), job: 4, kind };
        let mut text = Vec::new();
        let mut chrome = Chrome::new(&mut text, &names, 1).unwrap();
        chrome.unserved(&[(7_000, 9_000)]).unwrap();
        let kinds = [
            (1_000, EventKind::Dispatch { cpu }),
            (2_000, EventKind::Suspension),
            (5_000, EventKind::Resumption),
            (5_000, EventKind::Dispatch { cpu }),
            (7_000, EventKind::Withdrawal { cpu }),
        ];
        kinds.iter().for_each(|(ns, kind)| chrome.event(&at(*ns, *kind)).unwrap());
        chrome.finish(9_000).unwrap();
        let document: Value = serde_json::from_slice(&text).expect("JSON");
        let all = document["traceEvents"].as_array().unwrap();
        let slices: Vec<_> = all
            .iter()
            .filter(|event| event["ph"] == "X")
            .map(|event| (event["name"].as_str().unwrap(), event["ts"].as_f64(), event["dur"].as_f64()))
            .collect();
        let expected = [("no supply", 7.0, 2.0), ("a 4", 1.0, 1.0), ("suspended", 2.0, 3.0), ("a 4", 5.0, 2.0)];
        assert_eq!(slices, expected.map(|(name, ts, dur)| (name, Some(ts), Some(dur))));
    }

    #[test]
    fn a_job_is_a_slice_on_its_processor() {
        let (cpu, names) = (Cpu::LOWEST, ["a".to_owned()]);
        let at = |ns, kind| Event { at: Instant::from_ns(ns), task: TaskIndex::new(0).unwrap(), job: 4, kind };
        let mut text = Vec::new();
        let mut chrome = Chrome::new(&mut text, &names, 1).unwrap();
        chrome.event(&at(1_500, EventKind::Dispatch { cpu })).unwrap();
        chrome.event(&at(4_000, EventKind::Preemption { cpu })).unwrap();
        chrome.event(&at(5_000, EventKind::Dispatch { cpu })).unwrap();
        chrome.finish(6_000).unwrap();
        let document: Value = serde_json::from_slice(&text).expect("JSON");
        let all = document["traceEvents"].as_array().unwrap();
        let slices: Vec<_> =
            all.iter().filter(|event| event["ph"] == "X").map(|event| (&event["ts"], &event["dur"])).collect();
        assert_eq!(slices, [(&json!(1.5), &json!(2.5)), (&json!(5.0), &json!(1.0))]);
    }
}
