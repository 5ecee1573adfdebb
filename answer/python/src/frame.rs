//! Task sets from an Arrow stream, a row for each task, and the sets of an answer back as a column.
//!
//! The columns are `set`, `cost`, `period` and optionally `deadline`; what a set runs on may be in `processors`, `scheduler` and
//! `policy`, the same in all rows of a set. Other columns are left alone. Rows of a set need not stand together.

use crate::error::{failed, refused};
use crate::progress::Reported;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, Int64Array, PrimitiveArray, RecordBatch, RecordBatchReader, StringArray, UInt64Array,
};
use arrow_pyarrow::FromPyArrow;
use arrow_schema::{DataType, Field};
use prazo::sched::{SchedulerChoice, ShapeChoice};
use prazo_core::task::Task;
use prazo_scenario::read::record::SetRecord;
use prazo_scenario::{Criterion, JobRanking, Priorities, Shape};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;

/// What a set is called: a value of the column `set`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Signed(i64),
    Unsigned(u64),
    Text(String),
}

/// Who schedules sets that do not say so themselves.
#[derive(Clone, Debug)]
pub(crate) struct Usual {
    processors: Option<u32>,
    scheduler: Option<String>,
    policy: Option<String>,
    /// What the two say together.
    scheduled: Scheduled,
}

impl Usual {
    /// What the keywords of a call say. What is wrong with them is an error of the call, not of each row.
    pub(crate) fn of(processors: Option<u32>, scheduler: Option<&str>, policy: Option<&str>) -> Result<Self, String> {
        let scheduled = Scheduled::of(scheduler, policy)?;
        Ok(Self { processors, scheduler: scheduler.map(str::to_owned), policy: policy.map(str::to_owned), scheduled })
    }
}

/// Shape and policy of a scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scheduled {
    shape: Shape,
    policy: JobRanking,
}

impl Scheduled {
    /// From a scheduler such as `global-edf` and a policy such as `rm`.
    pub(crate) fn of(scheduler: Option<&str>, policy: Option<&str>) -> Result<Self, String> {
        let choice = scheduler.map_or(Ok(SchedulerChoice::default()), str::parse);
        let choice = choice.map_err(|error| format!("scheduler '{}': {error}", scheduler.unwrap_or_default()))?;
        let shape = match choice.shape {
            None => Shape::Global,
            Some(ShapeChoice::Stated(shape)) => shape,
            Some(ShapeChoice::Machine(_)) => {
                return Err(
                    "scheduler: a batch cannot use the clusters of this machine; state the cluster sizes, as in clustered-edf:2,2".to_owned()
                );
            }
        };
        let said: Option<Criterion> = match policy {
            Some(word) => Some(word.parse().map_err(|error| format!("policy '{word}': {error}"))?),
            None => None,
        };
        let ranked = match (choice.criterion, said) {
            (Some(one), Some(other)) if one != other => {
                return Err(format!("policy {other}: the scheduler already names the policy {one}; name it only once"));
            }
            (one, other) => one.or(other).unwrap_or(Criterion::EarliestDeadlineFirst),
        };
        let policy = match ranked {
            Criterion::EarliestDeadlineFirst => JobRanking::Edf,
            Criterion::FixedPriority => JobRanking::FixedPriority(Priorities::Given),
            Criterion::RateMonotonic => JobRanking::FixedPriority(Priorities::RateMonotonic),
            Criterion::DeadlineMonotonic => JobRanking::FixedPriority(Priorities::DeadlineMonotonic),
            other => return Err(format!("policy {other}: a batch takes only edf, fp, rm and dm")),
        };
        Ok(Self { shape, policy })
    }

    /// The keys of a batch's record that say the same.
    fn keys(&self) -> Result<Value, String> {
        let policy = match self.policy {
            JobRanking::Edf => Criterion::EarliestDeadlineFirst,
            JobRanking::FixedPriority(Priorities::Given) => Criterion::FixedPriority,
            _ => return Err(
                "policy: sets given as tuples support only edf and fp; for rm and dm, give an Arrow table or TaskSets"
                    .to_owned(),
            ),
        };
        Ok(match &self.shape {
            Shape::Global => json!({ "shape": "global", "policy": policy.name() }),
            Shape::Partitioned => json!({ "shape": "partitioned", "policy": policy.name() }),
            Shape::Clusters(sizes) => json!({ "shape": "clustered", "clusters": sizes, "policy": policy.name() }),
        })
    }
}

/// The keys of a record for a scheduler and a policy, as JSON.
#[pyfunction]
#[pyo3(signature = (scheduler, policy))]
pub(crate) fn record_keys(scheduler: Option<&str>, policy: Option<&str>) -> PyResult<String> {
    Scheduled::of(scheduler, policy)
        .and_then(|scheduled| scheduled.keys())
        .map(|keys| keys.to_string())
        .map_err(refused)
}

