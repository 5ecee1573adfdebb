//! Many task sets at once, on all processors: from an Arrow stream to a table, from lines to lines, from texts to documents.

use crate::error::{failed, json, of, refused, said};
use crate::frame::{self, Sets, Usual};
use crate::interrupt::{by_pieces, of_all};
use crate::options::{Simulating, Testing, parsed};
use crate::table::Table;
use arrow_array::{ArrayRef, Float64Array, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field};
use prazo::Quiet;
use prazo::sched::{self, Answered, RecordAnswer, ScheduleFiles, SimulateRequest, TestRequest};
use prazo_sim::SimulationResult;
use pyo3::prelude::*;
use std::sync::Arc;

/// A verdict for each set of a table.
#[pyfunction]
#[pyo3(signature = (frame, processors, scheduler, policy, options, callback))]
pub(crate) fn test_frame(
    python: Python<'_>,
    frame: &Bound<'_, PyAny>,
    processors: Option<u32>,
    scheduler: Option<&str>,
    policy: Option<&str>,
    options: &str,
    callback: Option<Py<PyAny>>,
) -> PyResult<Table> {
    let testing: Testing = parsed(options)?;
    let (method, time) = (testing.batch_method()?, testing.options()?.time);
    let sets = frame::read(frame, &Usual::of(processors, scheduler, policy).map_err(refused)?)?;
    let answers = of_all(python, &sets.records, callback.as_ref(), move |record| {
        record.as_ref().map_err(String::clone).and_then(|record| sched::test_record(record, &method, time))
    })?;
    python.detach(|| verdicts(&sets, &answers))
}

fn verdicts(sets: &Sets, answers: &[Result<RecordAnswer, String>]) -> PyResult<Table> {
    let found = |one: &Result<RecordAnswer, String>| {
        one.as_ref().ok()?.finding.as_ref().map(|row| (row.task, row.demand, row.capacity))
    };
    let margin =
        |one: &Result<RecordAnswer, String>| found(one).and_then(|(_, demand, capacity)| Some(capacity? - demand?));
    let row = |one: &Result<RecordAnswer, String>| {
        one.as_ref().ok().and_then(|one| one.finding.as_ref().map(|row| (row.quantity, row.reason)))
    };
    let processors =
        |one: &Result<prazo_scenario::read::record::SetRecord, String>| one.as_ref().ok().map(|one| one.processors);
    Table::new(vec![
        sets.names(),
        text("verdict", false, answers.iter().map(|one| Some(one.as_ref().map_or("error", |one| one.verdict.name())))),
        text("test", true, answers.iter().map(|one| one.as_ref().ok().and_then(|one| one.decided_by))),
        number("task", answers.iter().map(|one| found(one).and_then(|(task, ..)| task).map(|task| task as u64))),
        float("margin", answers.iter().map(margin)),
        float("demand", answers.iter().map(|one| found(one).and_then(|(_, demand, _)| demand))),
        float("capacity", answers.iter().map(|one| found(one).and_then(|(.., capacity)| capacity))),
        text("quantity", true, answers.iter().map(|one| row(one).and_then(|(quantity, _)| quantity))),
        text("reason", true, answers.iter().map(|one| row(one).map(|(_, reason)| reason))),
        (
            Field::new("processors", DataType::UInt32, true),
            Arc::new(sets.records.iter().map(processors).collect::<UInt32Array>()) as ArrayRef,
        ),
        text("shape", true, answers.iter().map(|one| one.as_ref().ok().map(|one| one.shape))),
        text("policy", true, answers.iter().map(|one| one.as_ref().ok().map(|one| one.policy))),
        number("work", answers.iter().map(|one| one.as_ref().ok().map(|one| one.work))),
        text("error", true, answers.iter().map(|one| one.as_ref().err().map(String::as_str))),
    ])
}

/// A simulation of each set of a table, whose ticks are microseconds.
#[pyfunction]
#[pyo3(signature = (frame, processors, scheduler, policy, options, callback))]
pub(crate) fn simulate_frame(
    python: Python<'_>,
    frame: &Bound<'_, PyAny>,
    processors: Option<u32>,
    scheduler: Option<&str>,
    policy: Option<&str>,
    options: &str,
    callback: Option<Py<PyAny>>,
) -> PyResult<Table> {
    let options = parsed::<Simulating>(options)?.options()?;
    options.check().map_err(of)?;
    let sets = frame::read(frame, &Usual::of(processors, scheduler, policy).map_err(refused)?)?;
    let answers = of_all(python, &sets.records, callback.as_ref(), move |record| {
        record.as_ref().map_err(String::clone).and_then(|record| sched::simulate_record(record, &options))
    })?;
    python.detach(|| simulations(&sets, &answers))
}

