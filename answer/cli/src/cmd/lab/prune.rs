//! `prazo lab prune`: what the cache no longer needs.

use crate::exit::{Exit, Failure};
use crate::out;
use prazo::lab::prune;

/// Whether to remove it.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Only show what would be removed, and how large it is
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        out::answer(self.json, &prune(self.dry_run)?)?;
        Ok(Exit::Pass)
    }
}
