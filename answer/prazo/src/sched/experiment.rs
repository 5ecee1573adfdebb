//! How many of many random task sets each scheduler is proven to serve.

use super::{acceptance, cluster};
use crate::error::Error;
use crate::files::RESULTS;
use crate::output::{self, make_parent};
use crate::progress::{Count, FileKind, Progress, Remark};
use prazo_analysis::question;
use prazo_core::time::Duration;
use prazo_experiment::chunk::{Chunk, ChunkResult, points};
use prazo_experiment::folder::{self, Folder};
use prazo_experiment::{Experiment, ExperimentResult, Runner, builtin, export};
use prazo_report::svg::{self, Setting};
use prazo_verdict::Outcome;
use prazo_verdict::claim::ClaimOutcome;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

/// Which experiment, how it is made, and where it goes.
#[derive(Clone, Debug)]
pub struct ExperimentRequest {
    /// A built-in experiment's name, or a TOML file.
    pub experiment: String,
    /// The folder for the chunks; by default one of the experiment's name in the folder of results.
    pub folder: Option<PathBuf>,
    /// Threads; by default one for each processor.
    pub threads: Option<usize>,
    /// The address of a Dask scheduler, such as `tcp://host:8786`, whose workers make the chunks.
    pub scheduler: Option<String>,
    /// True to make nothing, and show what is there.
    pub show: bool,
    /// Files to write the result to.
    pub reports: Vec<ExportFile>,
    /// The command that repeats it, which a page names.
    pub command: String,
}

/// A file that an experiment's result can be written to, by its ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportFile {
    path: PathBuf,
    form: ExportForm,
}

/// The forms that an experiment's result can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExportForm {
    /// One self-contained page.
    Html,
    /// A picture for each panel.
    Svg,
    /// A row for each point.
    Csv,
    /// The result as `--json` prints it.
    Json,
    /// The rows as Parquet.
    Parquet,
}

prazo_core::words!(ExportForm: Html => "html", Svg => "svg", Csv => "csv", Json => "json", Parquet => "parquet");

/// Why a file cannot take an experiment's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoExport {
    /// The ending is no form's.
    #[error("the file name extension is not one of {}", ExportForm::NAMES.join(", "))]
    Ending,
    /// The form was left out when the program was built.
    #[error(
        "this prazo was built without parquet; write a .csv or .json file, or build prazo with `cargo build --release \
         --features parquet`"
    )]
    NotBuilt,
}

impl FromStr for ExportFile {
    type Err = NoExport;

    fn from_str(file: &str) -> Result<Self, NoExport> {
        let path = PathBuf::from(file);
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        match ending.parse().map_err(|_| NoExport::Ending)? {
            ExportForm::Parquet if cfg!(not(feature = "parquet")) => Err(NoExport::NotBuilt),
            form => Ok(Self { path, form }),
        }
    }
}

/// Runs, resumes or shows an experiment, and writes it where it is wanted.
pub fn experiment(request: &ExperimentRequest, progress: &mut dyn Progress) -> Result<ExperimentResult, Error> {
    let experiment = find_experiment(&request.experiment)?;
    let result = result(request, &experiment, progress)?;
    for file in &request.reports {
        write(&experiment, &result, file, &request.command, progress)?;
    }
    Ok(result)
}

/// Makes one chunk of an experiment alone; nothing is kept.
pub fn experiment_chunk(name: &str, number: u64, _progress: &mut dyn Progress) -> Result<ChunkResult, Error> {
    let experiment = find_experiment(name)?;
    let beyond = || {
        let last = Chunk::total(&experiment).saturating_sub(1);
        let problem = format!("experiment '{}' has the chunks 0 to {last}", experiment.name());
        Error::field("chunk", problem).with_value(number)
    };
    let chunk = Chunk::at(number, &points(&experiment), &experiment).ok_or_else(beyond)?;
    chunk.run(&experiment, &question::answer).map_err(Error::failed)
}

/// Fail where a claim does not hold; inconclusive where one could not be decided, or chunks are missing.
pub fn experiment_outcome(result: &ExperimentResult) -> Outcome {
    let any = |outcome| result.claims.iter().any(|claim| claim.outcome == outcome);
    if any(ClaimOutcome::NotHeld) {
        Outcome::Fail
    } else if any(ClaimOutcome::Undecidable) || !result.complete {
        Outcome::Inconclusive
    } else {
        Outcome::Pass
    }
}

/// How many chunks an experiment has.
pub fn experiment_chunks(name: &str) -> Result<u64, Error> {
    find_experiment(name).map(|experiment| Chunk::total(&experiment))
}

