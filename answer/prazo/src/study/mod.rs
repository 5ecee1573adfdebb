//! Studies: platforms, loads and probes as data, measured where something is missing, with claims about the outcome.

mod explained;
pub mod gate;
pub mod history;
mod repeated;

use crate::dates::made_at;
use crate::error::Error;
use crate::progress::{Progress, Remark};
use crate::report::{self, Form};
use crate::report_content;
use crate::shared_progress::Shared;
use explained::Explaining;
use gate::{GateOptions, Instead};
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_report::{ReportContent, SpreadRow};
use prazo_run::run::Quantity;
use prazo_study::cell_measurer::{BeyondPlans, CellMeasurer};
use prazo_study::guest::Conditions;
use prazo_study::runner::{Finished, Runner, default_folder};
use prazo_study::seeds::Seeds;
use prazo_study::study::PlatformEntry;
use prazo_study::{CellState, FileStorage, Here, RemoteTarget, Study, StudyResult, builtin};
use prazo_verdict::Outcome;
use prazo_verdict::claim::ClaimOutcome;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};

/// Which study, where its results are, and what is put in its platforms' place.
#[derive(Clone, Debug, Default)]
pub struct StudyRequest {
    /// A built-in study's name, or a TOML file.
    pub study: String,
    /// Folder for the run files; `None` is `prazo-results/NAME`.
    pub folder: Option<PathBuf>,
    /// Which of the study's platforms this machine is.
    pub platform: Option<String>,
    /// The address of a board that is this platform instead of this machine, such as `ssh://root@board`.
    pub on: Option<String>,
    /// What is measured instead of what the study names.
    pub instead: Instead,
    /// What the outcome is held against, and where it is kept as a baseline.
    pub gate: GateOptions,
    /// Also write a report to this file.
    pub report: Option<PathBuf>,
    /// Also draw what stands alone into this folder.
    pub figures: Option<PathBuf>,
    /// The command line that repeats this, as it is recorded in runs.
    pub command: String,
}

/// What a study came to.
#[derive(Debug)]
pub struct StudyAnswer {
    /// The study.
    pub study: Study,
    /// Its cells, claims and runs.
    pub finished: Finished,
    /// Where its run files are.
    pub folder: PathBuf,
    /// Why no baseline was written, where one was asked for.
    pub not_kept: Option<Error>,
    /// True where nothing was to be measured: what is there is all that a report can show.
    is_shown: bool,
    command: String,
    report: Option<(PathBuf, Form)>,
    figures: Option<PathBuf>,
}

/// One built-in study, as `prazo study list --json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct ListedStudy {
    /// Name of the study, for `prazo study run`.
    pub name: String,
    /// Headline of the study.
    pub title: String,
    /// The paper whose experiment the study repeats; null if there is none.
    pub paper: Option<String>,
    /// Number of claims that the study checks.
    pub claims: usize,
}

impl fmt::Display for ListedStudy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<14} {} ({})", self.name, self.title, counted(self.claims as u64, "claim"))
    }
}

/// The built-in studies.
pub fn list() -> Vec<ListedStudy> {
    let listed = |study: Study| ListedStudy {
        name: study.name().to_owned(),
        title: study.head.title.clone(),
        paper: study.head.paper.clone(),
        claims: study.claims.len(),
    };
    builtin::BUILTIN.iter().map(|one| listed(one.study())).collect()
}

/// Judges the claims on what is there already; measures nothing.
pub fn show(request: &StudyRequest) -> Result<StudyAnswer, Error> {
    let (study, report) = (read(&request.study)?, request.check_files()?);
    let (here, folder, mut shelf) = (here(request.platform.clone(), None)?, request.folder(&study), FileStorage);
    let finished = Runner::new(&study, &here, &folder, &mut shelf).map_err(Error::failed)?.show();
    let (command, figures) = (request.command.clone(), request.figures.clone());
    Ok(StudyAnswer { study, finished, folder, not_kept: None, is_shown: true, command, report, figures })
}

