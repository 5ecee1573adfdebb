//! A deployment as people read it.

use super::document::{AskedRow, Deployment, HoldsRow};
use crate::exit::Failure;
use crate::out;

/// Prints it; `steps` also shows each step with its undo.
pub fn print(document: &Deployment, steps: bool) -> Result<(), Failure> {
    out::text_line(&headline(document))?;
    for (index, cluster) in document.clusters.iter().enumerate() {
        let group = cluster.group.as_deref().unwrap_or("what is left to the root");
        out::text_line(&format!("cluster {index}: processors {} ({group})", cluster.cpus))?;
        for row in document.asked.iter().filter(|row| row.cluster == index) {
            let holds = document.holds.iter().find(|holds| holds.task == row.task);
            out::text_line(&format!("  {}", task(row, holds)))?;
        }
    }
    if steps {
        out::text_line("steps:")?;
        for row in &document.steps {
            out::text_line(&format!("  {}  (undone: {})", row.step, row.undo))?;
        }
    }
    for one in &document.differs {
        out::text_line(&format!("DIFFERS  {}: {} was asked, {}", one.of, one.asked, one.found))?;
    }
    document.remarks.iter().try_for_each(|remark| out::text_line(&format!("- {remark}")))?;
    match document.deployed {
        true => out::text_line("deployed; `prazo sched watch` looks at it, `prazo sched undeploy` undoes it"),
        false => out::text_line("nothing was changed"),
    }
}

/// What holds and by whom: the kernel's admission beside our guarantee.
fn headline(document: &Deployment) -> String {
    let Deployment { name, verdict, policy, shape, .. } = document;
    let by = document.decided_by.map_or(String::new(), |by| format!(" by {by}"));
    let guarantee = match *verdict {
        "proven" => format!("every deadline is proven{by}"),
        "disproven" => format!("NOT schedulable{by}"),
        _ => "not proven: nothing is promised".into(),
    };
    let kernel = match document.admitted {
        Some(true) => "; the kernel lets the tasks in, which alone is no proof",
        Some(false) => "; the kernel would refuse",
        None => "; the kernel is not asked",
    };
    format!("{name}, {shape} {policy}: {guarantee}{kernel}")
}

fn task(row: &AskedRow, holds: Option<&HoldsRow>) -> String {
    let us = |ns: u64| ns as f64 / 1e3;
    let (deadline, period) = (us(row.deadline_ns), us(row.period_ns));
    let asked = match (row.runtime_ns, row.priority) {
        (Some(runtime), _) => format!("deadline, {} us in every {period} us within {deadline} us", us(runtime)),
        (None, priority) => format!("fifo {}, due within {deadline} us", priority.unwrap_or_default()),
    };
    let thread = row.thread.map_or(String::new(), |thread| format!(" (thread {thread})"));
    let bound = row.bound_ns.map_or("no bound is proven".into(), |bound| format!("proven within {} us", us(bound)));
    let refused = row.refused.as_ref().map_or(String::new(), |why| format!("; the kernel would refuse it: {why}"));
    let seen = holds.map_or(String::new(), |holds| {
        let on: Vec<String> = holds.seen_on.iter().map(|seen| seen.cpu.to_string()).collect();
        format!("; seen on processor {}", on.join(", "))
    });
    format!("{}{thread}: {asked}; {bound}{refused}{seen}", row.task)
}
