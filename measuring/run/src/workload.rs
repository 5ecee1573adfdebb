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

/// One workload of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadPlan {
    /// A name from the catalogue of `prazo cost --list`.
    pub name: String,
    /// Its size, in its own unit.
    pub size: u64,
}

/// What one workload cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadRecord {
    /// A name from the catalogue of `prazo cost --list`.
    pub name: String,
    /// The size that was executed.
    pub size: u64,
    /// The unit of the size.
    pub unit: String,
    /// The figures of `prazo cost`, under its names, and `busy_ns`.
    pub figures: Vec<WorkloadFigure>,
}

/// One figure with its source, or the reason why there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadFigure {
    /// Its name: `user_ns`, `voluntary_switches`.
    pub name: String,
    /// The figure; null where no source gave it.
    pub value: Option<u64>,
    /// Where it is from.
    pub source: Option<String>,
    /// What the source does not include.
    pub leaves_out: Option<String>,
    /// Why there are no figures; null where there are.
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
