//! `prazo sched experiment`: how many of many random task sets each scheduler is proven to serve.

use crate::cmd::files;
use crate::exit::{Exit, Failure};
use crate::{acceptance, out};
use prazo_analysis::question;
use prazo_core::time::Duration;
use prazo_experiment::chunk::{Chunk, points};
use prazo_experiment::{Experiment, ExperimentResult, Progress, Runner, builtin, export};
use prazo_probe::StopFlag;
use prazo_report::svg::{self, Setting};
use prazo_verdict::claim::ClaimOutcome;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Acceptance ratios of generated task sets
///
/// Chunks are kept as they are won: an interrupted experiment goes on where it stopped. Exit status: 0 every claim held,
/// 1 one did not, 3 one could not be decided.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched experiment epos-2013 --write figure7.html
  prazo sched experiment mine.toml --write points.csv --write result.json --write curves.svg
  prazo sched experiment epos-2013 --show           what is there already
  prazo sched experiment epos-2013 --chunk 52       one chunk, made alone, as JSON")]
pub struct Args {
    /// A built-in experiment's name, or a TOML file
    #[arg(value_name = "EXPERIMENT")]
    experiment: String,
    /// Folder for the chunks [default: prazo-results/EXPERIMENT]
    #[arg(long, short, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Threads [default: one for each processor]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Make nothing: show what is there
    #[arg(long)]
    show: bool,
    /// Make one chunk alone and print it; nothing is kept
    #[arg(long, value_name = "N", conflicts_with_all = ["show", "write"])]
    chunk: Option<u64>,
    /// Also write FILE; its ending chooses the form: .html, .svg (one file a panel), .csv, .json or .parquet
    #[arg(long, short, value_name = "FILE", value_parser = writable)]
    write: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const ENDINGS: [&str; 5] = ["html", "svg", "csv", "json", "parquet"];

fn ending(file: &Path) -> &str {
    file.extension().and_then(|ending| ending.to_str()).unwrap_or_default()
}

fn writable(file: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(file);
    match ending(&path) {
        "parquet" if cfg!(not(feature = "parquet")) => Err("this program was built without the feature parquet".into()),
        known if ENDINGS.contains(&known) => Ok(path),
        _ => Err(format!("its ending is none of {}", ENDINGS.join(", "))),
    }
}

impl Args {
    /// Runs, resumes or shows the experiment.
    pub fn run(self) -> Result<Exit, Failure> {
        let experiment = read(&self.experiment)?;
        if let Some(number) = self.chunk {
            return one_chunk(&experiment, number);
        }
        let result = self.result(&experiment)?;
        for file in &self.write {
            write(&experiment, &result, file)?;
        }
        if self.json {
            out::json(&result)?;
        } else {
            out::text_line(&result.to_string())?;
        }
        Ok(exit(&result))
    }

