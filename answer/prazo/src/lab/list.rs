//! What can be booted, and in what.

use super::fetch::Fetched;
use prazo_lab::{Cache, Emulator, LabError, Machine, Platform};
use schemars::JsonSchema;
use serde::Serialize;

/// The list of what exists, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Listed {
    /// The emulator; null if there is none.
    pub emulator: Option<Fetched>,
    /// Why the lab cannot be used; null if it can.
    pub reason: Option<String>,
    /// What `prazo lab fetch` fetches, and whether it can be used.
    pub sets: Vec<CachedSet>,
    /// The built-in machines.
    pub machines: Vec<Machine>,
    /// The built-in platforms, which `lab:NAME` means.
    pub platforms: Vec<Platform>,
}

/// A set of packages in the lab's cache.
#[derive(Serialize, JsonSchema)]
pub struct CachedSet {
    /// Its name and version.
    pub name: String,
    /// Whether it is there.
    pub state: SetState,
    /// What differs in a damaged set; null for others.
    pub reason: Option<String>,
}

/// Whether a set of packages can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SetState {
    /// Every file is as it was fetched.
    Fetched,
    /// It is not there.
    NotFetched,
    /// A file is missing or has changed.
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

/// The emulator, the sets of the cache, the built-in machines and platforms.
pub fn list() -> Listed {
    let found = Emulator::find();
    let reason = found.as_ref().err().map(ToString::to_string);
    let emulator = found.ok().as_ref().map(Fetched::of);
    let sets = Cache::of_user().map(|cache| cache.sets()).unwrap_or_default();
    let sets = sets.into_iter().map(CachedSet::of).collect();
    Listed { emulator, reason, sets, machines: Machine::builtin(), platforms: Platform::builtin() }
}