/// Measures or imports what is missing, then judges the claims; stopped, it can be resumed.
pub fn run(request: &StudyRequest, progress: &mut dyn Progress) -> Result<StudyAnswer, Error> {
    let mut study = read(&request.study)?;
    let platform = match &request.on {
        None => request.platform.clone(),
        Some(address) => {
            put_on_board(&mut study, address, request.platform.as_deref())?;
            None
        }
    };
    request.instead.apply(&mut study)?;
    let (here, folder) = (here(platform, None)?, request.folder(&study));
    let report = request.check_files()?;
    request.gate.check_repeats(&study, &here)?;
    let baseline = request.gate.baseline(&study, &here, &folder)?;
    request.gate.check_explain()?;
    request.gate.check_conditions(&study, &here, baseline.as_ref())?;
    missing(&study, &here).iter().for_each(|remark| progress.remark(remark));
    let mut finished = measure(&study, &here, &folder, &request.command, progress)?;
    let not_kept = match request.gate.keep(&study, &here, &finished) {
        Ok(Some(kept)) => {
            progress.remark(&kept);
            None
        }
        Ok(None) => None,
        Err(error) => Some(error),
    };
    request.gate.hold(&study, &here, baseline.as_ref(), &mut finished)?;
    let (options, initrd) = (&request.gate, request.instead.initrd.as_deref());
    Explaining { options, initrd, study: &study, here: &here, folder: &folder }.add(&mut finished, progress);
    request.gate.write(&finished.result, &request.command, progress)?;
    let (command, figures) = (request.command.clone(), request.figures.clone());
    Ok(StudyAnswer { study, finished, folder, not_kept, is_shown: false, command, report, figures })
}

/// Lets a board be the platform that this machine would be.
fn put_on_board(study: &mut Study, address: &str, platform: Option<&str>) -> Result<(), Error> {
    let wrong = |problem: String| Error::field("on", problem).with_value(address);
    match RemoteTarget::named(address) {
        Ok(RemoteTarget::Board(_)) => {}
        Ok(RemoteTarget::Guest(_)) => {
            return Err(wrong("this is not a board".into()).with_remedy("write ssh://root@board"));
        }
        Err(problem) => return Err(wrong(problem)),
    }
    let name = study.name().to_owned();
    let is_here = |entry: &&mut PlatformEntry| entry.place().is_none();
    let mut here: Vec<&mut PlatformEntry> = study.platforms.iter_mut().filter(is_here).collect();
    let ids: Vec<String> = here.iter().map(|entry| entry.id.get_ref().clone()).collect();
    let place = match platform {
        Some(id) => ids.iter().position(|one| one == id),
        None => (ids.len() == 1).then_some(0),
    };
    let Some(place) = place else {
        return Err(match ids.as_slice() {
            [] => wrong(format!("study '{name}' names a guest or a board for each platform"))
                .with_remedy("remove `on` from the platform that the board represents"),
            ids => wrong(format!("--platform does not name the platform of study '{name}' that the board represents"))
                .with_remedy(format!("name one with --platform: {}", ids.join(", "))),
        });
    };
    here[place].on = Some(toml::Spanned::new(0..0, address.to_owned()));
    Ok(())
}

/// What is not installed, all at once and before the first guest boots.
fn missing(study: &Study, here: &Here) -> Option<Remark> {
    let (programs, mut packages): (Vec<_>, Vec<_>) = prazo_study::missing_programs(study, here).into_iter().unzip();
    packages.sort_unstable();
    packages.dedup();
    let (programs, packages) = (programs.join(", "), packages.join(" "));
    let text = format!(
        "not installed: {programs}; cells that need these programs will fail, unless these cells are measured already; \
         install the programs with apt-get install {packages}"
    );
    (!programs.is_empty()).then_some(Remark::Text(text))
}

/// Runs a study that was read.
pub(crate) fn measure(
    study: &Study,
    here: &Here,
    folder: &Path,
    command: &str,
    progress: &mut dyn Progress,
) -> Result<Finished, Error> {
    let stop = progress.stop().map_err(Error::failed)?;
    let finished = {
        let viewer = Shared::new(progress);
        let mut shelf = FileStorage;
        let mut runner = Runner::new(study, here, folder, &mut shelf).map_err(Error::failed)?;
        let conditions = Conditions::default();
        let beyond_plans = BeyondPlans::default();
        let mut engine =
            CellMeasurer { study: study.name(), command, viewer: &viewer, stop: &stop, beyond_plans, conditions };
        let finished = runner.run(&mut engine, &mut |step| viewer.announce(step));
        viewer.finish();
        finished.map_err(Error::failed)?
    };
    if !finished.result.complete {
        progress.remark(&Remark::Text(interrupted(study.name(), folder, command)));
    }
    Ok(finished)
}

/// Where the complete runs of an interrupted study are, and the command that continues it. (Its result lacks cells that have
/// only some of their runs.)
fn interrupted(study: &str, folder: &Path, command: &str) -> String {
    let folder_name = folder.display().to_string();
    let is_found = folder == default_folder(study) || command.split(' ').any(|word| word == folder_name);
    let output = if is_found { String::new() } else { format!(" -o {folder_name}") };
    format!("interrupted: {folder_name} keeps the complete runs; `{command}{output}` measures the rest")
}

