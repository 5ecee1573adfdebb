//! What scripts read: one object for each task set, the same for a file and for a line of a batch.

use super::dossier::Region;
use prazo_analysis::partition::split::{Piece, SplitPacking};
use prazo_analysis::partition::{Packed, PlacedBy, Strategy};
use prazo_analysis::question::{Answer, Edge, JobRanking, Lateness, LockBound, ModeResponses, Question, Shape};
use prazo_analysis::sensitivity::region::Axis;
use prazo_analysis::sensitivity::search::Boundary;
use prazo_analysis::{
    ExecutedJob, Finding, LateExecution, LatePattern, MissedJob, Quantity, Reason, Task, Ticks, TimeModel, Verdict,
};
use prazo_core::behaviour::CriticalityMode;
use prazo_core::overheads::OverheadField;
use schemars::JsonSchema;
use serde::Serialize;

/// Answer of the analysis for one task set.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answered {
    /// Identifier of the task set: the id of the record in a batch, or the file.
    pub id: serde_json::Value,
    /// Verdict on the task set under `policy` and `shape`.
    pub verdict: RecordVerdict,
    /// Arrivals that a proof holds for: `continuous` (at any instant) or `discrete` (at whole ticks only).
    pub time: &'static str,
    /// Scheduling policy: `edf` (earliest deadline first) or `fp` (fixed priorities).
    pub policy: &'static str,
    /// How processors share ready queues: `global`, `clustered` or `partitioned`.
    pub shape: &'static str,
    /// Number of processors that each ready queue serves.
    pub clusters: Vec<u32>,
    /// Name of the test or packing heuristic that decided the verdict; null if none did.
    pub decided_by: Option<&'static str>,
    /// Result of each test that was run, in the order in which the tests ran.
    pub tests: Vec<TestRow>,
    /// Result of each packing heuristic that was tried: tasks onto the clusters or, for a global shape, onto single
    /// processors.
    pub partition: Vec<PartitionRow>,
    /// Result of splitting tasks over processors (`--split`); null if it was not requested, or if a packing is proven. If it is not null, the verdict is about split tasks.
    pub split: Option<SplitRow>,
    /// For a global shape with overheads: cost, period and deadline of each task with overheads charged, in ticks.
    /// Under fixed priorities, interrupt pseudo-tasks come first, and each entry ends with the release jitter. Null
    /// without overheads, or where overheads leave no processor time.
    pub inflated: Option<Vec<Vec<Ticks>>>,
    /// Response-time bounds under fixed priorities on one processor, in ticks, in the order of `inflated` if it is not
    /// null, else of `priorities`. A bound is null where it exceeds the deadline. With two criticalities, the bound of a task of high
    /// criticality holds in both modes, that of a task of low criticality in low mode.
    pub response: Option<Vec<Option<Ticks>>>,
    /// Response-time bounds of each mode, if the task set has two criticalities and fixed priorities, in the order of `priorities`; else
    /// null.
    pub response_by_mode: Option<Vec<ModeResponseRow>>,
    /// Indices of the tasks under fixed priorities, most urgent first; else null.
    pub priorities: Option<Vec<usize>>,
    /// Factor x of the virtual deadlines, as a fraction: in low mode, jobs of high criticality are ranked by their arrival plus x times
    /// their relative deadline. Null where EDF-VD did not prove the task set.
    pub virtual_deadlines: Option<String>,
    /// For each task, how long its jobs wait for resources under a protocol for several processors; null without such a protocol,
    /// and where not all tasks are placed or have a bound.
    pub locks: Option<Vec<LockRow>>,
    /// Bounds on the tardiness of jobs under EDF; null under fixed priorities, and where a task activates another.
    pub tardiness: Option<TardinessRow>,
    /// Names of threats to the verdict.
    pub caveats: Vec<&'static str>,
    /// Number of terms that the analysis evaluated, the unit of `--budget`.
    pub work: u64,
    /// Why the record could not be read or analysed; null if it could.
    pub error: Option<String>,
}

/// Verdict on the task set of one record or file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecordVerdict {
    /// Every job of every legal arrival sequence meets its deadline.
    Proven,
    /// For some legal arrival sequence a job misses its deadline.
    Disproven,
    /// No test decides whether every job meets its deadline.
    Unknown,
    /// The record could not be read or analysed; `error` says why.
    Error,
}

