//! Overheads charged to a hundred task sets, against the figures of an independent implementation.

use prazo_analysis::overheads::{Charged, Overload, fixed_priority, preemption_centric};
use prazo_analysis::{Task, Ticks};
use prazo_core::overheads::{Function, Overhead, Overheads};
use prazo_core::ratio::Ratio;
use prazo_testing::data;
use serde_json::Value;

fn records(kind: &str) -> Vec<Value> {
    let lines = data::text("schedcat/schedcat-overheads.jsonl");
    let records = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.filter(|record| record["kind"] == kind).collect()
}

fn ticks(value: &Value) -> Ticks {
    value.as_u64().unwrap()
}

/// `[C,T,D]` and, where given, a working set in KiB.
fn tasks(record: &Value) -> Vec<Task> {
    let task = |fields: &Value| Task {
        working_set_kib: fields.get(3).map_or(0, ticks),
        ..Task::new(ticks(&fields[0]), ticks(&fields[1]), ticks(&fields[2]))
    };
    record["t"].as_array().unwrap().iter().map(task).collect()
}

/// What `field` says, as written; nothing where it is absent.
fn amount(record: &Value, field: &str) -> Ratio {
    record["oh"].get(field).map_or(Ratio::ZERO, |value| value.to_string().parse().unwrap())
}

fn overheads(record: &Value) -> Overheads<'static> {
    let constant = |field| Overhead::constant(amount(record, field));
    let by_kib = |base, slope| {
        let amount = Function::Affine { base: amount(record, base), slope: amount(record, slope) };
        Overhead { amount, ..Overhead::NONE }
    };
    Overheads {
        release: constant("release"),
        scheduling: constant("schedule"),
        context_switch: constant("cxs"),
        tick: constant("tick"),
        tick_period: Some(ticks(&record["oh"]["quantum"])),
        ipi_latency: constant("ipi"),
        event_latency: constant("release_latency"),
        cache_delay: if record["kind"] == "fp" { constant("cpmd") } else { by_kib("cpmd_base", "cpmd_per_kib") },
        initial_cache_load: by_kib("init_base", "init_per_kib"),
        dedicated_interrupt_processor: record["dedicated"] == 1,
    }
}

/// The tasks of `charged` as a record writes them.
fn written(charged: &Charged, fields: fn(&Task) -> Vec<Ticks>) -> Value {
    charged.tasks.iter().map(fields).collect::<Vec<_>>().into()
}

/// As the reference names its outcomes.
fn status(charged: &Result<Charged, Overload>) -> &'static str {
    match charged {
        Ok(_) => "ok",
        Err(Overload::Interrupts) => "irq_overload",
        Err(_) => "density",
    }
}

#[test]
fn preemption_centric_accounting_matches_the_reference_exactly() {
    for record in records("jlfp") {
        let processors = u32::try_from(ticks(&record["m"])).unwrap();
        let charged = preemption_centric(&tasks(&record), processors, &overheads(&record));
        assert_eq!(status(&charged), record["status"], "{record}: {charged:?}");
        if let Ok(charged) = charged {
            assert_eq!(written(&charged, |task| vec![task.cost, task.period, task.deadline]), record["q"], "{record}");
        }
    }
}

#[test]
fn fixed_priority_accounting_matches_the_reference_exactly() {
    for record in records("fp") {
        let charged = fixed_priority(&tasks(&record), &overheads(&record)).unwrap();
        let fields = |task: &Task| vec![task.cost, task.period, task.deadline, task.jitter];
        assert_eq!(written(&charged, fields), record["inflated"], "{record}");
        assert_eq!(charged.tasks.len() - charged.first_real, record["t"].as_array().unwrap().len());
    }
}
