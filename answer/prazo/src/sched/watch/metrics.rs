//! The same figures as an OpenMetrics page, for programs that scrape.

use prazo_run::export::openmetrics::label;
use prazo_verdict::watched::WatchedTask;
use std::fmt::Write as _;

/// A family of figures: its name, type, unit in words, and a task's value.
type Family = (&'static str, &'static str, &'static str, fn(&WatchedTask) -> Option<f64>);

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

const FAMILIES: [Family; 14] = [
    ("prazo_jobs", "counter", "Jobs that ended", |row| Some(row.seen.jobs as f64)),
    ("prazo_misses", "counter", "Jobs that ended after their deadline", |row| Some(row.seen.misses as f64)),
    ("prazo_lost", "counter", "Jobs that were not recorded", |row| Some(row.seen.lost as f64)),
    ("prazo_overruns", "counter", "Jobs that used more processor time than their budget", |row| {
        Some(row.seen.overruns as f64)
    }),
    (
        "prazo_throttled",
        "counter",
        "Preemptions after a job's budget was used up, and preemptions by a less urgent thread",
        |row| Some(row.seen.throttled as f64),
    ),
    ("prazo_migrations", "counter", "Migrations of the task to another processor", |row| {
        Some(row.seen.migrations as f64)
    }),
    ("prazo_outside", "counter", "Migrations of the task to a processor outside its cluster", |row| {
        Some(row.seen.outside as f64)
    }),
    ("prazo_response_max_seconds", "gauge", "Observed maximum of the response time", |row| {
        row.seen.response_ns_max.map(seconds)
    }),
    ("prazo_tardiness_max_seconds", "gauge", "Observed maximum of the tardiness", |row| {
        row.seen.tardiness_ns_max.map(seconds)
    }),
    ("prazo_bound_seconds", "gauge", "Proven bound on the response time", |row| row.bound_ns.map(seconds)),
    ("prazo_deadline_seconds", "gauge", "Relative deadline", |row| Some(seconds(row.deadline_ns))),
    ("prazo_unfinished_seconds", "gauge", "Age of an unfinished job whose deadline has passed", |row| {
        row.seen.unfinished_ns.map(seconds)
    }),
    ("prazo_budget_seconds", "gauge", "Budget of one job", |row| Some(seconds(row.budget_ns))),
    (
        "prazo_budget_used_max_ratio",
        "gauge",
        "Longest processor time of a job as a share of the budget",
        WatchedTask::budget_used,
    ),
];

/// How names end that say their unit.
const UNITS: [&str; 2] = ["_seconds", "_ratio"];

/// The page. A figure that was not measured is left out, as the format has it.
pub(crate) fn text(tasks: &[WatchedTask]) -> String {
    let mut text = String::new();
    for (name, kind, help, value) in FAMILIES {
        let suffix = if kind == "counter" { "_total" } else { "" };
        let _ = writeln!(text, "# TYPE {name} {kind}");
        if let Some(unit) = UNITS.iter().find(|unit| name.ends_with(**unit)) {
            let _ = writeln!(text, "# UNIT {name} {}", &unit[1..]);
        }
        let _ = writeln!(text, "# HELP {name} {help}");
        for row in tasks {
            if let Some(value) = value(row) {
                let _ = writeln!(text, "{name}{suffix}{{task=\"{}\",cpus=\"{}\"}} {value}", label(&row.task), row.cpus);
            }
        }
    }
    text + "# EOF\n"
}

#[cfg(test)]
#[allow(unreachable_pub)] // The command's tests read pages with the same file.
#[path = "../../../../cli/tests/support/openmetrics.rs"]
mod openmetrics;

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::text::acts;
    use prazo_run::jobs::FollowedJobs;

    fn row() -> WatchedTask {
        let seen = FollowedJobs { jobs: 3, misses: 1, response_ns_max: Some(1_500_000), ..FollowedJobs::default() };
        WatchedTask { task: "a\"b\\\nc".into(), cpus: "0-1".into(), seen, ..WatchedTask::default() }
    }

    #[test]
    fn the_page_is_read_back_as_it_was_meant() {
        let seen = FollowedJobs { unfinished_ns: Some(7_000), ..row().seen };
        let rows = [row(), WatchedTask { task: "eye".into(), seen, ..row() }];
        let samples = openmetrics::read(&text(&rows)).unwrap();
        let value = |name: &str, task: &str| {
            let of =
                |(found, labels, _): &&openmetrics::Sample| found == name && labels[0] == ("task".into(), task.into());
            samples.iter().find(of).map(|(_, _, value)| *value)
        };
        assert_eq!(value("prazo_jobs_total", "a\"b\\\nc"), Some(3.0));
        assert_eq!(value("prazo_response_max_seconds", "eye"), Some(0.0015));
        assert_eq!(value("prazo_unfinished_seconds", "eye"), Some(7e-6));
        assert_eq!(value("prazo_bound_seconds", "eye"), None, "what was not measured is left out");
        assert_eq!(openmetrics::read(&text(&[])).unwrap(), []);
    }

    #[test]
    fn a_name_that_would_act_on_a_terminal_is_written_out() {
        let named = |task: &str| WatchedTask { task: task.into(), ..row() };
        let page = text(&[named("\u{1b}[2J\u{202e}"), named("\u{9b}2J"), named("a\nb")]);
        assert!(!page.contains(|c| c != '\n' && acts(c)), "{page:?}");
        let samples = openmetrics::read(&page).unwrap();
        let names: Vec<&str> = samples.iter().take(3).map(|(_, labels, _)| labels[0].1.as_str()).collect();
        assert_eq!(names, [r"\u{1b}[2J\u{202e}", r"\u{9b}2J", "a\nb"]);
    }

    #[test]
    fn the_reader_refuses_what_the_format_forbids() {
        let page = text(&[row()]);
        let broken = [
            page.replace("# EOF\n", ""),
            page.replace("_total{", "{"),
            page.replace(" counter", " sum"),
            page.replace("# UNIT prazo_bound_seconds seconds", "# UNIT prazo_bound_seconds s"),
            page.replace("\\\"", "\""),
            page.replace("# EOF", "\n# EOF"),
            page.replace("} 3\n", "} three\n"),
            text(&[row(), row()]),
            page.replace("# EOF\n", &page),
        ];
        for page in broken {
            assert!(openmetrics::read(&page).is_err(), "{page}");
        }
    }
}
