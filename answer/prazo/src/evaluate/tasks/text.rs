//! The answer as lines for people, the verdict first.

use super::document::{EvaluatedTasks, SchedulerRow};
use super::latency::Latency;
use prazo_core::text::{counted, printable};
use prazo_report::schedulability::answered::SensitivityRow;
use prazo_report::words;
use std::fmt;

impl fmt::Display for EvaluatedTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(self))
    }
}

fn text(of: &EvaluatedTasks) -> String {
    let mut lines = vec![printable(&format!("{}: {}", of.name, of.sentence)).to_string(), String::new()];
    lines.extend(schedulers(of));
    lines.extend(changes(of));
    lines.extend(latency(of));
    lines.extend(observed(of));
    lines.extend(
        of.caveats
            .iter()
            .map(|caveat| printable(&format!("! {}: {}; {}", caveat.id, caveat.what, caveat.remedy)).to_string()),
    );
    lines.push(String::new());
    lines.extend(of.placed.iter().map(|file| {
        let cpus = of.cpus.as_ref().map_or(String::new(), |order| format!(" --cpus {order}"));
        format!(
            "deploy it:  prazo sched deploy {}{cpus} (the file has each task's processors, policy and budget)",
            file.display()
        )
    }));
    lines.push(format!("overheads:  {}", of.overheads.display()));
    lines.extend(of.latency.iter().map(|latency| format!("latency:    {}", latency.report.display())));
    lines.join("\n")
}

fn schedulers(of: &EvaluatedTasks) -> Vec<String> {
    let head = format!(
        "{:<16} {:<17} {:>14} {:<14} {:>14}  processors",
        "scheduler", "largest overheads", "costs may grow", "mean overheads", "costs may grow"
    );
    let row = |one: &SchedulerRow| match &one.barred {
        Some(why) => format!("{:<16} is not available here: {why}", one.name),
        None => format!(
            "{:<16} {:<17} {:>14} {:<14} {:>14}  {}",
            one.name,
            one.by_largest.unwrap_or_default(),
            times(one.room_by_largest),
            one.by_mean.unwrap_or_default(),
            times(one.room_by_mean),
            one.clusters.join(" | ")
        ),
    };
    std::iter::once(head).chain(of.ways.iter().map(row)).collect()
}

/// What would have to change, where nothing is proven.
fn changes(of: &EvaluatedTasks) -> Vec<String> {
    let edges = of.ways.iter().filter_map(|one| Some((one, one.sensitivity.as_ref()?)));
    let absent = || words::ABSENT.to_owned();
    let row = |(one, edge): (&SchedulerRow, &SensitivityRow)| {
        format!(
            "{:<16} {:>14} {:>11}  {:<30} {}",
            one.name,
            times(edge.cost_factor),
            edge.processors.map_or_else(absent, |count| count.to_string()),
            one_cost(&of.tasks, edge).unwrap_or_else(absent),
            one_overhead(edge).unwrap_or_else(absent),
        )
    };
    let rows: Vec<String> = edges.map(row).collect();
    let head = format!(
        "\n{:<16} {:>14} {:>11}  {:<30} one overhead",
        "scheduler", "all costs at", "processors", "one task's cost"
    );
    let note =
        "Mean overheads are charged. Each entry is one change that would make the set provable; — means that no such change was found."
            .to_owned();
    if rows.is_empty() { rows } else { std::iter::once(head).chain(rows).chain([note]).collect() }
}

/// The task whose cost must give way by the least, and to what.
fn one_cost(tasks: &[String], edge: &SensitivityRow) -> Option<String> {
    let task = edge.critical_task?;
    let factor = edge.task_factors.get(task).copied().flatten()?;
    Some(format!("{} at {}", printable(tasks.get(task)?), times(Some(factor))))
}

/// The overhead that must give way by the smallest share, and to what.
fn one_overhead(edge: &SensitivityRow) -> Option<String> {
    let known = edge.overhead_factors.iter().filter_map(|(kind, factor)| Some((kind, (*factor)?)));
    let (kind, factor) = known.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    Some(format!("{} at {}", kind.replace('_', " "), times(Some(factor))))
}

fn times(factor: Option<f64>) -> String {
    factor.map_or(words::ABSENT.to_owned(), |factor| format!("{factor:.3} times"))
}

/// How late wake-ups came under the load.
fn latency(of: &EvaluatedTasks) -> Vec<String> {
    let why = of.latency_not_measured.iter().map(|why| format!("\nlatency under load: not measured: {why}"));
    let figures = of.latency.iter().flat_map(|latency| {
        let figure = |ns: Option<i64>| ns.map_or(words::ABSENT.to_owned(), words::latency);
        // Few wake-ups support no such quantile.
        let p999 = latency.p999_ns.map_or(String::new(), |ns| format!("99.9 % within {}, ", words::latency(ns)));
        let line = format!(
            "\nlatency under load, with a thread of period {} on every processor: median {}, {p999}observed maximum {} of {}; {} came later than the shortest deadline ({}) or not at all",
            words::time(latency.period_ns),
            figure(latency.median_ns),
            figure(latency.max_ns),
            counted(latency.due, "wake-up"),
            words::count(latency.late),
            words::time(latency.deadline_ns),
        );
        std::iter::once(line).chain(cause(latency))
    });
    why.chain(figures).collect()
}

fn cause(latency: &Latency) -> Option<String> {
    latency.cause.as_ref().map(|cause| format!("largest latency: {}", printable(cause)))
}

fn observed(of: &EvaluatedTasks) -> Vec<String> {
    let why = of.not_observed.iter().map(|why| format!("\nThe set could not be run: {why}"));
    let run = of.observed.iter().map(|set| format!("\n{}", set.text(of.chosen.as_deref().unwrap_or_default())));
    let loads = of.loads.iter().map(|load| {
        let reached = load.reached.map_or(words::ABSENT.to_owned(), |rate| words::decimals(rate, 1));
        format!("load {}: {reached} {}", load.name, load.unit)
    });
    why.chain(run).chain(loads).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(critical_task: Option<usize>, overheads: &[(&'static str, Option<f64>)]) -> SensitivityRow {
        SensitivityRow {
            cost_factor: None,
            task_factors: vec![None, Some(0.5)],
            overhead_factors: overheads.iter().copied().collect(),
            processors: None,
            critical_task,
            monotone: true,
            questions: 1,
        }
    }

    #[test]
    fn the_smallest_changes_that_would_do_are_named() {
        let tasks = ["a".to_owned(), "b".to_owned()];
        let of = edge(Some(1), &[("cache_delay", Some(0.75)), ("release", Some(0.25)), ("tick", None)]);
        assert_eq!(one_cost(&tasks, &of).unwrap(), "b at 0.500 times");
        assert_eq!(one_overhead(&of).unwrap(), "cache delay at 0.750 times");
    }

    #[test]
    fn where_no_such_change_is_proven_there_is_none() {
        let tasks = ["a".to_owned(), "b".to_owned()];
        for of in [edge(None, &[("tick", None)]), edge(Some(0), &[])] {
            assert_eq!((one_cost(&tasks, &of), one_overhead(&of)), (None, None));
        }
    }
}
