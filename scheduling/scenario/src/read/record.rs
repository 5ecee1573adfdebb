//! One line of `prazo sched test --batch`: a task set as a JSON object whose integers are its ticks.
//!
//! `t` holds the tasks as `[C,T]`, `[C,T,D]` or `[C,T,D,KiB]`; `time` is `continuous` or `discrete`; overheads may be fractions, and their decimals are kept
//! exactly. Keys that are not known are ignored, so that a record may carry the answers of another tool. A batch has
//! many lines, so nothing is built here that the line does not say.

use crate::behaviour::TaskBehaviour;
use crate::error::Problem;
use crate::overheads::{Function, Overhead, OverheadTable, Point, validated};
use crate::set::{Arrival, Conduct, JobRanking, NamedTask, Priorities, Scenario};
use crate::shape::Shape;
use prazo_core::cpu::CPUS_MAX;
use prazo_core::overheads::OverheadSet;
use prazo_core::ratio::Ratio;
use prazo_core::task::{TICKS_MAX, Task, Ticks};
use prazo_core::time_model::TimeModel;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The most tasks that one set may have.
pub const TASKS_MAX: usize = 1 << 16;

/// A record with everything that its line says or implies.
#[derive(Clone, Debug)]
pub struct SetRecord {
    /// What the record is called, as JSON, to be echoed.
    pub id: Option<Box<RawValue>>,
    /// How many processors there are.
    pub processors: u32,
    /// The tasks; under fixed priorities the most urgent first.
    pub tasks: Vec<Task>,
    /// Which of the processors share a ready queue: all, or the clusters of these sizes.
    pub shape: Shape,
    /// Who ranks jobs.
    pub policy: JobRanking,
    /// What the platform costs.
    pub overheads: Option<OverheadTable>,
    /// The tests that shall be tried, where the record names them.
    pub tests: Option<Vec<String>>,
    /// The arrivals that a proof must hold for, where the record says.
    pub time: Option<TimeModel>,
}

/// The line as JSON has it.
#[derive(serde::Deserialize)]
struct RecordLine<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    time: Option<&'a str>,
    m: Option<u32>,
    t: Vec<Times>,
    clusters: Option<Vec<u32>>,
    #[serde(borrow, alias = "oh")]
    overheads: Option<Costs<'a>>,
    dedicated: Option<Flag>,
    tests: Option<Vec<String>>,
    policy: Option<&'a str>,
    kind: Option<&'a str>,
    shape: Option<&'a str>,
    #[serde(borrow)]
    supply: Option<&'a RawValue>,
    #[serde(borrow)]
    criticality: Option<&'a RawValue>,
    #[serde(borrow)]
    cost_high: Option<&'a RawValue>,
}

/// The overheads as JSON has them: core's names, or the short ones.
#[derive(serde::Deserialize)]
struct Costs<'a> {
    #[serde(borrow)]
    release: Option<&'a RawValue>,
    #[serde(borrow, alias = "schedule")]
    scheduling: Option<&'a RawValue>,
    #[serde(borrow, alias = "cxs")]
    context_switch: Option<&'a RawValue>,
    #[serde(borrow)]
    tick: Option<&'a RawValue>,
    #[serde(alias = "quantum")]
    tick_period: Option<Ticks>,
    #[serde(borrow, alias = "ipi")]
    ipi_latency: Option<&'a RawValue>,
    #[serde(borrow, alias = "release_latency")]
    event_latency: Option<&'a RawValue>,
    #[serde(borrow, alias = "cpmd")]
    cache_delay: Option<&'a RawValue>,
    #[serde(borrow)]
    cpmd_base: Option<&'a RawValue>,
    #[serde(borrow)]
    cpmd_per_kib: Option<&'a RawValue>,
    #[serde(borrow)]
    initial_cache_load: Option<&'a RawValue>,
    #[serde(borrow)]
    init_base: Option<&'a RawValue>,
    #[serde(borrow)]
    init_per_kib: Option<&'a RawValue>,
    dedicated_interrupt_processor: Option<Flag>,
}

/// `true`, `false`, 1 or 0.
#[derive(Clone, Copy, serde::Deserialize)]
#[serde(untagged)]
enum Flag {
    Truth(bool),
    Number(u8),
}

