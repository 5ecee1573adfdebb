//! Other tools' outputs into run files.

use crate::error::Error;
use crate::files;
use crate::output;
use prazo_core::text::{counted, grouped};
use prazo_report::terminal::{InWords, Side, Words};
use prazo_report::view::Cell;
use prazo_run::import::{self, Options};
use prazo_run::run::StatedFigures;
use prazo_run::store::StoreError;
use prazo_run::{Caveat, Run, Series};
use prazo_stats::microseconds::us;
use prazo_stats::{Per, summarise};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What is imported, and where to.
#[derive(Clone, Debug)]
pub struct ImportRequest {
    /// The files, of whichever tools.
    pub files: Vec<PathBuf>,
    /// Folder for the run files.
    pub folder: PathBuf,
    /// The format, and what the files themselves do not say.
    pub options: Options,
}

/// What came of it: the files that can be imported are, whatever the others.
#[derive(Debug, Default)]
pub struct ImportAnswer {
    /// One for each run, in the order of the files.
    pub imported: Vec<Imported>,
    /// Why a file was not imported, one for each such file.
    pub refused: Vec<Error>,
    files: u64,
}

/// One imported run, as `--json` prints it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Imported {
    /// The imported file, as it was named in the request.
    pub file: String,
    /// Run file that was made from the imported file.
    pub run: String,
    /// Number of samples, overflow included.
    pub count: u64,
    /// Smallest sample, recomputed from the file's samples.
    pub min_ns: Option<i64>,
    /// Mean, recomputed from the file's samples.
    pub mean_ns: Option<f64>,
    /// Largest sample whose value is known; samples beyond the histogram have no known value.
    pub max_ns: Option<i64>,
    /// Mean that the imported file states, over all its threads; null unless it states the mean of every thread.
    pub stated_mean_ns: Option<f64>,
    /// Number of samples beyond the file's histogram.
    pub overflow: u64,
    /// Threats to the validity of the imported run.
    pub caveats: Vec<Caveat>,
}

impl InWords for ImportAnswer {
    fn write(&self, to: &mut Words<'_>) {
        let us = |ns: Option<f64>| Cell::from(ns.map_or_else(|| "-".to_owned(), us));
        let whole = |count: u64| Cell::from(grouped(count).to_string());
        let row = |row: &Imported| {
            vec![
                row.run.as_str().into(),
                whole(row.count),
                us(row.min_ns.map(|ns| ns as f64)),
                us(row.mean_ns),
                us(row.stated_mean_ns),
                us(row.max_ns.map(|ns| ns as f64)),
                whole(row.overflow),
                whole(row.caveats.len() as u64),
            ]
        };
        let names = ["run", "count", "min µs", "mean µs", "stated mean", "max µs", "overflow", "caveats"];
        let sides: [Side; 8] = std::array::from_fn(|at| if at == 0 { Side::Left } else { Side::Right });
        to.table(&sides, &names, self.imported.iter().map(row));
    }
}

impl ImportAnswer {
    /// Why not all files were imported: the only refusal, or how many there were. The others of them go to `each` before.
    ///
    /// # Errors
    /// A file was not imported.
    pub fn complete(self, each: impl FnMut(Error)) -> Result<(), Error> {
        match self.refused.len() {
            0 => Ok(()),
            1 => self.refused.into_iter().next().map_or(Ok(()), Err),
            bad => {
                self.refused.into_iter().for_each(each);
                Err(Error::failed(format!("{bad} of {} were not imported", counted(self.files, "file"))))
            }
        }
    }
}

/// Imports every file that can be imported.
///
/// # Errors
/// The folder cannot be made; a file that cannot be imported is in the answer.
pub fn import(request: &ImportRequest) -> Result<ImportAnswer, Error> {
    output::make_folder(&request.folder)?;
    let files = request.files.len() as u64;
    let (mut answer, mut names) = (ImportAnswer { files, ..ImportAnswer::default() }, Names::default());
    for file in &request.files {
        if let Err(error) = request.import(file, &mut names, &mut answer.imported) {
            answer.refused.push(error);
        }
    }
    Ok(answer)
}

impl ImportRequest {
    fn import(&self, file: &Path, names: &mut Names, imported: &mut Vec<Imported>) -> Result<(), Error> {
        for run in import::read(file, &self.options).map_err(Error::reading)? {
            let path = self.folder.join(names.next(&files::name_of(file)));
            prazo_run::store::save(&run, &path).map_err(unwritable)?;
            imported.push(describe(file, &path, run));
        }
        Ok(())
    }
}

fn unwritable(error: StoreError) -> Error {
    match error {
        StoreError::Exists { .. } => Error::refused(error),
        _ => Error::failed(error),
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
    let all = summary.summaries.iter().rfind(|row| row.is_of_all() && row.per == Per::ServedWakeUp);
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
