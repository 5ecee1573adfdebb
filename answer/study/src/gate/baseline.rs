//! A baseline: of each cell under counted time or on a board the figures of every seed, with the conditions that they were won under.
//!
//! It comes from a results folder, or from a file of its own, which is small enough to be kept beside a kernel's sources. A
//! file holds what the rule needs and no samples; what is compared is always two baselines.

use super::conditions::{self, Condition};
use crate::cell::{Here, file_name};
use crate::figure::Figures;
use crate::journal::{Journal, replace};
use crate::matrix;
use crate::run_storage::RunStorage;
use crate::seeds::{RunFigures, shift};
use crate::study::Study;
use prazo_core::text::counted;
use prazo_run::run::Quantity;
use prazo_run::{Run, Severity};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Changes when a field changes its meaning, or when an earlier prazo could not read what is written.
const VERSION: u32 = 3;
/// The oldest version that is read: it has neither the kernels' releases nor the times of measurement.
const OLDEST: u32 = 2;

/// The figures of a study's cells under counted time and on boards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    version: u32,
    /// The study.
    pub study: String,
    /// By cell, one for each seed.
    pub cells: BTreeMap<String, Vec<Trajectory>>,
}

/// What every version of a baseline has.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// One run under counted time or on a board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trajectory {
    /// The seed of its plan, and of the emulator.
    pub seed: u64,
    /// An instruction takes 2^shift ns; null on a board.
    pub shift: Option<u32>,
    /// What it was won under.
    pub conditions: BTreeMap<Condition, String>,
    /// What was measured.
    pub figures: BTreeMap<Quantity, RunFigures>,
    /// The wake-ups that were jumped over, times their period; null where nobody counted.
    pub skipped_ns: Option<u64>,
    /// Wake-ups whose record could not be kept.
    pub lost: u64,
    /// The caveat that says why it does not show what it should; null without one.
    pub fatal: Option<String>,
    /// The kernel's release, as the kernel states it; null where it is not known, as in files of an earlier prazo.
    #[serde(default)]
    pub kernel_release: Option<String>,
    /// Start of its measurement, in nanoseconds of CLOCK_REALTIME since 1970; null as above.
    #[serde(default)]
    pub started_at_unix_ns: Option<i64>,
}

/// Why there is no baseline.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The file cannot be read.
    #[error(
        "the baseline {path} cannot be read: {cause}; name a results folder, or a file that `prazo gate --save` wrote"
    )]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        cause: String,
    },
    /// The file was read, and is no whole baseline.
    #[error(
        "the baseline {path} is damaged or is not a baseline: {cause}; expected a file that `prazo gate --save` wrote: \
         save the baseline again"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where its text ends or stops to be a baseline.
        cause: String,
    },
    /// It cannot be written.
    #[error("the baseline {path} cannot be written: {cause}; choose another file for --save")]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        cause: std::io::Error,
    },
    /// It is of another version.
    #[error(
        "the baseline {path} has version {found}, but this prazo reads {OLDEST} to {VERSION}; save a new baseline with \
         `prazo gate --save`"
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// It is of another study.
    #[error("the baseline {path} belongs to study '{found}', not to '{wanted}'; choose another baseline")]
    OtherStudy {
        /// The file.
        path: PathBuf,
        /// Its study.
        found: String,
        /// The study that runs.
        wanted: String,
    },
}

/// The runs of a results folder that its journal vouches for.
struct Vouched<'a> {
    journal: Journal,
    folder: &'a Path,
    shelf: &'a dyn RunStorage,
}

impl Vouched<'_> {
    /// Those of one cell, each with its file.
    fn runs(&self, cell: &str) -> Result<Vec<(PathBuf, Run)>, String> {
        let is_there = |file: &String| self.journal.files.get(file).is_some_and(|record| record.failed.is_none());
        let files = (0..).map(|repeat| file_name(cell, repeat)).take_while(is_there).map(|file| self.folder.join(file));
        files.map(|file| self.shelf.open(&file).map(|run| (file, run))).collect()
    }
}

fn journal(study: &Study, folder: &Path) -> Result<Journal, BaselineError> {
    Journal::open(folder, study.name(), study.head.seed)
        .map_err(|error| BaselineError::Unreadable { path: folder.to_owned(), cause: error.to_string() })
}

impl Baseline {
    /// Of the runs of a study's cells; those that were won neither under counted time nor on a board are left out.
    pub fn of(study: &str, runs: &BTreeMap<String, Vec<Run>>) -> Self {
        let cells = runs.iter().map(|(cell, runs)| (cell.clone(), runs.iter().filter_map(Trajectory::of).collect()));
        let cells = cells.filter(|(_, all): &(String, Vec<Trajectory>)| !all.is_empty()).collect();
        Self { version: VERSION, study: study.to_owned(), cells }
    }

