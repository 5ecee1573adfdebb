//! `prazo study`: platforms, loads and probes as data, with claims about the outcome.

use super::gate;
use crate::engine::{self, Engine};
use crate::exit::{Exit, Failure};
use crate::flags::gate::{GateFlags, InsteadFlags};
use crate::{evidence, out, paper, program_costs, repeated};
use prazo_core::time::Duration;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_probe::StopFlag;
use prazo_report::Evidence;
use prazo_report::terminal::safe;
use prazo_study::guest::Conditions;
use prazo_study::measure::{Doing, Step};
use prazo_study::runner::{Finished, Runner, default_folder};
use prazo_study::{CellState, Here, Study, StudyResult, builtin};
use prazo_verdict::claim::ClaimOutcome;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Studies.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo study list
  prazo study run blaess-2014         papers/001 on its own data, claim by claim
  prazo study run regnier-2008 --report irq.html --figures irq
                                      papers/002 in guests of the lab (`prazo lab fetch`), its tables and graphs beside
  prazo study show blaess-2014        what is there already, measured or imported
  prazo study run my-board.toml       measure what is missing, then judge the claims
  prazo study run gate --only standard --kernel good/bzImage --save-baseline good.json
  git bisect run sh -c 'make -j8 bzImage || exit 125; prazo study run gate --only standard --kernel arch/x86/boot/bzImage --against good.json --bisect'")]
pub struct Args {
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
    pub fn run(self) -> Result<Exit, Failure> {
        match self.action {
            Action::List { json } => list(json),
            Action::Show(which) => which.show(),
            Action::Run(run) if run.gate.bisect => gate::for_bisect(|| run.measure()),
            Action::Run(run) => run.measure(),
        }
    }
}

/// One built-in study, as `prazo study list --json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Listed {
    /// What `prazo study run` calls it.
    name: String,
    /// Its headline.
    title: String,
    /// The paper whose experiment it keeps.
    paper: Option<String>,
    /// How many claims it checks.
    claims: usize,
}

fn list(json: bool) -> Result<Exit, Failure> {
    let listed: Vec<Listed> = builtin::BUILTIN.iter().map(|one| listed(&one.study())).collect();
    if json {
        out::json(&listed)?;
    } else {
        for one in &listed {
            out::text_line(&format!("{:<14} {} ({} claims)", one.name, one.title, one.claims))?;
        }
    }
    Ok(Exit::Pass)
}

fn listed(study: &Study) -> Listed {
    Listed {
        name: study.name().to_owned(),
        title: study.head.title.clone(),
        paper: study.head.paper.clone(),
        claims: study.claims.len(),
    }
}

impl Run {
    fn measure(&self) -> Result<Exit, Failure> {
        let mut study = self.which.read()?;
        self.instead.apply(&mut study)?;
        let stop = StopFlag::on_interrupt().map_err(Failure::world)?;
        let (here, folder) = (here(self.which.platform.clone(), None)?, self.which.folder(&study));
        let baseline = self.gate.baseline(&study, &here, &folder)?;
        let mut finished = run(&study, &here, &folder, self.which.plain, stop)?;
        let kept = self.gate.keep(&study, &here, &finished);
        self.gate.hold(&study, &here, baseline.as_ref(), &mut finished)?;
        let exit = self.which.tell(&study, finished)?;
        kept.map(|()| exit)
    }
}

impl Which {
    fn show(&self) -> Result<Exit, Failure> {
        let (study, here, mut shelf) = (self.read()?, here(self.platform.clone(), None)?, engine::shelf());
        let finished = Runner::new(&study, &here, &self.folder(&study), &mut shelf).map_err(Failure::world)?.show();
        self.tell(&study, finished)
    }

    fn read(&self) -> Result<Study, Failure> {
        match builtin::find(&self.study) {
            Some(study) => Ok(study),
            None if Path::new(&self.study).exists() => Study::open(Path::new(&self.study)).map_err(Failure::usage),
            None if prazo_experiment::builtin::find(&self.study).is_some() => Err(Failure::usage(format!(
                "'{0}' is an experiment: run it with `prazo sched experiment {0}`",
                self.study
            ))),
            None => {
                let names: Vec<_> = builtin::BUILTIN.iter().map(|one| one.name).collect();
                Err(Failure::usage(format!(
                    "no study '{}': name a TOML file, or one of {}",
                    self.study,
                    names.join(", ")
                )))
            }
        }
    }

