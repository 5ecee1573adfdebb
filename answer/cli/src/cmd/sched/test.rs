//! `prazo sched test`: does the set meet its deadlines, which test decides, and by what margin?

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{self, Exit, Failure};
use crate::flags::sched::QuestionFlags;
use crate::note::note;
use crate::{out, text_report};
use prazo::sched::{self, RegionOf, TestAnswer, TestFilesRequest, TestRequest};
use prazo_analysis::question::Method;
use std::path::PathBuf;

/// Check whether task sets meet their deadlines
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched test examples/crane.toml
  prazo sched test tasks.toml -m 4 --shape clustered-edf:2,2
  prazo sched test examples/crane.toml --shape partitioned --sensitivity
  prazo sched test examples/crane.toml --report crane.html
  prazo sched test examples/crane.toml --region drives.cost,planner.cost --report crane.html
  prazo sched test taskset.xml simulation.xml jobs.csv workload.yaml
  prazo sched test --batch examples/sets.jsonl --all-tests

Exit status: 0 proven, 1 disproven, 3 unknown: the worst over all deadlines, chains
and files; 2 if a file was refused. With --batch: 0 every record was answered, 2 a
record was refused.")]
pub(super) struct Args {
    /// Task sets: TOML, CSV, or files of rt-app, SchedCAT, SimSo, SAG, POET or rt-audit
    ///
    /// The file name extension and the content determine the format: .json (rt-app), .xml (SchedCAT, SimSo), .csv (also SAG, rt-audit), .yaml (SAG, POET,
    /// rt-audit). Remarks state what prazo assumed when it read a file, and what the analysis does not use.
    #[arg(required_unless_present = "batch", value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    question: QuestionFlags,
    /// Also find by how much costs may grow, or what must change to prove the set
    #[arg(long, help_heading = "Analysis")]
    sensitivity: bool,
    /// Also test a grid of two parameters, as in brake.cost,transfer.period
    ///
    /// Parameters are cost, period, deadline and jitter. The report draws the verdict of each combination.
    #[arg(long, help_heading = "Analysis", value_name = "TASK.PARAMETER,TASK.PARAMETER", hide_short_help = true)]
    region: Option<RegionOf>,
    /// Split tasks over processors if no assignment of whole tasks is proven (C=D splitting)
    ///
    /// Splitting requires partitioned EDF. A split job runs its pieces on one processor after the other.
    #[arg(long, help_heading = "Analysis", hide_short_help = true)]
    split: bool,
    /// Write a certificate of the verdict, for `prazo sched verify`
    #[arg(long, help_heading = "Output", value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Write a task set whose arrivals make a job late, for `prazo sched simulate`
    #[arg(long, help_heading = "Output", value_name = "FILE", hide_short_help = true)]
    pattern: Option<PathBuf>,
    /// Write the pieces of split tasks as a task set, for `prazo sched simulate`
    #[arg(long, help_heading = "Output", value_name = "FILE", requires = "split", hide_short_help = true)]
    pieces: Option<PathBuf>,
    /// Also write a report: .html or .md
    #[arg(long, help_heading = "Output", value_name = "FILE")]
    report: Option<PathBuf>,
    /// Test the task sets of a JSON Lines file; - reads standard input
    ///
    /// Each record states its own scheduler and overheads. JSON Lines are printed.
    #[arg(long, help_heading = "Output", value_name = "FILE", conflicts_with_all = ["files", "certificate", "pattern", "split", "pieces", "report", "sensitivity", "region", "shape", "policy", "processors", "priorities", "overheads"])]
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
        let scheduler = self.question.scheduler()?;
        let request = TestFilesRequest {
            files: self.files,
            question: TestRequest {
                options: scheduler,
                method: Method { split: self.split, ..self.question.method() },
                sensitivity: self.sensitivity,
                region: self.region,
                certificate: self.certificate,
                pattern: self.pattern,
                pieces: self.pieces,
                // Each file in turn.
                tasks: PathBuf::new().into(),
            },
            report: self.report,
            command: command_line(),
        };
        let (mut documents, mut printed) = (Vec::new(), Ok(()));
        let mut each = |answer: &TestAnswer| match self.json {
            true => documents.push(answer.document()),
            false if printed.is_ok() => printed = text_report::print_schedulability(&answer.dossier()),
            false => {}
        };
        let tested = sched::test_files(&request, &mut each, &mut Console::default())?;
        if self.json && (tested.refused.is_empty() || !documents.is_empty()) {
            printed = out::json(&documents);
        }
        let (exit, deciding) = (Exit::from(tested.outcome()), tested.deciding());
        if !deciding.is_empty() && tested.refused.is_empty() {
            let names: Vec<_> = deciding.iter().map(|file| file.display().to_string()).collect();
            note(format_args!("prazo: exit status {} because of {}", exit.status(), names.join(", ")));
        }
        // Each refusal has its line, also where the answers could not be printed; the failure with the largest status is the end.
        let refused = tested.refused.into_iter().map(Failure::from);
        let mut refused: Vec<Failure> = refused.chain(printed.err()).collect();
        refused.sort_by_key(Failure::status);
        let last = refused.pop();
        refused.iter().for_each(exit::warn);
        last.map_or(Ok(exit), Err)
    }
}