    fn result(&self, experiment: &Experiment) -> Result<ExperimentResult, Failure> {
        let stop = StopFlag::on_interrupt().map_err(Failure::world)?;
        let all = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads = self.threads.unwrap_or_else(all);
        let runner = Runner { experiment, answering: &question::answer, threads, should_stop: &|| stop.is_set() };
        let default = || Path::new(files::RESULTS).join(experiment.name());
        let folder = self.out.clone().unwrap_or_else(default);
        if self.show {
            return runner.look(&folder).map_err(Failure::world);
        }
        let mut line = Line::new(experiment.name());
        let result = runner.run(&folder, &mut |progress| line.tell(progress));
        line.end();
        result.map_err(Failure::world)
    }
}

fn read(name: &str) -> Result<Experiment, Failure> {
    match builtin::find(name) {
        Some(experiment) => Ok(experiment),
        None if Path::new(name).exists() => Experiment::open(Path::new(name)).map_err(Failure::usage),
        None => {
            let names: Vec<&str> = builtin::BUILTIN.iter().map(|one| one.name).collect();
            let names = names.join(", ");
            Err(Failure::usage(format!("no experiment '{name}': name a TOML file, or one of {names}")))
        }
    }
}

fn one_chunk(experiment: &Experiment, number: u64) -> Result<Exit, Failure> {
    let beyond = || {
        let last = Chunk::total(experiment).saturating_sub(1);
        Failure::usage(format!("--chunk {number}: experiment '{}' has the chunks 0 to {last}", experiment.name()))
    };
    let chunk = Chunk::at(number, &points(experiment), experiment).ok_or_else(beyond)?;
    out::json(&chunk.run(experiment, &question::answer).map_err(Failure::world)?)?;
    Ok(Exit::Pass)
}

fn write(experiment: &Experiment, result: &ExperimentResult, file: &Path) -> Result<(), Failure> {
    files::make_parent(file)?;
    match ending(file) {
        "svg" => {
            let figure = acceptance::figure(experiment, result);
            let curves = figure.panels.iter().map(|panel| (&panel.id, svg::acceptance(panel, Setting::Alone)));
            let costs = figure.costs.iter().map(|panel| (&panel.id, svg::costs(panel, Setting::Alone)));
            let keep = |(id, svg): (&String, String)| keep(&file.with_extension(format!("{id}.svg")), svg.as_bytes());
            curves.chain(costs).try_for_each(keep)
        }
        form => keep(file, &bytes(experiment, result, form)?),
    }
}

fn bytes(experiment: &Experiment, result: &ExperimentResult, form: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    match form {
        "html" => {
            bytes = prazo_report::acceptance::render(&acceptance::figure(experiment, result)).into_bytes();
        }
        "json" => bytes = serde_json::to_vec_pretty(result).map_err(Failure::world)?,
        #[cfg(feature = "parquet")]
        "parquet" => export::parquet::write(result, &mut bytes).map_err(Failure::world)?,
        _ => export::csv::write(result, &mut bytes).map_err(Failure::world)?,
    }
    Ok(bytes)
}

fn keep(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |error| Failure::world(format!("cannot write {}: {error}; name another with --write", file.display()));
    std::fs::write(file, bytes).map_err(failed)?;
    eprintln!("written: {}", file.display());
    Ok(())
}

fn exit(result: &ExperimentResult) -> Exit {
    let any = |outcome| result.claims.iter().any(|claim| claim.outcome == outcome);
    if any(ClaimOutcome::NotHeld) {
        Exit::Fail
    } else if any(ClaimOutcome::Undecidable) || !result.complete {
        Exit::Inconclusive
    } else {
        Exit::Pass
    }
}

/// One line of progress that rewrites itself on a terminal; in a log, a line for each twentieth of the way.
struct Line {
    name: String,
    start: Instant,
    rewrites: bool,
    told: Option<u64>,
}

impl Line {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), start: Instant::now(), rewrites: std::io::stderr().is_terminal(), told: None }
    }

    fn tell(&mut self, progress: Progress) {
        let twentieth = (progress.found + progress.made) * 20 / progress.total.max(1);
        if !self.rewrites && self.told.replace(twentieth) == Some(twentieth) {
            return;
        }
        let (start, end) = if self.rewrites { ("\r\x1b[K", "") } else { ("", "\n") };
        // Progress is for looking at; a closed standard error is no reason to stop.
        let _ = write!(std::io::stderr(), "{start}{}{end}", self.text(progress));
        let _ = std::io::stderr().flush();
    }

    fn text(&self, progress: Progress) -> String {
        let elapsed = Duration::from_ns(u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX));
        let left = progress
            .left(elapsed)
            .map_or_else(String::new, |left| format!(", {} s left", left.as_ns().div_ceil(1_000_000_000)));
        let done = progress.found + progress.made;
        format!("{}: {done} of {} chunks, {} found{left}", self.name, progress.total, progress.found)
    }

    fn end(&self) {
        if self.rewrites {
            eprintln!();
        }
    }
}