impl From<Verdict> for RecordVerdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Proven => Self::Proven,
            Verdict::Disproven => Self::Disproven,
            Verdict::Unknown => Self::Unknown,
        }
    }
}

/// Bounds on the time that one job of a task waits for shared resources, in ticks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LockRow {
    /// Wait for requests of tasks on other processors.
    pub remote: Ticks,
    /// Wait for requests of tasks on the task's own processor.
    pub local: Ticks,
    /// Proven bound on the response time under fixed priorities; null where there is none.
    pub response: Option<Ticks>,
}

impl LockRow {
    fn new(bound: &LockBound) -> Self {
        Self { remote: bound.remote, local: bound.local, response: bound.response }
    }
}

/// Bounds on the response time of one task in low mode and in high mode, in ticks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModeResponseRow {
    /// Index of the task.
    pub task: usize,
    /// Bound in low mode. Null where it exceeds the deadline, and for all tasks less urgent than one whose bound exceeds its deadline.
    pub low: Option<Ticks>,
    /// For a task of high criticality, bound in both modes and whenever the mode changes. Null as `low` is, and for a task of low
    /// criticality.
    pub high: Option<Ticks>,
}

/// Result of one schedulability test.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TestRow {
    /// Name of the test, such as `GFB` or `response time with locks`.
    pub name: &'static str,
    /// Verdict of the test alone: `proven`, `disproven` or `unknown`.
    pub verdict: &'static str,
    /// Index of the task where the margin is smallest or the test failed; null where the test names no task.
    pub task: Option<usize>,
    /// Demand in a window of length `window`, or the left side of the test's condition.
    pub demand: Option<f64>,
    /// Capacity in a window of length `window`, or the right side of the test's condition.
    pub capacity: Option<f64>,
    /// What `demand` and `capacity` are: `utilization`, `density`, `work` or `response-time`; the last two are in
    /// ticks.
    pub quantity: Option<&'static str>,
    /// Length in ticks of the window in which `work` is compared, or of the interval in which the demand exceeds the capacity of the
    /// processors.
    pub window: Option<Ticks>,
    /// Reason for the test's verdict: `holds`, `does-not-hold`, `not-applicable`, `budget-spent`, `overloaded`,
    /// `overdemand`, `missed`, `late`.
    pub reason: &'static str,
    /// With two criticalities, the mode in which the test's condition does not hold or a job misses its deadline: `low` or `high`; else
    /// null.
    pub mode: Option<&'static str>,
    /// The job that misses its deadline when all tasks arrive together and then as often as allowed; null if none was found. If `mode` is
    /// `high`, only the tasks of high criticality arrive, and each job runs for its `cost_high`.
    pub missed: Option<MissedRow>,
    /// Arrivals that make a job miss its deadline, if they follow a pattern other than that of `missed`; else null.
    pub pattern: Option<PatternRow>,
    /// Releases and execution times that make a job of a synchronized set miss its deadline; null if none were found.
    pub execution: Option<ExecutionRow>,
}

/// A job that misses its deadline. In `missed`, all tasks arrive at 0 and then as often as allowed. With release jitter, all
/// first jobs are released together, as late as allowed, and instants count from the first arrival of the job's own task. In `late`, the tasks arrive as the pattern or the execution states.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MissedRow {
    /// Index of the job's task.
    pub task: usize,
    /// Number of the job among those of its task, from 0.
    pub job: u64,
    /// Arrival of the job in ticks; in `late`, in parts of a tick.
    pub arrival: Ticks,
    /// Absolute deadline of the job in ticks; in `late`, in parts of a tick.
    pub deadline: Ticks,
}

/// A legal pattern of arrivals in which a job misses its deadline.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PatternRow {
    /// Number of parts that a tick is divided into; all instants of the pattern are in these parts.
    pub parts: u64,
    /// Arrivals of the pattern, ordered by time.
    pub arrivals: Vec<ArrivalRow>,
    /// The job that misses its deadline, its instants in parts of a tick.
    pub late: MissedRow,
}

