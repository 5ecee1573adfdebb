//! Two hundred task sets packed under partitioned EDF, against the figures of an independent implementation.

use prazo_analysis::demand::{deadline_before, total_demand_bound};
use prazo_analysis::partition::{Allowance, BinTest, Candidate, Heuristic, Order, Strategy, UtilizationFirst};
use prazo_analysis::{Finding, Task, Ticks};
use prazo_testing::data;
use serde_json::{Value, json};

fn records() -> Vec<Value> {
    data::text("schedcat/schedcat-partition.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// `[C,T]` or `[C,T,D]`.
fn tasks(record: &Value) -> Vec<Task> {
    let task = |fields: &Value| {
        let [cost, period] = [0, 1].map(|at| fields[at].as_u64().unwrap());
        Task::new(cost, period, fields.get(2).map_or(period, |deadline| deadline.as_u64().unwrap()))
    };
    record["t"].as_array().unwrap().iter().map(task).collect()
}

/// End of the first stretch without idle time when all tasks arrive together; utilization is at most one.
fn busy_period(tasks: &[Task]) -> Ticks {
    let mut length: Ticks = tasks.iter().map(|task| task.cost).sum();
    loop {
        let longer = tasks.iter().map(|task| length.div_ceil(task.period) * task.cost).sum();
        if longer == length {
            return length;
        }
        length = longer;
    }
}

/// No deadline of the first busy period is asked more than the time until then: exact for EDF on one processor.
fn processor_demand(candidate: &Candidate<'_>) -> Finding {
    assert_eq!(candidate.processors, 1);
    let tasks = candidate.tasks;
    let mut end = busy_period(tasks) + 1;
    while let Some(deadline) = deadline_before(tasks, end) {
        if total_demand_bound(tasks, deadline) > u128::from(deadline) {
            return Finding::does_not_hold("processor demand", None, None, 0);
        }
        end = deadline;
    }
    Finding::proven("processor demand", None, None, 0)
}

fn edf() -> impl BinTest {
    UtilizationFirst(processor_demand)
}

fn decreasing(heuristic: Heuristic) -> Strategy {
    Strategy { heuristic, order: Order::DecreasingUtilization }
}

/// `[ok, assignment]` with -1 for a task that fitted nowhere.
fn packed(tasks: &[Task], processors: usize, heuristic: Heuristic) -> Value {
    let packed = decreasing(heuristic).pack(tasks, &vec![1; processors], &mut edf(), Allowance::UNLIMITED);
    let bins: Vec<i64> = packed.assignment.iter().map(|bin| bin.map_or(-1, i64::from)).collect();
    json!([i32::from(packed.proven), bins])
}

#[test]
fn assignments_match_the_reference_exactly() {
    for record in records() {
        let (tasks, processors) = (tasks(&record), record["m"].as_u64().unwrap() as usize);
        let heuristics = [("ffd", Heuristic::FirstFit), ("wfd", Heuristic::WorstFit), ("bfd", Heuristic::BestFit)];
        for (field, heuristic) in heuristics {
            assert_eq!(packed(&tasks, processors, heuristic), record[field], "{field} of {record}");
        }
    }
}

#[test]
fn bins_on_demand_match_the_reference_exactly() {
    for record in records() {
        let tasks = tasks(&record);
        for (field, heuristic) in [("ffd_bins", Heuristic::FirstFit), ("bfd_bins", Heuristic::BestFit)] {
            let bins = decreasing(heuristic).bins_needed(&tasks, 1, &mut edf(), Allowance::UNLIMITED);
            assert_eq!(json!(bins), record[field], "{field} of {record}");
        }
    }
}