    /// Of a results folder of the study: every run that its journal vouches for, whichever kernel it was won under.
    pub fn of_folder(study: &Study, here: &Here, folder: &Path, shelf: &dyn RunStorage) -> Result<Self, BaselineError> {
        let unreadable = |cause: String| BaselineError::Unreadable { path: folder.to_owned(), cause };
        let vouched = Vouched { journal: journal(study, folder)?, folder, shelf };
        let mut runs = BTreeMap::new();
        for cell in matrix::cells(study, here) {
            let of_cell = vouched.runs(&cell.id).map_err(unreadable)?;
            runs.insert(cell.id, of_cell.into_iter().map(|(_, run)| run).collect());
        }
        match Self::of(study.name(), &runs) {
            none if none.cells.is_empty() => {
                Err(unreadable("the folder contains no run of this study under counted time or on a board".into()))
            }
            found => Ok(found),
        }
    }

    /// The runs of one cell in a results folder of the study that its journal vouches for, each with its file.
    pub fn runs_of_cell(
        study: &Study,
        folder: &Path,
        cell: &str,
        shelf: &dyn RunStorage,
    ) -> Result<Vec<(PathBuf, Run)>, BaselineError> {
        let unreadable = |cause: String| BaselineError::Unreadable { path: folder.to_owned(), cause };
        Vouched { journal: journal(study, folder)?, folder, shelf }.runs(cell).map_err(unreadable)
    }

    /// Reads a file of [`Baseline::save`], which must be of this study.
    pub fn open(path: &Path, study: &str) -> Result<Self, BaselineError> {
        let found = Self::read(path)?;
        if found.study != study {
            let (found, wanted) = (found.study, study.to_owned());
            return Err(BaselineError::OtherStudy { path: path.to_owned(), found, wanted });
        }
        Ok(found)
    }

    /// Reads a file of [`Baseline::save`], of whatever study.
    pub fn read(path: &Path) -> Result<Self, BaselineError> {
        let unreadable =
            |error: std::io::Error| BaselineError::Unreadable { path: path.to_owned(), cause: error.to_string() };
        let text = std::fs::read(path).map_err(unreadable)?;
        let damaged = |error: serde_json::Error| {
            let cause = match error.is_eof() {
                true => format!("the file ends in line {}, before the baseline is complete", error.line()),
                false => error.to_string(),
            };
            BaselineError::Damaged { path: path.to_owned(), cause }
        };
        // Another version may have other fields, which are no damage.
        let Versioned { version } = serde_json::from_slice(&text).map_err(damaged)?;
        if !(OLDEST..=VERSION).contains(&version) {
            return Err(BaselineError::Version { path: path.to_owned(), found: version });
        }
        serde_json::from_slice(&text).map_err(damaged)
    }

    /// The same without the cells that a study does not have, or leaves out this time.
    pub fn of_cells(&self, ids: &BTreeSet<String>) -> Self {
        let cells = self.cells.iter().filter(|(cell, _)| ids.contains(*cell));
        Self { cells: cells.map(|(cell, runs)| (cell.clone(), runs.clone())).collect(), ..self.clone() }
    }

    /// The cells of which it has no run, or fewer than the study's repeats, each with what it has.
    pub fn lacks(&self, wanted: &BTreeMap<String, usize>) -> Vec<String> {
        let has = |cell: &String| self.cells.get(cell).map_or(0, Vec::len);
        let lacking = wanted.iter().filter(|(cell, repeats)| has(cell) < **repeats);
        lacking
            .map(|(cell, repeats)| format!("{cell} ({} of {})", has(cell), counted(*repeats as u64, "run")))
            .collect()
    }

    /// Writes it as JSON, by way of a new file, so that it is never half written.
    pub fn save(&self, path: &Path) -> Result<(), BaselineError> {
        let text = serde_json::to_string_pretty(self).expect("a baseline is plain data");
        replace(path, &(text + "\n")).map_err(|cause| BaselineError::Unwritable { path: path.to_owned(), cause })
    }
}

impl Trajectory {
    /// Of a run; `None` where its time was not counted and it is of no board.
    fn of(run: &Run) -> Option<Self> {
        let shift = shift(run);
        if shift.is_none() && !conditions::is_on_board(run) {
            return None;
        }
        let quantities: BTreeSet<Quantity> = prazo_stats::quantities(run).collect();
        let whole = Figures::of(std::slice::from_ref(run), None);
        let figures = |quantity: Quantity| (quantity, RunFigures::of(run, quantity));
        let fatal = run.caveats.iter().find(|caveat| caveat.severity == Severity::Fatal);
        Some(Self {
            seed: run.plan.as_ref()?.seed,
            shift,
            conditions: conditions::of(run),
            figures: quantities.into_iter().map(figures).collect(),
            skipped_ns: whole.skipped.zip(whole.period).map(|(skipped, period)| skipped * period.as_ns()),
            lost: run.series.iter().map(|series| series.activations.lost).sum(),
            fatal: fatal.map(|caveat| format!("{}: {}", caveat.id, caveat.what)),
            kernel_release: run
                .platform_before
                .as_ref()
                .and_then(|platform| platform.get("kernel.release"))
                .map(str::to_owned),
            started_at_unix_ns: run.started_at_unix_ns,
        })
    }
}