/// An execution of a synchronized set in which a job misses its deadline.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExecutionRow {
    /// Number of parts that a tick is divided into; all times of the execution are in these parts.
    pub parts: u64,
    /// Jobs that arrive by the deadline of the late job, ordered by arrival.
    pub jobs: Vec<ExecutedJobRow>,
    /// The job that misses its deadline, its instants in parts of a tick.
    pub late: MissedRow,
}

/// One job of an execution.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExecutedJobRow {
    /// Index of the job's task.
    pub task: usize,
    /// Arrival of the job, in parts of a tick.
    pub arrival: Ticks,
    /// Release of the job, in parts of a tick. It follows the arrival by at most the jitter of the task.
    pub release: Ticks,
    /// Execution time of the job, in parts of a tick.
    pub cost: Ticks,
}

/// One arrival in a pattern of arrivals.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ArrivalRow {
    /// Index of the task whose job arrives.
    pub task: usize,
    /// Instant at which the job arrives, in parts of a tick.
    pub at: Ticks,
}

/// Result of one packing heuristic, which assigns tasks to bins: single processors or clusters.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PartitionRow {
    /// Name of the heuristic: `first-fit`, `worst-fit`, `best-fit`, `next-fit`, `search`, or `author` where the task set itself
    /// states where its tasks run.
    pub name: &'static str,
    /// Order in which the heuristic placed the tasks; null for `search` and `author`.
    pub order: Option<&'static str>,
    /// True if every task is placed and every bin is proven schedulable.
    pub ok: bool,
    /// True if the packing used up its budget, so that some tasks were not tried in every bin.
    pub budget_spent: bool,
    /// Index of each task's bin; -1 where the task fitted into no bin.
    pub assignment: Vec<i64>,
    /// Number of bins needed if bins of one processor are opened on demand. Null for `search`, `author`, clusters, a supply, or locks across processors; also if a task fits into no empty bin or the packing's budget is too small.
    pub bins: Option<u32>,
    /// Number of processors of each bin.
    pub sizes: Vec<u32>,
    /// Result of the deciding test of each bin; null for an empty bin.
    pub tests: Vec<Option<TestRow>>,
}

/// Result of splitting tasks over processors with a ready queue each, by C=D splitting.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SplitRow {
    /// True if every task is placed, split or whole, and every processor is proven schedulable.
    pub ok: bool,
    /// Order in which tasks were placed.
    pub order: &'static str,
    /// True if the budget was used up before all attempts were made.
    pub budget_spent: bool,
    /// Index of each task's processor; -1 where the task is split. Empty unless `ok`.
    pub assignment: Vec<i64>,
    /// Pieces of the split tasks, by task and then by offset. Empty unless `ok`.
    pub pieces: Vec<PieceRow>,
    /// Result of the exact test of each processor's tasks and pieces; null for an empty processor. Empty unless `ok`.
    pub tests: Vec<Option<TestRow>>,
}

/// One piece of a split task; times are in ticks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PieceRow {
    /// Index of the task.
    pub task: usize,
    /// Index of the processor that runs the piece.
    pub processor: u32,
    /// Processor time of the piece; after this time the job moves to the next piece.
    pub cost: Ticks,
    /// Deadline of the piece, counted from its own release.
    pub deadline: Ticks,
    /// Time from the release of the job to the release of the piece.
    pub offset: Ticks,
}

/// Bounds on the tardiness of jobs under EDF, in ticks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TardinessRow {
    /// True if a bound on every task's tardiness was found.
    pub bounded: bool,
    /// The x of Devi and Anderson 2005: the tardiness of a task is at most x plus its cost; null where there is no such
    /// bound.
    pub devi_anderson: Option<Ticks>,
    /// The x that Devi and Anderson 2005 publish without preemption, for comparison only: without preemption, x plus the cost
    /// is not a bound.
    pub devi_anderson_nonpreemptive: Option<Ticks>,
    /// Bound on the response time of each task under EDF, by compliant vectors; null where there is none.
    pub gedf_response: Option<Vec<Ticks>>,
    /// Bound on the response time of each task under global fair lateness, by compliant vectors; null where there is
    /// none.
    pub gfl_response: Option<Vec<Ticks>>,
    /// Bound on the tardiness of each task under EDF, the smallest of the bounds found; null where there is none.
    pub bounds: Option<Vec<Ticks>>,
    /// Why no bound on tardiness was found; null where there is one.
    pub reason: Option<String>,
}

