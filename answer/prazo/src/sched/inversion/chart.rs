//! Each setting as charts: what was observed on Linux, what prazo's kernel did, and what was simulated.

use super::sets::Setting;
use crate::error::Error;
use crate::sched::simulate::chart_text;
use prazo_core::event::{Event, EventKind};
use prazo_report::gantt::{Gantt, GanttTask};
use prazo_run::jobs::{SetRun, events};
use std::path::Path;

/// One chart.
struct Chart<'a> {
    /// Who ran it; begins the file's name.
    kind: &'a str,
    policy: &'a str,
    events: &'a [Event],
    cpu: u32,
}

/// Writes all of them into a folder; without the kernel's events, the other two.
pub(crate) fn write(folder: &Path, setting: &Setting, set: &SetRun, kernel: Option<&[Event]>) -> Result<(), Error> {
    let (observed, simulated) = (events::of(set), setting.simulated().events);
    let cpu = set.plan.clusters.concat().first().copied().unwrap_or(0);
    let policy = "fixed priorities";
    Chart { kind: "observed", policy, events: &observed, cpu }.write(folder, setting)?;
    Chart { kind: "simulated", policy, events: &simulated, cpu: 0 }.write(folder, setting)?;
    let kernel = kernel.map(|events| Chart { kind: "kernel", policy: "EDF in prazo's kernel", events, cpu: 0 });
    kernel.map_or(Ok(()), |chart| chart.write(folder, setting))
}

impl Chart<'_> {
    fn write(&self, folder: &Path, setting: &Setting) -> Result<(), Error> {
        let Self { kind, policy, events, cpu } = *self;
        let deadline_ns = setting.plan(cpu).tasks.iter().map(|task| task.deadline_ns).max().unwrap_or(1);
        let task = |name: String| GanttTask { name, deadline_ns };
        let is_end = |event: &&Event| matches!(event.kind, EventKind::Completion { .. });
        let chart = Gantt {
            title: format!("{}, {kind}", setting.name),
            subtitle: format!("{policy}, one processor; the most urgent task at the top"),
            cpus: (0..=cpu).map(|cpu| format!("CPU {cpu}")).collect(),
            tasks: setting.names().into_iter().map(task).collect(),
            start_ns: 0,
            end_ns: events.iter().filter(is_end).map(|event| event.at.as_ns()).max().unwrap_or(1).max(1),
            unserved: Vec::new(),
            events,
        };
        let file = folder.join(format!("{kind}-{}.svg", setting.name));
        let text = chart_text(&chart, &file)?;
        crate::output::write(&file, text)
    }
}