impl Flag {
    fn is_set(self) -> bool {
        matches!(self, Self::Truth(true) | Self::Number(1..))
    }
}

/// Two to four integers.
struct Times {
    values: [u64; 4],
    count: usize,
}

impl<'de> Deserialize<'de> for Times {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(TimesVisitor)
    }
}

struct TimesVisitor;

impl<'de> Visitor<'de> for TimesVisitor {
    type Value = Times;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a task as [C,T], [C,T,D] or [C,T,D,KiB]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Times, A::Error> {
        let mut times = Times { values: [0; 4], count: 0 };
        while let Some(value) = list.next_element()? {
            let place = times.values.get_mut(times.count).ok_or_else(|| A::Error::invalid_length(5, &self))?;
            *place = value;
            times.count += 1;
        }
        if times.count < 2 { Err(A::Error::invalid_length(times.count, &self)) } else { Ok(times) }
    }
}

/// Reads one line.
pub fn parse(line: &str) -> Result<SetRecord, Problem> {
    let line: RecordLine<'_> = serde_json::from_str(line).map_err(|cause| {
        Problem::new(cause.to_string(), "write one JSON object per line, as in {\"m\":2,\"t\":[[1,4],[2,6]]}")
    })?;
    if line.supply.is_some() {
        return Err(Problem::new("a record cannot have a supply", "write the set as TOML with [supply]").of("supply"));
    }
    for (key, value) in [("criticality", line.criticality), ("cost_high", line.cost_high)] {
        if value.is_some() {
            return Err(Problem::new("a record cannot state criticality", "write the set as TOML").of(key));
        }
    }
    let tasks = tasks(&line.t)?;
    let (processors, shape) = platform(&line)?;
    Ok(SetRecord {
        id: line.id.map(named).transpose()?,
        processors,
        tasks,
        shape,
        policy: policy(&line)?,
        overheads: overheads(&line)?,
        tests: line.tests,
        time: line.time.map(time).transpose()?,
    })
}

fn time(word: &str) -> Result<TimeModel, Problem> {
    word.parse().map_err(|_| Problem::new(format!("unknown value '{word}'"), "write continuous or discrete").of("time"))
}

/// The id, if it is a text or a number.
fn named(id: &RawValue) -> Result<Box<RawValue>, Problem> {
    match id.get().as_bytes().first() {
        Some(b'"' | b'-' | b'0'..=b'9') => Ok(id.to_owned()),
        _ => Err(Problem::new("the id is neither text nor a number", "write the id as text or as a number").of("id")),
    }
}

fn tasks(times: &[Times]) -> Result<Vec<Task>, Problem> {
    counted(times.len())?;
    times.iter().enumerate().map(|(index, times)| task(index, times)).collect()
}

/// Refuses a set without a task, and one with too many.
fn counted(tasks: usize) -> Result<(), Problem> {
    match tasks {
        0 => Err(Problem::new("there is no task", "give at least one task, as in \"t\":[[1,4]]").of("t")),
        1..=TASKS_MAX => Ok(()),
        count => {
            Err(Problem::new(format!("{count} tasks exceed the limit"), "a task set has at most 65536 tasks").of("t"))
        }
    }
}

fn task(index: usize, times: &Times) -> Result<Task, Problem> {
    let [cost, period, stated, working_set_kib] = times.values;
    let deadline = if times.count > 2 { stated } else { period };
    let task = Task { cost, period, deadline, jitter: 0, working_set_kib };
    check(index, &task).map(|()| task)
}

/// Refuses times that no task has.
fn check(index: usize, task: &Task) -> Result<(), Problem> {
    let Task { cost, period, deadline, working_set_kib, .. } = *task;
    for (field, value) in [("C", cost), ("T", period), ("D", deadline)] {
        if value == 0 {
            return Err(Problem::new("the time is zero", "set the time to at least one tick")
                .of(field)
                .in_task(&index.to_string()));
        }
    }
    for (field, value) in [("C", cost), ("T", period), ("D", deadline), ("working set", working_set_kib)] {
        if value > TICKS_MAX {
            let problem = Problem::new(
                format!("{value} exceeds 2^48"),
                "write the task set in a coarser unit (a working set is always in KiB)",
            );
            return Err(problem.of(field).in_task(&index.to_string()));
        }
    }
    Ok(())
}

