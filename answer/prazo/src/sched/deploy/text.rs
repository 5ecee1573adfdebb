//! A deployment as people read it.

use super::document::{AskedRow, Deployment, HoldsRow, WrittenUnits};
use prazo_core::text::{counted, micros, printable};
use prazo_core::verdict::Verdict;
use std::fmt;

impl fmt::Display for Deployment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![headline(self)];
        for (index, cluster) in self.clusters.iter().enumerate() {
            let group = cluster.group.as_deref().unwrap_or("no control group of its own");
            lines.push(format!("cluster {index}: processors {} ({group})", cluster.cpus));
            for row in self.asked.iter().filter(|row| row.cluster == index) {
                let holds = self.holds.iter().find(|holds| holds.task == row.task);
                lines.push(format!("  {}", task(row, holds)));
            }
        }
        if self.shows_steps {
            lines.push("steps:".to_owned());
            lines.extend(self.steps.iter().map(|row| format!("  {}  (undone: {})", row.step, row.undo)));
        }
        lines.extend(self.differs.iter().map(|difference| format!("DIFFERS  {difference}")));
        lines.extend(self.remarks.iter().map(|remark| format!("- {remark}")));
        lines.push(match &self.written {
            Some(WrittenUnits { files, folder }) => {
                let files = counted(*files as u64, "unit file");
                format!("wrote {files} to {}; nothing else was changed", folder.display())
            }
            None if self.deployed => {
                "deployed; observe it with `prazo sched watch`, undo it with `prazo sched undeploy`".to_owned()
            }
            None => "nothing was changed".to_owned(),
        });
        f.write_str(&lines.iter().map(|line| printable(line).to_string()).collect::<Vec<_>>().join("\n"))
    }
}

/// What holds and by whom: the kernel's admission beside our guarantee.
fn headline(document: &Deployment) -> String {
    let Deployment { name, verdict, policy, shape, .. } = document;
    let by = |how: &str| document.decided_by.map_or(String::new(), |by| format!("{how} by {by}"));
    let guarantee = match verdict {
        Verdict::Proven => format!("every deadline is proven{}", by("")),
        Verdict::Disproven => format!("NOT schedulable{}", by(", disproven")),
        Verdict::Unknown => "not proven: no deadline is guaranteed".into(),
    };
    let kernel = match document.admitted {
        Some(true) => "; the kernel admits the tasks, which alone proves nothing",
        Some(false) => "; the kernel would refuse at least one task",
        None => "; the kernel admits fixed priorities without a test",
    };
    format!("{name}, {shape} {policy}: {guarantee}{kernel}")
}

fn task(row: &AskedRow, holds: Option<&HoldsRow>) -> String {
    let us = micros;
    let (deadline, period) = (us(row.deadline_ns), us(row.period_ns));
    let asked = match (row.runtime_ns, row.priority) {
        (Some(runtime), _) => {
            format!("deadline, budget {} µs in every {period} µs, due within {deadline} µs", us(runtime))
        }
        (None, priority) => format!("fifo, priority {}, due within {deadline} µs", priority.unwrap_or_default()),
    };
    let thread = row.thread.map_or(String::new(), |thread| format!(" (thread {thread})"));
    let bound = row
        .bound_ns
        .map_or("no bound is proven".into(), |bound| format!("response time proven within {} µs", us(bound)));
    let refused = row.refused.as_ref().map_or(String::new(), |why| format!("; the kernel would refuse it: {why}"));
    let seen = holds.filter(|holds| !holds.seen_on.is_empty()).map_or(String::new(), |holds| {
        let on: Vec<String> = holds.seen_on.iter().map(|seen| seen.cpu.to_string()).collect();
        format!("; seen on {} {}", if on.len() == 1 { "processor" } else { "processors" }, on.join(", "))
    });
    format!("{}{thread}: {asked}; {bound}{refused}{seen}", row.task)
}
