//! Documents for tests and the demonstration: task sets that are really analysed, a schedule and a gate's answer made up.
#![allow(dead_code, reason = "each test binary uses its own part")]

use prazo_analysis::question::{JobRanking, Method, Priorities, Question, Shape, answer, lateness};
use prazo_analysis::{Task, TimeModel};
use prazo_core::behaviour::Behaviours;
use prazo_core::cpu::Cpu;
use prazo_core::event::{Event, EventKind};
use prazo_core::job::TaskIndex;
use prazo_core::time::Instant;
use prazo_report::gantt::{Gantt, GanttTask};
use prazo_report::schedulability::{self, Dossier};
use prazo_report::simulation::{self, ResponseRow, Simulated, TaskRow};
use prazo_report::view::Document;
use prazo_run::run::Quantity;
use prazo_stats::observed_range::Ends;
use prazo_study::StudyResult;
use prazo_study::gate::history::{FigureHistory, HistoryChange, HistoryPoint, HistoryResult, NotRead, OrderedBy};
use prazo_study::gate::{Compared, Direction, GateOutcome, GateResult, Left, Movement};

/// The document of a named case.
pub(crate) fn case(name: &str) -> Option<Document> {
    Some(match name {
        "test" => tested(),
        "queues" => queues(),
        "simulate" => simulated("heavy"),
        "gate" => prazo_report::gate::page(&gated(), "prazo gate --baseline good.json", "").unwrap(),
        "history" => prazo_report::history::page(&remembered(), "prazo gate --history base", ""),
        _ => return None,
    })
}

const MS: u64 = 1_000_000;

fn asked<'a>(tasks: &'a [Task], policy: JobRanking<'a>, shape: Shape<'a>) -> Question<'a> {
    Question {
        tasks,
        policy,
        shape,
        places: None,
        behaviours: Behaviours::PLAIN,
        overheads: None,
        time: TimeModel::Continuous,
    }
}

fn dossier<'a>(title: &str, names: &[&str], question: Question<'a>) -> Dossier<'a> {
    let method = Method { all_tests: true, ..Method::default() };
    let answer = answer(&question, &method).unwrap();
    let is_edf = question.policy == JobRanking::Edf;
    Dossier {
        title: title.to_owned(),
        notes: vec!["A made-up set.".into()],
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        ns_per_tick: Some(1),
        lateness: is_edf.then(|| lateness(&question, &answer)),
        question,
        answer,
        partitioned: None,
        linux: None,
        edge: None,
        region: None,
        chains: Vec::new(),
    }
}

/// Two tasks that a fixed-priority processor serves, and one that it serves too late: 3 + 2 * 1 + 1 * 2 = 7 of 6 ms.
pub(crate) fn late_set() -> [Task; 3] {
    let task = |cost: u64, period: u64, deadline: u64| Task {
        deadline: deadline * MS,
        ..Task::implicit(cost * MS, period * MS)
    };
    [task(1, 4, 4), task(2, 8, 8), task(3, 16, 6)]
}

/// Fixed priorities on one processor.
pub(crate) fn tested() -> Document {
    let tasks = late_set();
    let policy = JobRanking::FixedPriority(Priorities::RateMonotonic);
    let question = asked(&tasks, policy, Shape::Global { processors: 1 });
    schedulability::page(&dossier("robot.toml", &["arm", "eye", "plan<ner>"], question), "prazo sched test robot.toml")
}

/// As many tasks, of which two processors with a queue each serve all by EDF.
pub(crate) fn queues() -> Document {
    let mut tasks = late_set();
    (tasks[0].cost, tasks[1].cost) = (3 * MS, 4 * MS);
    let question = asked(&tasks, JobRanking::Edf, Shape::Clusters(&[1, 1]));
    schedulability::page(&dossier("robot.toml", &["arm", "eye", "planner"], question), "")
}

fn event(at_ms: u64, task: usize, job: u64, kind: EventKind) -> Event {
    Event { at: Instant::from_ns(at_ms * MS), task: TaskIndex::new(task).unwrap(), job, kind }
}