/// Sets in the order of their first rows.
pub(crate) struct Sets {
    names: Vec<Key>,
    type_: DataType,
    /// A set, or what is wrong with it.
    pub(crate) records: Arc<Vec<Result<SetRecord, String>>>,
}

impl Sets {
    /// The column `set` of an answer.
    pub(crate) fn names(&self) -> (Field, ArrayRef) {
        let array: ArrayRef = match self.type_ {
            DataType::Int64 => Arc::new(self.names.iter().map(Key::signed).collect::<Int64Array>()),
            DataType::UInt64 => Arc::new(self.names.iter().map(Key::unsigned).collect::<UInt64Array>()),
            _ => Arc::new(self.names.iter().map(Key::text).collect::<StringArray>()),
        };
        (Field::new("set", self.type_.clone(), false), array)
    }
}

impl Key {
    fn signed(&self) -> Option<i64> {
        if let Self::Signed(number) = self { Some(*number) } else { None }
    }

    fn unsigned(&self) -> Option<u64> {
        if let Self::Unsigned(number) = self { Some(*number) } else { None }
    }

    fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

/// The columns that a table must have.
const COLUMNS: [&str; 3] = ["set", "cost", "period"];

/// Columns that would change an answer and are not read.
const NOT_IN_FRAMES: [&str; 2] = ["criticality", "cost_high"];

/// Reads the stream of whatever has `__arrow_c_stream__`; looks for signals between its parts.
pub(crate) fn read(frame: &Bound<'_, PyAny>, usual: &Usual) -> PyResult<Sets> {
    let python = frame.py();
    let mut stream = RecordBatchStreamReader::from_pyarrow_bound(frame)?;
    // A table without a row has its columns still.
    let none = RecordBatch::new_empty(stream.schema());
    COLUMNS.iter().try_for_each(|name| column(&none, name).map(drop)).map_err(refused)?;
    if let Some(name) = NOT_IN_FRAMES.iter().find(|name| none.column_by_name(name).is_some()) {
        return Err(refused(format!("column '{name}': a table cannot state criticality; write the sets as TOML")));
    }
    let mut reading = Reading::default();
    let mut signals = Reported::new(None);
    loop {
        let taken = python.detach(|| match stream.next() {
            None => Ok(false),
            Some(Err(error)) => Err(failed(format!("the table ended with an error: {error}"))),
            Some(Ok(batch)) => reading.take(&batch).map(|()| true).map_err(refused),
        });
        if !taken? {
            break;
        }
        signals.heard_if_due(0, 0)?;
    }
    Ok(python.detach(|| reading.finish(usual)))
}

/// A cell of a column of numbers.
enum Cell {
    Value(u64),
    Missing,
    Wrong(String),
}

type Numbers<'a> = Box<dyn Fn(usize) -> Cell + 'a>;
type Texts<'a> = Box<dyn Fn(usize) -> Option<&'a str> + 'a>;

/// What is known of a set by now.
#[derive(Default)]
struct Draft {
    tasks: Vec<Task>,
    processors: Option<u64>,
    scheduler: Option<String>,
    policy: Option<String>,
    problem: Option<String>,
}

#[derive(Default)]
struct Reading {
    places: HashMap<Key, usize>,
    names: Vec<Key>,
    drafts: Vec<Draft>,
    type_: Option<DataType>,
    rows: usize,
}

impl Reading {
    fn take(&mut self, batch: &RecordBatch) -> Result<(), String> {
        let [set, cost, period] = COLUMNS.map(|name| column(batch, name));
        let set = keys(set?.as_ref())?;
        self.type_.get_or_insert(set.type_);
        let (cost, period) = (numbers("cost", cost?)?, numbers("period", period?)?);
        let optional = |name| batch.column_by_name(name).map(|column| numbers(name, column)).transpose();
        let (deadline, processors) = (optional("deadline")?, optional("processors")?);
        let texts = |name| batch.column_by_name(name).map(|column| texts(name, column.as_ref())).transpose();
        let (scheduler, policy) = (texts("scheduler")?, texts("policy")?);
        let mut place = usize::MAX;
        for row in 0..batch.num_rows() {
            let Some(key) = (set.key)(row) else {
                return Err(format!(
                    "set: row {} has no value; each row must name the set of its task",
                    self.rows + row
                ));
            };
            if self.names.get(place) != Some(&key) {
                place = self.place(key);
            }
            let draft = &mut self.drafts[place];
            draft.task(&cost, &period, deadline.as_ref(), row);
            draft.facts(processors.as_ref(), scheduler.as_ref(), policy.as_ref(), row);
        }
        self.rows += batch.num_rows();
        Ok(())
    }

