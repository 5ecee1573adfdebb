//! `prazo sched test`: does the set meet its deadlines, which test decides, and by what margin?

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{self, Exit, Failure, worse};
use crate::flags::sched::QuestionFlags;
use crate::note::note;
use crate::{out, paper};
use prazo::report;
use prazo::sched::{self, TestRequest, Tested};
use std::path::{Path, PathBuf};

/// Check whether task sets meet their deadlines
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched test examples/crane.toml
  prazo sched test tasks.toml -m 4 --shape clustered-edf:2,2
  prazo sched test examples/crane.toml --shape partitioned --sensitivity
  prazo sched test examples/crane.toml --report crane.html
  prazo sched test --batch examples/sets.jsonl --all-tests

Exit status: 0 proven, 1 disproven, 3 unknown; the worst of deadlines and
chains, and of several files; 2 if one was refused. Of a batch: 0 each record was answered, 2 one was refused.")]
pub(super) struct Args {
    /// Task sets: TOML, CSV or the JSON of rt-app
    #[arg(required_unless_present = "batch", value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    question: QuestionFlags,
    /// Also find how much costs may grow, or what must change
    #[arg(long, help_heading = "Analysis")]
    sensitivity: bool,
    /// Write a certificate of the verdict, for `prazo sched verify`
    #[arg(long, help_heading = "Output", value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Also write a report: .html or .md
    #[arg(long, help_heading = "Output", value_name = "FILE")]
    report: Option<PathBuf>,
    /// Answer the sets of a JSON Lines file; - reads standard input
    ///
    /// Each record states its own scheduler and overheads. JSON Lines are printed.
    #[arg(long, help_heading = "Output", value_name = "FILE", conflicts_with_all = ["files", "certificate", "report", "sensitivity", "shape", "policy", "processors", "priorities", "overheads"])]
    batch: Option<PathBuf>,
    /// Print JSON: an array with one object for each file
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Args {
    /// Answers each file, or the batch.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if let Some(file) = &self.batch {
            let method = self.question.batch_method();
            let time = self.question.time();
            return super::batch::run(file, |records, output| sched::test_batch(records, output, &method, time));
        }
        if self.certificate.is_some() && self.files.len() > 1 {
            return Err(Failure::usage("--certificate: one set has one certificate; name a single file"));
        }
        if self.report.is_some() && self.files.len() > 1 {
            return Err(Failure::usage("--report: one report shows one set; name a single file"));
        }
        self.report.as_deref().map_or(Ok(()), report::check_document)?;
        let (mut exit, mut refused) = (Exit::Pass, None);
        let mut endings = Vec::new();
        let mut documents = Vec::new();
        for file in &self.files {
            match self.of_file(file, &mut documents) {
                Ok(one) => {
                    exit = worse(exit, one);
                    endings.push((file, one));
                }
                // The other files are answered all the same; each refusal has its line, the last one at the end.
                Err(failure) => {
                    if let Some(earlier) = refused.replace(failure) {
                        exit::report(Err(earlier));
                    }
                }
            }
        }
        if self.json && (refused.is_none() || !documents.is_empty()) {
            out::json(&documents)?;
        }
        // Which of several decided the exit status; where all are proven there is nothing to look for.
        if refused.is_none() && self.files.len() > 1 && exit != Exit::Pass {
            let of = endings.iter().filter(|(_, one)| *one == exit).map(|(file, _)| file.display().to_string());
            note(format_args!("prazo: exit status {}: {}", exit.status(), of.collect::<Vec<_>>().join(", ")));
        }
        refused.map_or(Ok(exit), Err)
    }

    /// Answers one file: on the terminal, or as one more of `documents`.
    fn of_file(&self, file: &Path, documents: &mut Vec<Tested>) -> Result<Exit, Failure> {
        let request = TestRequest {
            tasks: file.to_owned().into(),
            options: self.question.scheduler()?,
            method: self.question.method(),
            sensitivity: self.sensitivity,
            certificate: self.certificate.clone(),
        };
        let answer = sched::test(&request, &mut Console::default())?;
        if self.json {
            documents.push(answer.document());
        } else {
            paper::print_schedulability(&answer.dossier())?;
        }
        if let Some(file) = &self.report {
            report::write_document(&answer.page(&command_line()), file, &mut Console::default())?;
        }
        Ok(answer.verdict().into())
    }
}