/// How much costs and overheads may grow, and how few processors suffice, with all deadlines still proven.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SensitivityRow {
    /// Largest factor on the costs of all tasks with which all deadlines are still proven; null if there is no such factor.
    pub cost_factor: Option<f64>,
    /// For each task, the largest factor on the cost of this task alone with which all deadlines are still proven.
    pub task_factors: Vec<Option<f64>>,
    /// For each kind of overhead, the largest factor on this kind alone with which all deadlines are still proven.
    pub overhead_factors: std::collections::BTreeMap<&'static str, Option<f64>>,
    /// Smallest number of processors with which all deadlines are proven; null where none was found or sought. It is not sought for clusters of several processors, tasks tied to processors, a supply, or locks across processors.
    pub processors: Option<u32>,
    /// Index of the critical task: the task whose cost can grow by the fewest ticks before a deadline is no longer proven. Where not all deadlines are proven: the task whose cost must shrink by the fewest ticks until they are; null if there is none.
    pub critical_task: Option<usize>,
    /// False if a larger factor than a reported one was also proven, if a smaller factor was not proven, or if a larger number of processors was not proven. In these cases, not all of the tests are sustainable.
    pub monotone: bool,
    /// Number of times that the tests were run to find these limits.
    pub questions: u64,
}

/// Verdicts over a grid of two parameters of the set. At each point, tests have smaller budgets than for the set itself, so that a point may
/// be unknown where the set itself would be decided.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RegionRow {
    /// Parameter of the columns.
    pub x: RegionAxisRow,
    /// Parameter of the rows.
    pub y: RegionAxisRow,
    /// For each value of `y`, the verdict for each value of `x`.
    pub verdicts: Vec<Vec<&'static str>>,
}

/// A parameter with the values that were tested.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RegionAxisRow {
    /// Index of the task.
    pub task: usize,
    /// Name of the task.
    pub name: String,
    /// Parameter of the task: `cost`, `period`, `deadline` or `jitter`. A deadline equal to the period changes with the period.
    pub field: &'static str,
    /// Tested values, ascending, in ticks.
    pub values: Vec<u64>,
}

impl RegionRow {
    /// The row of a grid, with the names of the tasks.
    pub fn new(region: &Region, names: &[String]) -> Self {
        let axis = |axis: &Axis| RegionAxisRow {
            task: axis.task,
            name: names.get(axis.task).cloned().unwrap_or_default(),
            field: axis.field.name(),
            values: axis.values.clone(),
        };
        let names_of = |row: &Vec<Verdict>| row.iter().map(|verdict| verdict.name()).collect();
        Self { x: axis(&region.x), y: axis(&region.y), verdicts: region.verdicts.iter().map(names_of).collect() }
    }
}

impl Answered {
    /// The document of one answer; `partition` are the heuristics to show.
    pub fn new(id: serde_json::Value, question: &Question<'_>, answer: &Answer, partition: Vec<PartitionRow>) -> Self {
        Self {
            id,
            verdict: answer.verdict.into(),
            time: question.time.name(),
            policy: policy_name(question.policy),
            shape: shape_name(question.shape),
            clusters: sizes(question.shape),
            decided_by: decided_by(answer),
            tests: answer.findings.iter().map(TestRow::new).collect(),
            partition,
            split: answer.split.as_ref().map(|split| SplitRow::new(split, question.tasks.len())),
            inflated: answer.charged.as_ref().map(|charged| inflated(question.policy, &charged.tasks)),
            response: answer.responses.clone(),
            response_by_mode: response_by_mode(answer),
            priorities: answer.priorities.clone(),
            virtual_deadlines: answer.virtual_deadlines.map(|factor| factor.to_string()),
            locks: answer.locks.as_ref().map(|locks| locks.iter().map(LockRow::new).collect()),
            tardiness: None,
            caveats: answer.caveats.iter().map(|caveat| caveat.id()).collect(),
            work: answer.work,
            error: None,
        }
    }

