//! What a simulated run prints: JSON for scripts, a few lines for people.

use super::run::SimulatedRun;
use prazo_core::event::Event;
use prazo_core::text::{counted, printable};
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
    /// Who ranked jobs.
    pub policy: String,
    /// Processors of each cluster.
    pub clusters: Vec<u32>,
    /// From which all draws were made.
    pub seed: u64,
    /// Up to where the schedule is known.
    pub end_ns: u64,
    /// Releases, dispatches, preemptions and completions.
    pub events: u64,
    /// Jobs that were released.
    pub jobs: u64,
    /// Jobs that ended.
    pub completed: u64,
    /// Jobs whose deadline passed before they ended.
    pub misses: u64,
    /// Jobs that were ended at their deadline.
    pub aborted: u64,
    /// Jobs that were left out after a late one; not among the jobs.
    pub skipped: u64,
    /// How often a server's budget was used up and its deadline postponed.
    pub postponements: u64,
    /// How often a job lost its processor to another.
    pub preemptions: u64,
    /// How often a job went on elsewhere than it had run before.
    pub migrations: u64,
    /// The first deadline that was missed; null if none was.
    pub first_miss_ns: Option<u64>,
    /// The longest observed tardiness.
    pub max_tardiness_ns: u64,
    /// From where on the schedule repeats; null if that was not seen.
    pub repeats: Option<RepeatsRow>,
    /// What the repetition proves; null where it proves nothing.
    pub proof: Option<String>,
    /// By task.
    pub tasks: Vec<TaskRow>,
    /// The first misses with the schedule around each.
    pub missed: Vec<MissRow>,
    /// What had to be assumed, and what a reader should know.
    pub remarks: Vec<String>,
}

/// From where on a schedule repeats.
#[derive(Serialize, JsonSchema)]
pub struct RepeatsRow {
    /// The instant whose state was found again.
    pub from_ns: u64,
    /// After this long.
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
    /// Jobs whose deadline passed before they ended.
    pub misses: u64,
    /// Jobs that were ended at their deadline.
    pub aborted: u64,
    /// Jobs that were left out after a late one; not among the jobs.
    pub skipped: u64,
    /// How often its server's budget was used up and the deadline that it ranks by postponed.
    pub postponements: u64,
    /// How often its jobs lost their processor.
    pub preemptions: u64,
    /// How often its jobs went on elsewhere.
    pub migrations: u64,
    /// Arrival to completion of the jobs that ended; null if none did.
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
    /// Which of its jobs.
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
    /// When.
    pub at_ns: u64,
    /// What.
    pub event: &'static str,
    /// Whose.
    pub task: String,
    /// Which of the task's jobs.
    pub job: u64,
    /// On which processor; null where it happens on none.
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
            counted(document.events, "event"),
            counted(document.jobs, "job"),
            counted(document.preemptions, "preemption"),
            counted(document.migrations, "migration"),
        ),
        match document.first_miss_ns {
            Some(first) => format!(
                "{} missed, the first deadline at {}; {}",
                counted(document.misses, "deadline"),
                ns(first),
                match document.aborted {
                    0 => format!("at most {} late", ns(document.max_tardiness_ns)),
                    aborted => format!("{} aborted", counted(aborted, "job")),
                }
            ),
            None => "No deadline was missed.".to_owned(),
        },
    ];
    lines
        .extend((document.postponements > 0).then(|| {
            format!("{} used up; their deadlines were postponed.", counted(document.postponements, "budget"))
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
