//! How many of many random task sets each scheduler is proven to serve.

use super::acceptance;
use crate::cluster::Cluster;
use crate::error::Error;
use crate::files::RESULTS;
use crate::output::{self, make_parent};
use crate::progress::{Count, FileKind, Progress, Remark};
use prazo_analysis::question;
use prazo_core::ratio::Ratio;
use prazo_core::time::Duration;
use prazo_experiment::chunk::{Chunk, ChunkResult, points};
use prazo_experiment::folder::{self, Folder};
use prazo_experiment::{Experiment, ExperimentResult, Runner, Specification, builtin, export};
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
    chunk_of(&find_experiment(name)?, number)
}

/// Makes chunks of an experiment that another machine specified; nothing is kept.
///
/// # Errors
/// This prazo reads another experiment from the specification, or a chunk cannot be made.
pub fn specified_chunks(specification: &Specification, numbers: &[u64]) -> Result<Vec<ChunkResult>, Error> {
    let experiment = specification.experiment().map_err(Error::refused)?;
    numbers.iter().map(|number| chunk_of(&experiment, *number)).collect()
}

fn chunk_of(experiment: &Experiment, number: u64) -> Result<ChunkResult, Error> {
    let beyond = || {
        let last = Chunk::total(experiment).saturating_sub(1);
        let problem = format!("experiment '{}' has the chunks 0 to {last}", experiment.name());
        Error::field("chunk", problem).with_value(number)
    };
    let chunk = Chunk::at(number, &points(experiment), experiment).ok_or_else(beyond)?;
    chunk.run(experiment, &question::answer).map_err(Error::failed)
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

/// The folder of an experiment's chunks, open for those that are made elsewhere. The file is read once; afterwards it only grows.
///
/// No other process writes into the folder as long as this is there.
struct KeptChunks {
    experiment: Experiment,
    points: Vec<(usize, Ratio)>,
    folder: Folder,
    kept: BTreeSet<u64>,
}

impl KeptChunks {
    /// Opens the folder of an experiment, and makes it where it is absent.
    ///
    /// # Errors
    /// There is no such experiment, or the folder holds another one or is in use.
    fn open(name: &str, folder: &Path) -> Result<Self, Error> {
        let experiment = find_experiment(name)?;
        let mut kept = BTreeSet::new();
        let mut found = |chunk: ChunkResult| {
            kept.insert(chunk.chunk);
        };
        let folder = Folder::open(folder, &experiment, &mut found).map_err(Error::failed)?;
        Ok(Self { points: points(&experiment), experiment, folder, kept })
    }

    /// How many chunks the experiment has.
    fn total(&self) -> u64 {
        Chunk::total(&self.experiment)
    }

    /// The chunks that are not kept yet, ascending.
    fn missing(&self) -> Vec<u64> {
        (0..self.total()).filter(|number| !self.kept.contains(number)).collect()
    }

    /// The missing chunks, as tasks for the workers of a cluster.
    fn batches(&self) -> Vec<Vec<u64>> {
        self.missing().chunks(CHUNKS_PER_TASK).map(<[u64]>::to_vec).collect()
    }

    /// Keeps chunks that were made from a specification with this fingerprint; those that are there already are left as they are.
    ///
    /// # Errors
    /// The chunks are another experiment's, contradict themselves, or cannot be written. Then none of them is kept.
    fn keep(&mut self, fingerprint: &str, chunks: &[ChunkResult]) -> Result<(), Error> {
        let name = self.experiment.name();
        if fingerprint != self.experiment.fingerprint {
            let wanted = &self.experiment.fingerprint;
            let problem = format!(
                "a worker made chunks of experiment '{name}' with the fingerprint {fingerprint}, but {wanted} was requested"
            );
            return Err(Error::failed(problem).with_remedy("install the same prazo on all workers"));
        }
        for chunk in chunks {
            folder::check(chunk, &self.points, &self.experiment).map_err(|cause| {
                Error::failed(format!("chunk {} of experiment '{name}' from a worker is damaged: {cause}", chunk.chunk))
            })?;
        }
        let mut new: Vec<&ChunkResult> = chunks.iter().filter(|chunk| !self.kept.contains(&chunk.chunk)).collect();
        new.sort_by_key(|chunk| chunk.chunk);
        new.dedup_by_key(|chunk| chunk.chunk);
        self.folder.keep_all(&new).map_err(Error::failed)?;
        self.kept.extend(new.iter().map(|chunk| chunk.chunk));
        Ok(())
    }
}

/// What another machine needs to make chunks of a built-in experiment, or of that of a TOML file.
pub fn specification(name: &str) -> Result<Specification, Error> {
    match Specification::builtin(name) {
        Some(specification) => Ok(specification),
        None if Path::new(name).exists() => Specification::open(Path::new(name)).map_err(Error::refused),
        None => Err(unknown(name)),
    }
}

/// A built-in experiment, or that of a TOML file.
pub fn find_experiment(name: &str) -> Result<Experiment, Error> {
    match builtin::find(name) {
        Some(experiment) => Ok(experiment),
        None if Path::new(name).exists() => Experiment::open(Path::new(name)).map_err(Error::refused),
        None => Err(unknown(name)),
    }
}

fn unknown(name: &str) -> Error {
    let names: Vec<&str> = builtin::BUILTIN.iter().map(|one| one.name).collect();
    let remedy = format!("name a TOML file, or one of {}", names.join(", "));
    Error::refused(format!("no experiment '{name}'")).with_remedy(remedy)
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
        on_cluster(&request.experiment, &folder, address, progress)?;
    }
    let begun = Instant::now();
    let mut count = |made: prazo_experiment::Progress| {
        let elapsed = Duration::from(begun.elapsed());
        let (done, left) = (made.found + made.made, made.left(elapsed));
        progress.count(&Count { parts: "chunks", done, found: made.found, total: made.total, left, elapsed: None });
    };
    runner.run(&folder, &mut count).map_err(Error::failed)
}

