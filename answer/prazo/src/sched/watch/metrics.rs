//! The same figures as OpenMetrics, for those who scrape: one short answer to each connection, on loopback only.

use crate::error::Error;
use prazo_verdict::watched::WatchedTask;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long a reader may take to ask.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a scraper gets, kept up to date.
#[derive(Clone, Default)]
pub(crate) struct Page(Arc<Mutex<String>>);

impl Page {
    /// Shows these figures from now on.
    pub(crate) fn show(&self, tasks: &[WatchedTask]) {
        *self.0.lock().expect("no thread panics with the lock") = text(tasks);
    }

    /// Answers whoever asks at `address`, as long as this process lives.
    pub(crate) fn serve(&self, address: SocketAddr) -> Result<SocketAddr, Error> {
        if !address.ip().is_loopback() {
            let remedy = "what scrapes from afar needs a proxy that asks who it is";
            return Err(Error::field("metrics", "only loopback is served, as in 127.0.0.1:9100")
                .with_value(address)
                .with_remedy(remedy));
        }
        let failed = |error| Error::failed(error).attempting(format!("metrics at {address} cannot be served"));
        let listener = TcpListener::bind(address).map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        self.show(&[]);
        let page = self.clone();
        let serve = move || {
            // A reader that goes away, or says nothing, is its own business.
            listener.incoming().flatten().for_each(|stream| drop(page.answer(stream)));
        };
        std::thread::Builder::new().name("prazo-metrics".into()).spawn(serve).map_err(Error::failed)?;
        Ok(bound)
    }

    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut lines = BufReader::new(stream.try_clone()?).lines();
        while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
        let body = self.0.lock().expect("no thread panics with the lock").clone();
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n";
        write!(stream, "{head}Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
    }
}

/// A family of figures: its name, type, unit in words, and a task's value.
type Family = (&'static str, &'static str, &'static str, fn(&WatchedTask) -> Option<f64>);

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

const FAMILIES: [Family; 14] = [
    ("prazo_jobs", "counter", "Jobs that ended", |row| Some(row.jobs as f64)),
    ("prazo_misses", "counter", "Jobs that ended after their deadline", |row| Some(row.misses as f64)),
    ("prazo_lost", "counter", "Jobs that were not seen", |row| Some(row.lost as f64)),
    ("prazo_overruns", "counter", "Jobs that took more than their budget", |row| Some(row.overruns as f64)),
    ("prazo_throttled", "counter", "Times that a less urgent thread ran instead", |row| Some(row.throttled as f64)),
    ("prazo_migrations", "counter", "Times that it moved to another processor", |row| Some(row.migrations as f64)),
    ("prazo_outside", "counter", "Times that it came to a processor outside of its cluster", |row| {
        Some(row.outside as f64)
    }),
    ("prazo_response_max_seconds", "gauge", "Observed maximum of the response time", |row| {
        row.response_ns_max.map(seconds)
    }),
    ("prazo_tardiness_max_seconds", "gauge", "Observed maximum of the tardiness", |row| {
        row.tardiness_ns_max.map(seconds)
    }),
    ("prazo_bound_seconds", "gauge", "Proven bound on the response time", |row| row.bound_ns.map(seconds)),
    ("prazo_deadline_seconds", "gauge", "Relative deadline", |row| Some(seconds(row.deadline_ns))),
    ("prazo_unfinished_seconds", "gauge", "Age of a job that goes on behind its deadline", |row| {
        row.unfinished_ns.map(seconds)
    }),
    ("prazo_budget_seconds", "gauge", "What one job is granted", |row| Some(seconds(row.budget_ns))),
    (
        "prazo_budget_used_max_ratio",
        "gauge",
        "Longest time on processors as a share of the budget",
        WatchedTask::budget_used,
    ),
];

/// How names end that say their unit.
const UNITS: [&str; 2] = ["_seconds", "_ratio"];

/// The page. A figure that was not measured is left out, as the format has it.
fn text(tasks: &[WatchedTask]) -> String {
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
                let _ =
                    writeln!(text, "{name}{suffix}{{task=\"{}\",cpus=\"{}\"}} {value}", escaped(&row.task), row.cpus);
            }
        }
    }
    text + "# EOF\n"
}

fn escaped(label: &str) -> String {
    label.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

#[cfg(test)]
#[allow(unreachable_pub)] // The command's tests read pages with the same file.
#[path = "../../../../cli/tests/support/openmetrics.rs"]
mod openmetrics;

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_scraper_gets_what_was_shown_last_and_strangers_are_not_served() {
        let page = Page::default();
        let address = page.serve("127.0.0.1:0".parse().unwrap()).unwrap();
        let ask = || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        };
        assert!(ask().ends_with("# EOF\n"));
        assert!(ask().contains("application/openmetrics-text"), "and a second one too");
        assert!(matches!(page.serve("0.0.0.0:0".parse().unwrap()), Err(Error::Refused(_))));
    }

    fn row() -> WatchedTask {
        let (task, cpus, jobs, misses) = ("a\"b\\\nc".into(), "0-1".into(), 3, 1);
        let (bound_ns, response_ns_max, response_ns_mean, ran_ns_max) = (None, Some(1_500_000), None, None);
        WatchedTask {
            task,
            cpus,
            jobs,
            misses,
            bound_ns,
            response_ns_max,
            response_ns_mean,
            ran_ns_max,
            ..WatchedTask::default()
        }
    }

    #[test]
    fn the_page_is_read_back_as_it_was_meant() {
        let rows = [row(), WatchedTask { task: "eye".into(), unfinished_ns: Some(7_000), ..row() }];
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
