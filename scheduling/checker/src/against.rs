//! Is a certificate about this scenario? Compared part by part, so that each difference can be named.

use crate::accept::Accepted;
use crate::behaviour::Behaviour;
use crate::certificate::{JobRanking, Table, listed, overhead_word};
use crate::curve::Curve;
use prazo_core::behaviour::{self as core, Behaviours, Locking, Phase, Supply};
use prazo_core::overheads::{OverheadField, Overheads};
use prazo_core::task::{Task, Ticks};
use std::fmt;

/// What a scenario says. What it leaves open (`None`) cannot differ.
#[derive(Clone, Copy, Debug)]
pub struct Scenario<'a> {
    /// The tasks in order.
    pub tasks: &'a [Task],
    /// How many processors.
    pub processors: Option<u32>,
    /// Processors of each ready queue.
    pub queues: Option<&'a [u32]>,
    /// How jobs are ranked.
    pub policy: Option<&'a JobRanking>,
    /// The ready queue that each task is tied to.
    pub places: Option<&'a [Option<u32>]>,
    /// What the tasks do beyond being sporadic, independent and preemptable.
    pub behaviours: Option<Behaviours<'a>>,
    /// What the platform adds.
    pub overheads: Option<Overheads<'a>>,
}

/// One thing that a certificate and a scenario say differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// How many tasks there are.
    TaskCount(Pair<usize>),
    /// One number of a task.
    Task {
        /// Index of the task.
        task: usize,
        /// `cost`, `period`, `deadline`, `jitter` or `working set`.
        field: &'static str,
        /// The two numbers.
        values: Pair<u64>,
    },
    /// Non-preemptive parts, critical sections, burst, suspension or criticality of a task.
    Behaviour {
        /// Index of the task.
        task: usize,
    },
    /// Offset or best case of a task, or whether tasks are on one clock at all.
    Phase {
        /// Index of the task.
        task: usize,
    },
    /// The protocol of the resources.
    Locking(Pair<Locking>),
    /// What the tasks have of their processor.
    Supply(Pair<Option<Supply>>),
    /// How many processors there are.
    Processors(Pair<u64>),
    /// How many processors each ready queue has.
    Queues(Pair<Vec<u32>>),
    /// How jobs are ranked.
    Policy(Pair<JobRanking>),
    /// The ready queue of a task.
    Place {
        /// Index of the task.
        task: usize,
        /// The two queues.
        queues: Pair<u32>,
    },
    /// The certificate splits a task that is tied to a ready queue.
    Split {
        /// Index of the task.
        task: usize,
        /// The queue in the scenario.
        queue: u32,
    },
    /// An overhead; the certificate may charge none at all.
    Overhead {
        /// As the certificate's line is called.
        name: String,
        /// True if the certificate charges overheads.
        is_charged: bool,
    },
}

/// What the two say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair<T> {
    /// The certificate.
    pub certificate: T,
    /// The scenario.
    pub scenario: T,
}

impl<T: fmt::Display> fmt::Display for Pair<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in the certificate, {} in the scenario", self.certificate, self.scenario)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TaskCount(pair) => write!(f, "number of tasks: {pair}"),
            Self::Task { task, field, values } => write!(f, "{field} of task {task}: {values}"),
            Self::Behaviour { task } => {
                write!(
                    f,
                    "task {task}: non-preemptive parts, critical sections, arrivals, suspension or criticality differ between \
                     certificate and scenario"
                )
            }
            Self::Phase { task } => {
                write!(
                    f,
                    "task {task}: synchronized arrivals, offset or best case differ between certificate and scenario"
                )
            }
            Self::Locking(pair) => write!(f, "locking: {pair}"),
            Self::Supply(pair) => {
                let [ours, theirs] = [pair.certificate, pair.scenario].map(|supply| match supply {
                    Some(supply) => supply.to_string(),
                    None => "the whole processor".to_owned(),
                });
                write!(f, "supply: {ours} in the certificate, {theirs} in the scenario")
            }
            Self::Processors(pair) => write!(f, "processors: {pair}"),
            Self::Queues(Pair { certificate, scenario }) => {
                let [ours, theirs] = [certificate, scenario].map(|sizes| listed(sizes));
                write!(f, "processors of each ready queue: {ours} in the certificate; {theirs} in the scenario")
            }
            Self::Policy(pair) => write!(f, "policy: {pair}"),
            Self::Place { task, queues } => write!(f, "ready queue of task {task}: {queues}"),
            Self::Split { task, queue } => {
                write!(
                    f,
                    "ready queue of task {task}: several in the certificate (it splits the task), {queue} in the scenario"
                )
            }
            Self::Overhead { name, is_charged: true } => {
                write!(f, "overhead `{name}`: the certificate and the scenario have different values")
            }
            Self::Overhead { name, is_charged: false } => {
                write!(f, "overhead `{name}`: the scenario has this overhead, and the certificate charges no overheads")
            }
        }
    }
}

