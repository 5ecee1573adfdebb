//! What a simulated run prints: JSON for scripts, a few lines for people.

use super::run::SimulatedRun;
use prazo_core::event::Event;
use prazo_core::text::printable;
use prazo_report::words;
use prazo_sim::{Miss, Repeats, TaskFigures};
use schemars::JsonSchema;
use serde::Serialize;

/// One file's run, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Simulated {
    /// The file.
    pub file: String,
    /// The scenario's name.
    pub name: String,
    /// The scheduling policy.
    pub policy: String,
    /// Processors of each cluster.
    pub clusters: Vec<u32>,
    /// Seed of all random draws.
    pub seed: u64,
    /// End of the known schedule.
    pub end_ns: u64,
    /// Number of releases, dispatches, preemptions and completions.
    pub events: u64,
    /// Jobs that were released.
    pub jobs: u64,
    /// Jobs that ended.
    pub completed: u64,
    /// Jobs that missed their deadline.
    pub misses: u64,
    /// Jobs that were aborted at their deadline.
    pub aborted: u64,
    /// Jobs that were skipped after a late one; not counted in `jobs`.
    pub skipped: u64,
    /// Number of times that a server's budget was used up and its deadline postponed.
    pub postponements: u64,
    /// Number of times that another job preempted a job.
    pub preemptions: u64,
    /// Number of migrations: a job continued on another processor.
    pub migrations: u64,
    /// The first deadline that was missed; null if none was.
    pub first_miss_ns: Option<u64>,
    /// The longest observed tardiness.
    pub max_tardiness_ns: u64,
    /// The instant from which the schedule repeats; null if no repetition was found.
    pub repeats: Option<RepeatsRow>,
    /// What the repetition proves; null where it proves nothing.
    pub proof: Option<String>,
    /// By task.
    pub tasks: Vec<TaskRow>,
    /// The first misses with the schedule around each.
    pub missed: Vec<MissRow>,
    /// Assumptions and notes for the reader.
    pub remarks: Vec<String>,
}

/// The instant from which a schedule repeats.
#[derive(Serialize, JsonSchema)]
pub struct RepeatsRow {
    /// The instant at which a state was seen for the second time.
    pub from_ns: u64,
    /// Period of the repetition.
    pub period_ns: u64,
}

/// One task's figures.
#[derive(Serialize, JsonSchema)]
pub struct TaskRow {
    /// Its name.
    pub name: String,
    /// Its cluster.
    pub cluster: u32,
    /// Jobs that were released.
    pub jobs: u64,
    /// Jobs that ended.
    pub completed: u64,
    /// Jobs that missed their deadline.
    pub misses: u64,
    /// Jobs that were aborted at their deadline.
    pub aborted: u64,
    /// Jobs that were skipped after a late one; not counted in `jobs`.
    pub skipped: u64,
    /// Number of times that its server's budget was used up and the server's deadline postponed.
    pub postponements: u64,
    /// Number of preemptions of its jobs.
    pub preemptions: u64,
    /// Number of migrations of its jobs.
    pub migrations: u64,
    /// Response time (arrival to completion) of the jobs that ended; null if none did.
    pub response_time: Option<ResponseRow>,
    /// The longest observed tardiness.
    pub max_tardiness_ns: u64,
}

/// Observed response times.
#[derive(Serialize, JsonSchema)]
pub struct ResponseRow {
    /// The shortest.
    pub min_ns: u64,
    /// Their mean.
    pub mean_ns: f64,
    /// The longest.
    pub max_ns: u64,
}

/// A job that missed its deadline.
#[derive(Serialize, JsonSchema)]
pub struct MissRow {
    /// The task's name.
    pub task: String,
    /// Number of its job.
    pub job: u64,
    /// When it arrived.
    pub arrival_ns: u64,
    /// When it should have ended.
    pub deadline_ns: u64,
    /// What happened from its arrival until its end, or for as long again after its deadline.
    pub around: Vec<EventRow>,
}

/// One event of a schedule.
#[derive(Serialize, JsonSchema)]
pub struct EventRow {
    /// The instant.
    pub at_ns: u64,
    /// Kind of the event.
    pub event: &'static str,
    /// The task.
    pub task: String,
    /// Number of the task's job.
    pub job: u64,
    /// The processor; null for an event without one.
    pub cpu: Option<u32>,
}

