//! `prazo lab list`: what can be booted, and in what.

use crate::exit::{Exit, Failure};
use crate::out;
use prazo::lab::list;

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        out::answer(self.json, &list())?;
        Ok(Exit::Pass)
    }
}
