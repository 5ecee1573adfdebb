//! Each setting as two charts: what was observed, and what was simulated.

use super::sets::Setting;
use crate::cmd::sched::simulate::files::{chart_text, written};
use crate::exit::Failure;
use prazo_core::event::Event;
use prazo_report::gantt::{Gantt, GanttTask};
use prazo_run::jobs::{SetRun, events};
use std::path::Path;

/// Writes both into a folder.
pub fn write(folder: &Path, setting: &Setting, set: &SetRun) -> Result<(), Failure> {
    let simulated = setting.simulated();
    let last_ns = |completions: &mut dyn Iterator<Item = u64>| completions.max().unwrap_or(1);
    let observed_ns = last_ns(&mut set.jobs.iter().filter_map(|job| job.completion_ns));
    let simulated_ns = last_ns(&mut simulated.completions_ns.iter().copied());
    let cpu = set.plan.clusters.concat().first().copied().unwrap_or(0);
    one(folder, ("observed", &setting.name), setting, (&events::of(set), observed_ns), cpu)?;
    one(folder, ("simulated", &setting.name), setting, (&simulated.events, simulated_ns), 0)
}

fn one(
    folder: &Path,
    (kind, name): (&str, &str),
    setting: &Setting,
    (events, end_ns): (&[Event], u64),
    cpu: u32,
) -> Result<(), Failure> {
    let deadline_ns = setting.plan(cpu).tasks.iter().map(|task| task.deadline_ns).max().unwrap_or(1);
    let task = |name: String| GanttTask { name, deadline_ns };
    let chart = Gantt {
        title: format!("{name}, {kind}"),
        subtitle: "fixed priorities, one processor; the most urgent task on top".to_owned(),
        cpus: (0..=cpu).map(|cpu| format!("CPU {cpu}")).collect(),
        tasks: setting.names().into_iter().map(task).collect(),
        start_ns: 0,
        end_ns: end_ns.max(1),
        events,
    };
    let file = folder.join(format!("{kind}-{name}.svg"));
    let text = chart_text(&chart, &file)?;
    written(&file, || std::fs::write(&file, text))
}