    fn folder(&self, study: &Study) -> PathBuf {
        self.out.clone().unwrap_or_else(|| default_folder(study.name()))
    }

    fn tell(&self, study: &Study, finished: Finished) -> Result<Exit, Failure> {
        if self.json {
            out::json(&finished.result)?;
        } else {
            out::text_line(&finished.result.to_string())?;
        }
        let exit = exit(&finished.result);
        if self.report.is_some() || self.figures.is_some() {
            self.write(&report(study, finished, &self.folder(study))?)?;
        }
        exit
    }

    fn write(&self, evidence: &Evidence) -> Result<(), Failure> {
        if let Some(file) = &self.report {
            let form = paper::Form::of_file(file).unwrap_or(paper::Form::Html);
            paper::write(evidence, form, file)?;
            eprintln!("report: {}", file.display());
        }
        self.figures.as_deref().map_or(Ok(()), |folder| paper::write_figures(evidence, folder))
    }
}

/// Runs a study with the live view.
pub fn run(study: &Study, here: &Here, folder: &Path, plain: bool, stop: &StopFlag) -> Result<Finished, Failure> {
    let mut shelf = engine::shelf();
    let mut runner = Runner::new(study, here, folder, &mut shelf).map_err(Failure::world)?;
    let mut engine = Engine { study: study.name(), plain, stop, conditions: Conditions::default() };
    runner.run(&mut engine, &mut announce).map_err(Failure::world)
}

/// What this machine is to a study: all processors that this process may use, the recorder on one that is not measured.
pub fn here(platform: Option<String>, deadline: Option<Duration>) -> Result<Here, Failure> {
    let topology = Topology::read(&Root::system()).map_err(Failure::world)?;
    let cpus = topology.allowed;
    let housekeeping_cpu = topology.choose_housekeeping(cpus).map(|cpu| cpu.number());
    Ok(Here { platform, cpus, housekeeping_cpu, deadline })
}

/// One line for each step that is not measured under the live view.
fn announce(step: &Step) {
    match &step.doing {
        // What a guest said last must not act on the terminal.
        Doing::Failed(why) => eprintln!("{}: {}", step.cell, safe(why)),
        Doing::Reusing => eprintln!("{}: there already", step.cell),
        Doing::Outdated(what) => eprintln!("{}: measured anew, since this changed: {what}", step.cell),
        Doing::Measuring | Doing::Importing => {}
    }
}

/// A report on the study's runs and claims; the first run of each cell is drawn.
fn report(study: &Study, finished: Finished, folder: &Path) -> Result<Evidence, Failure> {
    let moments = repeated::moments(&finished.result.cells, &finished.runs, folder)?;
    let runs = finished.runs.into_values().filter_map(|mut runs| (!runs.is_empty()).then(|| runs.swap_remove(0)));
    let runs = runs.map(|run| evidence::of_run(run, None)).collect();
    Ok(Evidence {
        title: study.head.title.clone(),
        runs,
        claims: gate::claims(&finished.result).chain(finished.result.claims.iter().cloned()).collect(),
        spreads: evidence::spread_rows(&finished.result.cells),
        beside: repeated::beside_rows(&finished.result),
        moments,
        costs: program_costs::of_study(&finished.result),
        command: super::command_line(),
        made_at: evidence::made_at(),
        ..Evidence::default()
    })
}

/// What the gate says, or else the claims together; an interrupted study has no answer yet.
fn exit(result: &StudyResult) -> Result<Exit, Failure> {
    if let Some(answer) = &result.gate {
        return Ok(if result.complete { gate::exit(answer) } else { Exit::Inconclusive });
    }
    let any = |outcome| result.claims.iter().any(|claim| claim.outcome == outcome);
    let failed = result.cells.iter().find(|cell| cell.state == CellState::Failed);
    match failed {
        _ if any(ClaimOutcome::NotHeld) => Ok(Exit::Fail),
        Some(cell) => {
            let why = cell.reason.as_deref().unwrap_or("no reason is known");
            Err(Failure::world(format!("{} could not be measured: {why}", cell.id)))
        }
        None if any(ClaimOutcome::Undecidable) || !result.complete => Ok(Exit::Inconclusive),
        None => Ok(Exit::Pass),
    }
}