    /// The document of a record that could not be read or analysed, with the reason.
    pub fn refused(id: serde_json::Value, error: String) -> Self {
        Self {
            id,
            verdict: RecordVerdict::Error,
            time: TimeModel::default().name(),
            policy: "edf",
            shape: "global",
            clusters: Vec::new(),
            decided_by: None,
            tests: Vec::new(),
            partition: Vec::new(),
            split: None,
            inflated: None,
            response: None,
            response_by_mode: None,
            priorities: None,
            virtual_deadlines: None,
            locks: None,
            tardiness: None,
            caveats: Vec::new(),
            work: 0,
            error: Some(error),
        }
    }
}

impl TestRow {
    /// The row of one finding.
    pub fn new(finding: &Finding) -> Self {
        let quantity = finding.margin.map(|margin| margin.of);
        Self {
            name: finding.test,
            verdict: finding.verdict.name(),
            task: finding.task,
            demand: finding.margin.map(|margin| margin.demand),
            capacity: finding.margin.map(|margin| margin.capacity),
            quantity: quantity.map(quantity_name),
            window: window(quantity, &finding.reason),
            reason: reason_name(&finding.reason),
            mode: finding.mode.map(CriticalityMode::name),
            missed: missed(&finding.reason),
            pattern: pattern(&finding.reason),
            execution: execution(&finding.reason),
        }
    }
}

impl PartitionRow {
    /// The row of one heuristic's packing.
    pub fn new(packed: &Packed, bins: Option<u32>) -> Self {
        Self {
            name: packed.placed_by.name(),
            order: order_of(packed.placed_by),
            ok: packed.proven,
            budget_spent: packed.budget_spent,
            assignment: packed.assignment.iter().map(|bin| bin.map_or(-1, i64::from)).collect(),
            bins,
            sizes: packed.bins.iter().map(|bin| bin.processors).collect(),
            tests: packed.bins.iter().map(|bin| bin.finding.as_ref().map(TestRow::new)).collect(),
        }
    }
}

impl SplitRow {
    fn new(split: &SplitPacking, tasks: usize) -> Self {
        let piece = |piece: &Piece| {
            let Piece { task, processor, cost, deadline, offset } = *piece;
            PieceRow { task, processor, cost, deadline, offset }
        };
        let assignment = if split.proven { split.assignment(tasks) } else { Vec::new() };
        Self {
            ok: split.proven,
            order: split.order.name(),
            budget_spent: split.budget_spent,
            assignment: assignment.into_iter().map(|bin| bin.map_or(-1, i64::from)).collect(),
            pieces: split.pieces.iter().map(piece).collect(),
            tests: split.bins.iter().map(|bin| bin.finding.as_ref().map(TestRow::new)).collect(),
        }
    }
}

impl From<&Lateness> for TardinessRow {
    fn from(tardiness: &Lateness) -> Self {
        Self {
            bounded: tardiness.bounds.is_some(),
            devi_anderson: tardiness.devi_anderson,
            devi_anderson_nonpreemptive: tardiness.devi_anderson_nonpreemptive,
            gedf_response: tardiness.response_edf.clone(),
            gfl_response: tardiness.response_fair.clone(),
            bounds: tardiness.bounds.clone(),
            reason: tardiness.reason.map(|reason| reason.to_string()),
        }
    }
}

impl SensitivityRow {
    /// What `edge` found for `tasks`.
    pub fn new(edge: &Edge, tasks: &[Task]) -> Self {
        let factor = |thousandths: u64| thousandths as f64 / 1_000.0;
        let of_cost = |(boundary, task): (&Boundary, &Task)| Some(boundary.proven? as f64 / task.cost as f64);
        let overhead = |(kind, boundary): &(OverheadField, Boundary)| (kind.name(), boundary.proven.map(factor));
        Self {
            cost_factor: edge.costs.and_then(|boundary| boundary.proven).map(factor),
            task_factors: edge.tasks.iter().zip(tasks).map(of_cost).collect(),
            overhead_factors: edge.overheads.iter().map(overhead).collect(),
            processors: edge.processors.and_then(|found| found.fewest),
            critical_task: edge.critical.map(|critical| critical.task),
            monotone: edge.is_monotone(),
            questions: edge.questions(),
        }
    }
}

fn response_by_mode(answer: &Answer) -> Option<Vec<ModeResponseRow>> {
    let (bounds, order) = (answer.responses_by_mode.as_ref()?, answer.priorities.as_ref()?);
    let row =
        |(task, bound): (&usize, &ModeResponses)| ModeResponseRow { task: *task, low: bound.low, high: bound.high };
    Some(order.iter().zip(bounds).map(row).collect())
}