/// Why a report or a folder of figures was not written, and what writes it.
fn postponed(file: &Path) -> String {
    format!(
        "{} is not written, because runs are missing: the command that measures the missing runs writes it too; \
         `prazo study show` with the same option reports the existing runs",
        file.display()
    )
}

/// What this machine is to a study: all processors that this process may use, the recorder on one that is not measured.
pub fn here(platform: Option<String>, deadline: Option<Duration>) -> Result<Here, Error> {
    let topology = Topology::read(&Root::system()).map_err(Error::failed)?;
    let cpus = topology.allowed;
    let housekeeping_cpu = topology.choose_housekeeping(cpus).map(|cpu| cpu.number());
    Ok(Here { platform, cpus, housekeeping_cpu, deadline })
}

fn read(name: &str) -> Result<Study, Error> {
    match builtin::find(name) {
        Some(study) => Ok(study),
        None if Path::new(name).exists() => Study::open(Path::new(name)).map_err(Error::refused),
        None if prazo_experiment::builtin::find(name).is_some() => Err(Error::refused(format!(
            "'{name}' is an experiment: run the experiment with `prazo sched experiment {name}`"
        ))),
        None => {
            let names: Vec<_> = builtin::BUILTIN.iter().map(|one| one.name).collect();
            Err(Error::refused(format!("no study '{name}': name a TOML file, or one of {}", names.join(", "))))
        }
    }
}

impl StudyRequest {
    fn folder(&self, study: &Study) -> PathBuf {
        self.folder.clone().unwrap_or_else(|| default_folder(study.name()))
    }

    /// The report with its form, once all that is written at the end is known to find its place: measuring takes hours.
    fn check_files(&self) -> Result<Option<(PathBuf, Form)>, Error> {
        self.gate.check_files()?;
        self.figures.as_deref().map_or(Ok(()), report::check_figures)?;
        let report = self.report.as_ref().map(|file| Ok((file.clone(), Form::beside(file)?)));
        report.transpose()
    }
}

impl StudyAnswer {
    /// What the gate says, or else the claims together; an interrupted study has no answer yet.
    ///
    /// # Errors
    /// A cell could not be measured, and no claim is refuted.
    pub fn outcome(&self) -> Result<Outcome, Error> {
        let result = &self.finished.result;
        if let Some(answer) = &result.gate {
            return Ok(if result.complete { answer.outcome.into() } else { Outcome::Inconclusive });
        }
        let any = |outcome| result.claims.iter().any(|claim| claim.outcome == outcome);
        let failed = result.cells.iter().find(|cell| cell.state == CellState::Failed);
        match failed {
            _ if any(ClaimOutcome::NotHeld) => Ok(Outcome::Fail),
            Some(cell) => {
                let why = cell.reason.as_deref().unwrap_or("the reason is unknown");
                Err(Error::failed(format!("{} could not be measured: {why}", cell.id)))
            }
            None if any(ClaimOutcome::Undecidable) || !result.complete => Ok(Outcome::Inconclusive),
            None => Ok(Outcome::Pass),
        }
    }

    /// The gate's answer in one line; `None` without a baseline.
    pub fn gate_line(&self) -> Option<String> {
        let result = &self.finished.result;
        let answer = result.gate.as_ref()?;
        Some(if result.complete { answer.line() } else { "gate: inconclusive: the study was interrupted".to_owned() })
    }

    /// Writes the report and draws the figures that were requested; of an interrupted study, says what will write them.
    ///
    /// # Errors
    /// A run cannot be read, there is nothing to draw, or a file cannot be written.
    pub fn write(self, progress: &mut dyn Progress) -> Result<(), Error> {
        let (report, figures) = (self.report.clone(), self.figures.clone());
        if report.is_none() && figures.is_none() {
            return Ok(());
        }
        // A part of the results would stand in the way of the command that measures the rest.
        if !self.finished.result.complete && !self.is_shown {
            let files = report.as_ref().map(|(file, _)| file).into_iter().chain(&figures);
            files.for_each(|file| progress.remark(&Remark::Text(postponed(file))));
            return Ok(());
        }
        let content = self.into_evidence()?;
        if let Some((file, form)) = report {
            report::write(&content, form, &file, progress)?;
        }
        figures.map_or(Ok(()), |folder| report::write_figures(&content, &folder, progress))
    }

