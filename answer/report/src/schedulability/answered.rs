//! What scripts read: one object for each task set, the same for a file and for a line of a batch.

use prazo_analysis::partition::{Packed, PlacedBy, Strategy};
use prazo_analysis::question::{Answer, Edge, Lateness, Policy, Question, Shape};
use prazo_analysis::sensitivity::largest_overhead::OverheadField;
use prazo_analysis::sensitivity::search::Boundary;
use prazo_analysis::{Finding, LatePattern, MissedJob, Quantity, Reason, Task, Ticks, TimeModel, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

/// The answer about one task set.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answered {
    /// Identifier of the input: a batch record's own, or the file.
    pub id: serde_json::Value,
    /// The verdict for the policy and shape below.
    pub verdict: RecordVerdict,
    /// The arrivals that a proof holds for: `continuous` (at any instant) or `discrete` (at whole ticks only).
    pub time: &'static str,
    /// `edf` or `fp`.
    pub policy: &'static str,
    /// `global`, `clustered` or `partitioned`.
    pub shape: &'static str,
    /// Processors of each ready queue.
    pub clusters: Vec<u32>,
    /// Name of the test or heuristic that decided; null if none did.
    pub decided_by: Option<&'static str>,
    /// Each test that was run, cheapest first.
    pub tests: Vec<TestRow>,
    /// Each packing heuristic that was tried, onto the clusters or, for a global shape, onto single processors.
    pub partition: Vec<PartitionRow>,
    /// With overheads and a global shape: C', T', D' of each task (fixed priorities: C, T, D, J, interrupt pseudo-tasks
    /// first); null without overheads, or where they leave no processor time.
    pub inflated: Option<Vec<Vec<Ticks>>>,
    /// Fixed priorities on one processor: response-time bounds in the order of `inflated` or of the priorities, null where
    /// the bound passes the deadline.
    pub response: Option<Vec<Option<Ticks>>>,
    /// Indices of the tasks, most urgent first, under fixed priorities; else null.
    pub priorities: Option<Vec<usize>>,
    /// How late jobs can be under EDF; null under fixed priorities.
    pub tardiness: Option<TardinessRow>,
    /// Names of threats to the verdict.
    pub caveats: Vec<&'static str>,
    /// Evaluated terms, the unit of `--budget`.
    pub work: u64,
    /// Why a record could not be analysed; null if it could.
    pub error: Option<String>,
}

/// The answer about one record or file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecordVerdict {
    /// Every job of every legal arrival sequence meets its deadline.
    Proven,
    /// For some legal arrival sequence a job misses its deadline.
    Disproven,
    /// No test decides it.
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

/// One test.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TestRow {
    /// Its name in the literature.
    pub name: &'static str,
    /// `proven`, `disproven` or `unknown`.
    pub verdict: &'static str,
    /// Index of the task where the margin is smallest or the test failed.
    pub task: Option<usize>,
    /// Demand in a window of length `window`, or the left side of the test's condition.
    pub demand: Option<f64>,
    /// Capacity in a window of length `window`, or the right side of the test's condition.
    pub capacity: Option<f64>,
    /// Kind of the two numbers: `utilization`, `density`, `work`, `response-time`.
    pub quantity: Option<&'static str>,
    /// Length of the window for `work`, or of the overloaded interval, in ticks.
    pub window: Option<Ticks>,
    /// `holds`, `does-not-hold`, `not-applicable`, `budget-spent`, `overloaded`, `overdemand`, `missed`, `late`.
    pub reason: &'static str,
    /// The job that misses when all tasks arrive together and then as often as they may; null if none was found.
    pub missed: Option<MissedRow>,
    /// The arrivals that make a job late, if they follow another pattern than that of `missed`; else null.
    pub pattern: Option<PatternRow>,
}

/// A job that misses its deadline when all tasks arrive at 0 and then as often as they may; with release jitter, instants
/// count from the first arrival of the job's own task, and all first jobs are released at once, as late as they may.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MissedRow {
    /// Index of its task.
    pub task: usize,
    /// Number of the task's job, from 0.
    pub job: u64,
    /// Its arrival in ticks.
    pub arrival: Ticks,
    /// Its absolute deadline in ticks.
    pub deadline: Ticks,
}

/// A legal pattern of arrivals in which a job is late.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PatternRow {
    /// Number of parts that a tick is divided into. All instants of the pattern are in these parts.
    pub parts: u64,
    /// The arrivals in the order of time.
    pub arrivals: Vec<ArrivalRow>,
    /// The late job, its instants in parts of a tick.
    pub late: MissedRow,
}

/// One arrival of a pattern.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ArrivalRow {
    /// Index of the task.
    pub task: usize,
    /// When its job arrives, in parts of a tick.
    pub at: Ticks,
}