    fn place(&mut self, key: Key) -> usize {
        let (names, drafts) = (&mut self.names, &mut self.drafts);
        *self.places.entry(key).or_insert_with_key(|key| {
            names.push(key.clone());
            drafts.push(Draft::default());
            drafts.len() - 1
        })
    }

    fn finish(self, usual: &Usual) -> Sets {
        let records = Arc::new(self.drafts.into_iter().map(|draft| draft.finish(usual)).collect());
        Sets { names: self.names, type_: self.type_.unwrap_or(DataType::Int64), records }
    }
}

impl Draft {
    fn wrong(&mut self, problem: impl FnOnce() -> String) {
        self.problem.get_or_insert_with(problem);
    }

    /// The time of a cell in ticks; what is wrong with it is a problem of the set.
    fn time(&mut self, field: &str, cell: Cell) -> u64 {
        let problem = match cell {
            Cell::Value(time) if time > 0 => return time,
            Cell::Value(_) => "the time is zero".to_owned(),
            Cell::Missing => "the value is missing".to_owned(),
            Cell::Wrong(problem) => problem,
        };
        let task = self.tasks.len();
        self.wrong(|| format!("{field} of task '{task}': {problem}; give ticks, as an integer of at least 1"));
        0
    }

    fn task(&mut self, cost: &Numbers<'_>, period: &Numbers<'_>, deadline: Option<&Numbers<'_>>, row: usize) {
        let (cost, period) = (self.time("cost", cost(row)), self.time("period", period(row)));
        let deadline = match deadline.map_or(Cell::Missing, |deadline| deadline(row)) {
            Cell::Missing => period,
            stated => self.time("deadline", stated),
        };
        self.tasks.push(Task { cost, period, deadline, jitter: 0, working_set_kib: 0 });
    }

    fn facts(
        &mut self,
        processors: Option<&Numbers<'_>>,
        scheduler: Option<&Texts<'_>>,
        policy: Option<&Texts<'_>>,
        row: usize,
    ) {
        match processors.map_or(Cell::Missing, |processors| processors(row)) {
            Cell::Missing => {}
            Cell::Value(stated) if *self.processors.get_or_insert(stated) == stated => {}
            Cell::Value(_) => self.wrong(|| differs("processors")),
            Cell::Wrong(problem) => self.wrong(|| format!("processors: {problem}; give an integer of at least 1")),
        }
        if let Some(stated) = scheduler.and_then(|scheduler| scheduler(row))
            && self.scheduler.get_or_insert_with(|| stated.to_owned()) != stated
        {
            self.wrong(|| differs("scheduler"));
        }
        if let Some(stated) = policy.and_then(|policy| policy(row))
            && self.policy.get_or_insert_with(|| stated.to_owned()) != stated
        {
            self.wrong(|| differs("policy"));
        }
    }

    fn finish(self, usual: &Usual) -> Result<SetRecord, String> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let scheduled = match (&self.scheduler, &self.policy) {
            (None, None) => usual.scheduled.clone(),
            (scheduler, policy) => Scheduled::of(
                scheduler.as_deref().or(usual.scheduler.as_deref()),
                policy.as_deref().or(usual.policy.as_deref()),
            )?,
        };
        let large = |_| "processors: the number is too large; give at most 1024".to_owned();
        let processors = self.processors.map(u32::try_from).transpose().map_err(large)?.or(usual.processors);
        SetRecord::new(processors, self.tasks, scheduled.shape, scheduled.policy).map_err(|problem| problem.to_string())
    }
}

fn differs(column: &str) -> String {
    format!("{column}: the rows of one set have different values; give the same value in each row")
}

fn column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef, String> {
    batch.column_by_name(name).ok_or_else(|| {
        let schema = batch.schema();
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        format!(
            "{name}: the table has no such column (it has {}); give set, cost, period and optionally deadline, processors, \
             scheduler and policy",
            names.join(", ")
        )
    })
}

/// The names of sets, a row each.
struct Keys<'a> {
    type_: DataType,
    key: Box<dyn Fn(usize) -> Option<Key> + 'a>,
}

fn keys(column: &dyn Array) -> Result<Keys<'_>, String> {
    if column.data_type().is_unsigned_integer() {
        let number = numbers("set", column)?;
        let key =
            move |row: usize| if let Cell::Value(number) = number(row) { Some(Key::Unsigned(number)) } else { None };
        return Ok(Keys { type_: DataType::UInt64, key: Box::new(key) });
    }
    if let Some(number) = signed(column) {
        return Ok(Keys { type_: DataType::Int64, key: Box::new(move |row| number(row).map(Key::Signed)) });
    }
    let text = texts("set", column)?;
    Ok(Keys { type_: DataType::Utf8, key: Box::new(move |row| text(row).map(|text| Key::Text(text.to_owned()))) })
}

