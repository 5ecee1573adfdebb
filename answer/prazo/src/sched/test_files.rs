//! Several task sets, each with its own answer: which are refused, and which decide what is said of all.

use super::test::{TestAnswer, TestRequest, test};
use crate::error::Error;
use crate::progress::Progress;
use crate::report;
use prazo_verdict::Outcome;
use std::path::{Path, PathBuf};

/// The files, and what is asked of each.
#[derive(Clone, Debug)]
pub struct TestFilesRequest {
    /// Task sets.
    pub files: Vec<PathBuf>,
    /// The question to each; its task set is not looked at.
    pub question: TestRequest,
    /// Also write a report of the only file.
    pub report: Option<PathBuf>,
    /// The command that makes the report again.
    pub command: String,
}

/// What became of all files.
#[derive(Debug, Default)]
pub struct TestedFiles {
    /// Each file that was answered, in the order given.
    pub answered: Vec<(PathBuf, Outcome)>,
    /// Why the others were refused, in the order given.
    pub refused: Vec<Error>,
}

/// Answers one file after the other; `each` has an answer as soon as it is there. A file that is refused stops none of the
/// others.
///
/// # Errors
/// What is written of one set is requested of several, or the report's file cannot take it.
pub fn test_files(
    request: &TestFilesRequest,
    each: &mut dyn FnMut(&TestAnswer),
    progress: &mut dyn Progress,
) -> Result<TestedFiles, Error> {
    let TestFilesRequest { files, question, report, .. } = request;
    let of_one = [
        ("certificate", question.certificate.is_some(), "a certificate is about one set only"),
        ("pattern", question.pattern.is_some(), "a file of arrivals is about one set only"),
        ("pieces", question.pieces.is_some(), "a file of pieces is about one set only"),
        ("report", report.is_some(), "a report shows one set only"),
    ];
    if let Some((field, _, why)) = of_one.into_iter().find(|(_, is_given, _)| *is_given && files.len() > 1) {
        return Err(Error::field(field, why).with_remedy("name a single file"));
    }
    report.as_deref().map_or(Ok(()), report::check_document)?;
    let mut tested = TestedFiles::default();
    for file in files {
        match request.test(file, each, progress) {
            Ok(outcome) => tested.answered.push((file.clone(), outcome)),
            Err(error) => tested.refused.push(error),
        }
    }
    Ok(tested)
}

impl TestFilesRequest {
    fn test(
        &self,
        file: &Path,
        each: &mut dyn FnMut(&TestAnswer),
        progress: &mut dyn Progress,
    ) -> Result<Outcome, Error> {
        let answer = test(&TestRequest { tasks: file.to_owned().into(), ..self.question.clone() }, progress)?;
        each(&answer);
        if let Some(file) = &self.report {
            report::write_document(&answer.page(&self.command), file, progress)?;
        }
        Ok(answer.verdict().into())
    }
}

impl TestedFiles {
    /// The worst of all answers.
    pub fn outcome(&self) -> Outcome {
        self.answered.iter().map(|(_, outcome)| *outcome).fold(Outcome::Pass, Outcome::worst)
    }

    /// Which of several files decide the outcome; none where all are proven, for then there is nothing to look for.
    pub fn deciding(&self) -> Vec<&Path> {
        let worst = self.outcome();
        let is_of_interest = self.answered.len() > 1 && worst != Outcome::Pass;
        let of_worst = self.answered.iter().filter(|(_, outcome)| is_of_interest && *outcome == worst);
        of_worst.map(|(file, _)| file.as_path()).collect()
    }
}
