//! A simulated schedule as the few lines that a terminal shows.

use super::document::{ObservedChainRow, Simulated, TaskRow};
use crate::words::{self, time};
use prazo_core::text::{counted, printable};

/// The lines for people.
pub fn text(document: &Simulated, shape: &str) -> String {
    let mut lines = vec![
        format!("{}: {}, {shape}", printable(&document.name), document.policy),
        length(document),
        misses(document),
    ];
    lines.extend(postponed(document));
    lines.extend(dropped(document));
    lines.extend(waited(document));
    lines.extend(document.proof.iter().cloned());
    lines.push(String::new());
    lines.push(table(document));
    lines.extend(chains(document));
    lines.extend(document.remarks.iter().map(|remark| format!("Note: {}", printable(remark))));
    lines.join("\n")
}

/// How much was simulated.
pub(super) fn length(document: &Simulated) -> String {
    format!(
        "{} simulated: {}, {}, {}, {}",
        time(document.end_ns),
        counted(document.events, "event"),
        counted(document.jobs, "job"),
        counted(document.preemptions, "preemption"),
        counted(document.migrations, "migration"),
    )
}

/// What became of the deadlines.
pub(super) fn misses(document: &Simulated) -> String {
    let Some(first) = document.first_miss_ns else { return "No deadline was missed.".to_owned() };
    let late = match document.aborted {
        0 => format!("maximum tardiness {}", time(document.max_tardiness_ns)),
        aborted => format!("{} aborted", counted(aborted, "job")),
    };
    format!("{} missed, the first at {}; {late}", counted(document.misses, "deadline"), time(first))
}

/// The budgets that were used up, where any was.
pub(super) fn postponed(document: &Simulated) -> Option<String> {
    let times = counted(document.postponements, "time");
    (document.postponements > 0)
        .then(|| format!("A server's budget was used up {times}, and its deadline was postponed each time."))
}

/// How often high mode began, where it did.
pub(super) fn dropped(document: &Simulated) -> Option<String> {
    (document.mode_changes > 0).then(|| {
        format!(
            "High mode began {}, and {} of low criticality {} dropped.",
            times(document.mode_changes),
            counted(document.dropped, "job"),
            if document.dropped == 1 { "was" } else { "were" }
        )
    })
}

/// What jobs waited for besides a processor that others had.
pub(super) fn waited(document: &Simulated) -> Option<String> {
    let (mut parts, suspended) = (Vec::new(), document.tasks.iter().map(|task| task.suspended_ns).sum::<u64>());
    if document.suspensions > 0 {
        parts.push(format!(
            "Jobs suspended themselves {}, for {} in all.",
            times(document.suspensions),
            time(suspended)
        ));
    }
    if document.lock_waits > 0 {
        parts.push(format!("Jobs waited for a lock or for a priority ceiling {}.", times(document.lock_waits)));
    }
    parts.extend(
        document.unsupplied_ns.map(|ns| format!("The supply left the tasks without a processor for {}.", time(ns))),
    );
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn times(count: u64) -> String {
    counted(count, "time").to_string()
}

/// What was seen of each chain, where there are any.
fn chains(document: &Simulated) -> Option<String> {
    let width = document.chains.iter().map(|chain| chain.name.chars().count()).max()?.max(5);
    let head = format!("\n{:width$}   outputs  reaction max  data age max  (observed, not bounds)", "chain");
    let line = |chain: &ObservedChainRow| {
        let known = |value: Option<u64>| value.map_or(words::ABSENT.to_owned(), time);
        format!(
            "{:width$}  {:>8}  {:>12}  {:>12}",
            printable(&chain.name),
            words::count(chain.outputs),
            known(chain.reaction_max_ns),
            known(chain.age_max_ns),
        )
    };
    Some(std::iter::once(head).chain(document.chains.iter().map(line)).collect::<Vec<_>>().join("\n"))
}

fn table(document: &Simulated) -> String {
    let width = document.tasks.iter().map(|task| task.name.chars().count()).max().unwrap_or(0).max(4);
    let head = format!(
        "{:width$}  cluster      jobs    misses  response min         mean          max  tardiness max",
        "task"
    );
    let line = |task: &TaskRow| {
        let response = task.response_time.as_ref();
        let known = |value: Option<u64>| value.map_or(words::ABSENT.to_owned(), time);
        format!(
            "{:width$}  {:>7}  {:>8}  {:>8}  {:>12}  {:>11}  {:>11}  {:>13}",
            printable(&task.name),
            task.cluster,
            words::count(task.jobs),
            words::count(task.misses),
            known(response.map(|row| row.min_ns)),
            known(response.map(|row| row.mean_ns.round() as u64)),
            known(response.map(|row| row.max_ns)),
            time(task.max_tardiness_ns),
        )
    };
    std::iter::once(head).chain(document.tasks.iter().map(line)).collect::<Vec<_>>().join("\n")
}
