//! What each system did with one set under one protocol.

use super::sets::Setting;
use prazo_core::event::{Event, EventKind};
use prazo_report::words;
use prazo_run::jobs::{LockProtocol, SetRun, events};
use schemars::JsonSchema;
use serde::Serialize;

/// Results of one task set under one locking protocol.
#[derive(Serialize, JsonSchema)]
pub struct Row {
    /// Name of the task set with its protocol.
    pub name: String,
    /// Protocol of the locks; under `plain`, the set with nested locks runs without locks.
    pub protocol: LockProtocol,
    /// Execution time of a job of the task with the middle priority; null for the set with nested locks, where this time does not vary.
    pub middle_ns: Option<u64>,
    /// Bound on the response time of the most urgent task, from analysis without overheads; null where there is none.
    pub bound_ns: Option<u64>,
    /// Why there is no bound; null where there is one.
    pub bound_why_not: Option<&'static str>,
    /// Result on Linux.
    pub linux: Seen,
    /// Result in the simulator.
    pub simulator: Seen,
    /// Result in prazo's own kernel; null where the set did not run there.
    pub kernel: Option<Seen>,
    /// Why the set did not run in prazo's own kernel; null where it did.
    pub kernel_why_not: Option<String>,
}

/// Result of a task set on one system.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Seen {
    /// Time from the most urgent task's release to its completion; null where the task did not complete.
    pub response_ns: Option<u64>,
    /// Number of context switches from the start of the first job to the end of the most urgent job.
    pub switches: u64,
}

/// The system that ran the tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum System {
    /// Linux, on this machine or in a guest.
    Linux,
    /// prazo's own kernel.
    Kernel,
    /// prazo's simulator.
    Simulator,
}

impl System {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Linux, Self::Kernel, Self::Simulator];

    /// True where it knows locks of this kind.
    pub(crate) fn has(self, protocol: LockProtocol) -> bool {
        self != Self::Kernel || protocol != LockProtocol::Protect
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Linux => "Linux",
            Self::Kernel => "prazo's kernel",
            Self::Simulator => "simulator",
        }
    }
}

impl Seen {
    /// That of a trace.
    pub(crate) fn of(setting: &Setting, events: &[Event]) -> Self {
        let is_end = |event: &&Event| event.task.index() == 0 && matches!(event.kind, EventKind::Completion { .. });
        let end = events.iter().find(is_end);
        Self {
            response_ns: end.map(|end| end.at.as_ns().saturating_sub(setting.urgent_release_ns())),
            switches: switches(events.iter().take_while(|event| !is_end(event))),
        }
    }
}

/// Dispatches but the first.
fn switches<'a>(events: impl Iterator<Item = &'a Event>) -> u64 {
    (events.filter(|event| matches!(event.kind, EventKind::Dispatch { .. })).count() as u64).saturating_sub(1)
}

impl Row {
    /// What was seen of a setting.
    pub(crate) fn new(setting: &Setting, set: &SetRun, kernel: Result<&[Event], &String>) -> Self {
        Self {
            name: setting.name.clone(),
            protocol: setting.protocol,
            middle_ns: setting.middle_ns,
            bound_ns: setting.bound().ok(),
            bound_why_not: setting.bound().err(),
            linux: Seen::of(setting, &events::of(set)),
            simulator: Seen::of(setting, &setting.simulated().events),
            kernel: kernel.ok().map(|events| Seen::of(setting, events)),
            kernel_why_not: kernel.err().cloned(),
        }
    }

    /// What a system did; `None` where it did not run it.
    pub(crate) fn seen(&self, system: System) -> Option<Seen> {
        match system {
            System::Linux => Some(self.linux),
            System::Kernel => self.kernel,
            System::Simulator => Some(self.simulator),
        }
    }

    pub(super) fn line(&self) -> String {
        let time = |ns: Option<u64>| ns.map_or(words::ABSENT.to_owned(), words::time);
        let response = |system| time(self.seen(system).and_then(|seen| seen.response_ns));
        let switches = |system| self.seen(system).map_or(words::ABSENT.to_owned(), |seen| seen.switches.to_string());
        let [linux, kernel, simulator] = System::ALL;
        format!(
            "{:<16} {:>9} {:>9} {:>12} {:>15} {:>10} {:>8} {:>15} {:>10}",
            if self.middle_ns.is_some() { self.protocol.name() } else { &self.name },
            time(self.middle_ns),
            self.bound_ns.map_or("no bound".to_owned(), words::time),
            response(linux),
            response(kernel),
            response(simulator),
            switches(linux),
            switches(kernel),
            switches(simulator),
        )
    }
}
