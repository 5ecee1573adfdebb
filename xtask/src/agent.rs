//! The guest's agent, built where the lab looks for it; `prazo lab fetch` does the same.

use crate::root::root;
use prazo_lab::{Architecture, agent};

/// How the agent is built.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Processors to build it for; for another than this system's, a cross compiler is needed
    #[arg(long, value_delimiter = ',', default_value = "x86_64")]
    architecture: Vec<Architecture>,
}

impl Args {
    /// Builds it and leaves it in `target/guest`.
    pub(crate) fn run(&self) -> Result<(), String> {
        let root = root()?;
        let build = |one: &Architecture| agent::build::build(root, *one, &mut |line| eprintln!("{line}"));
        self.architecture.iter().try_for_each(build).map_err(|error| error.to_string())
    }
}
