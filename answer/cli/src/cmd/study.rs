//! `prazo study`: platforms, loads and probes as data, with claims about the outcome.

use crate::console::Console;
use crate::exit::{Exit, Failure, for_bisect};
use crate::flags::gate::{GateFlags, InsteadFlags};
use crate::{out, paper};
use prazo::study::{StudyAnswer, StudyRequest, list, run, show};
use std::path::PathBuf;

/// Studies.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo study list
  prazo study run blaess-2014         Blaess 2014 on its own data, claim by claim
  prazo study run regnier-2008 --report irq.html --figures irq
                                      Regnier 2008 in guests of the lab (`prazo lab fetch`), its tables and graphs beside
  prazo study show blaess-2014        what is there already, measured or imported
  prazo study run my-board.toml       measure what is missing, then judge the claims
  prazo study run gate --only standard --kernel good/bzImage --save-baseline good.json
  git bisect run sh -c 'make -j8 bzImage || exit 125; prazo study run gate --only standard --kernel arch/x86/boot/bzImage --against good.json --bisect'")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Name the built-in studies
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// What a study claims, judged on what is there already; measures nothing
    Show(Which),
    /// Measure or import what is missing, then judge the claims; can be interrupted and resumed
    ///
    /// Exit status: 0 every claim held, 1 one did not, 3 one could not be decided, 4 a cell could not be measured. With
    /// --against, the comparison decides it and the claims do not.
    Run(Box<Run>),
}

#[derive(clap::Args, Debug)]
struct Run {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    instead: InsteadFlags,
    #[command(flatten)]
    gate: GateFlags,
}

#[derive(clap::Args, Debug)]
struct Which {
    /// A built-in study's name, or a TOML file
    #[arg(value_name = "STUDY")]
    study: String,
    /// Folder for the run files [default: prazo-results/STUDY]
    #[arg(long, short, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Which of the study's platforms this machine is
    #[arg(long, value_name = "ID")]
    platform: Option<String>,
    /// Also write a report: .html, .md, .txt, .svg or .json
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Also draw kept samples over time, and latency against cost, as SVG files in this folder
    #[arg(long, value_name = "FOLDER")]
    figures: Option<PathBuf>,
    /// One progress line instead of the live view
    #[arg(long)]
    plain: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Lists, shows or runs.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self.action {
            Action::List { json } => print_list(json),
            Action::Show(which) => which.print(show(&which.request())?),
            Action::Run(run) if run.gate.bisect => for_bisect(|| run.measure()),
            Action::Run(run) => run.measure(),
        }
    }
}

fn print_list(json: bool) -> Result<Exit, Failure> {
    let listed = list();
    if json {
        out::json(&listed)?;
    } else {
        for one in &listed {
            out::text_line(&format!("{:<14} {} ({} claims)", one.name, one.title, one.claims))?;
        }
    }
    Ok(Exit::Pass)
}

impl Run {
    fn measure(&self) -> Result<Exit, Failure> {
        let (instead, gate) = (self.instead.clone().into(), self.gate.clone().into());
        let request = StudyRequest { instead, gate, ..self.which.request() };
        let mut answer = run(&request, &mut Console::live(self.which.plain))?;
        let not_kept = answer.not_kept.take();
        let exit = self.which.print(answer)?;
        not_kept.map_or(Ok(exit), |error| Err(error.into()))
    }
}

impl Which {
    fn request(&self) -> StudyRequest {
        StudyRequest {
            study: self.study.clone(),
            folder: self.out.clone(),
            platform: self.platform.clone(),
            command: super::command_line(),
            ..StudyRequest::default()
        }
    }

    fn print(&self, answer: StudyAnswer) -> Result<Exit, Failure> {
        if self.json {
            out::json(&answer.finished.result)?;
        } else {
            out::text(&answer.finished.result.to_string())?;
        }
        let outcome = answer.outcome();
        if self.report.is_some() || self.figures.is_some() {
            let evidence = answer.into_evidence()?;
            if let Some(file) = &self.report {
                let form = paper::Form::of_file(file).unwrap_or(paper::Form::Html);
                paper::write(&evidence, form, file)?;
                out::note(format_args!("report: {}", file.display()));
            }
            self.figures.as_deref().map_or(Ok(()), |folder| paper::write_figures(&evidence, folder))?;
        }
        Ok(outcome?.into())
    }
}
