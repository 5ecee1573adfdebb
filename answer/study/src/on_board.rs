//! A plan on a board: prazo and the plan go there, the run file comes back.

use crate::measure::{MeasureError, PlannedRun};
use prazo_board::{Address, Argument, Board, BoardError, Done, Job, Output};
use prazo_platform::fingerprint::{Fact, Fingerprint};
use prazo_run::store::{self, Amendment};
use prazo_run::{Plan, Run};
use prazo_sys::clock;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

/// The fact of a run that says on which board it was measured.
pub(crate) const ADDRESS: &str = "ssh.address";

/// What a board is asked to measure, as `prazo measure plan` reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    /// The plan.
    pub plan: Plan,
    /// Whether every processor that can be measured there gets a thread like the plan's first.
    #[serde(default)]
    pub every_cpu: bool,
}

/// Measures on a board, and gives the finished run back as it is in its file.
pub(crate) fn measure(
    work: &PlannedRun,
    board: &mut Board,
    command: &str,
    stop: &dyn Fn() -> bool,
) -> Result<Run, MeasureError> {
    let refused = |error: &dyn std::fmt::Display| MeasureError::Refused(error.to_string());
    let file = plan_file(work).map_err(|error| refused(&format!("cannot write the plan for the board: {error}")))?;
    let words = ["measure", "plan"].map(|word| Argument::Word(word.into())).into_iter().chain([
        Argument::Read(String::new(), file.path().to_owned()),
        Argument::Word("-o".into()),
        Argument::Write(String::new(), work.into.clone()),
    ]);
    let job = Job { words: words.collect(), into: folder(&work.into).to_owned(), replace: false, detach: false };
    let printed = Mutex::new(String::new());
    let keep = |is_result: bool, line: &str| {
        if !is_result && !line.trim().is_empty() {
            *printed.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = line.to_owned();
        }
    };
    let began = clock::unix_ns();
    let done = board.run(&job, Output::Lines(&keep), stop, &mut |_| ()).map_err(|error| match error {
        BoardError::Interrupted => MeasureError::Interrupted,
        other => refused(&other),
    })?;
    if stop() {
        return Err(MeasureError::Interrupted);
    }
    let Done { status: 0, .. } = done else {
        let printed = printed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let last = printed.strip_prefix("prazo: ").unwrap_or(&printed);
        let (address, status) = (board.address(), done.status);
        return Err(MeasureError::Refused(format!("{address}: prazo ended there with exit status {status}: {last}")));
    };
    kept(work, board.address(), command, began)
}

fn plan_file(work: &PlannedRun) -> std::io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("prazo-plan-").suffix(".json").tempfile()?;
    let text = serde_json::to_vec(&PlanFile { plan: work.plan.clone(), every_cpu: work.step.every_cpu })?;
    file.write_all(&text)?;
    Ok(file)
}

fn folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The run with its cell's name, the command that repeats the study, and the date of this machine: a board's clock may stand.
fn kept(work: &PlannedRun, board: &Address, command: &str, began: Option<i64>) -> Result<Run, MeasureError> {
    let address = Fact { value: Some(board.to_string()), source: "the study's platform".into() };
    let file = &work.into;
    let amendment = Amendment {
        name: work.step.cell.clone(),
        command: command.to_owned(),
        caveats: Vec::new(),
        facts: Fingerprint { facts: [(ADDRESS.to_owned(), address)].into() },
        started_at_unix_ns: began,
    };
    let run = store::amend(file, &amendment).and_then(|()| store::open(file));
    run.map_err(|error| MeasureError::Refused(error.to_string()))
}