/// One packing heuristic.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PartitionRow {
    /// `first-fit`, `worst-fit`, `best-fit`, `next-fit`, `search`, or `author` where the set itself says where tasks run.
    pub name: &'static str,
    /// The order in which tasks were placed; null where no heuristic placed them.
    pub order: Option<&'static str>,
    /// True if every task is placed and every bin proven.
    pub ok: bool,
    /// True if packing used up its budget, so that some tasks were not tried in every bin.
    pub budget_spent: bool,
    /// Bin of each task; -1 where no bin took it.
    pub assignment: Vec<i64>,
    /// Number of bins needed if bins of one processor are opened on demand; null for clusters, where some task fits
    /// into no empty bin, and where finding out exceeds the packing's budget.
    pub bins: Option<u32>,
    /// Processors of each bin.
    pub sizes: Vec<u32>,
    /// The deciding test of each bin; null for an empty one.
    pub tests: Vec<Option<TestRow>>,
}

/// Bounds on tardiness.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TardinessRow {
    /// True if every task's tardiness is bounded.
    pub bounded: bool,
    /// x of Devi and Anderson: tardiness of a task is at most x + C.
    pub devi_anderson: Option<Ticks>,
    /// The published x without preemption, for comparison only: there x + C is no bound.
    pub devi_anderson_nonpreemptive: Option<Ticks>,
    /// Response-time bounds of global EDF by compliant vectors.
    pub gedf_response: Option<Vec<Ticks>>,
    /// Response-time bounds of global fair lateness.
    pub gfl_response: Option<Vec<Ticks>>,
    /// The smaller bound on each task's tardiness under EDF.
    pub bounds: Option<Vec<Ticks>>,
    /// Why there is no bound.
    pub reason: Option<String>,
}

/// What to change, or how much may change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SensitivityRow {
    /// Largest factor on all costs that is still proven.
    pub cost_factor: Option<f64>,
    /// Largest factor by which the cost of one task alone may grow, by task.
    pub task_factors: Vec<Option<f64>>,
    /// Largest factor by which one kind of overhead alone may grow, by kind.
    pub overhead_factors: std::collections::BTreeMap<&'static str, Option<f64>>,
    /// Smallest number of processors that is proven to suffice.
    pub processors: Option<u32>,
    /// Index of the critical task, whose cost may grow least or must shrink least.
    pub critical_task: Option<usize>,
    /// False if a larger number was also proven, or a smaller one was not: not all of these tests are sustainable.
    pub monotone: bool,
    /// Number of tests that were run.
    pub questions: u64,
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
            inflated: answer.charged.as_ref().map(|charged| inflated(question.policy, &charged.tasks)),
            response: answer.responses.clone(),
            priorities: answer.priorities.clone(),
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
            inflated: None,
            response: None,
            priorities: None,
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
            missed: missed(&finding.reason),
            pattern: pattern(&finding.reason),
        }
    }
}

impl PartitionRow {
    /// The row of one heuristic's packing.
    pub fn new(packed: &Packed, bins: Option<u32>) -> Self {
        Self {
            name: placed_by_name(packed.placed_by),
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
        let boundaries =
            edge.costs.iter().chain(&edge.tasks).chain(edge.overheads.iter().map(|(_, boundary)| boundary));
        Self {
            cost_factor: edge.costs.and_then(|boundary| boundary.proven).map(factor),
            task_factors: edge.tasks.iter().zip(tasks).map(of_cost).collect(),
            overhead_factors: edge.overheads.iter().map(overhead).collect(),
            processors: edge.processors.and_then(|found| found.fewest),
            critical_task: edge.critical.map(|critical| critical.task),
            monotone: boundaries.into_iter().all(|boundary| boundary.contradicted_by.is_none())
                && edge.processors.is_none_or(|found| found.contradicted_by.is_none()),
            questions: edge.questions(),
        }
    }
}

fn inflated(policy: Policy<'_>, tasks: &[Task]) -> Vec<Vec<Ticks>> {
    let row = |task: &Task| match policy {
        Policy::Edf => vec![task.cost, task.period, task.deadline],
        Policy::FixedPriority(_) => vec![task.cost, task.period, task.deadline, task.jitter],
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
pub const fn policy_name(policy: Policy<'_>) -> &'static str {
    match policy {
        Policy::Edf => "edf",
        Policy::FixedPriority(_) => "fp",
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
    let packing = answer.packings.iter().find(|packed| packed.proven).map(|packed| placed_by_name(packed.placed_by));
    packing.or(answer.decided_by.as_ref().map(|finding| finding.test))
}

/// Who chose the bins.
pub const fn placed_by_name(placed_by: PlacedBy) -> &'static str {
    match placed_by {
        PlacedBy::Heuristic(strategy) => strategy.heuristic.name(),
        PlacedBy::Search => "search",
        PlacedBy::Author => "author",
    }
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
        Reason::Missed(_) | Reason::MissedIn(_) => "missed",
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

fn pattern(reason: &Reason) -> Option<PatternRow> {
    let Reason::MissedIn(pattern) = reason else { return None };
    let LatePattern { parts, arrivals, job } = &**pattern;
    let MissedJob { task, job, arrival, deadline } = *job;
    let arrivals = arrivals.iter().map(|arrival| ArrivalRow { task: arrival.task, at: arrival.at }).collect();
    Some(PatternRow { parts: *parts, arrivals, late: MissedRow { task, job, arrival, deadline } })
}
