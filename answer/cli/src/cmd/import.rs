//! `prazo import`: other tools' outputs into run files.

use super::files;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo_run::import::{self, Format, Options};
use prazo_run::{Caveat, Run};
use prazo_stats::{Per, summarise};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Other tools' outputs into run files.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo import results.txt -o runs
  prazo import --format rt-app rta-t0-0.log
  prazo import shared/data/blaess-2014/*.txt -o runs --json")]
pub struct Args {
    /// Outputs of cyclictest, jitterdebugger, rtla, oslat, Xenomai's latency, latmus, rt-app
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Folder for the run files
    #[arg(long, short, value_name = "FOLDER", default_value = files::RESULTS)]
    out: PathBuf,
    /// The files' format [default: found out]
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    format: Option<Format>,
    /// Print an array of what was imported
    #[arg(long)]
    json: bool,
}

fn parse_format(name: &str) -> Result<Format, String> {
    let names = || Format::all().map(Format::name).collect::<Vec<_>>().join(", ");
    Format::all().find(|format| format.name() == name).ok_or_else(|| format!("not one of {}", names()))
}

/// One imported run, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Imported {
    /// The file as it was named.
    file: String,
    /// The run file that was made of it.
    run: String,
    /// Samples, overflow included.
    count: u64,
    /// Smallest, recomputed from the samples.
    min_ns: Option<i64>,
    /// Mean, recomputed from the samples.
    mean_ns: Option<f64>,
    /// Largest that has a value.
    max_ns: Option<i64>,
    /// The mean that the file itself states for its first thread.
    stated_mean_ns: Option<f64>,
    /// Samples beyond the file's histogram.
    overflow: u64,
    /// What threatens validity.
    caveats: Vec<Caveat>,
}

impl Args {
    /// Imports each file; the first that cannot be imported ends it, with those before it kept.
    pub fn run(self) -> Result<Exit, Failure> {
        files::make_folder(&self.out)?;
        let mut imported = Vec::new();
        for file in &self.files {
            for (number, run) in self.read(file)?.into_iter().enumerate() {
                imported.push(self.keep(file, number, run)?);
            }
        }
        if self.json {
            out::json(&imported)?;
        } else {
            print_table(&imported)?;
        }
        Ok(Exit::Pass)
    }

    fn read(&self, file: &Path) -> Result<Vec<Run>, Failure> {
        import::read(file, &Options { format: self.format, ..Options::default() }).map_err(Failure::world)
    }

    fn keep(&self, file: &Path, number: usize, run: Run) -> Result<Imported, Failure> {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let name = if number == 0 { format!("{stem}.prazo") } else { format!("{stem}-{}.prazo", number + 1) };
        let path = self.out.join(name);
        prazo_run::store::save(&run, &path).map_err(Failure::world)?;
        Ok(describe(file, &path, run))
    }
}

fn describe(file: &Path, path: &Path, run: Run) -> Imported {
    let summary = summarise(&run);
    let all = summary.summaries.iter().find(|row| row.cpu.is_none() && row.per == Per::ServedWakeUp);
    Imported {
        file: file.display().to_string(),
        run: path.display().to_string(),
        count: all.map_or(0, |all| all.count),
        min_ns: all.and_then(|all| all.min_ns),
        mean_ns: all.and_then(|all| all.mean_ns),
        stated_mean_ns: run.series.first().and_then(|series| series.stated).and_then(|stated| stated.mean_ns),
        max_ns: all.and_then(|all| all.max_ns),
        overflow: all.map_or(0, |all| all.overflow),
        caveats: run.caveats,
    }
}

fn print_table(imported: &[Imported]) -> Result<(), Failure> {
    let us = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), |ns| format!("{:.3}", ns / 1_000.0));
    out::text_line("       count     min us    mean us    (file's)     max us  overflow  caveats  run")?;
    for row in imported {
        out::text_line(&format!(
            "{:>12} {:>10} {:>10} {:>11} {:>10} {:>9} {:>8}  {}",
            row.count,
            us(row.min_ns.map(|ns| ns as f64)),
            us(row.mean_ns),
            us(row.stated_mean_ns),
            us(row.max_ns.map(|ns| ns as f64)),
            row.overflow,
            row.caveats.len(),
            row.run
        ))?;
    }
    Ok(())
}
