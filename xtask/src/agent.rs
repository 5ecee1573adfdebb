//! The guest's agent, built where the lab looks for it; `prazo lab fetch` does the same.

use prazo_lab::{Architecture, agent};
use std::path::Path;

/// How the agent is built.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also for 64-bit Arm, which takes a cross compiler
    #[arg(long)]
    arm64: bool,
}

impl Args {
    /// Builds it and leaves it in `target/guest`.
    pub(crate) fn run(&self) -> Result<(), String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask is not in a workspace")?;
        let wanted = Architecture::ALL.into_iter().filter(|one| self.arm64 || *one == Architecture::X86_64);
        let build = |architecture| agent::build::build(root, architecture, &mut |line| eprintln!("{line}"));
        wanted.into_iter().try_for_each(build).map_err(|error| error.to_string())
    }
}
