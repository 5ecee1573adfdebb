//! What a stranger would need to rebuild the platform: a list of named facts, each with where it was read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Facts by name (`kernel.release`, `cpu.model`, `cmdline`), sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Fingerprint {
    /// Name to fact.
    pub facts: BTreeMap<String, Fact>,
}

/// One fact of a platform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// What was found; `None` where it could not be read.
    pub value: Option<String>,
    /// The file or call it came from, and the error where there is no value.
    pub source: String,
}

/// A fact that differs between two fingerprints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// The fact's name.
    pub fact: String,
    /// Its value on the first platform.
    pub before: Option<String>,
    /// Its value on the second platform.
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