fn inflated(policy: JobRanking<'_>, tasks: &[Task]) -> Vec<Vec<Ticks>> {
    let row = |task: &Task| match policy {
        JobRanking::Edf => vec![task.cost, task.period, task.deadline],
        JobRanking::FixedPriority(_) => vec![task.cost, task.period, task.deadline, task.jitter],
    };
    tasks.iter().map(row).collect()
}

/// Processors of each ready queue.
pub fn sizes(shape: Shape<'_>) -> Vec<u32> {
    match shape {
        Shape::Global { processors } => vec![processors],
        Shape::Clusters(sizes) => sizes.to_vec(),
    }
}

/// `edf`, `fp`.
pub const fn policy_name(policy: JobRanking<'_>) -> &'static str {
    match policy {
        JobRanking::Edf => "edf",
        JobRanking::FixedPriority(_) => "fp",
    }
}

/// `global`, `partitioned`, `clustered`.
pub fn shape_name(shape: Shape<'_>) -> &'static str {
    match shape {
        Shape::Global { .. } => "global",
        Shape::Clusters(sizes) if sizes.iter().all(|size| *size == 1) => "partitioned",
        Shape::Clusters(_) => "clustered",
    }
}

/// The name of what decided: a test, or the heuristic whose packing is proven.
pub fn decided_by(answer: &Answer) -> Option<&'static str> {
    let packing = answer.packings.iter().find(|packed| packed.proven).map(|packed| packed.placed_by.name());
    let split = answer.proven_split().map(|_| "split");
    packing.or(split).or(answer.decided_by.as_ref().map(|finding| finding.test))
}

/// In which order a heuristic took the tasks.
pub const fn order_of(placed_by: PlacedBy) -> Option<&'static str> {
    match placed_by {
        PlacedBy::Heuristic(Strategy { order, .. }) => Some(order.name()),
        _ => None,
    }
}

const fn quantity_name(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Utilization => "utilization",
        Quantity::Density => "density",
        Quantity::Work { .. } => "work",
        Quantity::ResponseTime => "response-time",
    }
}

const fn reason_name(reason: &Reason) -> &'static str {
    match reason {
        Reason::Holds => "holds",
        Reason::DoesNotHold => "does-not-hold",
        Reason::NotApplicable(_) => "not-applicable",
        Reason::BudgetSpent => "budget-spent",
        Reason::Overloaded(_) => "overloaded",
        Reason::Overdemand { .. } => "overdemand",
        Reason::Missed(_) | Reason::MissedIn(_) | Reason::MissedBy(_) => "missed",
        Reason::Late(_) => "late",
    }
}

fn window(quantity: Option<Quantity>, reason: &Reason) -> Option<Ticks> {
    match (quantity, reason) {
        (Some(Quantity::Work { window }), _) => Some(window),
        (_, Reason::Overdemand { window }) => *window,
        _ => None,
    }
}

fn missed(reason: &Reason) -> Option<MissedRow> {
    let Reason::Missed(MissedJob { task, job, arrival, deadline }) = *reason else { return None };
    Some(MissedRow { task, job, arrival, deadline })
}

fn execution(reason: &Reason) -> Option<ExecutionRow> {
    let Reason::MissedBy(execution) = reason else { return None };
    let LateExecution { parts, jobs, late } = &**execution;
    let MissedJob { task, job, arrival, deadline } = *late;
    let row =
        |&ExecutedJob { task, arrival, release, cost }: &ExecutedJob| ExecutedJobRow { task, arrival, release, cost };
    Some(ExecutionRow {
        parts: *parts,
        jobs: jobs.iter().map(row).collect(),
        late: MissedRow { task, job, arrival, deadline },
    })
}

fn pattern(reason: &Reason) -> Option<PatternRow> {
    let Reason::MissedIn(pattern) = reason else { return None };
    let LatePattern { parts, arrivals, job } = &**pattern;
    let MissedJob { task, job, arrival, deadline } = *job;
    let arrivals = arrivals.iter().map(|arrival| ArrivalRow { task: arrival.task, at: arrival.at }).collect();
    Some(PatternRow { parts: *parts, arrivals, late: MissedRow { task, job, arrival, deadline } })
}