/// The chunks that `folder` lacks, ascending; all of them where there is no folder.
pub fn missing_chunks(name: &str, folder: &Path) -> Result<Vec<u64>, Error> {
    let experiment = find_experiment(name)?;
    let mut missing: BTreeSet<u64> = (0..Chunk::total(&experiment)).collect();
    let mut found = |chunk: ChunkResult| {
        missing.remove(&chunk.chunk);
    };
    folder::look(folder, &experiment, &mut found).map_err(Error::failed)?;
    Ok(missing.into_iter().collect())
}

/// Keeps chunks that were made elsewhere in `folder`; those that it has already are left as they are.
pub fn keep_chunks(name: &str, folder: &Path, chunks: &[ChunkResult]) -> Result<(), Error> {
    let experiment = find_experiment(name)?;
    let mut known = BTreeSet::new();
    let mut found = |chunk: ChunkResult| {
        known.insert(chunk.chunk);
    };
    let mut kept = Folder::open(folder, &experiment, &mut found).map_err(Error::failed)?;
    let mut new = chunks.iter().filter(|chunk| known.insert(chunk.chunk));
    new.try_for_each(|chunk| kept.keep(chunk)).map_err(Error::failed)
}

/// A built-in experiment, or that of a TOML file.
pub fn find_experiment(name: &str) -> Result<Experiment, Error> {
    match builtin::find(name) {
        Some(experiment) => Ok(experiment),
        None if Path::new(name).exists() => Experiment::open(Path::new(name)).map_err(Error::refused),
        None => {
            let names: Vec<&str> = builtin::BUILTIN.iter().map(|one| one.name).collect();
            let remedy = format!("name a TOML file, or one of {}", names.join(", "));
            Err(Error::refused(format!("no experiment '{name}'")).with_remedy(remedy))
        }
    }
}

fn result(
    request: &ExperimentRequest,
    experiment: &Experiment,
    progress: &mut dyn Progress,
) -> Result<ExperimentResult, Error> {
    let stop = progress.stop().map_err(Error::failed)?;
    let all = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = request.threads.unwrap_or_else(all);
    let runner = Runner { experiment, answering: &question::answer, threads, should_stop: &|| stop.is_set() };
    let default = || Path::new(RESULTS).join(experiment.name());
    let folder = request.folder.clone().unwrap_or_else(default);
    if request.show {
        return runner.look(&folder).map_err(Error::failed);
    }
    progress.stage(experiment.name());
    if let Some(address) = &request.scheduler {
        cluster::make_missing(&request.experiment, &folder, address, progress)?;
    }
    let begun = Instant::now();
    let mut count = |made: prazo_experiment::Progress| {
        let elapsed = Duration::from_ns(u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX));
        let (done, left) = (made.found + made.made, made.left(elapsed));
        progress.count(&Count { parts: "chunks", done, found: made.found, total: made.total, left, elapsed: None });
    };
    runner.run(&folder, &mut count).map_err(Error::failed)
}

fn write(
    experiment: &Experiment,
    result: &ExperimentResult,
    file: &ExportFile,
    command: &str,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    let ExportFile { path, form } = file;
    make_parent(path)?;
    if *form == ExportForm::Svg {
        let figure = acceptance::figure(experiment, result, command);
        let curves = figure.panels.iter().map(|panel| (&panel.id, svg::acceptance(panel, Setting::Alone)));
        let costs = figure.costs.iter().map(|panel| (&panel.id, svg::costs(panel, Setting::Alone)));
        let mut picture =
            |(id, svg): (&String, String)| keep(&path.with_extension(format!("{id}.svg")), svg.as_bytes(), progress);
        return curves.chain(costs).try_for_each(&mut picture);
    }
    keep(path, &bytes(experiment, result, *form, command)?, progress)
}

fn bytes(
    experiment: &Experiment,
    result: &ExperimentResult,
    form: ExportForm,
    command: &str,
) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    match form {
        ExportForm::Html => {
            let figure = acceptance::figure(experiment, result, command);
            bytes = prazo_report::acceptance::render(&figure).into_bytes();
        }
        ExportForm::Json => bytes = serde_json::to_vec_pretty(result).map_err(Error::failed)?,
        #[cfg(feature = "parquet")]
        ExportForm::Parquet => export::parquet::write(result, &mut bytes).map_err(Error::failed)?,
        _ => export::csv::write(result, &mut bytes).map_err(Error::failed)?,
    }
    Ok(bytes)
}

fn keep(file: &Path, bytes: &[u8], progress: &mut dyn Progress) -> Result<(), Error> {
    output::write(file, bytes)?;
    progress.remark(&Remark::Written { what: FileKind::Export, file: file.to_owned() });
    Ok(())
}
