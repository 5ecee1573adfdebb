//! `prazo study`: platforms, loads and probes as data, with claims about the outcome.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo::report::Form;
use prazo::study::gate::Instead;
use prazo::study::{StudyAnswer, StudyRequest, list, run, show};
use std::path::PathBuf;

/// Run studies from files: platforms, loads, probes and claims
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo study list
  prazo study run blaess-2014           an article's claims on its own data
  prazo study run examples/board.toml   measure what is missing, judge the claims
  prazo study run examples/board.toml --on ssh://root@board
  prazo study show blaess-2014          show existing results; measure nothing
  prazo study run regnier-2008 --report irq.html --figures irq")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// List the built-in studies
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show existing results and judge the claims on them; measure nothing
    Show(Which),
    /// Measure or import what is missing, then judge the claims; can be interrupted and resumed
    ///
    /// Exit status: 0 every claim holds, 1 a claim does not hold, 3 a claim is undecidable, 4 a cell could
    /// not be measured.
    Run(Box<Run>),
}

#[derive(clap::Args, Debug)]
struct Run {
    #[command(flatten)]
    which: Which,
    /// Board that is the study's platform instead of this machine, such as ssh://root@board
    #[arg(long, value_name = "ADDRESS")]
    on: Option<String>,
    #[command(flatten)]
    instead: Instead,
}

#[derive(clap::Args, Debug)]
struct Which {
    /// Name of a built-in study, or a TOML file
    #[arg(value_name = "STUDY")]
    study: String,
    /// Folder for the run files [default: prazo-results/STUDY]
    #[arg(long, short, value_name = "FOLDER", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Id of the study's platform that this machine represents
    #[arg(long, value_name = "ID")]
    platform: Option<String>,
    #[arg(long, value_name = "FILE", help_heading = "Output", help = format!("Also write a report: {}", Form::ENDINGS))]
    report: Option<PathBuf>,
    /// Also draw samples over time, and latency against cost, as SVG files in this folder
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    figures: Option<PathBuf>,
    /// Print one progress line instead of the live view
    #[arg(long, help_heading = "Output")]
    plain: bool,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Args {
    /// Lists, shows or runs.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self.action {
            Action::List { json } => {
                out::list(json, &list())?;
                Ok(Exit::Pass)
            }
            Action::Show(which) => which.print(show(&which.request())?),
            Action::Run(run) => run.measure(),
        }
    }
}

impl Run {
    fn measure(&self) -> Result<Exit, Failure> {
        let (instead, on) = (self.instead.clone(), self.on.clone());
        let request = StudyRequest { instead, on, ..self.which.request() };
        self.which.print(run(&request, &mut Console::live(self.which.plain))?)
    }
}

impl Which {
    fn request(&self) -> StudyRequest {
        StudyRequest {
            study: self.study.clone(),
            folder: self.output.clone(),
            platform: self.platform.clone(),
            report: self.report.clone(),
            figures: self.figures.clone(),
            command: command_line(),
            ..StudyRequest::default()
        }
    }

    fn print(&self, answer: StudyAnswer) -> Result<Exit, Failure> {
        out::answer(self.json, &answer.finished.result)?;
        let outcome = answer.outcome();
        answer.write(&mut Console::default())?;
        Ok(outcome?.into())
    }
}
