//! What a set that was run prints: JSON for scripts, a table for people; what was observed beside what is proven and simulated.

use super::bounds::Bounds;
use crate::sched::simulate::SimulatedRun;
use prazo_core::text::{counted, printable};
use prazo_core::verdict::Verdict;
use prazo_report::words;
use prazo_run::jobs::SetRun;
use prazo_run::run::Ending;
use prazo_run::{Caveat, Run};
use prazo_sim::TaskFigures;
use prazo_stats::jobs::{TaskJobs, jobs};
use schemars::JsonSchema;
use serde::Serialize;

/// Result of one task set that was run, as `--json` prints it. Times are nanoseconds; what was not measured is null.
#[derive(Serialize, JsonSchema)]
pub struct RunSet {
    /// File of the scenario.
    pub file: String,
    /// Name of the scenario.
    pub name: String,
    /// Run file with the observed jobs.
    pub run_file: String,
    /// Scheduling policy of the tasks' threads: SCHED_DEADLINE or SCHED_FIFO.
    pub policy: &'static str,
    /// Numbers of the processors of each cluster.
    pub clusters: Vec<Vec<u32>>,
    /// Seed of the randomly drawn releases and execution times, if any were drawn.
    pub seed: u64,
    /// End of the releases: all jobs were released before this time.
    pub length_ns: u64,
    /// Answer of the analysis for the set: proven, disproven or unknown.
    #[serde(with = "prazo_platform::as_text")]
    #[schemars(with = "String")]
    pub verdict: Verdict,
    /// True if the user stopped the run early.
    pub interrupted: bool,
    /// Number of jobs that were due.
    pub jobs: u64,
    /// Number of jobs that ended.
    pub completed: u64,
    /// Number of jobs that missed their deadline.
    pub misses: u64,
    /// Number of jobs that used up their budget; null under SCHED_FIFO, which grants none.
    pub overruns: Option<u64>,
    /// Number of times that the kernel preempted a job.
    pub preemptions: u64,
    /// Number of migrations: a job continued on another processor.
    pub migrations: u64,
    /// Number of times that a job ran outside its cluster.
    pub outside: u64,
    /// The longest observed tardiness of any job; 0 if no job was late.
    pub tardiness_ns_max: u64,
    /// Result of simulating the same set, without overheads unless a table was given.
    pub simulated: SimulatedBeside,
    /// Counts and response times of each task.
    pub tasks: Vec<TaskRow>,
    /// Threats to the validity of the run, each with what to do about it.
    pub caveats: Vec<Caveat>,
    /// Assumptions of the simulation and of the proof, and notes for the reader.
    pub remarks: Vec<String>,
}

/// Result of simulating the same jobs.
#[derive(Serialize, JsonSchema)]
pub struct SimulatedBeside {
    /// Number of jobs that missed their deadline in the simulator.
    pub misses: u64,
    /// The longest tardiness in the simulator.
    pub tardiness_ns_max: u64,
    /// Number of preemptions in the simulator.
    pub preemptions: u64,
    /// Number of migrations in the simulator.
    pub migrations: u64,
}

/// Counts and response times of one task that was run.
#[derive(Serialize, JsonSchema)]
pub struct TaskRow {
    /// Name of the task.
    pub name: String,
    /// Index of the task's cluster.
    pub cluster: u32,
    /// Number of jobs of the task that were due.
    pub jobs: u64,
    /// Number of jobs of the task that ended.
    pub completed: u64,
    /// Number of jobs of the task that missed their deadline.
    pub misses: u64,
    /// Number of jobs of the task that used up their budget; null without a budget.
    pub overruns: Option<u64>,
    /// Number of preemptions of the task's jobs.
    pub preemptions: u64,
    /// Number of migrations of the task's jobs.
    pub migrations: u64,
    /// The longest time from the release of one of the task's jobs to that job's first time stamp; null where no job
    /// began.
    pub start_ns_max: Option<u64>,
    /// The shortest observed response time of the task's jobs; null where no job ended.
    pub response_ns_min: Option<u64>,
    /// The mean observed response time of the task's jobs; null where no job ended.
    pub response_ns_mean: Option<f64>,
    /// The longest observed response time of the task's jobs; null where no job ended.
    pub response_ns_max: Option<u64>,
    /// Proven bound on the response time of the task; null unless the set is proven.
    pub bound_ns: Option<u64>,
    /// The longest response time of the task's jobs in the simulator; null where no job ended.
    pub simulated_response_ns_max: Option<u64>,
    /// The longest observed tardiness of the task's jobs.
    pub tardiness_ns_max: u64,
    /// The longest processor time of one of the task's jobs.
    pub executed_ns_max: u64,
    /// Budget of the task in each period; null under SCHED_FIFO.
    pub budget_ns: Option<u64>,
    /// Real-time priority of the task; null under SCHED_DEADLINE.
    pub priority: Option<u8>,
}

/// Where it came from and where it went.
pub(crate) struct FileNames {
    pub(crate) scenario: String,
    pub(crate) run: String,
}

