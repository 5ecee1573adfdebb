//! `prazo sched verify`: re-checks a certificate with code that shares nothing with the analysis that wrote it.

use crate::exit::{Exit, Failure};
use crate::out;
use schemars::JsonSchema;
use serde::Serialize;
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

/// What the checker says, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Verified {
    /// The file.
    pub file: String,
    /// True if every number holds.
    pub accepted: bool,
    /// The verdict that is certified, `proven` or `disproven`; null if rejected.
    pub verdict: Option<&'static str>,
    /// What the verdict relies on, or why the certificate is rejected.
    pub sentences: Vec<String>,
}

impl Args {
    /// Checks and prints.
    pub fn run(self) -> Result<Exit, Failure> {
        let failed = |error| Failure::usage(format!("{}: {error}; name a certificate", self.file.display()));
        let text = std::fs::read_to_string(&self.file).map_err(failed)?;
        let verified = verified(self.file.display().to_string(), &text);
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

fn verified(file: String, text: &str) -> Verified {
    match prazo_checker::check(text) {
        Ok(accepted) => Verified {
            file,
            accepted: true,
            verdict: Some(match accepted.verdict {
                prazo_checker::Verdict::Proven => "proven",
                prazo_checker::Verdict::Disproven => "disproven",
            }),
            sentences: accepted.to_string().lines().map(|line| line.trim().to_owned()).collect(),
        },
        Err(rejected) => Verified { file, accepted: false, verdict: None, sentences: vec![rejected.to_string()] },
    }
}
