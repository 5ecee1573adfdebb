//! Records of the reference data: one JSON object a line, tasks as `[C, T]` or `[C, T, D]`.

use super::shared;
use prazo_analysis::Task;
use serde_json::Value;

/// The records of `file`; empty, said loudly, where the data are absent.
pub fn of(file: &str) -> Vec<Value> {
    let Some(path) = shared::shared(&format!("data/schedcat/{file}")) else { return Vec::new() };
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The tasks of a record.
pub fn tasks(record: &Value) -> Vec<Task> {
    record["t"].as_array().unwrap().iter().map(task).collect()
}

fn task(value: &Value) -> Task {
    let field = |index: usize| value[index].as_u64();
    let period = field(1).unwrap();
    Task::new(field(0).unwrap(), period, field(2).unwrap_or(period))
}