/// Dhall's construction, up to 13 ms: the third task, here called `heavy`, begins 2 ms late and ends 1 ms after its deadline.
pub(crate) fn simulated(heavy: &str) -> Document {
    let cpu = |number: u32| Cpu::new(number).unwrap();
    let runs = |from: u64, to: u64, task: usize, job: u64, on: u32| {
        [
            event(from, task, job, EventKind::Dispatch { cpu: cpu(on) }),
            event(to, task, job, EventKind::Completion { cpu: cpu(on) }),
        ]
    };
    let arrives = |at: u64, task: usize, job: u64| {
        [event(at, task, job, EventKind::Arrival), event(at, task, job, EventKind::Release)]
    };
    let arrivals = [(0, 0, 0), (0, 1, 0), (0, 2, 0), (10, 0, 1), (10, 1, 1), (11, 2, 1)];
    let mut events: Vec<Event> = arrivals.into_iter().flat_map(|(at, task, job)| arrives(at, task, job)).collect();
    events
        .extend([runs(0, 2, 0, 0, 0), runs(0, 2, 1, 0, 1), runs(2, 12, 2, 0, 0), runs(10, 12, 0, 1, 1)].as_flattened());
    events.push(event(11, 2, 0, EventKind::Miss));
    events.sort_by_key(|event| event.at);
    let row = |name: &str, max: u64, misses: u64| TaskRow {
        name: name.into(),
        cluster: 0,
        jobs: 2,
        completed: 1,
        misses,
        aborted: 0,
        skipped: 0,
        dropped: 0,
        postponements: 0,
        preemptions: 0,
        migrations: 0,
        suspensions: 0,
        suspended_ns: 0,
        lock_waits: 0,
        response_time: Some(ResponseRow { min_ns: max * MS, mean_ns: (max * MS) as f64, max_ns: max * MS }),
        max_tardiness_ns: misses * MS,
    };
    let simulated = Simulated {
        file: "dhall.toml".into(),
        name: "dhall-effect".into(),
        policy: "earliest deadline first".into(),
        clusters: vec![2],
        seed: 1,
        end_ns: 13 * MS,
        events: 17,
        jobs: 6,
        completed: 4,
        misses: 1,
        aborted: 0,
        skipped: 0,
        mode_changes: 0,
        dropped: 0,
        postponements: 0,
        preemptions: 0,
        migrations: 0,
        suspensions: 0,
        lock_waits: 0,
        unsupplied_ns: None,
        first_miss_ns: Some(11 * MS),
        max_tardiness_ns: MS,
        repeats: None,
        proof: None,
        tasks: vec![row("light-1", 2, 0), row("light-2", 2, 0), row(heavy, 12, 1)],
        chains: vec![],
        missed: Vec::new(),
        remarks: vec!["Some tasks are sporadic. They are simulated at their highest rate.".into()],
    };
    let task = |name: &str, deadline: u64| GanttTask { name: name.into(), deadline_ns: deadline * MS };
    let chart = Gantt {
        title: "dhall-effect".into(),
        subtitle: "earliest deadline first, 2 processors, one queue".into(),
        cpus: vec!["CPU 0".into(), "CPU 1".into()],
        tasks: vec![task("light-1", 10), task("light-2", 10), task(heavy, 11)],
        start_ns: 0,
        end_ns: 13 * MS,
        unserved: Vec::new(),
        events: &events,
    };
    simulation::page(&simulated, "2 processors, one queue", &chart, "prazo sched simulate dhall.toml")
}

/// The history of two figures over ten kernels; the first figure has two levels.
pub(crate) fn remembered() -> HistoryResult {
    let point = |at: u32, ns: f64| HistoryPoint {
        label: format!("6.12.{at}"),
        files: vec![format!("{at}<b>.json")],
        kernel_release: Some(format!("6.12.{at}-rt")),
        measured_at_unix_ns: None,
        values_ns: if at == 7 { vec![] } else { vec![ns - 100.0, ns, ns + 200.0] },
        reason: (at == 7).then(|| "the value lies beyond its histogram".into()),
    };
    let change = HistoryChange {
        before: "6.12.4".into(),
        first: "6.12.5".into(),
        before_ns: 34_300.0,
        after_ns: 29_000.0,
        shift_ns: -5_300.0,
        probability: 0.0086,
        level: 0.05,
        holds_over_all: true,
    };
    let of = |figure: &str, before: f64, after: f64, changes: Vec<HistoryChange>| FigureHistory {
        cell: "rt.idle<b>.fifo".into(),
        part: 1,
        parts: 1,
        quantity: Quantity::ResponseLatency,
        figure: figure.into(),
        ordered_by: OrderedBy::KernelRelease,
        points: (0..10).map(|at| point(at, if at < 5 { before } else { after })).collect(),
        changes,
        below_floor: 0,
        probability: Some(0.0086),
        reason: None,
    };
    HistoryResult {
        folder: "base".into(),
        study: "releases".into(),
        files: (0..10).map(|at| format!("{at}<b>.json")).collect(),
        not_read: vec![NotRead { file: "notes<b>.txt".into(), reason: "not a baseline".into() }],
        left: vec![],
        differs: vec![],
        histories: vec![of("median", 34_300.0, 29_000.0, vec![change]), of("maximum", 52_000.0, 52_000.0, vec![])],
        tested: 2,
        false_alarms: 0.05,
        orders: 4_999,
        decided: true,
    }
}

/// A study of two cells; in the second the latencies under load moved.
pub(crate) fn gated() -> StudyResult {
    let mut compared = Vec::new();
    for (cell, low_us, by) in [("rt.idle.fifo", 8.0, [0.0; 4]), ("rt.loaded.fifo", 12.0, [0.0, 2.5, 5.96, 0.0])] {
        for (at, figure) in ["median", "99 %", "99.9 %", "maximum"].into_iter().enumerate() {
            compared.push(one(cell, figure, low_us * 1e3 * (at + 1) as f64, by[at] * 1e3));
        }
    }
    let gate = GateResult {
        baseline: "good<1>.json".into(),
        outcome: GateOutcome::Moved,
        direction: Direction::Either,
        differs: Vec::new(),
        compared,
        left: vec![Left { cell: "rt.loaded.rr".into(), reason: "neither side has a run of it".into() }],
        chance_max: 0.01,
        explained: None,
        not_explained: None,
    };
    StudyResult {
        name: "gate".into(),
        title: "A kernel's latencies".into(),
        question: "Did they move?".into(),
        paper: None,
        cites: Vec::new(),
        seed: 1,
        order: Vec::new(),
        complete: true,
        cells: Vec::new(),
        claims: Vec::new(),
        cost: None,
        gate: Some(gate),
    }
}

fn one(cell: &str, figure: &str, low_ns: f64, gap_ns: f64) -> Compared {
    let ends = |low_ns: f64| Some(Ends { low_ns, high_ns: low_ns + 800.0 });
    Compared {
        cell: cell.into(),
        quantity: Quantity::ResponseLatency,
        figure: figure.into(),
        seeds: [4, 4],
        baseline: ends(low_ns),
        found: ends(low_ns + if gap_ns > 0.0 { 800.0 + gap_ns } else { 100.0 }),
        gap_ns: Some(gap_ns),
        needed_ns: Some(1_000.0),
        movement: if gap_ns > 0.0 { Movement::Worse } else { Movement::None },
        reason: None,
    }
}
