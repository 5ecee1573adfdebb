//! `prazo sched verify`: re-checks a certificate with code that shares nothing with the analysis that wrote it, and says what it
//! is about.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo::sched::{self, VerifyRequest};
use std::path::PathBuf;

/// Check a certificate independently of the analysis
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched test scenarios/robot.toml --certificate robot.cert
  prazo sched verify robot.cert
  prazo sched verify robot.cert --against scenarios/robot.toml

Exit status: 0 the certificate holds, whatever verdict it certifies; 1 it does
not, or it is about another task set; 3 it could not be decided whether the task
set is the same.")]
pub(super) struct Args {
    /// Certificate from `prazo sched test --certificate`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Task set to compare with the one in the certificate
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Checks and prints.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let request = VerifyRequest { file: self.file, against: self.against };
        let verified = sched::verify(&request, &mut Console::default())?;
        out::answer(self.json, &verified)?;
        Ok(verified.outcome().into())
    }
}