impl Simulated {
    /// What is printed of `ran`.
    pub(crate) fn new(file: String, ran: &SimulatedRun) -> Self {
        let figures = &ran.outcome.figures;
        Self {
            file,
            name: ran.name.clone(),
            policy: ran.policy.clone(),
            clusters: ran.clusters.clone(),
            seed: ran.seed,
            end_ns: ran.outcome.end.as_ns(),
            events: figures.events,
            jobs: figures.total(|task| task.released),
            completed: figures.total(|task| task.completed),
            misses: figures.total(|task| task.missed),
            aborted: figures.total(|task| task.aborted),
            skipped: figures.total(|task| task.skipped),
            postponements: figures.total(|task| task.postponements),
            preemptions: figures.total(|task| task.preemptions),
            migrations: figures.total(|task| task.migrations),
            first_miss_ns: figures.misses.first().map(|miss| miss.deadline.as_ns()),
            max_tardiness_ns: figures.tardiness_max().as_ns(),
            repeats: ran
                .outcome
                .repeats
                .map(|Repeats { from, period }| RepeatsRow { from_ns: from.as_ns(), period_ns: period.as_ns() }),
            proof: ran.proof(),
            tasks: figures.tasks.iter().enumerate().map(|(index, task)| row(ran, index, task)).collect(),
            missed: figures.misses.iter().zip(&ran.around).map(|(miss, events)| missed(ran, miss, events)).collect(),
            remarks: ran.remarks.clone(),
        }
    }
}

fn row(ran: &SimulatedRun, index: usize, task: &TaskFigures) -> TaskRow {
    let has_response = task.completed > 0;
    TaskRow {
        name: ran.names[index].clone(),
        cluster: ran.places[index],
        jobs: task.released,
        completed: task.completed,
        misses: task.missed,
        aborted: task.aborted,
        skipped: task.skipped,
        postponements: task.postponements,
        preemptions: task.preemptions,
        migrations: task.migrations,
        response_time: has_response.then(|| ResponseRow {
            min_ns: task.response_min.as_ns(),
            mean_ns: task.response_sum_ns as f64 / task.completed as f64,
            max_ns: task.response_max.as_ns(),
        }),
        max_tardiness_ns: task.tardiness_max.as_ns(),
    }
}

fn missed(ran: &SimulatedRun, miss: &Miss, events: &[Event]) -> MissRow {
    MissRow {
        task: ran.names[miss.task].clone(),
        job: miss.job,
        arrival_ns: miss.arrival.as_ns(),
        deadline_ns: miss.deadline.as_ns(),
        around: events.iter().map(|event| event_row(ran, event)).collect(),
    }
}

fn event_row(ran: &SimulatedRun, event: &Event) -> EventRow {
    EventRow {
        at_ns: event.at.as_ns(),
        event: event.kind.name(),
        task: ran.names[event.task.index()].clone(),
        job: event.job,
        cpu: event.kind.cpu().map(|cpu| cpu.number()),
    }
}

/// The lines for people.
pub(crate) fn text(document: &Simulated, shape: &str) -> String {
    let ns = |ns: u64| words::latency(i64::try_from(ns).unwrap_or(i64::MAX));
    let mut lines = vec![
        format!("{}: {}, {shape}", printable(&document.name), document.policy),
        format!(
            "{} simulated: {}, {}, {}, {}",
            ns(document.end_ns),
            words::counted(document.events, "event"),
            words::counted(document.jobs, "job"),
            words::counted(document.preemptions, "preemption"),
            words::counted(document.migrations, "migration"),
        ),
        match document.first_miss_ns {
            Some(first) => format!(
                "{} missed, the first deadline at {}; {}",
                words::counted(document.misses, "deadline"),
                ns(first),
                match document.aborted {
                    0 => format!("at most {} late", ns(document.max_tardiness_ns)),
                    aborted => format!("{} aborted", words::counted(aborted, "job")),
                }
            ),
            None => "No deadline was missed.".to_owned(),
        },
    ];
    lines.extend((document.postponements > 0).then(|| {
        format!("{} used up; their deadlines were postponed.", words::counted(document.postponements, "budget"))
    }));
    lines.extend(document.proof.iter().cloned());
    lines.push(String::new());
    lines.push(table(document));
    lines.extend(document.remarks.iter().map(|remark| format!("Note: {}", printable(remark))));
    lines.join("\n")
}

fn table(document: &Simulated) -> String {
    let ns = |ns: u64| words::latency(i64::try_from(ns).unwrap_or(i64::MAX));
    let width = document.tasks.iter().map(|task| task.name.chars().count()).max().unwrap_or(0).max(4);
    let head = format!(
        "{:width$}  cluster      jobs    misses  response min         mean          max  tardiness max",
        "task"
    );
    let line = |task: &TaskRow| {
        let response = task.response_time.as_ref();
        let time = |value: Option<u64>| value.map_or(words::ABSENT.to_owned(), ns);
        format!(
            "{:width$}  {:>7}  {:>8}  {:>8}  {:>12}  {:>11}  {:>11}  {:>13}",
            printable(&task.name),
            task.cluster,
            words::count(task.jobs),
            words::count(task.misses),
            time(response.map(|row| row.min_ns)),
            time(response.map(|row| row.mean_ns.round() as u64)),
            time(response.map(|row| row.max_ns)),
            ns(task.max_tardiness_ns),
        )
    };
    std::iter::once(head).chain(document.tasks.iter().map(line)).collect::<Vec<_>>().join("\n")
}
