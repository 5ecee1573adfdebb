//! The history of a gate: the figures of a folder of baselines, in order, with the points at which their levels changed.

use crate::dates::made_at;
use crate::error::Error;
use crate::output;
use crate::progress::Progress;
use crate::report;
use prazo_core::time::Duration;
use prazo_report::history::{page, panels, points, title};
use prazo_report::markdown;
use prazo_report::terminal::{InWords, Side, Words};
use prazo_study::gate::Condition;
use prazo_study::gate::history::{HistoryFolder, HistoryQuestion, HistoryResult, draw};
use prazo_verdict::Outcome;
use serde::Serialize;
use std::path::PathBuf;

/// Which folder's history is drawn, and where it is written.
#[derive(Clone, Debug, Default)]
pub struct HistoryRequest {
    /// A folder of files that [`Baseline::save`](prazo_study::gate::Baseline::save) wrote.
    pub folder: PathBuf,
    /// What may differ within a history.
    pub may_differ: Vec<Condition>,
    /// Changes smaller than this are ignored; `None` ignores 1 %, and on guests 16 instructions.
    pub floor: Option<Duration>,
    /// Also write the answer and its tables as Markdown.
    pub markdown: Option<PathBuf>,
    /// Also write a report, whose form its ending names.
    pub report: Option<PathBuf>,
    /// The command line that repeats this.
    pub command: String,
}

/// The history, as JSON or in words.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct HistoryAnswer(pub HistoryResult);

/// Reads the baselines of a folder and finds the changes of each figure; measures nothing.
///
/// # Errors
/// The folder has no baseline, or baselines of several studies; a file cannot be written.
pub fn history(request: &HistoryRequest, progress: &mut dyn Progress) -> Result<HistoryAnswer, Error> {
    request.report.as_deref().map_or(Ok(()), report::check_document)?;
    request.markdown.as_deref().map_or(Ok(()), output::free)?;
    let folder = HistoryFolder::read(&request.folder).map_err(Error::refused)?;
    let floor_ns = request.floor.map(|floor| floor.as_ns() as f64);
    let result = draw(&folder, &HistoryQuestion { may_differ: &request.may_differ, floor_ns });
    let page = page(&result, &request.command, &made_at());
    if let Some(file) = &request.markdown {
        output::write(file, markdown::document(&page))?;
    }
    request.report.as_ref().map_or(Ok(()), |file| report::write_document(&page, file, progress))?;
    Ok(HistoryAnswer(result))
}

impl HistoryAnswer {
    /// Pass where something was tested, whatever came of it: a history has no requirement.
    pub fn outcome(&self) -> Outcome {
        if self.0.decided { Outcome::Pass } else { Outcome::Inconclusive }
    }
}

impl InWords for HistoryAnswer {
    fn write(&self, to: &mut Words<'_>) {
        let Self(history) = self;
        to.line(format_args!("{}, study {}: {}.", history.folder, history.study, history.sentence()));
        for (figure, change) in history.changes() {
            to.line(format_args!("  {}: {}", figure.subject(), change.sentence()));
        }
        for panel in panels(history) {
            let table = points("", &panel);
            let side =
                |column: &prazo_report::view::table::Column| if column.figures { Side::Right } else { Side::Left };
            let sides: Vec<Side> = table.columns.iter().map(side).collect();
            let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
            to.line("");
            to.line(format_args!("{}{}", title(&panel), table.caption));
            to.table(&sides, &names, table.rows);
        }
        to.line("");
        to.lines(history.remarks());
        to.line(format_args!("{}.", history.basis()));
    }
}
