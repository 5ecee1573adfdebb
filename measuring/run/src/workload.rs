//! Workloads of a run: which were executed in sequence, how much of each, and what each cost with all its descendants.
//!
//! A latency says what a platform keeps free for real-time tasks; this says what everything else pays for it (Marsal 2013).
//! The size is fixed by the plan, so that every platform executes the same work. Sums are over all tasks of a workload;
//! docs/cost.md has the definitions. A figure that no source gave is missing with a reason, never 0.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The figure that is not the workload's own: everything that ran on the machine meanwhile, kernel threads included.
pub const BUSY_NS: &str = "busy_ns";

/// The figure of what runs beside the workload and is in no other of its own: its server.
pub const SERVER_NS: &str = "server_ns";

/// A workload of a plan, whose cost is to be measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadPlan {
    /// Name of the workload, as `prazo cost --list` shows it.
    pub name: String,
    /// Size of the workload, in the workload's own unit.
    pub size: u64,
}

/// Cost of one workload that was executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadRecord {
    /// Name of the workload, as `prazo cost --list` shows it.
    pub name: String,
    /// Size of the workload that was executed.
    pub size: u64,
    /// Unit of the workload's size.
    pub unit: String,
    /// Figures of the workload's cost, with the names that `prazo cost --json` uses; in addition `busy_ns`, the processor
    /// time of everything that ran on the machine meanwhile, and `server_ns`, that of the workload's server, if it has one.
    pub figures: Vec<WorkloadFigure>,
}

/// One figure of the cost with its source, or the reason why it has no value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadFigure {
    /// Name of the figure, such as `user_ns` or `voluntary_switches`.
    pub name: String,
    /// Value of the figure; null where no source provided it.
    pub value: Option<u64>,
    /// Source of the value; null where there is no value.
    pub source: Option<String>,
    /// What the source does not include in the value; null where the source is not known to exclude anything.
    pub leaves_out: Option<String>,
    /// Why the figure has no value; null where it has one.
    pub reason: Option<String>,
}

impl WorkloadRecord {
    /// A figure by its name; `None` where there is none.
    pub fn get(&self, figure: &str) -> Option<u64> {
        self.figures.iter().find(|one| one.name == figure)?.value
    }

    /// Processor time of user and system (T_exec of Marsal 2013).
    pub fn executed_ns(&self) -> Option<u64> {
        self.get("user_ns")?.checked_add(self.get("system_ns")?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executed_time_is_user_and_system_and_missing_where_one_is() {
        let figure = |name: &str, value| WorkloadFigure {
            name: name.into(),
            value,
            source: None,
            leaves_out: None,
            reason: None,
        };
        let of = |system| WorkloadRecord {
            name: "scheduler".into(),
            size: 1,
            unit: "messages".into(),
            figures: vec![figure("user_ns", Some(3)), figure("system_ns", system)],
        };
        assert_eq!(of(Some(4)).executed_ns(), Some(7));
        assert_eq!(of(None).executed_ns(), None);
    }
}