/// Chunks that one task of Dask makes: large enough that the scheduler's work beside it does not count.
const CHUNKS_PER_TASK: usize = 8;

/// Has a cluster's workers make the chunks that a folder lacks. They are kept as they come, so that a second call goes on.
fn on_cluster(name: &str, folder: &Path, address: &str, progress: &mut dyn Progress) -> Result<(), Error> {
    let specification = specification(name)?;
    let mut kept = KeptChunks::open(name, folder)?;
    let batches = kept.batches();
    let total = kept.total();
    let found = total - batches.iter().flatten().count() as u64;
    let mut done = found;
    let count = |done| Count { parts: "chunks", done, found, total, left: None, elapsed: None };
    progress.count(&count(done));
    if batches.is_empty() {
        return Ok(());
    }
    let mut cluster = Cluster::open(address, progress)?;
    cluster.each("chunks", &specification, &batches, progress, &mut |answer: Option<(usize, Made)>, progress| {
        if let Some((_, made)) = answer {
            kept.keep(&made.fingerprint, &made.chunks)?;
            done += made.chunks.len() as u64;
        }
        progress.count(&count(done));
        Ok(())
    })?;
    cluster.close()
}

/// What a worker answers for some chunks.
#[derive(serde::Deserialize)]
struct Made {
    fingerprint: String,
    chunks: Vec<ChunkResult>,
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

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../python/tests/small.toml");

    /// All chunks of the small experiment, as a worker makes them.
    fn made() -> (String, Vec<ChunkResult>) {
        let specification = specification(SMALL).unwrap();
        let total = Chunk::total(&find_experiment(SMALL).unwrap());
        let chunks = specified_chunks(&specification, &(0..total).collect::<Vec<_>>()).unwrap();
        (specification.fingerprint, chunks)
    }

    fn error<T>(result: Result<T, Error>) -> String {
        result.err().expect("it is refused").to_string()
    }

    #[test]
    fn chunks_are_kept_once_each_in_any_order_and_a_second_call_makes_none() {
        let folder = tempfile::tempdir().unwrap();
        let (fingerprint, mut chunks) = made();
        let total = chunks.len() as u64;
        assert!(total > 2);
        chunks.reverse();
        chunks.push(chunks[0].clone());
        let mut kept = KeptChunks::open(SMALL, folder.path()).unwrap();
        assert_eq!((kept.total(), kept.missing()), (total, (0..total).collect::<Vec<_>>()));
        assert_eq!(kept.batches().concat(), kept.missing());
        kept.keep(&fingerprint, &chunks[..2]).unwrap();
        kept.keep(&fingerprint, &chunks).unwrap();
        assert!(kept.missing().is_empty());
        assert!(error(KeptChunks::open(SMALL, folder.path())).contains("another process is writing"));
        drop(kept);
        assert!(KeptChunks::open(SMALL, folder.path()).unwrap().missing().is_empty());
        let lines = std::fs::read_to_string(folder.path().join("chunks.jsonl")).unwrap().lines().count() as u64;
        assert_eq!(lines, 1 + total);
    }

    #[test]
    fn chunks_of_another_experiment_or_with_counts_that_contradict_each_other_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (fingerprint, mut chunks) = made();
        let mut kept = KeptChunks::open(SMALL, folder.path()).unwrap();
        let other = error(kept.keep("another", &chunks));
        assert!(other.contains("the fingerprint another, but") && other.contains("was requested"), "{other}");
        chunks[1].tallies[0].accepted = 1_000_000;
        let damaged = error(kept.keep(&fingerprint, &chunks));
        assert!(damaged.contains("chunk 1 ") && damaged.contains("contradict each other"), "{damaged}");
        assert_eq!(kept.missing().len() as u64, kept.total());
    }

    /// A line that is damaged behind the back of an open folder is not seen before the folder is opened again.
    #[test]
    fn keeping_a_batch_does_not_read_the_file_again() {
        use std::io::Write;
        let folder = tempfile::tempdir().unwrap();
        let (fingerprint, chunks) = made();
        let mut kept = KeptChunks::open(SMALL, folder.path()).unwrap();
        kept.keep(&fingerprint, &chunks[..1]).unwrap();
        let file = std::fs::OpenOptions::new().append(true).open(folder.path().join("chunks.jsonl"));
        file.unwrap().write_all(b"not a chunk\n").unwrap();
        kept.keep(&fingerprint, &chunks[1..2]).unwrap();
        drop(kept);
        assert!(error(KeptChunks::open(SMALL, folder.path())).contains("not a line of this experiment"));
    }
}
