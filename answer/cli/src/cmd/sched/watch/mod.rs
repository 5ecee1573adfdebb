//! `prazo sched watch`: what is deployed, job by job, beside what is proven of it.

mod document;
mod judge;
mod metrics;
mod told;

pub use document::Watched;

use crate::exit::{Exit, Failure};
use crate::live::{self, Screen};
use crate::out;
use document::{TaskRow, budget_ns, rows};
use metrics::Page;
use prazo_core::time::{Duration, Wait};
use prazo_deploy::check::{self, Difference};
use prazo_deploy::deployment::{self, Deployed, Record};
use prazo_platform::root::Root;
use prazo_platform::sys::SCHED_DEADLINE;
use prazo_platform::tunable::Journal;
use prazo_probe::StopFlag;
use prazo_probe::watch::{self, Watch};
use std::net::SocketAddr;
use std::time::Instant;

/// How often the kernel's ring is emptied, and figures are shown.
const ROUND: std::time::Duration = std::time::Duration::from_secs(1);
/// In a log, one table for this many rounds.
const ROUNDS_A_TABLE: u64 = 10;
/// How finely an end is waited for.
const GLANCE: std::time::Duration = std::time::Duration::from_millis(100);

/// Look at what is deployed, job by job.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched watch                                  until Ctrl-C; the tasks go on
  prazo sched watch -D 1min --json                   a minute, and what was seen
  prazo sched watch --metrics 127.0.0.1:9100         for Prometheus, too

A job lies between a thread's wake-up and the block behind it; one that blocks for a lock or a file shows as several.

Exit status: 0 proven and kept, 1 a deadline was missed or a bound exceeded, 3 not proven or not seen, 4 it cannot be watched.")]
pub struct Args {
    /// How long [default: until Ctrl-C]
    #[arg(long, short = 'D', value_name = "TIME")]
    duration: Option<Duration>,
    /// Serve the figures as OpenMetrics on this loopback address
    #[arg(long, value_name = "ADDR")]
    metrics: Option<SocketAddr>,
    /// Lines instead of the live view
    #[arg(long)]
    plain: bool,
    /// Print JSON at the end
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Watches and judges.
    pub fn run(self) -> Result<Exit, Failure> {
        let root = Root::system();
        let journal = Journal::open(&root).map_err(Failure::world)?;
        let record = deployment::current(&journal).map_err(Failure::world)?.ok_or_else(|| {
            Failure::usage("nothing is deployed; `prazo sched deploy` deploys, and what is deployed can be watched")
        })?;
        let page = Page::default();
        if let Some(address) = self.metrics {
            let bound = page.serve(address)?;
            eprintln!("prazo: metrics at http://{bound}/metrics");
        }
        let tasks = record.tasks.iter().map(|task| watched(&record, task)).collect::<Result<_, _>>()?;
        let mut watch = Watch::attach(&root, tasks)
            .map_err(|why| Failure::world(format!("it cannot be watched: {why}; {}", why.caveat().remedy)))?;
        let stop = StopFlag::on_interrupt().map_err(Failure::world)?;
        let tasks = self.look(&record, &mut watch, &page, stop);
        let watched = std::time::Duration::from_nanos(watch.watched_ns());
        let differs = check::differences(&root, &record);
        let document = document(&record, tasks, &differs, &watch, watched);
        match self.json {
            true => out::json(&document)?,
            false => told::print(&document)?,
        }
        Ok(judge::judge(&evidence(&record, &document.tasks, &differs, watched)).0.into())
    }

    /// Shows the figures once a second; the last ones.
    fn look(&self, record: &Record, watch: &mut Watch, page: &Page, stop: &StopFlag) -> Vec<TaskRow> {
        let title = format!("{} ({})", record.name, record.verdict);
        let mut screen = (!self.plain && !self.json).then(|| live::screen(&title)).flatten();
        let begun = Instant::now();
        let length = self.duration.map(|length| std::time::Duration::from_nanos(length.as_ns()));
        let is_over = || stop.is_set() || length.is_some_and(|length| begun.elapsed() >= length);
        let mut round = 0;
        loop {
            let tasks = rows(record, watch.poll());
            page.show(&tasks);
            let watched = std::time::Duration::from_nanos(watch.watched_ns());
            let outcome = judge::judge(&evidence(record, &tasks, &[], watched)).0;
            let heading = told::Heading { title: &title, time: spoken(begun.elapsed(), length), outcome };
            self.show(screen.as_mut(), &heading, &tasks, round);
            round += 1;
            let next = Instant::now() + ROUND;
            while !is_over() && Instant::now() < next {
                std::thread::sleep(GLANCE);
            }
            if is_over() {
                return rows(record, watch.poll());
            }
        }
    }

    fn show(&self, screen: Option<&mut Screen>, heading: &told::Heading<'_>, tasks: &[TaskRow], round: u64) {
        match screen {
            Some(screen) => told::show(screen, heading, tasks),
            None if !self.json && round > 0 && round.is_multiple_of(ROUNDS_A_TABLE) => {
                told::lines(tasks).iter().for_each(|line| eprintln!("{line}"));
            }
            None => {}
        }
    }
}

/// `12 s`, `12 s of 1 min 00 s`.
fn spoken(elapsed: std::time::Duration, length: Option<std::time::Duration>) -> String {
    let told = |time: std::time::Duration| Wait(Duration::from_s(time.as_secs())).to_string();
    length.map_or_else(|| told(elapsed), |length| format!("{} of {}", told(elapsed), told(length)))
}

fn watched(record: &Record, task: &Deployed) -> Result<watch::Watched, Failure> {
    let is_deadline = task.attr.policy == SCHED_DEADLINE;
    let cpus = &record.clusters[task.cluster].cpus;
    Ok(watch::Watched {
        thread_id: task.thread.id,
        cluster: cpus.parse().map_err(|error| Failure::world(format!("the record's processors {cpus}: {error}")))?,
        period_ns: task.period_ns,
        deadline_ns: task.deadline_ns,
        budget_ns: Some(budget_ns(task)),
        priority: Some(if is_deadline { -1 } else { 99 - task.attr.priority as i16 }),
    })
}

fn evidence<'a>(
    record: &Record,
    tasks: &'a [TaskRow],
    differs: &'a [Difference],
    watched: std::time::Duration,
) -> judge::Evidence<'a> {
    let watched_ns = u64::try_from(watched.as_nanos()).unwrap_or(u64::MAX);
    judge::Evidence { is_proven: record.verdict == "proven", watched_ns, tasks, differs }
}

fn document(
    record: &Record,
    tasks: Vec<TaskRow>,
    differs: &[Difference],
    watch: &Watch,
    watched: std::time::Duration,
) -> Watched {
    let (outcome, reasons) = judge::judge(&evidence(record, &tasks, differs, watched));
    let no_causes = watch.no_causes().map(|why| format!("No causes were looked for: {why}."));
    Watched {
        name: record.name.clone(),
        verdict: record.verdict.clone(),
        outcome: outcome.name(),
        reasons,
        watched_s: watched.as_secs_f64(),
        jobs: tasks.iter().map(|task| task.jobs).sum(),
        misses: tasks.iter().map(|task| task.misses).sum(),
        tasks,
        remarks: no_causes.into_iter().collect(),
    }
}
