//! Re-checks a certificate with code that shares nothing with the analysis that wrote it.

use crate::error::Error;
use crate::progress::Progress;
use prazo_core::verdict::Verdict;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// Which certificate to check.
#[derive(Clone, Debug)]
pub struct VerifyRequest {
    /// A certificate that `test` wrote.
    pub file: PathBuf,
}

/// What the checker says, as `--json` prints it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Verified {
    /// The file.
    pub file: String,
    /// True if every number holds.
    pub accepted: bool,
    /// The verdict that is certified, `proven` or `disproven`; null if rejected.
    #[serde(serialize_with = "prazo_platform::as_text::optional::serialize")]
    #[schemars(with = "Option<String>")]
    pub verdict: Option<Verdict>,
    /// What the verdict relies on, or why the certificate is rejected.
    pub sentences: Vec<String>,
}

/// Checks the certificate; one that does not hold is an answer, one that cannot be read an error.
pub fn verify(request: &VerifyRequest, _progress: &mut dyn Progress) -> Result<Verified, Error> {
    let name = request.file.display().to_string();
    let unread = |error| Error::refused(error).with_value(&name).with_remedy("name a certificate");
    let text = std::fs::read_to_string(&request.file).map_err(unread)?;
    Ok(verified(name, &text))
}

fn verified(file: String, text: &str) -> Verified {
    match prazo_checker::check(text) {
        Ok(accepted) => Verified {
            file,
            accepted: true,
            verdict: Some(match accepted.verdict {
                prazo_checker::Verdict::Proven => Verdict::Proven,
                prazo_checker::Verdict::Disproven => Verdict::Disproven,
            }),
            sentences: accepted.to_string().lines().map(|line| line.trim().to_owned()).collect(),
        },
        Err(rejected) => Verified { file, accepted: false, verdict: None, sentences: vec![rejected.to_string()] },
    }
}