/// How many processors, and who shares a queue: all, unless clusters or a shape say otherwise.
fn platform(line: &RecordLine<'_>) -> Result<(u32, Shape), Problem> {
    let processors = processors(line.m, line.clusters.as_deref())?;
    let shape = match (line.shape, &line.clusters) {
        (Some("partitioned"), _) => Shape::Partitioned,
        (Some("clustered") | None, Some(sizes)) => Shape::Clusters(sizes.clone()),
        (Some("global"), _) | (None, None) => Shape::Global,
        (Some("clustered"), None) => {
            return Err(Problem::new("no cluster sizes are given", "add clusters, as in [2,2]").of("shape"));
        }
        (Some(other), _) => {
            return Err(
                Problem::new(format!("unknown value '{other}'"), "write global, clustered or partitioned").of("shape")
            );
        }
    };
    Ok((processors, shape))
}

/// As many as `stated`, else as the clusters have, else one.
fn processors(stated: Option<u32>, clusters: Option<&[u32]>) -> Result<u32, Problem> {
    let clustered = clusters.map(total).transpose()?;
    let processors = stated.or(clustered).unwrap_or(1);
    if processors == 0 || processors as usize > CPUS_MAX {
        return Err(Problem::new(
            format!("{processors} processors are out of range"),
            format!("give 1 to {CPUS_MAX} processors"),
        )
        .of("m"));
    }
    if clustered.is_some_and(|total| total != processors) {
        let problem =
            format!("the cluster sizes add up to {} processors, but m is {processors}", clustered.unwrap_or_default());
        return Err(Problem::new(problem, "make the cluster sizes add up to m").of("clusters"));
    }
    Ok(processors)
}

/// The processors of all clusters together.
fn total(sizes: &[u32]) -> Result<u32, Problem> {
    let wrong = || {
        Problem::new("expected a list of cluster sizes, each above zero", "write the sizes as in [2,2]").of("clusters")
    };
    let sum = sizes.iter().try_fold(0u32, |sum, size| sum.checked_add(*size)).ok_or_else(wrong)?;
    if sizes.is_empty() || sizes.contains(&0) { Err(wrong()) } else { Ok(sum) }
}

fn policy(line: &RecordLine<'_>) -> Result<JobRanking, Problem> {
    let unknown = |field: &str, word: &str, known: &str| {
        Err(Problem::new(format!("unknown value '{word}'"), format!("write {known}")).of(field))
    };
    match (line.policy, line.kind) {
        (Some("edf"), None | Some("jlfp")) | (None, None | Some("jlfp")) => Ok(JobRanking::Edf),
        (Some("fp"), None | Some("fp")) | (None, Some("fp")) => Ok(JobRanking::FixedPriority(Priorities::Given)),
        (Some(word), _) if word != "edf" && word != "fp" => unknown("policy", word, "edf or fp"),
        (_, Some(word)) if word != "jlfp" && word != "fp" => unknown("kind", word, "jlfp or fp"),
        _ => Err(Problem::new("policy contradicts kind", "leave one of the two keys out").of("policy")),
    }
}

fn overheads(line: &RecordLine<'_>) -> Result<Option<OverheadTable>, Problem> {
    let dedicated = line.dedicated.is_some_and(Flag::is_set);
    match &line.overheads {
        Some(costs) => costs.table(dedicated).map(Some),
        None if dedicated => {
            let overheads = OverheadSet { dedicated_interrupt_processor: true, ..OverheadSet::default() };
            Ok(Some(OverheadTable::of(overheads)))
        }
        None => Ok(None),
    }
}

impl Costs<'_> {
    fn table(&self, dedicated: bool) -> Result<OverheadTable, Problem> {
        let cache = Grown { whole: self.cache_delay, base: self.cpmd_base, per_kib: self.cpmd_per_kib };
        let load = Grown { whole: self.initial_cache_load, base: self.init_base, per_kib: self.init_per_kib };
        let overheads = OverheadSet {
            release: overhead("release", self.release)?,
            scheduling: overhead("scheduling", self.scheduling)?,
            context_switch: overhead("context_switch", self.context_switch)?,
            tick: overhead("tick", self.tick)?,
            tick_period: self.tick_period,
            ipi_latency: overhead("ipi_latency", self.ipi_latency)?,
            event_latency: overhead("event_latency", self.event_latency)?,
            cache_delay: cache.overhead("cache_delay")?,
            initial_cache_load: load.overhead("initial_cache_load")?,
            dedicated_interrupt_processor: dedicated || self.dedicated_interrupt_processor.is_some_and(Flag::is_set),
        };
        OverheadTable::of(overheads).validated()
    }
}

