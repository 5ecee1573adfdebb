//! What a stranger would need to rebuild the platform: a list of named facts, each with where it was read.
//!
//! A fact that could not be read is kept without a value, and its source says why. Nothing personal is recorded: no host
//! name, no addresses, no serial numbers, no users. Facts that move by themselves are named `now.…`; every other fact must
//! be the same before and after a run ([`Fingerprint::drift`]).

mod capture;
mod clock;
mod cpu;
mod kernel;
mod limits;
mod memory;
mod now;
mod power;
mod system;
mod xenomai;

pub use capture::capture;
pub(crate) use cpu::field;
pub(crate) use limits::soft_limit;
pub(crate) use power::governors_by_name;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Facts about the platform, sorted by name (`kernel.release`, `cpu.model`, `cmdline`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Fingerprint {
    /// Facts about the platform, each under its name.
    pub facts: BTreeMap<String, Fact>,
}

/// One fact about a platform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// Value of the fact; null where the value could not be read.
    pub value: Option<String>,
    /// File or system call that the value was read from; the error where the value could not be read.
    pub source: String,
}

/// A fact whose value differs between the fingerprints of two platforms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// Name of the fact whose value differs.
    pub fact: String,
    /// Value of the fact on the first platform; null where unknown.
    pub before: Option<String>,
    /// Value of the fact on the second platform; null where unknown.
    pub after: Option<String>,
}

impl Fingerprint {
    /// The value of a fact, if it was found.
    pub fn get(&self, fact: &str) -> Option<&str> {
        self.facts.get(fact)?.value.as_deref()
    }

    /// The facts whose values differ, in order of their names.
    pub fn differences(&self, other: &Fingerprint) -> Vec<Difference> {
        let names: std::collections::BTreeSet<&String> = self.facts.keys().chain(other.facts.keys()).collect();
        names
            .into_iter()
            .filter(|name| self.get(name) != other.get(name))
            .map(|name| Difference {
                fact: name.clone(),
                before: self.get(name).map(str::to_owned),
                after: other.get(name).map(str::to_owned),
            })
            .collect()
    }
}

impl Fingerprint {
    /// Facts that differ and must not: a difference here means that the platform changed under the run. Facts that move by
    /// themselves (load, pressure, stolen ticks, uptime) are left out.
    pub fn drift(&self, after: &Fingerprint) -> Vec<Difference> {
        self.differences(after).into_iter().filter(|difference| !is_moving(&difference.fact)).collect()
    }
}

/// Names that begin so are of facts that are expected to move.
pub const MOVING: &str = "now.";

/// True for a fact that is expected to move between two fingerprints of one platform.
pub fn is_moving(fact: &str) -> bool {
    fact.starts_with(MOVING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::Root;

    fn with(facts: &[(&str, &str)]) -> Fingerprint {
        let fact = |value: &str| Fact { value: Some(value.into()), source: "a test".into() };
        Fingerprint { facts: facts.iter().map(|(name, value)| ((*name).to_owned(), fact(value))).collect() }
    }

    #[test]
    fn drift_is_what_must_not_move() {
        let before = with(&[("now.load", "0.1"), ("power.governor", "performance"), ("now.steal_ticks", "5")]);
        let after = with(&[("now.load", "3.0"), ("power.governor", "powersave"), ("now.steal_ticks", "9")]);
        let drift = before.drift(&after);
        assert_eq!(drift.len(), 1);
        assert_eq!((drift[0].fact.as_str(), drift[0].after.as_deref()), ("power.governor", Some("powersave")));
    }

    #[test]
    fn an_empty_tree_gives_facts_without_values_and_with_reasons() {
        let folder = tempfile::tempdir().unwrap();
        let fingerprint = capture(&Root::at(folder.path()));
        assert!(fingerprint.facts.len() > 30);
        for (name, fact) in &fingerprint.facts {
            assert_eq!(fact.value, None, "{name} came from nowhere");
            assert!(
                fact.source.contains("does not exist") || fact.source.contains("copied files"),
                "{name}: {}",
                fact.source
            );
        }
    }

    #[test]
    fn this_machine_does_not_drift_while_nothing_is_done_and_names_nobody() {
        let root = Root::system();
        let before = capture(&root);
        // Somebody else may change a knob just now, but not each time.
        let drifts: Vec<_> = (0..5).map(|_| before.drift(&capture(&root))).collect();
        assert!(drifts.iter().any(Vec::is_empty), "{drifts:?}");
        assert!(before.get("kernel.release").is_some() && before.get("cpu.online").is_some());
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = host.trim();
        let names_host = |value: &str| host.len() > 3 && value.contains(host);
        assert!(!before.facts.values().any(|fact| fact.value.as_deref().is_some_and(names_host)));
    }
}
