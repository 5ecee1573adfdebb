//! What a task does beyond being sporadic, independent and preemptable, as its author wrote it, and as analysis takes it.

use crate::set::{NamedTask, Scenario};
use prazo_core::behaviour::{Behaviours, Burst, CriticalSection, Departure, Locking, NonPreemptive};
use prazo_core::task::Ticks;

/// What one task does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskBehaviour {
    /// Where its jobs can be preempted.
    pub preemption: Preemption,
    /// How many of its jobs may arrive close together.
    pub burst: Option<Burst>,
    /// Its longest critical section of each resource, no resource twice.
    pub sections: Vec<Section>,
}

/// Where a task's jobs can be preempted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Preemption {
    /// At any instant.
    #[default]
    Anywhere,
    /// Not once they have started.
    Never,
    /// Anywhere but in parts of at most this length, which may lie anywhere.
    Floating(Ticks),
    /// Only between these parts, which make up a job.
    Between(Vec<Ticks>),
}

/// The longest use of one resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The resource's name.
    pub resource: String,
    /// How long a job holds it at most.
    pub length: Ticks,
}

impl Preemption {
    /// The lengths that analysis computes with.
    pub fn non_preemptive(&self) -> NonPreemptive {
        match self {
            Self::Anywhere => NonPreemptive::default(),
            Self::Never => NonPreemptive::WHOLE,
            Self::Floating(longest) => NonPreemptive::floating(*longest),
            Self::Between(parts) => NonPreemptive {
                longest: parts.iter().copied().max().unwrap_or(0),
                last: parts.last().copied().unwrap_or(0),
            },
        }
    }
}

/// The behaviours of a set with the numbers of its resources, to be borrowed as analysis takes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolvedBehaviours {
    of_tasks: Vec<Departure>,
    sections: Vec<CriticalSection>,
    locking: Locking,
}

impl ResolvedBehaviours {
    /// Those of `scenario`; resources are numbered in the order in which its tasks name them.
    pub fn of(scenario: &Scenario) -> Self {
        let locking = scenario.locking.unwrap_or_default();
        if first_departing(scenario).is_none() {
            return Self { locking, ..Self::default() };
        }
        let resources = resources(scenario);
        let number = |name: &str| resources.iter().position(|known| *known == name).unwrap_or(resources.len()) as u32;
        let mut sections = Vec::new();
        let departure = |named: &NamedTask| {
            let TaskBehaviour { preemption, burst, sections: own } = &named.behaviour;
            let section = |one: &Section| CriticalSection { resource: number(&one.resource), length: one.length };
            sections.extend(own.iter().map(section));
            Departure { non_preemptive: preemption.non_preemptive(), burst: *burst, sections_end: sections.len() }
        };
        Self { of_tasks: scenario.tasks.iter().map(departure).collect(), sections, locking }
    }

    /// As analysis takes them.
    pub fn borrow(&self) -> Behaviours<'_> {
        Behaviours { of_tasks: &self.of_tasks, sections: &self.sections, locking: self.locking }
    }
}

/// The names of all resources, in the order in which tasks name them.
pub fn resources(scenario: &Scenario) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for section in scenario.tasks.iter().flat_map(|named| &named.behaviour.sections) {
        if !names.contains(&section.resource.as_str()) {
            names.push(&section.resource);
        }
    }
    names
}

/// The first task that does more than be sporadic, independent and preemptable: what only `sched test`, `simulate` and `verify`
/// know.
pub fn first_departing(scenario: &Scenario) -> Option<&NamedTask> {
    scenario.tasks.iter().find(|named| named.behaviour != TaskBehaviour::default())
}