/// An overhead by working set: stated whole, or as base and slope.
struct Grown<'a> {
    whole: Option<&'a RawValue>,
    base: Option<&'a RawValue>,
    per_kib: Option<&'a RawValue>,
}

impl Grown<'_> {
    fn overhead(&self, field: &str) -> Result<Overhead, Problem> {
        if self.base.is_none() && self.per_kib.is_none() {
            return overhead(field, self.whole);
        }
        if self.whole.is_some() {
            return Err(Problem::new(
                "the overhead is given both by its own key and by a base and an amount per KiB",
                "leave one of the two forms out",
            )
            .of(field));
        }
        let part = |value: Option<&RawValue>| value.map_or(Ok(Ratio::ZERO), |value| ratio(value.get()));
        let (base, slope) = (part(self.base), part(self.per_kib));
        let affine = base.and_then(|base| validated(Function::Affine { base, slope: slope? }));
        affine.map(Overhead::of).map_err(|problem| problem.of(field))
    }
}

/// A number, a fraction as text, or a list of `[count, amount]`; nothing where it is not stated.
fn overhead(field: &str, value: Option<&RawValue>) -> Result<Overhead, Problem> {
    let Some(value) = value else { return Ok(Overhead::default()) };
    let function = match value.get().as_bytes().first() {
        Some(b'[') => points(value.get()).map(Function::Linear),
        _ => ratio(value.get()).map(Function::Constant),
    };
    function.and_then(validated).map(Overhead::of).map_err(|problem| problem.of(field))
}

fn points(text: &str) -> Result<Vec<Point>, Problem> {
    let points: Vec<(u64, &RawValue)> = serde_json::from_str(text)
        .map_err(|cause| Problem::new(cause.to_string(), "write points as in [[5,3],[10,4.5]]"))?;
    points.into_iter().map(|(count, amount)| Ok((count, ratio(amount.get())?))).collect()
}

/// `33.75`, or `"7/3"`.
fn ratio(json: &str) -> Result<Ratio, Problem> {
    let text = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(json);
    text.parse().map_err(|cause| Problem::new(format!("{json}: {cause}"), "write a number of ticks, as in 33.75"))
}

impl SetRecord {
    /// A record of `tasks`, checked as those of a line are.
    ///
    /// # Errors
    /// A time is zero or too long, or the processors are none or do not fit the clusters.
    pub fn new(stated: Option<u32>, tasks: Vec<Task>, shape: Shape, policy: JobRanking) -> Result<Self, Problem> {
        counted(tasks.len())?;
        tasks.iter().enumerate().try_for_each(|(index, task)| check(index, task))?;
        let clusters = match &shape {
            Shape::Clusters(sizes) => Some(sizes.as_slice()),
            Shape::Global | Shape::Partitioned => None,
        };
        let processors = processors(stated, clusters)?;
        Ok(Self { id: None, processors, tasks, shape, policy, overheads: None, tests: None, time: None })
    }

    /// The same as a scenario without a unit, its tasks called by their index.
    pub fn into_scenario(self, name: &str) -> Scenario {
        let fixed = self.policy != JobRanking::Edf;
        let tasks = self.tasks.into_iter().enumerate().map(|(index, task)| NamedTask {
            name: index.to_string(),
            task,
            arrival: Arrival::Sporadic,
            priority: fixed.then_some(index as u32),
            cluster: None,
            affinity: None,
            behaviour: TaskBehaviour::default(),
            conduct: Conduct::default(),
        });
        Scenario {
            name: name.to_owned(),
            tasks: tasks.collect(),
            processors: Some(self.processors),
            clusters: self.shape.clusters(self.processors),
            policy: Some(self.policy),
            overheads: self.overheads,
            ..Scenario::default()
        }
    }
}
