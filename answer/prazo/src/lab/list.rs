//! What can be booted, and in what.

use super::fetch::Fetched;
use prazo_lab::{Cache, Emulator, LabError, Machine, Platform};
use prazo_report::terminal::{InWords, Side, Words};
use prazo_report::view::Cell;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// Emulator, sets of packages, machines and platforms of the lab, as `--json` prints them.
#[derive(Serialize, JsonSchema)]
pub struct Listed {
    /// The emulator that the lab uses; null if there is none.
    pub emulator: Option<Fetched>,
    /// Why the lab cannot be used; null if it can.
    pub reason: Option<String>,
    /// Sets of packages that `prazo lab fetch` fetches, kernels that `prazo lab build` builds, and whether each can be used.
    pub sets: Vec<CachedSet>,
    /// The built-in machines.
    pub machines: Vec<Machine>,
    /// The built-in platforms, and those with other kernel releases that were fetched. Each is named as `lab:NAME`.
    pub platforms: Vec<Platform>,
}

/// A set of packages, or a built kernel, in the lab's cache.
#[derive(Serialize, JsonSchema)]
pub struct CachedSet {
    /// Name and version of the set.
    pub name: String,
    /// Whether the set can be used.
    pub state: SetState,
    /// What differs in a damaged set; null for sets without damage.
    pub reason: Option<String>,
}

/// Whether a set of packages can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SetState {
    /// Every file of the set is as it was fetched or built.
    Fetched,
    /// The set was not fetched or built.
    NotFetched,
    /// A file of the set is missing or has changed.
    Damaged,
}

impl CachedSet {
    fn of((name, found): (String, Result<(), LabError>)) -> Self {
        let (state, reason) = match found {
            Ok(()) => (SetState::Fetched, None),
            Err(LabError::NotFetched { .. }) => (SetState::NotFetched, None),
            Err(error) => (SetState::Damaged, Some(error.to_string())),
        };
        Self { name, state, reason }
    }
}

/// The emulator, the sets of the cache, the built-in machines, and the platforms that can be named.
pub fn list() -> Listed {
    let found = Emulator::find();
    let reason = found.as_ref().err().map(ToString::to_string);
    let emulator = found.ok().as_ref().map(Fetched::of);
    let cache = Cache::of_user().ok();
    let sets = cache.as_ref().map(Cache::sets).unwrap_or_default().into_iter().map(CachedSet::of).collect();
    let releases = cache.map(|cache| cache.other_releases()).unwrap_or_default();
    let platforms = [Platform::builtin(), Platform::of_other_releases(&releases)].concat();
    Listed { emulator, reason, sets, machines: Machine::builtin(), platforms }
}

impl InWords for Listed {
    fn write(&self, to: &mut Words<'_>) {
        let sides = [Side::Left, Side::Wrapped];
        let row = |name: String, text: &str| vec![Cell::from(name), Cell::from(text)];
        to.table(&sides, &[], self.machines.iter().map(|one| row(one.name.to_string(), &one.text)));
        to.line("");
        let builtin: BTreeSet<String> = Platform::builtin().into_iter().map(|one| one.name).collect();
        let (own, other): (Vec<_>, Vec<_>) = self.platforms.iter().partition(|one| builtin.contains(&one.name));
        to.table(&sides, &[], own.into_iter().map(|one| row(format!("lab:{}", one.name), &one.text)));
        to.line("");
        if !other.is_empty() {
            let names: Vec<_> = other.into_iter().map(|one| format!("lab:{}", one.name)).collect();
            to.line(format_args!("with other releases of the kernel: {}", names.join(", ")));
        }
        let emulator = self.emulator.as_ref().map(ToString::to_string).or_else(|| self.reason.clone());
        to.line(format_args!("emulator: {}", emulator.unwrap_or_default()));
        for (state, word) in [(SetState::Fetched, "in the cache"), (SetState::NotFetched, "not in the cache")] {
            let names: Vec<&str> = self.of_state(state).map(|set| set.name.as_str()).collect();
            if !names.is_empty() {
                to.line(format_args!("{word}: {}", names.join(", ")));
            }
        }
        to.lines(self.of_state(SetState::Damaged).filter_map(|set| set.reason.as_ref()));
    }
}

impl Listed {
    fn of_state(&self, state: SetState) -> impl Iterator<Item = &CachedSet> {
        self.sets.iter().filter(move |set| set.state == state)
    }
}
