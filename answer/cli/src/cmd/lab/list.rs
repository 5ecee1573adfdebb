//! `prazo lab list`: what can be booted, and in what.

use super::fetch::Fetched;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo_lab::{Emulator, Machine, Platform};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What there is, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Listed {
    /// The emulator; null if there is none.
    emulator: Option<Fetched>,
    /// Why there is none; null if there is one.
    reason: Option<String>,
    /// The built-in machines.
    machines: Vec<Machine>,
    /// The built-in platforms, which `lab:NAME` means.
    platforms: Vec<Platform>,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let found = Emulator::find();
        let reason = found.as_ref().err().map(ToString::to_string);
        let emulator = found.ok().as_ref().map(Fetched::of);
        let (machines, platforms) = (Machine::builtin(), Platform::builtin());
        let listed = Listed { emulator, reason, machines, platforms };
        if self.json {
            out::json(&listed)?;
        } else {
            listed.print()?;
        }
        Ok(Exit::Pass)
    }
}

impl Listed {
    fn print(&self) -> Result<(), Failure> {
        for machine in &self.machines {
            out::text_line(&format!("{:<11} {}", machine.name, machine.text))?;
        }
        out::text_line("")?;
        for platform in &self.platforms {
            out::text_line(&format!("lab:{:<24} {}", platform.name, platform.text))?;
        }
        out::text_line("")?;
        let emulator = self.emulator.as_ref().map(ToString::to_string).or_else(|| self.reason.clone());
        out::text_line(&format!("emulator: {}", emulator.unwrap_or_default()))
    }
}
