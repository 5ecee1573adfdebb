//! A run file in another tool's format, what happened around the worst activations of a watch, and run files with overheads as one
//! table for the analysis.

use crate::error::Error;
use crate::overhead_table::{self, TableRequest};
use crate::{files, watch};
use prazo_core::time::Duration;
use prazo_report::trace;
use prazo_run::export::{self, Format};
use prazo_stats::overheads::Statistic;
use std::path::{Path, PathBuf};

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// One run in another tool's format.
    Run(Format),
    /// What happened around the worst activations of a watch, as a trace that Perfetto opens.
    Perfetto,
    /// A table of the largest overheads, or of the mean ones.
    Overheads(Statistic),
}

/// The words beside those of [`Format`].
const OTHERS: [(&str, ExportFormat); 3] = [
    ("perfetto", ExportFormat::Perfetto),
    ("overheads", ExportFormat::Overheads(Statistic::Max)),
    ("overheads-mean", ExportFormat::Overheads(Statistic::Mean)),
];

impl ExportFormat {
    /// The word of every format.
    pub fn names() -> Vec<&'static str> {
        Format::NAMES.iter().copied().chain(OTHERS.map(|(word, _)| word)).collect()
    }
}

impl std::str::FromStr for ExportFormat {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self, Error> {
        let other = OTHERS.into_iter().find(|(known, _)| *known == word).map(|(_, format)| format);
        other.or_else(|| word.parse().ok().map(Self::Run)).ok_or_else(|| {
            Error::field("format", "there is no such format")
                .with_value(word)
                .with_remedy(format!("choose one of {}", Self::names().join(", ")))
        })
    }
}

/// What is exported, and what the runs do not say themselves.
#[derive(Clone, Debug)]
pub struct ExportRequest {
    /// The run files; more than one for a table of overheads alone.
    pub runs: Vec<PathBuf>,
    /// The format.
    pub format: ExportFormat,
    /// Misses are those of this deadline; `None` is the run's own.
    pub deadline: Option<Duration>,
    /// How many tasks ran in a run that does not say it; for a table of overheads.
    pub tasks: Option<u32>,
    /// The period of the system's tick, where the runs do not say it; for a table of overheads.
    pub tick_period: Option<Duration>,
}

/// The bytes of the export.
///
/// # Errors
/// A run cannot be opened, or lacks what the format needs.
pub fn export(request: &ExportRequest) -> Result<Vec<u8>, Error> {
    if request.deadline.is_some() && !matches!(request.format, ExportFormat::Run(_)) {
        return Err(
            Error::field("deadline", "this format does not count missed deadlines").with_remedy("omit --deadline")
        );
    }
    if let ExportFormat::Overheads(statistic) = request.format {
        let table = TableRequest { statistic, tasks: request.tasks, tick_period: request.tick_period };
        return overhead_table::table(&files::open_all(&request.runs)?, &table).map(String::into_bytes);
    }
    let [run] = &request.runs[..] else {
        return Err(Error::refused("only a table of overheads can combine several runs")
            .with_remedy("export each run on its own, or choose --format overheads"));
    };
    if request.tasks.is_some() || request.tick_period.is_some() {
        return Err(Error::field("format", "--tasks and --tick-period apply only to a table of overheads")
            .with_remedy("choose --format overheads, or omit these flags"));
    }
    match request.format {
        ExportFormat::Run(format) => {
            let (run, mut bytes) = (prazo_stats::under(files::open(run)?, request.deadline), Vec::new());
            export::write(&run, format, request.deadline, &mut bytes).map_err(Error::failed)?;
            Ok(bytes)
        }
        _ => perfetto(run),
    }
}

fn perfetto(run: &Path) -> Result<Vec<u8>, Error> {
    let (of, mut bytes) = (files::open(run)?, Vec::new());
    let activations = watch::activations(&of.watched);
    if activations.is_empty() {
        let what = format!("{}: this run file contains no events around activations", run.display());
        let remedy = match of.watched.is_empty() {
            true => "give the run file of `prazo watch`",
            false => "watch again, and write the trace with `prazo watch --trace FILE.json`",
        };
        return Err(Error::refused(what).with_remedy(remedy));
    }
    trace::watched(&activations, &mut bytes).map_err(Error::failed)?;
    Ok(bytes)
}
