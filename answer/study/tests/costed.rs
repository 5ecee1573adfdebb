//! Studies with workloads: what their rows become, how mistakes are answered, and what their claims say of made-up accounts.

mod support;

use prazo_core::time::Duration;
use prazo_run::workload::{BUSY_NS, WorkloadFigure, WorkloadPlan, WorkloadRecord};
use prazo_run::{Plan, Run};
use prazo_study::{
    CellSource, CellState, Finished, Measure, MeasureError, RunStorage, Runner, Study, StudyStep, matrix,
};
use prazo_verdict::claim::ClaimOutcome;
use std::path::Path;
use support::{MemoryShelf, here, synthetic};

const COSTS: &str = r#"
[study]
name = "costs"
title = "What they cost"
question = "Which costs less?"

[[platform]]
id = "none"
on = "lab:standard-none"

[[platform]]
id = "rt-6.12"
on = "lab:rt-full-6.12"

[[workload]]
name = "files"
size = 300

[[workload]]
name = "scheduler"
size = 20

[[probe]]
id = "fifo"
policy = "fifo"
period = "500us"
warm_up = "1s"

[[measure]]
workloads = ["scheduler", "files"]
repeats = 3

[[measure]]
workloads = ["scheduler"]
probes = ["fifo"]

[[claim]]
id = "rt-costs-a-third"
text = "A third"
check.penalty-between = { cell = "rt-6.12.cost.alone", of = ["none.cost.alone"], at_least = 1.3, at_most = 1.4 }

[[claim]]
id = "scheduler-alone-costs-nothing"
text = "Nothing"
check.penalty-between = { cell = "rt-6.12.cost.alone", of = ["none.cost.alone"], workloads = ["scheduler"], at_most = 1.0 }

[[claim]]
id = "rises"
text = "It rises"
check.penalty-rises = { cells = ["none.cost.alone", "rt-6.12.cost.alone"] }

[[claim]]
id = "waits"
text = "It waits"
check.slowdown-difference = { a = "rt-6.12.cost.alone", b = ["none.cost.alone"], part = "scheduler", at_least = 0.2 }

[[claim]]
id = "goes-with-switches"
text = "Switches"
check.penalty-correlates = { cells = ["none.cost.alone", "rt-6.12.cost.alone"], figure = "voluntary_switches" }

[[stated]]
id = "paper.rt"
origin = "the paper"
penalty = 1.35
repeated_by = "rt-6.12.cost.alone"

[[claim]]
id = "as-the-paper"
text = "35 %"
check.penalty-as-stated = { stated = "paper.rt", cell = "rt-6.12.cost.alone", of = ["none.cost.alone"], within = 0.01 }
"#;

fn study() -> Study {
    Study::parse("costs.toml", COSTS).unwrap_or_else(|error| panic!("{error}"))
}

/// The error after one replacement in [`COSTS`].
fn after(from: &str, to: &str) -> String {
    assert!(COSTS.contains(from), "{from}");
    Study::parse("costs.toml", &COSTS.replacen(from, to, 1)).map(|_| "no error").unwrap_err().to_string()
}

#[test]
fn a_row_with_workloads_is_one_boot_for_each_platform_and_seed_alone_or_beside_a_probe() {
    let cells = matrix::cells(&study(), &here());
    let ids: Vec<_> = cells.iter().map(|cell| cell.id.as_str()).collect();
    assert_eq!(ids, ["none.cost.alone", "rt-6.12.cost.alone", "none.cost.fifo", "rt-6.12.cost.fifo"]);
    assert_eq!(cells.iter().map(prazo_study::Cell::repeats).collect::<Vec<_>>(), [3, 3, 1, 1]);
    let plans = |cell: usize| match &cells[cell].source {
        CellSource::Measure { plans, .. } => plans.clone(),
        CellSource::Import(_) => panic!("{cells:?}"),
    };
    let named = |name: &str, size| WorkloadPlan { name: name.into(), size };
    assert_eq!(plans(0)[2].workloads, [named("scheduler", 20), named("files", 300)], "in the row's order");
    assert!(plans(0)[0].threads.is_empty() && plans(0)[0].seed != plans(0)[1].seed);
    assert_eq!(plans(3)[0].threads[0].period, Duration::from_us(500));
    assert_eq!((plans(2)[0].threads.len(), plans(2)[0].seed), (1, plans(0)[0].seed), "a guest has one processor");
}

#[test]
fn a_workload_that_nobody_knows_is_answered_with_those_there_are() {
    let error = after("name = \"files\"", "name = \"fyles\"");
    assert!(
        error.starts_with("costs.toml:16: name: there is no workload 'fyles'; choose one of net-stream,"),
        "{error}"
    );
    let error = after("workloads = [\"scheduler\", \"files\"]", "workloads = [\"scheduler\", \"web\"]");
    assert!(error.contains("there is no workload 'web'; choose one of files, scheduler"), "{error}");
    let error = after("workloads = [\"scheduler\"], at_most", "workloads = [\"compile\"], at_most");
    assert!(error.contains("there is no workload 'compile'"), "{error}");
}

