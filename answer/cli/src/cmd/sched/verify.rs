//! `prazo sched verify`: re-checks a certificate with code that shares nothing with the analysis that wrote it, and says what it
//! is about.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo::sched::{self, CertifiedTask, Verified, VerifyRequest};
use prazo_core::text::counted;
use std::path::{Path, PathBuf};

/// Check a certificate independently of the analysis
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched test scenarios/robot.toml --certificate robot.cert
  prazo sched verify robot.cert
  prazo sched verify robot.cert --against scenarios/robot.toml

Exit status: 0 the certificate holds, whatever verdict it certifies; 1 it does
not, or it is about another task set.")]
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
        if self.json {
            out::json(&verified)?;
        } else {
            print(&verified, request.against.as_deref())?;
        }
        Ok(if verified.holds() { Exit::Pass } else { Exit::Fail })
    }
}

fn print(verified: &Verified, against: Option<&Path>) -> Result<(), Failure> {
    let head = if verified.accepted { "ACCEPTED" } else { "REJECTED" };
    out::text_line(&format!("{}: {head}", verified.file))?;
    verified.sentences.iter().try_for_each(|sentence| out::text_line(&format!("- {sentence}")))?;
    if let Some(digest) = &verified.digest {
        out::text_line(&format!("digest sha256 {digest}"))?;
    }
    for (index, task) in verified.tasks.iter().flatten().enumerate() {
        let CertifiedTask { cost, period, deadline, jitter, working_set_kib } = task;
        out::text_line(&format!(
            "task {index}: cost {cost}, period {period}, deadline {deadline}, jitter {jitter} ticks, working set {working_set_kib} KiB"
        ))?;
    }
    let Some((differences, against)) = verified.differences.as_ref().zip(against) else { return Ok(()) };
    out::text_line(&compared(differences.len(), against))?;
    differences.iter().try_for_each(|difference| out::text_line(&format!("- {difference}")))
}

/// The sentence about a comparison.
fn compared(differences: usize, against: &Path) -> String {
    match differences {
        0 => format!("The certificate is about {}.", against.display()),
        some => format!(
            "DIFFERENT: the certificate is not about {} ({})",
            against.display(),
            counted(some as u64, "difference")
        ),
    }
}
