//! What the tasks of a set do beyond being sporadic, independent and preemptable, as analysis and simulator take it.

use crate::behaviour::{ResourceUse, TaskBehaviour};
use crate::set::{NamedTask, Scenario};
use prazo_core::behaviour::{Behaviours, CriticalSection, Departure, Locking, Phase, Supply};
use prazo_core::task::Ticks;

/// The behaviours of a set with the numbers of its resources, to be borrowed as analysis takes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolvedBehaviours {
    of_tasks: Vec<Departure>,
    sections: Vec<CriticalSection>,
    locking: Locking,
    supply: Option<Supply>,
    phases: Vec<Phase>,
}

impl ResolvedBehaviours {
    /// Those of `scenario`; resources are numbered in the order in which its tasks name them.
    pub fn of(scenario: &Scenario) -> Self {
        let (locking, supply) = (scenario.locking.unwrap_or_default(), scenario.supply);
        let phases = phases(scenario);
        if first_departing(scenario).is_none() {
            return Self { locking, supply, phases, ..Self::default() };
        }
        let resources = resources(scenario);
        let number = |name: &str| resources.iter().position(|known| *known == name).unwrap_or(resources.len()) as u32;
        let mut sections = Vec::new();
        let departure = |named: &NamedTask| {
            let &TaskBehaviour { ref preemption, burst, curve, suspension, cost_high, sections: ref own } =
                &named.behaviour;
            let section = |&ResourceUse { ref resource, length, requests }: &ResourceUse| CriticalSection {
                resource: number(resource),
                length,
                requests,
            };
            sections.extend(own.iter().map(section));
            let non_preemptive = preemption.non_preemptive();
            Departure { non_preemptive, burst, curve, suspension, cost_high, sections_end: sections.len() }
        };
        Self { of_tasks: scenario.tasks.iter().map(departure).collect(), sections, locking, supply, phases }
    }

    /// As analysis takes them.
    pub fn borrow(&self) -> Behaviours<'_> {
        let Self { of_tasks, sections, locking, supply, phases } = self;
        Behaviours { of_tasks, sections, locking: *locking, supply: *supply, phases }
    }
}

/// When the jobs of each task arrive, if all are on one clock.
fn phases(scenario: &Scenario) -> Vec<Phase> {
    let of = |named: &NamedTask| Phase {
        offset: named.conduct.offset.unwrap_or(0),
        best_case: named.conduct.best_case.unwrap_or(0),
    };
    scenario.tasks.iter().filter(|_| scenario.synchronized).map(of).collect()
}

/// What activates the jobs of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Activation {
    /// Index of the task whose jobs activate one each when they end.
    pub by: usize,
    /// How long that takes at most.
    pub hop: Ticks,
}

impl Scenario {
    /// What activates each task; `None` for those that are activated by time or by events outside.
    pub fn activations(&self) -> Vec<Option<Activation>> {
        let mut all = vec![None; self.tasks.len()];
        for chain in &self.chains {
            for pair in chain.stages.windows(2).filter(|pair| pair[1].activated) {
                all[pair[1].task] = Some(Activation { by: pair[0].task, hop: pair[1].hop });
            }
        }
        all
    }

    /// The first task that another one activates, which only `sched test` and `sched simulate` know.
    pub fn first_activated(&self) -> Option<&NamedTask> {
        let all = self.activations();
        all.iter().position(Option::is_some).map(|task| &self.tasks[task])
    }

    /// The first task of high criticality. If there is one, the set has two criticalities; else all tasks are of low criticality.
    pub fn first_of_high_criticality(&self) -> Option<&NamedTask> {
        self.tasks.iter().find(|named| named.behaviour.cost_high.is_some())
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
/// know. A supply is no task's, so it is not looked at here.
pub fn first_departing(scenario: &Scenario) -> Option<&NamedTask> {
    scenario.tasks.iter().find(|named| named.behaviour != TaskBehaviour::default())
}
