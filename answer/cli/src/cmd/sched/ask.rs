//! From a scenario and the flags to a question: what the flags say wins over what the scenario says.

use super::granted;
use super::shape::Shape;
use crate::exit::Failure;
use crate::flags::sched::{Asking, PolicyFlag, PrioritiesFlag};
use prazo_analysis::question::{Method, Policy, Priorities, Question, Shape as Sharing};
use prazo_analysis::{Task, TaskSet, TimeModel, gedf};
use prazo_core::cpu::{CPUS_MAX, Cpu, CpuSet};
use prazo_scenario::read::record::{self, Record};
use prazo_scenario::{OverheadTable, Scenario, overheads, set};
use std::path::Path;

/// The most processors that can be asked about.
const PROCESSORS_MAX: u32 = CPUS_MAX as u32;

/// One question with everything it borrows from.
pub struct Asked {
    pub scenario: Scenario,
    pub remarks: Vec<String>,
    tasks: Vec<Task>,
    ranks: Vec<u32>,
    places: Option<Vec<Option<u32>>>,
    policy: set::Policy,
    processors: u32,
    clusters: Option<Vec<u32>>,
    ones: Vec<u32>,
    time: TimeModel,
}

impl Asked {
    /// What is asked of `scenario`.
    pub fn new(mut scenario: Scenario, asking: &Asking) -> Result<Self, Failure> {
        apply_overheads(&mut scenario, asking)?;
        let tasks = granted::tasks(&scenario);
        let set = TaskSet::new(&tasks).map_err(|refused| Failure::usage(format!("{}: {refused}", scenario.name)))?;
        let fewest = u32::try_from(set.utilization_ceil()).unwrap_or(u32::MAX).min(PROCESSORS_MAX);
        let shape = shape(&scenario, asking, fewest)?;
        let processors = shape.clusters.as_ref().map(|sizes| sizes.iter().sum());
        let processors = processors.or(asking.processors).or(scenario.processors).unwrap_or(fewest);
        let processors = in_range(&scenario.name, processors)?;
        let policy = policy(&scenario, asking)?;
        let places = places(&scenario, shape.clusters.as_deref(), processors)?;
        Ok(Self {
            remarks: [scenario.remarks.clone(), shape.remarks].concat(),
            ranks: scenario.ranks().unwrap_or_default(),
            ones: vec![1; processors as usize],
            time: asking.time,
            clusters: shape.clusters,
            scenario,
            tasks,
            places,
            policy,
            processors,
        })
    }

    /// The question for the shape asked for.
    pub fn question(&self) -> Question<'_> {
        let shape = match &self.clusters {
            Some(sizes) => Sharing::Clusters(sizes),
            None => Sharing::Global { processors: self.processors },
        };
        self.with_shape(shape)
    }

    /// The same question for those who want it answered: refused where no test knows the servers that it has.
    pub fn answerable(&self) -> Result<Question<'_>, Failure> {
        let question = self.question();
        granted::check(&self.scenario, &question)?;
        Ok(question)
    }

    /// What a reader of the answer should know.
    pub fn answer_remarks(&self) -> Vec<String> {
        [self.remarks.clone(), granted::remarks(&self.scenario)].concat()
    }

    /// The same with one queue a processor; `None` where that is what was asked, or there is but one processor.
    pub fn partitioned(&self) -> Option<Question<'_>> {
        let worth_asking = self.clusters.is_none() && self.processors > 1;
        worth_asking.then(|| self.with_shape(Sharing::Clusters(&self.ones)))
    }

    fn with_shape<'a>(&'a self, shape: Sharing<'a>) -> Question<'a> {
        Question {
            tasks: &self.tasks,
            policy: match self.policy {
                set::Policy::Edf => Policy::Edf,
                set::Policy::FixedPriority(from) => Policy::FixedPriority(self.priorities(from)),
            },
            shape,
            places: self.places.as_deref(),
            overheads: self.scenario.overheads.as_ref().map(OverheadTable::borrow),
            time: self.time,
        }
    }

    fn priorities(&self, from: set::Priorities) -> Priorities<'_> {
        match from {
            set::Priorities::RateMonotonic => Priorities::RateMonotonic,
            set::Priorities::DeadlineMonotonic => Priorities::DeadlineMonotonic,
            set::Priorities::Audsley => Priorities::Audsley,
            set::Priorities::Given => Priorities::Given(&self.ranks),
        }
    }
}

