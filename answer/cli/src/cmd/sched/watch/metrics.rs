//! The same figures as OpenMetrics, for those who scrape: one short answer to each connection, on loopback only.

use super::document::TaskRow;
use crate::exit::Failure;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long a reader may take to ask.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a scraper gets, kept up to date.
#[derive(Clone, Default)]
pub struct Page(Arc<Mutex<String>>);

impl Page {
    /// Shows these figures from now on.
    pub fn show(&self, tasks: &[TaskRow]) {
        *self.0.lock().expect("no thread panics with the lock") = text(tasks);
    }

    /// Answers whoever asks at `address`, as long as this process lives.
    pub fn serve(&self, address: SocketAddr) -> Result<SocketAddr, Failure> {
        if !address.ip().is_loopback() {
            return Err(Failure::usage(format!(
                "--metrics {address}: only loopback is served, as in 127.0.0.1:9100; what scrapes from afar needs a proxy that \
                 asks who it is"
            )));
        }
        let failed = |error| Failure::world(format!("--metrics {address}: {error}"));
        let listener = TcpListener::bind(address).map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        let page = self.clone();
        let serve = move || {
            // A reader that goes away, or says nothing, is its own business.
            listener.incoming().flatten().for_each(|stream| drop(page.answer(stream)));
        };
        std::thread::Builder::new().name("prazo-metrics".into()).spawn(serve).map_err(Failure::world)?;
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
type Family = (&'static str, &'static str, &'static str, fn(&TaskRow) -> Option<f64>);

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

const FAMILIES: [Family; 12] = [
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
    (
        "prazo_budget_used_max_ratio",
        "gauge",
        "Longest time on processors as a share of the budget",
        TaskRow::budget_used,
    ),
];

/// The page. A figure that was not measured is left out, as the format has it.
fn text(tasks: &[TaskRow]) -> String {
    let mut text = String::new();
    for (name, kind, help, value) in FAMILIES {
        let suffix = if kind == "counter" { "_total" } else { "" };
        let _ = writeln!(text, "# TYPE {name} {kind}\n# HELP {name} {help}");
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
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_scraper_gets_what_was_shown_last_and_strangers_are_not_served() {
        let page = Page::default();
        page.show(&[]);
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
        assert!(matches!(page.serve("0.0.0.0:0".parse().unwrap()), Err(Failure::Usage(_))));
    }

    #[test]
    fn labels_are_escaped_and_what_was_not_measured_is_left_out() {
        let row = TaskRow {
            task: "a\"b".into(),
            thread: 1,
            cpus: "0-1".into(),
            jobs: 3,
            misses: 1,
            deadline_ns: 2_000_000,
            bound_ns: None,
            response_ns_max: Some(1_500_000),
            response_ns_mean: None,
            tardiness_ns_max: Some(0),
            budget_ns: 1,
            ran_ns_max: None,
            overruns: 0,
            preemptions: 0,
            throttled: 0,
            migrations: 0,
            outside: 0,
            lost: 0,
            unfinished_ns: None,
            worst: Vec::new(),
        };
        let text = text(&[row]);
        assert!(text.contains("prazo_jobs_total{task=\"a\\\"b\",cpus=\"0-1\"} 3\n"), "{text}");
        assert!(text.contains("prazo_response_max_seconds{task=\"a\\\"b\",cpus=\"0-1\"} 0.0015\n"), "{text}");
        assert!(!text.contains("prazo_bound_seconds{"), "{text}");
    }
}
