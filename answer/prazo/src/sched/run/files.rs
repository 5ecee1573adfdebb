//! The schedule that was observed as files, in the forms that `prazo sched simulate` writes.

use crate::error::Error;
use crate::output;
use crate::sched::simulate::{ScheduleFiles, chart_text};
use prazo_core::event::Event;
use prazo_core::text::counted;
use prazo_core::time::{Duration, Instant};
use prazo_report::gantt::{Gantt, GanttTask};
use prazo_report::trace::{Chrome, Csv};
use prazo_run::jobs::{SetRun, events};
use std::io::{self, Write};
use std::path::Path;

/// Writes what was asked for.
pub(crate) fn write(files: &ScheduleFiles, set: &SetRun, subtitle: &str) -> Result<(), Error> {
    if files.gantt.is_none() && files.trace.is_none() && files.csv.is_none() {
        return Ok(());
    }
    let (events, names) = (events::of(set), names(set));
    files.gantt.iter().try_for_each(|file| draw(files, set, subtitle, &events, file))?;
    files.trace.iter().try_for_each(|file| output::stream(file, |out| chrome(set, &events, &names, out)))?;
    files.csv.iter().try_for_each(|file| output::stream(file, |out| csv(&events, &names, out)))
}

fn names(set: &SetRun) -> Vec<String> {
    set.plan.tasks.iter().map(|task| task.name.clone()).collect()
}

/// Processors are numbered as the system does.
fn cpus(set: &SetRun) -> usize {
    let planned = set.plan.clusters.iter().flatten().copied();
    planned.chain(set.stretches.iter().map(|stretch| stretch.cpu)).max().map_or(0, |last| last as usize + 1)
}

fn draw(files: &ScheduleFiles, set: &SetRun, subtitle: &str, events: &[Event], file: &Path) -> Result<(), Error> {
    let (start_ns, end_ns) = window(files, set);
    let tasks = set.plan.tasks.iter();
    let chart = Gantt {
        title: set.plan.name.clone(),
        subtitle: format!("{subtitle}; {}", outcome(set)),
        cpus: (0..cpus(set)).map(|cpu| format!("CPU {cpu}")).collect(),
        tasks: tasks.map(|task| GanttTask { name: task.name.clone(), deadline_ns: task.deadline_ns }).collect(),
        start_ns,
        end_ns,
        unserved: Vec::new(),
        events,
    };
    let text = chart_text(&chart, file)?;
    output::write(file, text)
}

fn outcome(set: &SetRun) -> String {
    match set.jobs.iter().filter(|job| set.is_missed(job)).count() {
        0 => "no deadline missed".to_owned(),
        some => format!("{} missed", counted(some as u64, "deadline")),
    }
}

fn window(files: &ScheduleFiles, set: &SetRun) -> (u64, u64) {
    let longest_ns = set.plan.tasks.iter().map(|task| task.period_ns).max().unwrap_or(1);
    let missed = set.jobs.iter().filter(|job| set.is_missed(job)).map(|job| set.deadline_ns(job)).min();
    let missed = missed.map(Instant::from_ns);
    let (start, end) = files.part(Duration::from_ns(longest_ns), missed, Instant::from_ns(set.observed_ns));
    (start.as_ns(), end.as_ns())
}

fn chrome(set: &SetRun, events: &[Event], names: &[String], out: &mut dyn Write) -> io::Result<()> {
    let mut chrome = Chrome::new(out, names, cpus(set))?;
    events.iter().try_for_each(|event| chrome.event(event))?;
    chrome.finish(set.observed_ns)
}

fn csv(events: &[Event], names: &[String], out: &mut dyn Write) -> io::Result<()> {
    let mut csv = Csv::new(out, names)?;
    events.iter().try_for_each(|event| csv.event(event))?;
    csv.finish()
}