/// As the flags say, else as the scenario says; tasks that are tied to processors ask for one queue each.
fn shape(scenario: &Scenario, asking: &Asking, fewest: u32) -> Result<Shape, Failure> {
    let said = asking.processors.or(scenario.processors);
    let plain = |clusters| Ok(Shape { clusters, remarks: Vec::new() });
    match (&asking.clusters, asking.processors, tied_to(scenario)) {
        (Some(text), ..) => Shape::read(text, Some(said.unwrap_or(fewest))),
        (None, None, _) if scenario.clusters.is_some() => plain(scenario.clusters.clone()),
        (None, _, Some(most)) => plain(Some(vec![1; said.unwrap_or(most) as usize])),
        (None, _, None) => plain(None),
    }
}

/// How many processors the tasks that are tied to some name at least; `None` if none is tied.
fn tied_to(scenario: &Scenario) -> Option<u32> {
    let last_of =
        |task: &set::NamedTask| task.cluster.or(task.affinity.and_then(|cpus| cpus.iter().last()).map(Cpu::number));
    scenario.tasks.iter().filter_map(last_of).max().map(|last| last + 1)
}

/// As many processors as the readers of task sets and the rest of the program know of.
fn in_range(name: &str, processors: u32) -> Result<u32, Failure> {
    match processors {
        1..=PROCESSORS_MAX => Ok(processors),
        _ => Err(Failure::usage(format!(
            "{name}: {processors} processors; give 1 to {PROCESSORS_MAX} with -m or --clusters"
        ))),
    }
}

fn apply_overheads(scenario: &mut Scenario, asking: &Asking) -> Result<(), Failure> {
    match &asking.overheads {
        Some(file) if file == Path::new("none") => scenario.overheads = None,
        Some(file) => {
            let name = file.display().to_string();
            let failed = |error| Failure::usage(format!("--overheads {name}: {error}; name a readable table"));
            let text = std::fs::read_to_string(file).map_err(failed)?;
            scenario.overheads = Some(overheads::read(&name, &text, scenario.unit).map_err(Failure::usage)?);
        }
        None => {}
    }
    Ok(())
}

fn policy(scenario: &Scenario, asking: &Asking) -> Result<set::Policy, Failure> {
    let said = match scenario.policy {
        Some(set::Policy::FixedPriority(from)) => from,
        _ if scenario.ranks().is_some() => set::Priorities::Given,
        _ => set::Priorities::DeadlineMonotonic,
    };
    let from = match asking.priorities {
        Some(PrioritiesFlag::RateMonotonic) => set::Priorities::RateMonotonic,
        Some(PrioritiesFlag::DeadlineMonotonic) => set::Priorities::DeadlineMonotonic,
        Some(PrioritiesFlag::Audsley) => set::Priorities::Audsley,
        Some(PrioritiesFlag::Given) => set::Priorities::Given,
        None => said,
    };
    let policy = match (asking.policy, asking.priorities) {
        (Some(PolicyFlag::Edf), _) => set::Policy::Edf,
        (Some(PolicyFlag::Fp), _) | (None, Some(_)) => set::Policy::FixedPriority(from),
        (None, None) => scenario.policy.unwrap_or(set::Policy::Edf),
    };
    match policy {
        set::Policy::FixedPriority(set::Priorities::Given) if scenario.ranks().is_none() => {
            Err(Failure::usage(format!(
                "{}: some tasks state no priority; give every task one, or choose --priorities deadline-monotonic",
                scenario.name
            )))
        }
        policy => Ok(policy),
    }
}

