//! What can be booted, and in what.

use super::fetch::Fetched;
use prazo_lab::{Emulator, Machine, Platform};
use schemars::JsonSchema;
use serde::Serialize;

/// The list of what exists, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Listed {
    /// The emulator; null if there is none.
    pub emulator: Option<Fetched>,
    /// Why the lab cannot be used; null if it can.
    pub reason: Option<String>,
    /// The built-in machines.
    pub machines: Vec<Machine>,
    /// The built-in platforms, which `lab:NAME` means.
    pub platforms: Vec<Platform>,
}

/// The emulator, the built-in machines and platforms.
pub fn list() -> Listed {
    let found = Emulator::find();
    let reason = found.as_ref().err().map(ToString::to_string);
    let emulator = found.ok().as_ref().map(Fetched::of);
    Listed { emulator, reason, machines: Machine::builtin(), platforms: Platform::builtin() }
}
