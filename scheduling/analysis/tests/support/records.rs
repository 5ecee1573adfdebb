//! Records of the reference data: one JSON object per line, tasks as `[C, T]` or `[C, T, D]`.

use prazo_analysis::Task;
use prazo_testing::data;
use serde_json::Value;

/// The records of `file`.
pub(crate) fn of(file: &str) -> Vec<Value> {
    data::text(&format!("schedcat/{file}")).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The tasks of a record.
pub(crate) fn tasks(record: &Value) -> Vec<Task> {
    record["t"].as_array().unwrap().iter().map(task).collect()
}

fn task(value: &Value) -> Task {
    let field = |index: usize| value[index].as_u64();
    let period = field(1).unwrap();
    Task::new(field(0).unwrap(), period, field(2).unwrap_or(period))
}