/// The queue that each task is tied to by its author; `None` if none is tied.
fn places(scenario: &Scenario, clusters: Option<&[u32]>, processors: u32) -> Result<Option<Vec<Option<u32>>>, Failure> {
    if scenario.tasks.iter().all(|task| task.cluster.is_none() && task.affinity.is_none()) {
        return Ok(None);
    }
    let place = |task: &set::NamedTask| match (task.cluster, task.affinity) {
        (Some(cluster), _) => queue_number(scenario, task, cluster, clusters),
        (None, Some(affinity)) => queue_of(scenario, task, affinity, clusters, processors),
        (None, None) => Ok(None),
    };
    scenario.tasks.iter().map(place).collect::<Result<_, _>>().map(Some)
}

fn queue_number(
    scenario: &Scenario,
    task: &set::NamedTask,
    cluster: u32,
    clusters: Option<&[u32]>,
) -> Result<Option<u32>, Failure> {
    match clusters {
        None => Ok(None),
        Some(sizes) if (cluster as usize) < sizes.len() => Ok(Some(cluster)),
        Some(sizes) => Err(Failure::usage(format!(
            "{}: task '{}' belongs to cluster {cluster}, but there are only {}; change its cluster or --clusters",
            scenario.name,
            task.name,
            sizes.len()
        ))),
    }
}

/// The cluster whose processors the affinity names; clusters take processors in order, from 0.
fn queue_of(
    scenario: &Scenario,
    task: &set::NamedTask,
    affinity: CpuSet,
    clusters: Option<&[u32]>,
    processors: u32,
) -> Result<Option<u32>, Failure> {
    let covers =
        |from: u32, to: u32| (from..to).all(|number| Cpu::new(number).is_some_and(|cpu| affinity.contains(cpu)));
    if covers(0, processors) {
        return Ok(None);
    }
    let mut from = 0;
    for (index, size) in clusters.unwrap_or(&[]).iter().enumerate() {
        if covers(from, from + size) && affinity.count() as u32 == *size {
            return Ok(Some(index as u32));
        }
        from += size;
    }
    Err(Failure::usage(format!(
        "{}: the affinity {affinity} of task '{}' is neither all processors nor one cluster, and no test here is for such sets; choose --clusters so that it is one",
        scenario.name, task.name
    )))
}

/// The question that one record of a batch asks, with what it borrows from.
pub struct RecordAsked<'a> {
    record: &'a Record,
    ranks: Vec<u32>,
    time: TimeModel,
}

impl<'a> RecordAsked<'a> {
    /// What `record` asks, for arrivals as it says itself, or else as `time` has them.
    pub fn new(record: &'a Record, time: TimeModel) -> Self {
        Self { record, ranks: (0..record.tasks.len() as u32).collect(), time: record.time.unwrap_or(time) }
    }

    /// The question.
    pub fn question(&self) -> Question<'_> {
        let record = self.record;
        let shape = match &record.shape {
            record::Shape::Clusters(sizes) => Sharing::Clusters(sizes),
            record::Shape::Global => Sharing::Global { processors: record.processors },
        };
        // A record's tasks stand in the order of their priorities.
        let policy = match record.policy {
            set::Policy::Edf => Policy::Edf,
            set::Policy::FixedPriority(_) => Policy::FixedPriority(Priorities::Given(&self.ranks)),
        };
        let overheads = record.overheads.as_ref().map(OverheadTable::borrow);
        Question { tasks: &record.tasks, policy, shape, places: None, overheads, time: self.time }
    }

    /// The method with the tests that the record names.
    pub fn method(&self, method: &Method) -> Result<Method, String> {
        let Some(names) = &self.record.tests else { return Ok(method.clone()) };
        let test = |name: &String| {
            let named = gedf::Test::ALL.into_iter().find(|test| test.name().eq_ignore_ascii_case(name));
            named.ok_or_else(|| format!("there is no test '{name}'; choose of {}", names_of_tests()))
        };
        Ok(Method { tests: names.iter().map(test).collect::<Result<_, _>>()?, ..method.clone() })
    }
}

fn names_of_tests() -> String {
    gedf::Test::ALL.map(gedf::Test::name).join(", ")
}
