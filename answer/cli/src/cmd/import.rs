//! `prazo import`: other tools' outputs into run files.

use super::files;
use crate::exit::{self, Exit, Failure};
use crate::out;
use prazo_core::time::Duration;
use prazo_run::import::{self, Format, Options};
use prazo_run::run::StatedFigures;
use prazo_run::{Caveat, Run, Series};
use prazo_stats::{Per, summarise};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Other tools' outputs into run files.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo import results.txt -o runs
  prazo import --format rt-app rta-t0-0.log
  prazo import --period 1ms --duration 2h results-*.txt -o runs --json")]
pub(super) struct Args {
    /// Outputs of cyclictest, jitterdebugger, rtla, oslat, Xenomai's latency, latmus, rt-app
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Folder for the run files
    #[arg(long, short, value_name = "FOLDER", default_value = files::RESULTS)]
    out: PathBuf,
    /// The files' format [default: found out]
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    format: Option<Format>,
    /// Distance of two activations, where the file does not say; with --duration it tells how many were skipped
    #[arg(long, value_name = "TIME")]
    period: Option<Duration>,
    /// Unit of the values or width of the cells, where the file does not say, e.g. that of `latency -B`
    #[arg(long, value_name = "TIME")]
    resolution: Option<Duration>,
    /// Length of the run, where the file does not say
    #[arg(long, value_name = "TIME")]
    duration: Option<Duration>,
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
pub(super) struct Imported {
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
    /// The mean that the file itself states, over all its threads; null where it does not state that of each.
    stated_mean_ns: Option<f64>,
    /// Samples beyond the file's histogram.
    overflow: u64,
    /// What threatens validity.
    caveats: Vec<Caveat>,
}

impl Args {
    /// Imports every file that can be imported, and names the others.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        files::make_folder(&self.out)?;
        let (mut imported, mut names) = (Vec::new(), Names::default());
        let imports = self.files.iter().map(|file| self.import(file, &mut names, &mut imported));
        let mut refused: Vec<Failure> = imports.filter_map(Result::err).collect();
        match (imported.is_empty(), self.json) {
            (true, _) => {}
            (false, true) => out::json(&imported)?,
            (false, false) => print_table(&imported)?,
        }
        match (refused.len(), self.files.len()) {
            (0, _) => Ok(Exit::Pass),
            (1, _) => Err(refused.remove(0)),
            (bad, all) => {
                refused.iter().for_each(exit::warn);
                Err(Failure::world(format!("{bad} of {all} files were not imported")))
            }
        }
    }

    fn import(&self, file: &Path, names: &mut Names, imported: &mut Vec<Imported>) -> Result<(), Failure> {
        for run in self.read(file)? {
            imported.push(self.keep(file, names, run)?);
        }
        Ok(())
    }

    fn read(&self, file: &Path) -> Result<Vec<Run>, Failure> {
        let options = Options {
            format: self.format,
            period: self.period,
            duration: self.duration,
            resolution: self.resolution,
            ..Options::default()
        };
        import::read(file, &options).map_err(Failure::world)
    }

    fn keep(&self, file: &Path, names: &mut Names, run: Run) -> Result<Imported, Failure> {
        let path = self.out.join(names.next(&file.file_stem().unwrap_or_default().to_string_lossy()));
        prazo_run::store::save(&run, &path).map_err(Failure::world)?;
        Ok(describe(file, &path, run))
    }
}

/// The names of run files that this command has given: files of one name in several folders, and the runs of one file, are
/// numbered. A file that was there before is never replaced.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    /// `stem.prazo`, else `stem-2.prazo`, and so on.
    fn next(&mut self, stem: &str) -> String {
        let name = |number: u64| if number == 1 { format!("{stem}.prazo") } else { format!("{stem}-{number}.prazo") };
        (1..).map(name).find(|name| self.0.insert(name.clone())).expect("there are more numbers than files")
    }
}

fn describe(file: &Path, path: &Path, run: Run) -> Imported {
    let summary = summarise(&run);
    let all = summary.summaries.iter().rfind(|row| row.cpu.is_none() && row.per == Per::ServedWakeUp);
    Imported {
        file: file.display().to_string(),
        run: path.display().to_string(),
        count: all.map_or(0, |all| all.count),
        min_ns: all.and_then(|all| all.min_ns),
        mean_ns: all.and_then(|all| all.mean_ns),
        stated_mean_ns: all.and_then(|all| stated_mean_ns(run.of(all.quantity))),
        max_ns: all.and_then(|all| all.max_ns),
        overflow: all.map_or(0, |all| all.overflow),
        caveats: run.caveats,
    }
}

/// The mean that the file states of these series together, each weighing as many samples as it states; `None` where one is
/// not stated.
fn stated_mean_ns<'a>(series: impl Iterator<Item = &'a Series>) -> Option<f64> {
    let stated: Vec<StatedFigures> = series.map(|one| one.stated).collect::<Option<_>>()?;
    if let [one] = stated.as_slice() {
        return one.mean_ns;
    }
    let parts = stated.iter().map(|one| Some((one.count? as f64, one.mean_ns?))).collect::<Option<Vec<_>>>()?;
    let count: f64 = parts.iter().map(|(count, _)| count).sum();
    (count > 0.0).then(|| parts.iter().map(|(count, mean_ns)| count * mean_ns).sum::<f64>() / count)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_name_are_numbered() {
        let mut names = Names::default();
        let given = ["a", "a", "a-2", "b", "a"].map(|stem| names.next(stem));
        assert_eq!(given, ["a.prazo", "a-2.prazo", "a-2-2.prazo", "b.prazo", "a-3.prazo"]);
    }

    #[test]
    fn means_of_several_threads_weigh_their_samples() {
        let of = |count, mean_ns| {
            let stated = StatedFigures { count, mean_ns, ..StatedFigures::default() };
            Series { stated: Some(stated), ..Series::default() }
        };
        let mean_of = |series: &[Series]| stated_mean_ns(series.iter());
        assert_eq!(mean_of(&[of(Some(3), Some(10.0)), of(Some(1), Some(30.0))]), Some(15.0));
        assert_eq!(mean_of(&[of(None, Some(10.0))]), Some(10.0));
        assert_eq!(mean_of(&[of(Some(3), Some(10.0)), of(Some(1), None)]), None);
        assert_eq!(mean_of(&[of(Some(3), Some(10.0)), Series::default()]), None);
    }
}