    /// A report's evidence on the study's runs and claims; the first run of each cell is drawn.
    fn into_evidence(self) -> Result<ReportContent, Error> {
        let Finished { result, runs } = self.finished;
        let moments = repeated::moments(&result.cells, &runs, &self.folder)?;
        let runs = runs.into_values().filter_map(|mut runs| (!runs.is_empty()).then(|| runs.swap_remove(0)));
        let runs = runs.map(|run| report_content::of_run(run, None)).collect();
        Ok(ReportContent {
            title: self.study.head.title.clone(),
            runs,
            claims: gate::claim(&result).into_iter().chain(result.claims.iter().cloned()).collect(),
            spreads: spreads(&result),
            beside: repeated::stated_and_measured(&result),
            moments,
            costs: crate::program_costs::of_study(&result),
            command: self.command,
            made_at: made_at(),
            ..ReportContent::default()
        })
    }
}

/// The spread over the runs of each cell, where there is more than one run's word.
fn spreads(result: &StudyResult) -> Vec<SpreadRow> {
    let row = |cell: &str, quantity, seeds: &Option<Seeds>| {
        let (cell, seeds) = (cell.to_owned(), seeds.clone()?);
        Some(SpreadRow { cell, quantity, seeds })
    };
    let rows = result.cells.iter().flat_map(|cell| {
        let own = row(&cell.id, Quantity::ResponseLatency, &cell.seeds);
        let parts = cell.quantities.iter().filter_map(|of| row(&cell.id, of.quantity, &of.seeds));
        own.into_iter().chain(parts).collect::<Vec<_>>()
    });
    let has_samples = |row: &SpreadRow| row.seeds.runs.iter().any(|run| run.count > 0);
    rows.filter(|row| has_samples(row) && row.seeds.tells()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study(platforms: &str) -> Study {
        let rest = "[[load]]\nid = \"idle\"\n[[probe]]\nid = \"timer\"\npolicy = \"other\"\nlength = \"1s\"\n";
        let head = "[study]\nname = \"s\"\ntitle = \"t\"\nquestion = \"q\"\n";
        Study::parse("s.toml", &format!("{head}{platforms}{rest}")).unwrap()
    }

    #[test]
    fn a_board_takes_the_place_of_the_platform_that_this_machine_would_be() {
        let two = "[[platform]]\nid = \"here\"\n[[platform]]\nid = \"guest\"\non = \"lab:rt-full\"\n";
        let mut one = study(two);
        put_on_board(&mut one, "ssh://root@board", None).unwrap();
        let places: Vec<String> =
            one.platforms.iter().map(|entry| entry.place().unwrap().unwrap().to_string()).collect();
        assert_eq!(places, ["ssh://root@board", "lab:rt-full"]);
        // Now no platform is left for another board.
        let error = put_on_board(&mut one, "ssh://other", None).unwrap_err().to_string();
        assert!(error.contains("for each platform"), "{error}");
    }

    #[test]
    fn a_board_that_could_be_several_platforms_needs_a_name() {
        let two = "[[platform]]\nid = \"old\"\n[[platform]]\nid = \"new\"\n";
        let error = put_on_board(&mut study(two), "ssh://b", None).unwrap_err().to_string();
        assert!(error.contains("--platform: old, new"), "{error}");
        assert!(put_on_board(&mut study(two), "ssh://b", Some("other")).is_err());
        let mut named = study(two);
        put_on_board(&mut named, "ssh://b", Some("new")).unwrap();
        assert!(named.platforms[0].place().is_none() && named.platforms[1].place().is_some());
        let guest = put_on_board(&mut study(two), "lab:rt-full", Some("new")).unwrap_err().to_string();
        assert!(guest.contains("not a board"), "{guest}");
    }

    #[test]
    fn what_an_interrupted_study_keeps_is_named_with_the_command_that_continues() {
        let said = |folder: &str, command: &str| interrupted("gate", Path::new(folder), command);
        assert_eq!(
            said("ci", "prazo gate --kernel bzImage -o ci"),
            "interrupted: ci keeps the complete runs; `prazo gate --kernel bzImage -o ci` measures the rest"
        );
        assert_eq!(
            said("prazo-results/evaluate-1", "prazo evaluate"),
            "interrupted: prazo-results/evaluate-1 keeps the complete runs; `prazo evaluate -o prazo-results/evaluate-1` measures the rest"
        );
        let own = default_folder("gate");
        assert!(said(&own.display().to_string(), "prazo gate").ends_with("`prazo gate` measures the rest"));
    }
}