#[test]
fn what_no_guest_with_workloads_does_is_refused_with_its_remedy() {
    let error = after("on = \"lab:standard-none\"\n", "");
    assert!(error.contains("'none.cost.alone'") && error.contains("prazo cost --vs"), "{error}");
    let error = after("probes = [\"fifo\"]", "length = \"3s\"");
    assert!(error.contains("ends with its last workload"), "{error}");
    let error = after("probes = [\"fifo\"]", "repeats = 2");
    assert!(error.contains("'none.cost.alone' is defined twice"), "{error}");
    let error = after("size = 300", "size = 0");
    assert!(error.contains("size 0"), "{error}");
    assert!(after("penalty = 1.35", "penalty = 0.35").contains("1.35 for 35 % more"));
    assert!(after("penalty = 1.35\n", "").contains("neither figures nor a penalty"));
}

/// Guests without a machine: PREEMPT_RT executes 1.8 times as much for files, and as much for everything else.
#[derive(Default)]
struct Guests {
    disk: support::Disk,
    boots: usize,
}

impl Measure for Guests {
    fn measure(&mut self, plan: &Plan, into: &Path, step: &StudyStep) -> Result<Run, MeasureError> {
        self.boots += 1;
        let is_rt = step.cell.starts_with("rt");
        let workloads = plan.workloads.iter().map(|workload| record(workload, is_rt)).collect();
        let run = Run { workloads, ..synthetic(plan) };
        self.disk.borrow_mut().insert(into.to_owned(), run.clone());
        Ok(run)
    }
}

fn record(plan: &WorkloadPlan, is_rt: bool) -> WorkloadRecord {
    let executed = if is_rt && plan.name == "files" { 1_800_000 } else { 1_000_000 };
    let figures = [
        ("wall_ns", 2 * executed),
        ("user_ns", executed - 1_000),
        ("system_ns", 1_000),
        (BUSY_NS, executed + 50_000),
        ("run_queue_wait_ns", if is_rt { executed / 2 } else { 0 }),
        ("blocked_ns", executed / 10),
        ("voluntary_switches", if is_rt { 70 } else { 20 }),
    ];
    let figure = |(name, value): (&str, u64)| WorkloadFigure {
        name: name.into(),
        value: Some(value),
        source: Some("test".into()),
        leaves_out: None,
        reason: None,
    };
    let figures = figures.map(figure).to_vec();
    WorkloadRecord { name: plan.name.clone(), size: plan.size, unit: "units".into(), figures }
}

fn run(folder: &Path, shelf: &mut MemoryShelf) -> (Finished, usize) {
    let mut guests = Guests { disk: shelf.disk.clone(), boots: 0 };
    let study = study();
    let mut runner = Runner::new(&study, &here(), folder, shelf).unwrap();
    let finished = runner.run(&mut guests, &mut |_| ()).unwrap();
    (finished, guests.boots)
}

#[test]
fn claims_about_cost_are_decided_on_the_cells_that_they_compare() {
    let folder = tempfile::tempdir().unwrap();
    let (finished, boots) = run(folder.path(), &mut MemoryShelf::default());
    assert_eq!(boots, 3 + 3 + 1 + 1);
    let outcomes: Vec<_> = finished.result.claims.iter().map(|claim| claim.outcome).collect();
    use ClaimOutcome::{Held, Undecidable};
    assert_eq!(outcomes, [Held, Held, Held, Held, Undecidable, Held], "{:#?}", finished.result.claims);
    let evidence = &finished.result.claims[0].evidence;
    assert!(evidence.contains("1.342 (scheduler 1.000, files 1.800)"), "{evidence}");
    assert!(finished.result.claims[4].evidence.contains("at least 5"), "one pair for each workload");
}

#[test]
fn the_outcome_has_a_table_for_each_way_of_measuring_and_latencies_where_a_probe_ran() {
    let folder = tempfile::tempdir().unwrap();
    let (finished, _) = run(folder.path(), &mut MemoryShelf::default());
    let cost = finished.result.cost.as_ref().unwrap();
    assert_eq!(cost.settings.iter().map(|setting| setting.beside.as_str()).collect::<Vec<_>>(), ["alone", "fifo"]);
    assert_eq!((cost.stated[0].id.as_str(), cost.stated[0].penalty), ("paper.rt", 1.35));
    let platform = &cost.settings[0].platforms[1];
    assert_eq!((platform.platform.as_str(), platform.latency), ("rt-6.12", None));
    assert_eq!(cost.settings[1].platforms[0].latency.unwrap().count, 1_000);
    let text = finished.result.to_string();
    assert!(text.contains("Cost, workloads alone, medians of 3 seeds"), "{text}");
    assert!(text.contains("1 + 0.50 + 0.10") && text.contains("1.800"), "{text}");
    let json = serde_json::to_string(&finished.result).unwrap();
    assert_eq!(serde_json::from_str::<prazo_study::StudyResult>(&json).unwrap().cost, finished.result.cost);
}

#[test]
fn a_resumed_study_boots_no_guest_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut shelf = MemoryShelf::default();
    let (first, _) = run(folder.path(), &mut shelf);
    let (second, boots) = run(folder.path(), &mut shelf);
    assert_eq!(boots, 0);
    assert!(second.result.cells.iter().all(|cell| matches!(cell.state, CellState::Reused | CellState::Stated)));
    assert_eq!((second.result.cost, second.result.claims), (first.result.cost, first.result.claims));
    assert!(shelf.exists(&folder.path().join("none.cost.alone.prazo")));
}