fn signed<'a>(column: &'a dyn Array) -> Option<Box<dyn Fn(usize) -> Option<i64> + 'a>> {
    fn of<'a, T: ArrowPrimitiveType<Native: Into<i64>>>(
        array: &'a PrimitiveArray<T>,
    ) -> Box<dyn Fn(usize) -> Option<i64> + 'a> {
        Box::new(move |row| array.is_valid(row).then(|| array.value(row).into()))
    }
    Some(match column.data_type() {
        DataType::Int8 => of(column.as_primitive::<Int8Type>()),
        DataType::Int16 => of(column.as_primitive::<Int16Type>()),
        DataType::Int32 => of(column.as_primitive::<Int32Type>()),
        DataType::Int64 => of(column.as_primitive::<Int64Type>()),
        _ => return None,
    })
}

/// The numbers of a column; floats where they are whole, as pandas has integers with gaps.
fn numbers<'a>(name: &str, column: &'a dyn Array) -> Result<Numbers<'a>, String> {
    fn whole<'a, T: ArrowPrimitiveType<Native: TryInto<u64> + Display>>(array: &'a PrimitiveArray<T>) -> Numbers<'a> {
        Box::new(move |row| {
            if array.is_null(row) {
                return Cell::Missing;
            }
            let value = array.value(row);
            value.try_into().map_or_else(|_| Cell::Wrong(below(value)), Cell::Value)
        })
    }
    fn float<'a, T: ArrowPrimitiveType<Native: Into<f64>>>(array: &'a PrimitiveArray<T>) -> Numbers<'a> {
        Box::new(move |row| {
            let value: f64 = if array.is_null(row) { f64::NAN } else { array.value(row).into() };
            match value {
                missing if missing.is_nan() => Cell::Missing,
                negative if negative < 0.0 => Cell::Wrong(below(negative)),
                whole if whole.fract() == 0.0 && whole <= EXACT => Cell::Value(whole as u64),
                other => Cell::Wrong(format!("{other} is not a whole number")),
            }
        })
    }
    Ok(match column.data_type() {
        DataType::Int8 => whole(column.as_primitive::<Int8Type>()),
        DataType::Int16 => whole(column.as_primitive::<Int16Type>()),
        DataType::Int32 => whole(column.as_primitive::<Int32Type>()),
        DataType::Int64 => whole(column.as_primitive::<Int64Type>()),
        DataType::UInt8 => whole(column.as_primitive::<UInt8Type>()),
        DataType::UInt16 => whole(column.as_primitive::<UInt16Type>()),
        DataType::UInt32 => whole(column.as_primitive::<UInt32Type>()),
        DataType::UInt64 => whole(column.as_primitive::<UInt64Type>()),
        DataType::Float32 => float(column.as_primitive::<Float32Type>()),
        DataType::Float64 => float(column.as_primitive::<Float64Type>()),
        DataType::Null => Box::new(|_| Cell::Missing),
        other => return Err(format!("{name}: the column is of type {other}; give integers")),
    })
}

/// Integers up to this one are exact as floats.
const EXACT: f64 = (1_u64 << 53) as f64;

fn below(value: impl Display) -> String {
    format!("{value} is below zero")
}

/// The texts of a column, also of one that keeps each text once.
fn texts<'a>(name: &str, column: &'a dyn Array) -> Result<Texts<'a>, String> {
    Ok(match column.data_type() {
        DataType::Utf8 => {
            let array = column.as_string::<i32>();
            Box::new(move |row| array.is_valid(row).then(|| array.value(row)))
        }
        DataType::LargeUtf8 => {
            let array = column.as_string::<i64>();
            Box::new(move |row| array.is_valid(row).then(|| array.value(row)))
        }
        DataType::Utf8View => {
            let array = column.as_string_view();
            Box::new(move |row| array.is_valid(row).then(|| array.value(row)))
        }
        DataType::Dictionary(..) if !column.as_any_dictionary().values().is_empty() => {
            let dictionary = column.as_any_dictionary();
            let (places, values) = (dictionary.normalized_keys(), texts(name, dictionary.values().as_ref())?);
            Box::new(move |row| if column.is_valid(row) { values(places[row]) } else { None })
        }
        DataType::Dictionary(..) | DataType::Null => Box::new(|_| None),
        other => return Err(format!("{name}: the column is of type {other}; give text")),
    })
}