impl Accepted {
    /// What `scenario` says differently; empty if the certificate is about it.
    pub fn differences(&self, scenario: &Scenario<'_>) -> Vec<Difference> {
        let mut differences = of_tasks(&self.tasks, scenario.tasks);
        differences.extend(self.of_behaviours(scenario));
        let processors = self.queues.iter().copied().map(u64::from).sum();
        if let Some(stated) = scenario.processors.map(u64::from).filter(|stated| *stated != processors) {
            differences.push(Difference::Processors(Pair { certificate: processors, scenario: stated }));
        }
        if let Some(stated) = scenario.queues.filter(|stated| *stated != self.queues) {
            let pair = Pair { certificate: self.queues.clone(), scenario: stated.to_vec() };
            differences.push(Difference::Queues(pair));
        }
        if let Some(stated) = scenario.policy.filter(|stated| **stated != self.ranking) {
            let pair = Pair { certificate: self.ranking.clone(), scenario: stated.clone() };
            differences.push(Difference::Policy(pair));
        }
        differences.extend(self.of_places(scenario.places.unwrap_or_default()));
        differences.extend(scenario.overheads.iter().flat_map(|stated| of_overheads(self.overheads.as_ref(), stated)));
        differences
    }
}

impl Accepted {
    /// The assignment is empty where the certificate says of no task where it runs.
    fn of_places(&self, places: &[Option<u32>]) -> Vec<Difference> {
        let differs = |(task, (certificate, place)): (usize, (&u32, &Option<u32>))| match *place {
            Some(queue) if self.split.contains(&task) => Some(Difference::Split { task, queue }),
            Some(scenario) if scenario != *certificate => {
                Some(Difference::Place { task, queues: Pair { certificate: *certificate, scenario } })
            }
            _ => None,
        };
        self.assignment.iter().zip(places).enumerate().filter_map(differs).collect()
    }

    fn of_behaviours(&self, scenario: &Scenario<'_>) -> Vec<Difference> {
        let Some(stated) = scenario.behaviours else { return Vec::new() };
        let plain = Behaviour::default();
        let ours = |task: usize| self.behaviours.as_ref().map_or(&plain, |all| &all.of_tasks[task]);
        let count = self.tasks.len().min(scenario.tasks.len());
        let unlike = (0..count).filter(|&task| *ours(task) != written(&stated.of(task), self.tasks[task].cost));
        let mut differences: Vec<Difference> = unlike.map(|task| Difference::Behaviour { task }).collect();
        let phase = |phases: &[Phase], task: usize| {
            let of = phases.get(task).copied();
            of.map(|of| Phase { best_case: of.best_case.min(self.tasks[task].cost), ..of })
        };
        let unlike = (0..count).filter(|&task| phase(&self.phases, task) != phase(stated.phases, task));
        differences.extend(unlike.map(|task| Difference::Phase { task }));
        let locking = self.behaviours.as_ref().map(|all| all.locking).filter(|locking| *locking != stated.locking);
        let matters = !stated.sections.is_empty();
        let pair = locking.filter(|_| matters).map(|certificate| Pair { certificate, scenario: stated.locking });
        differences.extend(pair.map(Difference::Locking));
        let supply = self.behaviours.as_ref().and_then(|all| all.supply);
        let pair = Pair { certificate: supply, scenario: stated.supply };
        differences.extend((supply != stated.supply).then_some(Difference::Supply(pair)));
        differences
    }
}

/// A scenario's behaviour as a certificate writes it.
fn written(stated: &core::Behaviour<'_>, cost: Ticks) -> Behaviour {
    let mut sections: Vec<(u32, Ticks, u32)> =
        stated.sections.iter().map(|section| (section.resource, section.length, section.requests)).collect();
    sections.sort_unstable();
    Behaviour {
        longest: stated.non_preemptive.longest.min(cost),
        last: stated.non_preemptive.last.min(cost),
        suspension: stated.suspension,
        cost_high: stated.cost_high,
        burst: stated.burst.map(|burst| (burst.jobs, burst.within, burst.distance)),
        curve: stated
            .curve
            .and_then(|curve| Curve::new(curve.steps().iter().map(|step| (step.jobs, step.within)).collect())),
        sections,
    }
}

fn of_tasks(certificate: &[Task], scenario: &[Task]) -> Vec<Difference> {
    if certificate.len() != scenario.len() {
        let pair = Pair { certificate: certificate.len(), scenario: scenario.len() };
        return vec![Difference::TaskCount(pair)];
    }
    let fields = |task: &Task| {
        [
            ("cost", task.cost),
            ("period", task.period),
            ("deadline", task.deadline),
            ("jitter", task.jitter),
            ("working set", task.working_set_kib),
        ]
    };
    let of_task = |(task, (ours, theirs)): (usize, (&Task, &Task))| {
        let pairs = fields(ours).into_iter().zip(fields(theirs));
        pairs.filter(|(ours, theirs)| ours != theirs).map(move |((field, certificate), (_, scenario))| {
            Difference::Task { task, field, values: Pair { certificate, scenario } }
        })
    };
    certificate.iter().zip(scenario).enumerate().flat_map(of_task).collect()
}

fn of_overheads(certificate: Option<&Table>, scenario: &Overheads<'_>) -> Vec<Difference> {
    let nothing = Table::default();
    let ours = certificate.unwrap_or(&nothing);
    let amounts = OverheadField::VALUES
        .iter()
        .map(|field| (overhead_word(*field), ours.of(*field).borrow() == scenario.of(*field).amount));
    let others = [
        ("tick-period", ours.tick_period == scenario.tick_period),
        ("dedicated-interrupt-processor", ours.dedicated_interrupt_processor == scenario.dedicated_interrupt_processor),
    ];
    let others = others.into_iter().map(|(name, same)| (name.to_owned(), same));
    let unlike = amounts.chain(others).filter(|(_, same)| !same);
    unlike.map(|(name, _)| Difference::Overhead { name, is_charged: certificate.is_some() }).collect()
}