impl RunSet {
    /// What is printed of a set.
    pub(crate) fn new(files: FileNames, run: &Run, set: &SetRun, ran: &SimulatedRun, bounds: &Bounds) -> Self {
        let figures = jobs(set);
        let sum = |of: fn(&TaskJobs) -> u64| figures.iter().map(of).sum();
        let simulated = &ran.outcome.figures;
        let tasks = figures
            .iter()
            .enumerate()
            .map(|(index, of)| row(set, index, of, (&simulated.tasks[index], bounds.bound_ns[index])));
        Self {
            file: files.scenario,
            name: set.plan.name.clone(),
            run_file: files.run,
            policy: set.plan.dispatch.name(),
            clusters: set.plan.clusters.clone(),
            seed: ran.seed,
            length_ns: set.plan.length_ns,
            verdict: bounds.verdict,
            interrupted: run.ending == Ending::Interrupted,
            jobs: sum(|of| of.jobs),
            completed: sum(|of| of.completed),
            misses: sum(|of| of.misses),
            overruns: figures.iter().map(|of| of.overruns).sum(),
            preemptions: sum(|of| of.preemptions),
            migrations: sum(|of| of.migrations),
            outside: sum(|of| of.outside),
            tardiness_ns_max: figures.iter().map(|of| of.tardiness_ns_max).max().unwrap_or(0),
            simulated: SimulatedBeside {
                misses: simulated.total(|task| task.missed),
                tardiness_ns_max: simulated.tardiness_max().as_ns(),
                preemptions: simulated.total(|task| task.preemptions),
                migrations: simulated.total(|task| task.migrations),
            },
            tasks: tasks.collect(),
            caveats: run.caveats.clone(),
            remarks: ran.remarks.iter().chain(&bounds.remarks).cloned().collect(),
        }
    }
}

fn row(set: &SetRun, index: usize, of: &TaskJobs, beside: (&TaskFigures, Option<u64>)) -> TaskRow {
    let (plan, (simulated, bound_ns)) = (&set.plan.tasks[index], beside);
    TaskRow {
        name: plan.name.clone(),
        cluster: plan.cluster,
        jobs: of.jobs,
        completed: of.completed,
        misses: of.misses,
        overruns: of.overruns,
        preemptions: of.preemptions,
        migrations: of.migrations,
        start_ns_max: of.start_ns_max,
        response_ns_min: of.response_ns_min,
        response_ns_mean: of.response_ns_mean,
        response_ns_max: of.response_ns_max,
        bound_ns,
        simulated_response_ns_max: (simulated.completed > 0).then_some(simulated.response_max.as_ns()),
        tardiness_ns_max: of.tardiness_ns_max,
        executed_ns_max: of.executed_ns_max,
        budget_ns: plan.reservation.map(|reservation| reservation.budget_ns),
        priority: plan.priority,
    }
}

impl RunSet {
    /// The lines for people; `shape` says in words who shares a queue.
    pub fn text(&self, shape: &str) -> String {
        text(self, shape)
    }
}

fn text(document: &RunSet, shape: &str) -> String {
    let mut lines = vec![
        format!("{}: {}, {shape}; analysis: {}", printable(&document.name), document.policy, document.verdict),
        format!(
            "{} run: {}, {}, {}, {}",
            words::time(document.length_ns),
            counted(document.jobs, "job"),
            counted(document.preemptions, "preemption"),
            counted(document.migrations, "migration"),
            document.overruns.map_or("no budgets".to_owned(), |count| counted(count, "budget overrun").to_string()),
        ),
        missed(document),
        String::new(),
        table(document),
    ];
    lines.extend(
        document
            .caveats
            .iter()
            .map(|caveat| printable(&format!("! {}: {}; {}", caveat.id, caveat.what, caveat.remedy)).to_string()),
    );
    lines.extend(document.remarks.iter().map(|remark| format!("Note: {}", printable(remark))));
    lines.push(format!("run file: {}", printable(&document.run_file)));
    lines.join("\n")
}

fn missed(document: &RunSet) -> String {
    let until = if document.interrupted { " until the run was interrupted" } else { "" };
    let observed = match document.misses {
        0 => format!("No deadline was missed{until}"),
        misses => {
            format!(
                "{} missed{until}, at most {} late",
                counted(misses, "deadline"),
                words::time(document.tardiness_ns_max)
            )
        }
    };
    format!("{observed}; {} missed in the simulator.", words::count(document.simulated.misses))
}

fn table(document: &RunSet) -> String {
    let width = document.tasks.iter().map(|task| task.name.chars().count()).max().unwrap_or(0).max(4);
    let head = format!(
        "{:width$}  cluster      jobs    misses  overruns  response max      proven   simulated  tardiness max",
        "task"
    );
    let line = |task: &TaskRow| {
        let time = |value: Option<u64>| value.map_or(words::ABSENT.to_owned(), words::time);
        format!(
            "{:width$}  {:>7}  {:>8}  {:>8}  {:>8}  {:>12}  {:>10}  {:>10}  {:>13}",
            printable(&task.name),
            task.cluster,
            words::count(task.jobs),
            words::count(task.misses),
            task.overruns.map_or(words::ABSENT.to_owned(), words::count),
            time(task.response_ns_max),
            time(task.bound_ns),
            time(task.simulated_response_ns_max),
            words::time(task.tardiness_ns_max),
        )
    };
    std::iter::once(head).chain(document.tasks.iter().map(line)).collect::<Vec<_>>().join("\n")
}