fn simulations(sets: &Sets, answers: &[Result<SimulationResult, String>]) -> PyResult<Table> {
    let of = |one: &Result<SimulationResult, String>, figure: fn(&SimulationResult) -> Option<u64>| {
        one.as_ref().ok().and_then(figure)
    };
    let column = |name, figure| number(name, answers.iter().map(move |one| of(one, figure)));
    Table::new(vec![
        sets.names(),
        column("misses", |one| Some(one.figures.total(|task| task.missed))),
        column("first_miss_ns", |one| one.figures.misses.first().map(|miss| miss.deadline.as_ns())),
        column("max_tardiness_ns", |one| Some(one.figures.tardiness_max().as_ns())),
        column("jobs", |one| Some(one.figures.total(|task| task.released))),
        column("events", |one| Some(one.figures.events)),
        column("end_ns", |one| Some(one.end.as_ns())),
        text("error", true, answers.iter().map(|one| one.as_ref().err().map(String::as_str))),
    ])
}

fn text<'a>(name: &str, nullable: bool, values: impl Iterator<Item = Option<&'a str>>) -> (Field, ArrayRef) {
    (Field::new(name, DataType::Utf8, nullable), Arc::new(values.collect::<StringArray>()))
}

fn number(name: &str, values: impl Iterator<Item = Option<u64>>) -> (Field, ArrayRef) {
    (Field::new(name, DataType::UInt64, true), Arc::new(values.collect::<UInt64Array>()))
}

fn float(name: &str, values: impl Iterator<Item = Option<f64>>) -> (Field, ArrayRef) {
    (Field::new(name, DataType::Float64, true), Arc::new(values.collect::<Float64Array>()))
}

/// JSON Lines in, JSON Lines out, on all processors: `prazo sched test --batch`.
#[pyfunction]
pub(crate) fn test_lines(
    python: Python<'_>,
    records: &str,
    options: &str,
    callback: Option<Py<PyAny>>,
) -> PyResult<String> {
    let testing: Testing = parsed(options)?;
    let (method, time) = (testing.batch_method()?, testing.options()?.time);
    let answered = by_pieces(python, records, callback.as_ref(), move |piece| {
        let mut output = Vec::new();
        sched::test_batch(&mut piece.as_bytes(), &mut output, &method, time).map_err(of).map(|_| output)
    });
    String::from_utf8(answered?).map_err(failed)
}

/// Sets as TOML with their names in, a document each out, on all processors: `prazo sched test --json` of many.
#[pyfunction]
pub(crate) fn test_texts(
    python: Python<'_>,
    sets: Vec<(String, String)>,
    options: &str,
    callback: Option<Py<PyAny>>,
) -> PyResult<Vec<String>> {
    let testing: Testing = parsed(options)?;
    let (scheduler, method) = (testing.options()?, testing.batch_method()?);
    let answered = move |name: &str, text: &str| {
        let request = TestRequest {
            tasks: testing.tasks(text, name)?,
            options: scheduler.clone(),
            method: method.clone(),
            sensitivity: testing.sensitivity,
            region: testing.region()?,
            certificate: None,
            pattern: None,
            pieces: None,
        };
        sched::test(&request, &mut Quiet).map_err(of).map(|answer| answer.document())
    };
    let answers = of_all(python, &Arc::new(sets), callback.as_ref(), move |(name, text)| match answered(name, text) {
        Ok(document) => json(&document),
        Err(error) => json(&Answered::refused(name.as_str().into(), said(&error))),
    })?;
    answers.into_iter().collect()
}

/// The same for simulations: `prazo sched simulate --json` of many.
#[pyfunction]
pub(crate) fn simulate_texts(
    python: Python<'_>,
    sets: Vec<(String, String)>,
    options: &str,
    callback: Option<Py<PyAny>>,
) -> PyResult<Vec<String>> {
    let simulating: Simulating = parsed(options)?;
    let options = simulating.options()?;
    options.check().map_err(of)?;
    let simulated = move |name: &str, text: &str| {
        let tasks = simulating.tasks(text, name)?;
        let (schedule, command) = (ScheduleFiles::default(), String::new());
        let request = SimulateRequest { tasks, options: options.clone(), schedule, report: None, command };
        json(&sched::simulate(&request, &mut Quiet).map_err(of)?.document)
    };
    let answers = of_all(python, &Arc::new(sets), callback.as_ref(), move |(name, text)| {
        simulated(name, text).or_else(|error| json(&serde_json::json!({ "error": said(&error) })))
    })?;
    answers.into_iter().collect()
}

/// JSON Lines in, JSON Lines out, on all processors: `prazo sched simulate --batch`.
#[pyfunction]
pub(crate) fn simulate_lines(
    python: Python<'_>,
    records: &str,
    options: &str,
    callback: Option<Py<PyAny>>,
) -> PyResult<String> {
    let options = parsed::<Simulating>(options)?.options()?;
    let answered = by_pieces(python, records, callback.as_ref(), move |piece| {
        let mut output = Vec::new();
        sched::simulate_batch(&mut piece.as_bytes(), &mut output, &options).map_err(of).map(|_| output)
    });
    String::from_utf8(answered?).map_err(failed)
}
