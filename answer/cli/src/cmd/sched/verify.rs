//! `prazo sched verify`: re-checks a certificate with code that shares nothing with the analysis that wrote it.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo::sched::{self, VerifyRequest};
use std::path::PathBuf;

/// Re-check a certificate.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched test tasks.toml --certificate tasks.cert
  prazo sched verify tasks.cert

Exit status: 0 the certificate holds (whatever verdict it certifies), 1 it does not.")]
pub struct Args {
    /// A certificate written by `prazo sched test --certificate`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Checks and prints.
    pub fn run(self) -> Result<Exit, Failure> {
        let request = VerifyRequest { file: self.file };
        let verified = sched::verify(&request, &mut Console::default())?;
        if self.json {
            out::json(&verified)?;
        } else {
            let head = if verified.accepted { "ACCEPTED" } else { "REJECTED" };
            out::text_line(&format!("{}: {head}", verified.file))?;
            verified.sentences.iter().try_for_each(|sentence| out::text_line(&format!("- {sentence}")))?;
        }
        Ok(if verified.accepted { Exit::Pass } else { Exit::Fail })
    }
}
